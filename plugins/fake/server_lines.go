package fake

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
)

// lines are the connections of clients, which can be refused. They are of the client's side.
type lines struct {
	mu      sync.Mutex
	refuses bool
	open    map[*line]bool
	busy    func()                      // called when one is refused, the last of so many in so short a time; nil: the case is over
	times   [rig.BusyFailures]time.Time // of the last that were refused
	next    int                         // of times, the oldest
}

type dialing = func(ctx context.Context, network, address string) (net.Conn, error)

// tell sets what is called when a client asks for connections without a pause.
func (l *lines) tell(busy func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy = busy
}

type line struct {
	net.Conn
	of     *lines
	pings  bool // its client learns that it is dead
	dead   atomic.Bool
	closed chan struct{}
	once   sync.Once
}

// kill lets nothing pass any more on what is open and has pings.
func (l *lines) kill() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.open {
		c.dead.Store(c.pings)
	}
}

// dead counts what is open and dead.
func (l *lines) dead() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.open {
		if c.dead.Load() {
			n++
		}
	}
	return n
}

// bury closes what is dead: its client never has.
func (l *lines) bury() {
	l.mu.Lock()
	var all []*line
	for c := range l.open {
		if c.dead.Load() {
			all = append(all, c)
		}
	}
	l.mu.Unlock()
	for _, c := range all {
		_ = c.Close() // it is to be gone
	}
}

// Read implements net.Conn. What comes on a dead line is lost, the end too.
func (c *line) Read(b []byte) (int, error) {
	for {
		n, err := c.Conn.Read(b)
		switch {
		case !c.dead.Load() || errors.Is(err, os.ErrDeadlineExceeded):
			return n, err
		case err != nil:
			<-c.closed
			return 0, net.ErrClosed
		}
	}
}

// Write implements net.Conn.
func (c *line) Write(b []byte) (int, error) {
	if c.dead.Load() {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// refuse breaks what is open and takes no more (true), or takes connections again.
func (l *lines) refuse(on bool) {
	l.mu.Lock()
	var open []*line
	l.refuses = on
	for c := range l.open {
		if on && !c.dead.Load() {
			open = append(open, c)
			delete(l.open, c)
		}
	}
	l.mu.Unlock()
	for _, c := range open {
		_ = c.Conn.Close() // it is to be gone
	}
}

// refused is the error of a connection that is; nil: they are taken.
func (l *lines) refused() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.refuses {
		return nil
	}
	now := time.Now()
	if l.busy != nil && now.Sub(l.times[l.next]) < rig.BusyTime {
		l.busy()
	}
	l.times[l.next] = now
	l.next = (l.next + 1) % len(l.times)
	return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
}

// dial connects by to; nil: by the network.
func (l *lines) dial(ctx context.Context, to dialing, pings bool, network, address string) (net.Conn, error) {
	if err := l.refused(); err != nil {
		return nil, err
	}
	if to == nil {
		to = new(net.Dialer).DialContext
	}
	c, err := to(ctx, network, address)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == nil {
		l.open = map[*line]bool{}
	}
	out := &line{Conn: c, of: l, pings: pings, closed: make(chan struct{})}
	l.open[out] = true
	return out, nil
}

// Close implements net.Conn.
func (c *line) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.mu.Unlock()
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}
