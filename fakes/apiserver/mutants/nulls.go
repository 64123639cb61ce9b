package mutants

import (
	"context"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// Nulls are servers that withhold: they must pass nothing about what they withhold. They are no
// mutants of a rule, so Rule is empty.
func Nulls() []Mutant {
	return []Mutant{
		{
			Name: "null", About: "does nothing: every call succeeds emptily, watches are silent",
			Withholds: []string{"watchcache/get/", "watchcache/list/", "watchcache/version/", "watchcache/watch/", "watchcache/bookmark/", "watchcache/write/"},
			Open:      openNull,
		},
		{
			Name: "mute", About: "all right, but its watches are silent: they send nothing until they end",
			Withholds: slices.Concat(eventful, []string{"watchcache/bookmark/", "watchcache/watchlist/initial", "watchcache/watchlist/only-added"}),
			Open:      row{on: "watch", events: drop(event(func(watch.Event, apiserver.Cause) bool { return true }))}.open,
		},
		{
			Name: "deaf", About: "takes every write, lists nothing, and its watches begin with nothing, at now",
			Withholds: append(contentsOfLists(), "watchcache/watch/from-list"), // what it refuses it refuses rightly
			Open:      row{on: "list|watch", ask: deafen, answer: emptied}.open,
		},
	}
}

// contentsOfLists are the rules about what a list has.
func contentsOfLists() []string {
	var out []string
	for _, rule := range []string{
		"snapshot", "scope", "most-recent", "monotonic", "any", "not-older-than", "exact", "pages", "page-size", "remaining", "continue-expired",
	} {
		out = append(out, "watchcache/list/"+rule)
	}
	return out
}

// eventful are the rules of watches that need an event to be put to the test; the others are about
// refusals and ends.
var eventful = []string{
	"watchcache/watch/ordered", "watchcache/watch/unique", "watchcache/watch/reliable", "watchcache/watch/resumable", "watchcache/watch/atomic",
	"watchcache/watch/from-list", "watchcache/watch/unset", "watchcache/watch/zero", "watchcache/watch/types", "watchcache/watch/selector-exit",
	"watchcache/watch/delete-version", "watchcache/watch/scope/", "watchcache/watch/same-for-all", "watchcache/watch/future", "watchcache/watch/stop", "watchcache/watch/slow",
	"watchcache/watch/compacted-edge",
}

// deafen has a watch begin at now.
func deafen(c *call) {
	if c.verb == "watch" {
		skipToNow(c)
	}
}

// emptied has a list show nothing.
func emptied(c *call) {
	if c.verb == "list" {
		setItems(c.got, nil)
		listOf(c.got).SetContinue("")
		listOf(c.got).SetRemainingItemCount(nil)
	}
}

func openNull(o apiserver.Options) (apiserver.API, *apiserver.Server) {
	n := null{}
	for _, r := range apiserver.Resources() {
		n[r.Resource] = r
	}
	return n, apiserver.New(o)
}

// null is the API of a server that does nothing, by the names of the resources it has heard of.
type null map[string]apiserver.Resource

func (n null) empty(r apiserver.Request) (runtime.Object, error) {
	res, ok := n[r.Resource.Resource]
	if !ok {
		return nil, apierrors.NewNotFound(r.Resource.GroupResource(), r.Name)
	}
	return res.New(), nil
}

func (n null) Create(_ context.Context, _ apiserver.Request, obj runtime.Object, _ metav1.CreateOptions) (runtime.Object, error) {
	return obj.DeepCopyObject(), nil
}

func (n null) Update(_ context.Context, _ apiserver.Request, obj runtime.Object, _ metav1.UpdateOptions) (runtime.Object, error) {
	return obj.DeepCopyObject(), nil
}

func (n null) Patch(_ context.Context, r apiserver.Request, _ types.PatchType, _ []byte, _ metav1.PatchOptions) (runtime.Object, error) {
	return n.empty(r)
}

func (n null) Delete(context.Context, apiserver.Request, metav1.DeleteOptions) (runtime.Object, error) {
	return &metav1.Status{Status: metav1.StatusSuccess}, nil
}

func (n null) DeleteCollection(ctx context.Context, r apiserver.Request, _ metav1.DeleteOptions, o metav1.ListOptions) (runtime.Object, error) {
	return n.List(ctx, r, o)
}

func (n null) Get(_ context.Context, r apiserver.Request, _ metav1.GetOptions) (runtime.Object, error) {
	return n.empty(r)
}

func (n null) List(_ context.Context, r apiserver.Request, _ metav1.ListOptions) (runtime.Object, error) {
	if res, ok := n[r.Resource.Resource]; ok {
		return res.NewList(), nil
	}
	return nil, &meta.NoResourceMatchError{PartialResource: r.Resource}
}

func (n null) Watch(ctx context.Context, _ apiserver.Request, _ metav1.ListOptions) (watch.Interface, error) {
	w := &silent{out: make(chan watch.Event)}
	w.forget = context.AfterFunc(ctx, w.end)
	return w, nil
}

// silent is a watch that sends nothing until it is stopped.
type silent struct {
	out    chan watch.Event
	once   sync.Once
	forget func() bool
}

func (s *silent) ResultChan() <-chan watch.Event { return s.out }

func (s *silent) end() { s.once.Do(func() { close(s.out) }) }

func (s *silent) Stop() {
	s.forget()
	s.end()
}
