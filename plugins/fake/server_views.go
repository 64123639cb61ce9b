package fake

import (
	"context"
	"sync"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/faults"
	"github.com/lwtest/lwtest/fakes/apiserver/requestlog"
)

// views is an API whose reads the first or the second view of a store answers.
type views struct {
	apiserver.API               // the first
	other         apiserver.API // the second
	view          *apiserver.View
	second        atomic.Bool
	pretends      atomic.Bool
}

// twoViews of a store, both with the faults of a set.
func twoViews(store *apiserver.Server, set *faults.Set) (*views, error) {
	first, err := set.API(store, faults.Options{View: "first"})
	if err != nil {
		return nil, err
	}
	view := store.AddView()
	other, err := set.API(view, faults.Options{View: "second"})
	return &views{API: first, other: other, view: view}, err
}

// hold stops the second view where it is, or lets it catch up.
func (v *views) hold(still bool) {
	if still {
		v.view.SetLag(-1)
	} else {
		v.view.SetLag(0)
	}
}

func (v *views) forget(r schema.GroupVersionResource) error { return v.view.ForgetEvents(r, "") }

func (v *views) reads() apiserver.API {
	if v.second.Load() {
		return v.other
	}
	return v.API
}

// Get implements apiserver.API.
func (v *views) Get(ctx context.Context, r apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
	return v.reads().Get(ctx, r, o)
}

// List implements apiserver.API.
func (v *views) List(ctx context.Context, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
	if v.second.Load() && v.pretends.Load() {
		requestlog.Strike(ctx, "pretends", "stale", false, nil)
		o.ResourceVersion, o.ResourceVersionMatch = "0", ""
	}
	return v.reads().List(ctx, r, o)
}

// Watch implements apiserver.API.
func (v *views) Watch(ctx context.Context, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
	if v.second.Load() && v.pretends.Load() && o.SendInitialEvents != nil && *o.SendInitialEvents {
		requestlog.Strike(ctx, "pretends", "stale", false, nil)
		o.ResourceVersion = "0"
	}
	return v.reads().Watch(ctx, r, o)
}

// cutter is an API whose watches can be ended.
type cutter struct {
	apiserver.API

	mu   sync.Mutex
	open map[chan bool]bool // each is told whether its end is clean
}

// cut ends all that are open, and gives how many those were.
func (c *cutter) cut(clean bool) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.open)
	for end := range c.open {
		end <- clean // there is room for one
		delete(c.open, end)
	}
	return n
}

// Watch implements apiserver.API.
func (c *cutter) Watch(ctx context.Context, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
	w, err := c.API.Watch(ctx, r, o)
	if err != nil {
		return nil, err
	}
	end := make(chan bool, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = map[chan bool]bool{}
	}
	c.open[end] = true
	return apiserver.NewRelay(ctx, w, func(relay *apiserver.Relay) {
		defer func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			delete(c.open, end)
		}()
		pass(relay, end)
	}), nil
}

// pass passes events on, until there are no more or the watch is to end.
func pass(relay *apiserver.Relay, end <-chan bool) {
	for {
		select {
		case e, ok := <-relay.In():
			if !ok || !relay.Send(e) {
				return
			}
		case clean := <-end:
			if !clean {
				relay.Break()
			}
			return
		}
	}
}
