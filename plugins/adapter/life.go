package adapter

import (
	"context"
	"fmt"
	"sync"
)

// life is what one case has open.
type life struct {
	ctx    context.Context
	cancel context.CancelFunc
	calls  sync.WaitGroup // under way
	over   bool           // guarded by session.writing

	mu    sync.Mutex
	open  map[string]any // by handle
	ends  []func()       // what ends what is open
	ended bool
}

func newCase() *life {
	l := &life{open: map[string]any{}}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l
}

// keep keeps what a handle names from now on; end ends it with the case, if anything has to.
func (l *life) keep(h string, x any, end func()) {
	l.mu.Lock()
	l.open[h] = x
	late := l.ended
	if end != nil && !late {
		l.ends = append(l.ends, end)
	}
	l.mu.Unlock()
	if end != nil && late {
		end()
	}
}

// end ends all, and waits for the calls that are under way.
func (l *life) end() {
	l.cancel()
	l.mu.Lock()
	ends := l.ends
	l.ended = true
	l.mu.Unlock()
	for _, end := range ends {
		end()
	}
	l.calls.Wait()
}

// named gives what is kept under a handle.
func named[T any](c *call, h string) (T, error) {
	c.life.mu.Lock()
	x, ok := c.life.open[h]
	c.life.mu.Unlock()
	if !ok {
		var none T
		return none, fmt.Errorf("the handle %q does not exist, or its case is over", h)
	}
	return part[T](x)
}

// part is the part of something that a request asks for.
func part[T any](x any) (T, error) {
	t, ok := x.(T)
	if !ok {
		return t, absent(fmt.Sprintf("a %T has no %s", x, name[T]()))
	}
	return t, nil
}

func name[T any]() string {
	return fmt.Sprintf("%T", (*T)(nil))[len("*adapter."):]
}
