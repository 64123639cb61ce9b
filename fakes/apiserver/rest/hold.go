package rest

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// holding is a listener whose connections can hold back what is written.
type holding struct{ net.Listener }

// Accept implements net.Listener.
func (h holding) Accept() (net.Conn, error) {
	c, err := h.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		return &holder{TCPConn: tcp}, err
	}
	return c, err
}

// holder is a connection below TLS and net/http, which write in small pieces. A watch holds them back until its batch is whole.
type holder struct {
	*net.TCPConn
	mu   sync.Mutex
	held *[]byte // nil: nothing is held back
}

// heldBytes are *[]byte.
var heldBytes = sync.Pool{New: func() any { return new([]byte) }}

// Write implements net.Conn.
func (h *holder) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.held == nil {
		return h.TCPConn.Write(b)
	}
	*h.held = append(*h.held, b...)
	return len(b), nil
}

func (h *holder) hold() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held = heldBytes.Get().(*[]byte)
}

// release writes what is held back.
func (h *holder) release() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, err := h.TCPConn.Write(*h.held)
	*h.held = (*h.held)[:0]
	heldBytes.Put(h.held)
	h.held = nil
	return err
}

type holderKey struct{}

// withHolder is for http.Server's ConnContext.
func withHolder(ctx context.Context, c net.Conn) context.Context {
	if t, ok := c.(interface{ NetConn() net.Conn }); ok { // TLS
		c = t.NetConn()
	}
	return context.WithValue(ctx, holderKey{}, c)
}

// holderOf returns the connection of a request, or nil: there is none that can hold back, or others use it, too (HTTP/2).
func holderOf(r *http.Request) *holder {
	h, _ := r.Context().Value(holderKey{}).(*holder)
	if r.ProtoMajor != 1 {
		return nil
	}
	return h
}
