package fake

import (
	"context"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
)

// lines are the connections of clients, which can be refused. They are of the client's side.
type lines struct {
	to func(ctx context.Context, network, address string) (net.Conn, error) // nil: by the network

	mu      sync.Mutex
	refuses bool
	open    map[*line]bool
	busy    func()                      // called when one is refused, the last of so many in so short a time; nil: the case is over
	times   [rig.BusyFailures]time.Time // of the last that were refused
	next    int                         // of times, the oldest
}

// tell sets what is called when a client asks for connections without a pause.
func (l *lines) tell(busy func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy = busy
}

type line struct {
	net.Conn
	of *lines
}

// refuse breaks what is open and takes no more (true), or takes connections again.
func (l *lines) refuse(on bool) {
	l.mu.Lock()
	open := l.open
	if l.refuses = on; on {
		l.open = nil
	}
	l.mu.Unlock()
	if on {
		for c := range open {
			_ = c.Conn.Close() // it is to be gone
		}
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

func (l *lines) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if err := l.refused(); err != nil {
		return nil, err
	}
	to := l.to
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
	out := &line{c, l}
	l.open[out] = true
	return out, nil
}

// Close implements net.Conn.
func (c *line) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}
