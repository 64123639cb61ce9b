package requestlog

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// API is an API whose requests are logged as those of a view. Whatever changes answers, faults for one,
// belongs below it: the log has what clients are told.
func (l *Log) API(inner apiserver.API, view string) apiserver.API {
	out := api{l, inner, view}
	if s, ok := apiserver.Shares(inner); ok {
		return &sharing{out, s}
	}
	return out
}

// sharing is an API with a log whose objects are not copied.
type sharing struct {
	api
	inner apiserver.Sharing
}

// Defined implements apiserver.Defining.
func (a api) Defined() *apiserver.Defined { return apiserver.DefinedBy(a.inner) }

// Self implements apiserver.Sharing.
func (a *sharing) Self() apiserver.API { return a }

type api struct {
	log   *Log
	inner apiserver.API
	view  string
}

// ask logs a request; the context is for what it does.
func (a api) ask(ctx context.Context, verb string, r apiserver.Request, e Entry) (context.Context, call) {
	by := apiserver.CallerOf(ctx)
	e.What, e.View, e.UserAgent, e.Remote, e.Client, e.Verb = Asked, a.view, by.UserAgent, by.Remote, by.Client, verb
	e.Group, e.Version, e.Resource = r.Resource.Group, r.Resource.Version, r.Resource.Resource
	e.Subresource, e.Namespace, e.Name = r.Subresource, r.Namespace, r.Name
	x := exchangeOf(ctx)
	first := x != nil && x.id == 0 // what else the server does for it is its own
	if first {
		e.Idle, e.Method, e.URI, e.Accept, e.HTTP2 = by.Idle, x.wire.method, x.wire.uri, x.wire.accept, x.wire.http2
	}
	c := call{a.log, a.log.add(e)}
	if first {
		x.id = c.id
	}
	return context.WithValue(ctx, callKey{}, c), c
}

// answer logs one, and gives it on.
func (c call) answer(verb string, obj runtime.Object, err error) (runtime.Object, error) {
	e := Entry{What: Answered, Request: c.id, Code: code(verb)}
	if err != nil {
		e.Code = 0
		e.fail(err)
	} else {
		e.show(obj)
	}
	c.log.add(e)
	return obj, err
}

func sent(obj runtime.Object, o any) Entry {
	e := Entry{Options: plain(o)}
	e.show(obj)
	return e
}

// Create implements apiserver.API.
func (a api) Create(ctx context.Context, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
	ctx, c := a.ask(ctx, "create", r, sent(obj, o))
	out, err := a.inner.Create(ctx, r, obj, o)
	return c.answer("create", out, err)
}

// Update implements apiserver.API.
func (a api) Update(ctx context.Context, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
	ctx, c := a.ask(ctx, "update", r, sent(obj, o))
	out, err := a.inner.Update(ctx, r, obj, o)
	return c.answer("update", out, err)
}

// Patch implements apiserver.API.
func (a api) Patch(ctx context.Context, r apiserver.Request, pt types.PatchType, b []byte, o metav1.PatchOptions) (runtime.Object, error) {
	ctx, c := a.ask(ctx, "patch", r, Entry{Options: plain(o), PatchType: string(pt), Patch: string(b)})
	out, err := a.inner.Patch(ctx, r, pt, b, o)
	return c.answer("patch", out, err)
}

// Delete implements apiserver.API.
func (a api) Delete(ctx context.Context, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
	ctx, c := a.ask(ctx, "delete", r, sent(nil, o))
	out, err := a.inner.Delete(ctx, r, o)
	return c.answer("delete", out, err)
}

// DeleteCollection implements apiserver.API.
func (a api) DeleteCollection(ctx context.Context, r apiserver.Request, o metav1.DeleteOptions, which metav1.ListOptions) (runtime.Object, error) {
	ctx, c := a.ask(ctx, "deletecollection", r, Entry{Options: plain(o), Which: plain(which)})
	out, err := a.inner.DeleteCollection(ctx, r, o, which)
	return c.answer("deletecollection", out, err)
}

// Get implements apiserver.API.
func (a api) Get(ctx context.Context, r apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
	ctx, c := a.ask(ctx, "get", r, sent(nil, o))
	out, err := a.inner.Get(ctx, r, o)
	return c.answer("get", out, err)
}

// List implements apiserver.API.
func (a api) List(ctx context.Context, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
	ctx, c := a.ask(ctx, "list", r, sent(nil, o))
	out, err := a.inner.List(ctx, r, o)
	return c.answer("list", out, err)
}

// ListShared implements apiserver.Sharing.
func (a *sharing) ListShared(ctx context.Context, r apiserver.Request, o metav1.ListOptions) (apiserver.Listed, error) {
	ctx, c := a.ask(ctx, "list", r, sent(nil, o))
	out, err := a.inner.ListShared(ctx, r, o)
	if err != nil {
		_, err = c.answer("list", nil, err)
		return out, err
	}
	l, err := out.Whole()
	if err != nil {
		return out, err
	}
	_, err = c.answer("list", l, nil)
	return out, err
}

// Watch implements apiserver.API.
func (a api) Watch(ctx context.Context, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
	return a.watch(ctx, r, o, a.inner.Watch)
}

// WatchShared implements apiserver.Sharing.
func (a *sharing) WatchShared(ctx context.Context, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
	return a.watch(ctx, r, o, a.inner.WatchShared)
}

type opening func(context.Context, apiserver.Request, metav1.ListOptions) (watch.Interface, error)

func (a api) watch(ctx context.Context, r apiserver.Request, o metav1.ListOptions, open opening) (watch.Interface, error) {
	ctx, c := a.ask(ctx, "watch", r, sent(nil, o))
	w, err := open(ctx, r, o)
	if _, err := c.answer("watch", nil, err); err != nil {
		return nil, err
	}
	x := exchangeOf(ctx)
	return apiserver.NewRelay(ctx, w, func(relay *apiserver.Relay) {
		end := Entry{What: Over, Request: c.id, How: Clean}
		for e := range relay.In() {
			if f, ok := e.Object.(Unsent); !ok {
				c.log.add(event(c.id, e, &end))
			} else {
				c.log.add(Entry{What: Spoiled, Request: c.id, Event: string(e.Type), Does: f.Unsent()})
			}
			if !relay.Send(e) {
				break
			}
		}
		w.Stop() // it is over when that returns: only then it says how it ended
		if b, ok := w.(interface{ Broken() bool }); ok && b.Broken() {
			end.How = Broken
		} else if relay.Left() {
			end.How = Stopped
		}
		if x == nil {
			c.log.add(end)
			return
		}
		x.watched = end // read when the relay is over
	}), nil
}

// Unsent is what stands in an event for something that is none: bytes that cannot be read. It says what a fault
// does to them.
type Unsent interface{ Unsent() string }

// event is the entry of one, which end counts.
func event(id int64, e watch.Event, end *Entry) Entry {
	out := Entry{What: Sent, Request: id, Event: string(e.Type)}
	if e.Type == watch.Error {
		out.fail(apierrors.FromObject(e.Object))
	}
	out.show(e.Object)
	end.Events++
	if out.ResourceVersion != "" {
		end.ResourceVersion = out.ResourceVersion
	}
	return out
}
