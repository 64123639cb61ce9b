package listerwatcher

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	conformance "github.com/lwtest/lwtest/conformance/listerwatcher"
)

type (
	options  = *metav1.ListOptions
	event    = conformance.Event
	watching = conformance.Watch
	coming   = func(context.Context) (event, bool)
)

// lists changes what a list gives.
func lists(f func(*conformance.List)) func(client) client {
	return func(c client) client {
		right := c.list
		c.list = func(ctx context.Context, o options) (*conformance.List, error) {
			l, err := right(ctx, o)
			if err == nil {
				f(l)
			}
			return l, err
		}
		return c
	}
}

// errs changes the errors of lists, and of opening a watch.
func errs(f func(error) error) func(client) client {
	return func(c client) client {
		list, watch := c.list, c.watch
		c.list = func(ctx context.Context, o options) (*conformance.List, error) {
			l, err := list(ctx, o)
			if err != nil {
				return nil, f(err)
			}
			return l, nil
		}
		c.watch = func(ctx context.Context, o options) (watching, error) {
			w, err := watch(ctx, o)
			if err != nil {
				return nil, f(err)
			}
			return w, nil
		}
		return c
	}
}

// statuses changes errors that are a Status.
func statuses(f func(*metav1.Status)) func(client) client {
	return errs(func(err error) error {
		var s *apierrors.StatusError
		if !errors.As(err, &s) {
			return err
		}
		out := *s.ErrStatus.DeepCopy()
		if out.Details == nil {
			out.Details = &metav1.StatusDetails{}
		}
		f(&out)
		return &apierrors.StatusError{ErrStatus: out}
	})
}

// watches changes each watch.
func watches(f func(context.Context, watching) watching) func(client) client {
	return opening(func(ctx context.Context, o options, right func(context.Context, options) (watching, error)) (watching, error) {
		w, err := right(ctx, o)
		if err != nil {
			return nil, err
		}
		return f(ctx, w), nil
	})
}

// next is a watch of which f gives the events, from what comes.
type next struct {
	watching
	f func(context.Context, coming) (event, bool)
}

// Next implements listerwatcher.Watch.
func (n next) Next(ctx context.Context) (event, bool) { return n.f(ctx, n.watching.Next) }

// events gives for each event that comes what f makes of it; at is its number, from 0.
func events(f func(at int, e event) []event) func(client) client {
	return watches(func(_ context.Context, w watching) watching {
		var held []event
		at := 0
		return next{w, func(ctx context.Context, come coming) (event, bool) {
			for len(held) == 0 {
				e, ok := come(ctx)
				if !ok {
					return e, false
				}
				held = append(held, f(at, e)...)
				at++
			}
			e := held[0]
			held = held[1:]
			return e, true
		}}
	})
}

// leaves leaves out some events.
func leaves(which func(at int, e event) bool) func(client) client {
	return events(func(at int, e event) []event {
		return slices.DeleteFunc([]event{e}, func(event) bool { return which(at, e) })
	})
}

// alters changes events.
func alters(f func(at int, e *event)) func(client) client {
	return events(func(at int, e event) []event { f(at, &e); return []event{e} })
}

// doubles gives the nth event twice, counted from 0.
func doubles(nth int) func(client) client {
	return events(func(at int, e event) []event {
		if at == nth {
			return []event{e, e}
		}
		return []event{e}
	})
}

// consumed has f give the events of each watch, from what comes.
func consumed(f func(opened context.Context) func(ctx context.Context, come coming) (event, bool)) func(client) client {
	return watches(func(opened context.Context, w watching) watching { return next{w, f(opened)} })
}

// opening does something in the place of opening a watch.
func opening(do func(ctx context.Context, o options, open func(context.Context, options) (watching, error)) (watching, error)) func(client) client {
	return func(c client) client {
		open := c.watch
		c.watch = func(ctx context.Context, o options) (watching, error) { return do(ctx, o, open) }
		return c
	}
}

// fields changes an object.
func fields(raw json.RawMessage, f func(map[string]any)) json.RawMessage {
	var o map[string]any
	if json.Unmarshal(raw, &o) != nil {
		return raw
	}
	f(o)
	b, err := json.Marshal(o)
	if err != nil {
		return raw
	}
	return b
}

// stopless is a watch whose Stop does nothing.
type stopless struct{ watching }

// Stop implements listerwatcher.Watch.
func (stopless) Stop() {}

// flagged is a watch whose Stop sets a flag: who awaits an event then is given it.
func flagged(_ context.Context, w watching) watching {
	var stopped atomic.Bool
	return next{stopping{stopless{w}, func() { stopped.Store(true) }}, func(ctx context.Context, come coming) (event, bool) {
		if stopped.Load() {
			w.Stop()
			return event{}, false
		}
		return come(ctx)
	}}
}

// deaf ends for its consumer when it is stopped, and for nobody else.
type deaf struct {
	watching
	once sync.Once
	gone chan struct{}
}

// Stop implements listerwatcher.Watch.
func (d *deaf) Stop() { d.once.Do(func() { close(d.gone) }) }

// Next implements listerwatcher.Watch.
func (d *deaf) Next(ctx context.Context) (event, bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-d.gone:
			cancel()
		case <-ctx.Done():
		}
	}()
	return d.watching.Next(ctx)
}

// shared gives each call the options of whichever came last.
func shared(c client) client {
	var mu sync.Mutex
	var last metav1.ListOptions
	list, watch := c.list, c.watch
	own := func(o options) options {
		mu.Lock()
		last = *o
		mu.Unlock()
		time.Sleep(time.Millisecond) // what takes a moment, between the two
		mu.Lock()
		defer mu.Unlock()
		return last.DeepCopy()
	}
	c.list = func(ctx context.Context, o options) (*conformance.List, error) { return list(ctx, own(o)) }
	c.watch = func(ctx context.Context, o options) (watching, error) { return watch(ctx, own(o)) }
	return c
}

func reversed(l *conformance.List) { slices.Reverse(l.Items) }
