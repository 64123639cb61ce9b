package rest

import (
	"context"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// pool knows of a server's connections whose they are, and since when they carry no request.
type pool struct {
	mu   sync.Mutex
	open map[net.Conn]*pooled
}

type pooled struct {
	all    *pool
	used   bool // it has carried a request
	client string
	idle   time.Time // zero: it carries a request, or has not carried any
}

type pooledKey struct{}

// begin is http.Server's ConnContext: a new connection is known from now on.
func (p *pool) begin(ctx context.Context, conn net.Conn) context.Context {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open[conn] = &pooled{all: p}
	return withHolder(context.WithValue(ctx, pooledKey{}, p.open[conn]), conn)
}

// change is http.Server's ConnState.
func (p *pool) change(conn net.Conn, state http.ConnState) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch state {
	case http.StateActive:
		p.open[conn].idle = time.Time{}
	case http.StateIdle:
		p.open[conn].idle = time.Now()
	case http.StateClosed, http.StateHijacked:
		delete(p.open, conn)
	}
}

// idleBeside returns for how many seconds each other connection of a client has carried nothing, the longest first, if a request is the
// first of its connection. One that has carried nothing for less does not count: the client may not know that it is free.
func idleBeside(ctx context.Context, client string) (seconds []int) {
	conn, ok := ctx.Value(pooledKey{}).(*pooled)
	if !ok {
		return nil
	}
	conn.all.mu.Lock()
	defer conn.all.mu.Unlock()
	if conn.used {
		return nil
	}
	conn.used, conn.client = true, client
	for _, o := range conn.all.open {
		if n := int(time.Since(o.idle).Seconds()); o.client == client && !o.idle.IsZero() && n > 0 {
			seconds = append(seconds, n)
		}
	}
	slices.Sort(seconds)
	slices.Reverse(seconds)
	return seconds
}
