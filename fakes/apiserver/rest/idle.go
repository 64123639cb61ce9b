package rest

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// idleFor is how long a connection carries nothing before it counts as idle: its client may not know sooner that an answer is over.
const idleFor = time.Second

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
func (c *pool) begin(ctx context.Context, conn net.Conn) context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[conn] = &pooled{all: c}
	return withHolder(context.WithValue(ctx, pooledKey{}, c.open[conn]), conn)
}

// change is http.Server's ConnState.
func (c *pool) change(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateActive:
		c.open[conn].idle = time.Time{}
	case http.StateIdle:
		c.open[conn].idle = time.Now()
	case http.StateClosed, http.StateHijacked:
		delete(c.open, conn)
	}
}

// idleBeside returns how many other connections of its client are idle if a request is the first of its connection; otherwise 0.
func idleBeside(ctx context.Context, client string) (idle int) {
	conn, ok := ctx.Value(pooledKey{}).(*pooled)
	if !ok {
		return 0
	}
	conn.all.mu.Lock()
	defer conn.all.mu.Unlock()
	if conn.used {
		return 0
	}
	conn.used, conn.client = true, client
	for _, o := range conn.all.open {
		if o.client == client && !o.idle.IsZero() && time.Since(o.idle) >= idleFor {
			idle++
		}
	}
	return idle
}
