package oddities

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// answering are oddities of what becomes of writes.
func answering() []Oddity {
	return []Oddity{
		{
			Name: "collection-together", Clause: "watchcache/write/collection",
			About: "deletecollection deletes what has no finalizers in one revision, as a transaction of the store does",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				s := apiserver.New(o)
				return together{s}, s
			},
		},
		{
			Name: "not-found-at", Clause: "watchcache/write/missing",
			About: "a 404 says at which resourceVersion the object was not there, as a storage tells its callers",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				s := apiserver.New(o)
				return notFoundAt{s}, s
			},
		},
		{
			Name: "writes-throttled", Clause: "watchcache/write/no-false-conflict",
			About: "every fifth update is refused with 429 and a Retry-After, as priority and fairness does",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				s := apiserver.New(o)
				return &throttled{Server: s}, s
			},
		},
		{
			Name: "updates-in-turn", Clause: "watchcache/write/contended",
			About: "updates wait for each other, a second each: those that lose are told late, when the winner has long been answered",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				s := apiserver.New(o)
				return &inTurn{Server: s, turn: make(chan struct{}, 1)}, s
			},
		},
		{
			Name: "answers-lost-by-restart", Clause: "watchcache/cache/restart",
			About: "a create takes a while, and a restart that comes into it cuts off the answer: the object is there",
			Open:  openCutOff,
		},
	}
}

// inTurn is an API that does one update after the other.
type inTurn struct {
	*apiserver.Server
	turn chan struct{}
}

// Update implements apiserver.API.
func (t *inTurn) Update(ctx context.Context, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
	select {
	case t.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-t.turn }()
	time.Sleep(time.Second)
	return t.Server.Update(ctx, r, obj, o)
}

// together is an API whose deletecollection is a transaction.
type together struct{ *apiserver.Server }

// DeleteCollection implements apiserver.API.
func (t together) DeleteCollection(ctx context.Context, r apiserver.Request, o metav1.DeleteOptions, which metav1.ListOptions) (runtime.Object, error) {
	if o.Preconditions != nil { // each object is held to them, and deleted alone
		return t.Server.DeleteCollection(ctx, r, o, which)
	}
	l, err := t.List(ctx, r, which)
	if err != nil || len(o.DryRun) > 0 {
		return l, err
	}
	items, err := meta.ExtractList(l)
	if err != nil {
		return nil, err
	}
	var all []apiserver.Request
	for _, obj := range items {
		if m := obj.(metav1.Object); len(m.GetFinalizers()) == 0 {
			r.Name = m.GetName()
			all = append(all, r)
		}
	}
	if len(all) > 0 {
		if err := t.DeleteTogether(all...); err != nil {
			return nil, err
		}
	}
	r.Name = ""
	return t.Server.DeleteCollection(ctx, r, o, which) // what is left has finalizers
}

// throttled is an API that refuses some updates.
type throttled struct {
	*apiserver.Server
	updates atomic.Int64
}

// Update implements apiserver.API.
func (t *throttled) Update(ctx context.Context, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
	if t.updates.Add(1)%5 == 0 {
		return nil, apierrors.NewTooManyRequests("the server has too much to do", 1)
	}
	return t.Server.Update(ctx, r, obj, o)
}

// openCutOff has an idle watch of nothing, which a restart cuts.
func openCutOff(o apiserver.Options) (apiserver.API, *apiserver.Server) {
	s := apiserver.New(o)
	day := int64(24 * time.Hour / time.Second)
	idle, err := apiserver.ConfigMaps(s, "idle").Watch(context.Background(), metav1.ListOptions{TimeoutSeconds: &day})
	if err != nil {
		panic(err) // the store is new
	}
	return cutOff{s, idle.ResultChan()}, s
}

// cutOff is an API whose creates are cut off by a restart.
type cutOff struct {
	*apiserver.Server
	idle <-chan watch.Event
}

// Create implements apiserver.API.
func (c cutOff) Create(ctx context.Context, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
	before := c.restarted()
	answer, err := c.Server.Create(ctx, r, obj, o)
	time.Sleep(10 * time.Microsecond)
	if err == nil && !before && c.restarted() {
		return nil, errors.New("connection reset by peer")
	}
	return answer, err
}

func (c cutOff) restarted() bool {
	select {
	case <-c.idle:
		return true
	default:
		return false
	}
}
