package listerwatcher

import (
	"context"
	"sync"
	"time"

	conformance "github.com/lwtest/lwtest/conformance/listerwatcher"
	"github.com/lwtest/lwtest/harness"
)

// ownTimeout is what such a client gives a request.
const ownTimeout = 100 * time.Second

// quiet are clients that end by themselves what should go on, or hear nothing more of it.
func quiet() []mutant {
	const retry = "retry-watcher"
	return []mutant{
		{name: "csharp-client-515", rule: "watch/faithful", about: "a request is ended by a timeout of the client's own, after 100 s, of which the stream tells nothing", calls: dying},
		{name: "csharp-client-515-resuming", of: retry, rule: "watch/faithful", about: "so of a client that resumes watches: then it does not", calls: dying},
		{name: "until-dies", of: retry, more: []harness.Feature{conformance.Waits}, rule: "until/returns", about: "so of a wait", calls: func(c client) client { return waitsOn(dying(c)) }},
		{name: "deaf-when-quiet", rule: "watch/faithful", about: "what comes when nothing has come for 100 s is dropped", calls: watches(deafWhenQuiet)},
		{name: "until-deaf", of: retry, more: []harness.Feature{conformance.Waits}, rule: "until/returns", about: "so of a wait", calls: func(c client) client { return waitsOn(watches(deafWhenQuiet)(c)) }},
		{name: "fabric8-client-205", rule: "request/isolated", about: "who stops one watch stops all of the client's", calls: stopsAll},
		{name: "fabric8-client-205-resuming", of: retry, rule: "request/isolated", about: "so of a client that resumes watches", calls: stopsAll},
		{name: "until-one-condition", of: retry, more: []harness.Feature{conformance.Waits}, rule: "until/returns", about: "of two waits at once both wait for what the second does", calls: func(c client) client { return oneCondition(waitsOn(c)) }},
		{name: "cancelled-unstopped", rule: "watch/cancel", about: "Stop does nothing once the context has ended: who has an event for a consumer waits on", calls: watches(func(ctx context.Context, w watching) watching {
			return heardUntil{buffered(w, 10, waiting), ctx}
		})},
	}
}

// dying ends requests by a timeout of their own, and lets their streams be.
func dying(c client) client {
	return watches(func(opened context.Context, w watching) watching {
		died, stopped := make(chan struct{}), make(chan struct{})
		over := time.AfterFunc(ownTimeout, func() { close(died); w.Stop() })
		stops := stopping{w, sync.OnceFunc(func() { over.Stop(); close(stopped) })}
		return next{stops, func(ctx context.Context, come coming) (event, bool) {
			e, ok := come(ctx)
			if ok {
				return e, ok
			}
			select {
			case <-died:
			default: // the server's end
				return e, ok
			}
			select {
			case <-stopped:
			case <-ctx.Done():
			case <-opened.Done():
			}
			return e, ok
		}}
	})(c)
}

// deafWhenQuiet drops what comes after a while in which nothing did, and all after that.
func deafWhenQuiet(_ context.Context, w watching) watching {
	last, deaf := time.Now(), false
	return next{w, func(ctx context.Context, come coming) (event, bool) {
		for {
			e, ok := come(ctx)
			deaf = deaf || time.Since(last) > ownTimeout
			last = time.Now()
			if !ok || !deaf {
				return e, ok
			}
		}
	}}
}

// stopsAll stops with one watch all that were opened before.
func stopsAll(c client) client {
	var mu sync.Mutex
	var open []watching
	return watches(func(_ context.Context, w watching) watching {
		mu.Lock()
		defer mu.Unlock()
		open = append(open, w)
		return stopping{w, func() {
			mu.Lock()
			defer mu.Unlock()
			for _, w := range open {
				w.Stop()
			}
			open = nil
		}}
	})(c)
}

// oneCondition keeps what a wait waits for where the next puts what it does.
func oneCondition(c client) client {
	var mu sync.Mutex
	var last conformance.Condition
	right := c.until
	c.until = func(ctx context.Context, o options, cond conformance.Condition) (*event, error) {
		mu.Lock()
		last = cond
		mu.Unlock()
		time.Sleep(100 * time.Millisecond)
		mu.Lock()
		cond = last
		mu.Unlock()
		return right(ctx, o, cond)
	}
	return c
}

// heardUntil is a watch whose Stop is heard until its context ends.
type heardUntil struct {
	watching
	ctx context.Context
}

// Stop implements listerwatcher.Watch.
func (h heardUntil) Stop() {
	if h.ctx.Err() == nil {
		h.watching.Stop()
	}
}
