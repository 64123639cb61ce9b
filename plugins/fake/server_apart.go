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
	a := &apart{server: s, t: t}
	return a, a.open()
}

type apart struct {
	*server
	t     *harness.T
	mu    sync.Mutex
	doors []*door // of each server that there was, the last for clients from now on
}

// open takes connections for the server as it is served now.
func (a *apart) open() error {
	of := a.http.Load()
	scheme, to, _ := strings.Cut(of.URL(), "://")
	d := &door{lines: a.lines, failed: func(err error) { a.t.GiveUp("the server cannot take connections again: %v", err) }, scheme: scheme, to: to, pings: of.pings}
	if err := d.listen("127.0.0.1:0"); err != nil {
		return err
	}
	a.t.Cleanup(d.close)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.doors = append(a.doors, d)
	return nil
}

// Encrypt implements rig.Encrypter.
func (a *apart) Encrypt(http2 bool) error {
	if err := a.server.Encrypt(http2); err != nil {
		return err
	}
	return a.open()
}

// Endpoint implements rig.Server.
func (a *apart) Endpoint(client string) rig.Endpoint {
	a.mu.Lock()
	defer a.mu.Unlock()
	d := a.doors[len(a.doors)-1]
	return rig.Endpoint{URL: d.scheme + "://" + d.address, Token: a.token(client), CA: a.http.Load().RESTConfig().CAData}
}

// Refuse implements rig.Cutter.
func (a *apart) Refuse(on bool) {
	for _, d := range a.doors {
		d.refuse(on)
	}
}

// door takes connections for a server.
type door struct {
	lines   *lines
	failed  func(error)
	scheme  string
	pings   bool
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
	to, err := d.lines.dial(context.Background(), nil, d.pings, "tcp", d.to)
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
