package fake

import (
	"context"
	"io"
	"net"
	"strings"
	"sync"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
)

// ServerApart is Server for a client of another process, which has nothing but its address. Refused connections are
// refused by the system: meanwhile nobody listens.
func ServerApart(t *harness.T) (rig.Server, error) {
	s, err := newServer(t)
	if err != nil {
		return nil, err
	}
	d := &door{lines: s.lines, failed: func(err error) { t.GiveUp("the server cannot take connections again: %v", err) }, to: strings.TrimPrefix(s.http.RESTConfig().Host, "http://")}
	if err := d.listen("127.0.0.1:0"); err != nil {
		return nil, err
	}
	t.Cleanup(d.close)
	return &apart{s, d}, nil
}

type apart struct {
	*server
	door *door
}

// Endpoint implements rig.Server.
func (a *apart) Endpoint(client string) rig.Endpoint {
	return rig.Endpoint{URL: "http://" + a.door.address, Token: a.token(client)}
}

// Refuse implements rig.Cutter.
func (a *apart) Refuse(on bool) { a.door.refuse(on) }

// door takes connections for a server.
type door struct {
	lines   *lines
	failed  func(error)
	to      string
	address string

	mu       sync.Mutex
	listener net.Listener // nil: closed
	passing  sync.WaitGroup
}

func (d *door) listen(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	d.listener, d.address = l, l.Addr().String()
	d.passing.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			d.passing.Go(func() { d.pass(c) })
		}
	})
	return nil
}

// pass hands on what comes, in both directions, until one of them ends.
func (d *door) pass(from net.Conn) {
	defer from.Close()
	to, err := d.lines.dial(context.Background(), "tcp", d.to)
	if err != nil {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { _, _ = io.Copy(to, from); _ = to.Close() }) // how it ended is the other's to see
	both.Go(func() { _, _ = io.Copy(from, to); _ = from.Close() })
	both.Wait()
}

func (d *door) refuse(on bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if on == (d.listener == nil) {
		return
	}
	if on {
		_ = d.listener.Close()
		d.listener = nil
		d.lines.refuse(true)
		return
	}
	d.lines.refuse(false)
	if err := d.listen(d.address); err != nil { // somebody else has taken the port meanwhile
		d.failed(err)
	}
}

func (d *door) close() {
	d.refuse(true)
	d.passing.Wait()
}
