package rest

import (
	"bytes"
	"context"
	"net"
	"sync"
)

// pipes is a listener in memory: each connection is a net.Pipe.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
	tls   bool // connections are flights
}

// flight is the server's side of a connection in memory on which TLS is spoken. Its first write, which is the server's part of the
// handshake, returns at once: a client that does not trust the certificate says so before it has read the rest, and nothing waits in a
// net.Pipe.
type flight struct {
	net.Conn
	once sync.Once
	sent chan struct{}
}

// Write implements net.Conn.
func (f *flight) Write(b []byte) (n int, err error) {
	first := false
	f.once.Do(func() {
		first, b = true, bytes.Clone(b)
		go func() {
			defer close(f.sent)
			_, _ = f.Conn.Write(b) // if it fails, so does the next read
		}()
	})
	if first {
		return len(b), nil
	}
	<-f.sent
	return f.Conn.Write(b)
}

func newPipes() *pipes {
	return &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
}

// dial connects to the listener, whatever the address.
func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-p.done:
		return nil, &net.OpError{Op: "dial", Net: "pipe", Err: net.ErrClosed}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements net.Listener.
func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		if p.tls {
			c = &flight{Conn: c, sent: make(chan struct{})}
		}
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (p *pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

// Addr implements net.Listener.
func (p *pipes) Addr() net.Addr { return pipeAddr{} }

// pipeAddr is a name that stands in URLs and certificates.
type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "localhost" }
