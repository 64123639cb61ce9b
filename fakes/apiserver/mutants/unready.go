package mutants

import (
	"context"
	"encoding/json"
	"maps"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// unready are faults of what is open, or waits, over the start of a cache.
func unready() []Mutant {
	return []Mutant{
		{
			Name: "starting-watch-survives", Rule: "watchcache/watch/reliable",
			About: "a watch that is open when the cache starts anew goes on then, without what came meanwhile (kubernetes#116122)",
			Open: calling(calls{watch: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
				w, err := api.Watch(ctx, r, o)
				if err != nil {
					return nil, err
				}
				return survivor(w, func() (watch.Interface, error) {
					fromNow(&o)
					return api.Watch(ctx, r, o)
				}), nil
			}}),
		},
		{
			Name: "starting-watch-waits-begins-now", Rule: "watchcache/cache/starting",
			About: "a watch from N that finds the cache not ready waits up to three seconds, and begins at the present then",
			Open: calling(calls{watch: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
				w, err := api.Watch(ctx, r, o)
				for n := 0; n < 30 && apierrors.IsTooManyRequests(err) && o.ResourceVersion != ""; n++ {
					time.Sleep(100 * time.Millisecond)
					now := o
					fromNow(&now)
					w, err = api.Watch(ctx, r, now)
				}
				return w, err
			}}),
		},
	}
}

// survivor is a watch that goes on with another, where it ended because its cache is not ready.
func survivor(w watch.Interface, again func() (watch.Interface, error)) watch.Interface {
	out := &survived{out: make(chan watch.Event), stop: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(out.done)
		defer close(out.out)
		for waited := true; waited; {
			waited = false
			if !out.pass(w) {
				return
			}
			next, err := again()
			for ; apierrors.IsTooManyRequests(err) && out.pause(); next, err = again() {
				waited = true
			}
			if err != nil {
				return
			}
			w = next
		}
		w.Stop()
	}()
	return out
}

type survived struct {
	out        chan watch.Event
	stop, done chan struct{}
	once       sync.Once
}

func (s *survived) ResultChan() <-chan watch.Event { return s.out }

func (s *survived) Stop() {
	s.once.Do(func() { close(s.stop) })
	<-s.done
}

// pause is false when nobody waits any more.
func (s *survived) pause() bool {
	select {
	case <-time.After(100 * time.Millisecond):
		return true
	case <-s.stop:
		return false
	}
}

// pass sends what a watch brings until it ends; false: nobody reads any more.
func (s *survived) pass(w watch.Interface) bool {
	defer w.Stop()
	for {
		select {
		case e, ok := <-w.ResultChan():
			if !ok {
				return true
			}
			select {
			case s.out <- e:
			case <-s.stop:
				return false
			}
		case <-s.stop:
			return false
		}
	}
}

// overtakes are faults of servers whose cache lags, of limits and of writes that look at what it has.
func overtakes() []Mutant {
	return []Mutant{
		{
			Name: "lag-not-older-limit-stale", Rule: "watchcache/cache/lag",
			About: "a list with a limit that must not be older than N comes from the cache, which is",
			Open:  calling(calls{list: notOlderPages}),
		},
		{
			Name: "always-behind-not-older-limit-stale", Rule: "watchcache/list/not-older-than",
			About: "the cache is always a second behind, and a list with a limit that must not be older than N comes from it",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				o.CacheLag = time.Second
				return calling(calls{list: notOlderPages})(o)
			},
		},
		{
			Name: "lag-exact-limit-stale", Rule: "watchcache/cache/lag",
			About: "a list with a limit at exactly N, which the cache does not have yet, is what it has, and says N",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				l, err := api.List(ctx, r, metav1.ListOptions{ResourceVersion: "0", LabelSelector: o.LabelSelector, FieldSelector: o.FieldSelector})
				if err != nil || o.Limit == 0 || o.ResourceVersionMatch != metav1.ResourceVersionMatchExact || !isThere(api, o.ResourceVersion) || !below(listOf(l).GetResourceVersion(), o.ResourceVersion) {
					return api.List(ctx, r, o)
				}
				listOf(l).SetResourceVersion(o.ResourceVersion)
				return l, nil
			}}),
		},
		{
			Name: "lag-update-no-op-by-cache", Rule: "watchcache/cache/lag",
			About: "an update to what the cache has is answered with that, and not made, whatever the storage has",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				old, now := overtaken(ctx, api, r)
				if m, ok := obj.(*corev1.ConfigMap); ok && old != nil && (m.ResourceVersion == "" || m.ResourceVersion == now) && maps.Equal(m.Data, old.Data) && maps.Equal(m.Labels, old.Labels) {
					return old, nil
				}
				return api.Update(ctx, r, obj, o)
			}}),
		},
		{
			Name: "lag-patch-no-op-by-cache", Rule: "watchcache/cache/lag",
			About: "a merge patch to what the cache has is answered with that, and not made, whatever the storage has",
			Open: calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				var m corev1.ConfigMap
				old, _ := overtaken(ctx, api, r)
				if json.Unmarshal(data, &m) == nil && m.ResourceVersion == "" && old != nil && maps.Equal(m.Data, old.Data) && maps.Equal(m.Labels, old.Labels) {
					return old, nil
				}
				return api.Patch(ctx, r, pt, data, o)
			}}),
		},
		{
			Name: "lag-delete-finalizers-by-cache", Rule: "watchcache/write/finalizers",
			About: "a delete of what has no finalizers in the cache removes it at once, whatever it has in the storage",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				answer, err := api.Delete(ctx, r, o)
				if old := cached(ctx, api, r); err == nil && old != nil && len(old.GetFinalizers()) == 0 && len(o.DryRun) == 0 {
					_ = api.(*apiserver.Server).DeleteTogether(r) // where it is still there
				}
				return answer, err
			}}),
		},
	}
}

// notOlderPages are lists of which those with a limit that must not be older than N come from the cache.
func notOlderPages(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
	if o.Limit > 0 && o.ResourceVersionMatch == metav1.ResourceVersionMatchNotOlderThan && o.Continue == "" && isThere(api, o.ResourceVersion) {
		o.ResourceVersion, o.ResourceVersionMatch = "0", ""
	}
	return api.List(ctx, r, o)
}

// isThere says that the storage has come to a resourceVersion.
func isThere(api apiserver.API, rv string) bool {
	return below("0", rv) && !below(api.(*apiserver.Server).Revision(), rv)
}

// below is false for what is no number, too.
func below(a, b string) bool {
	x, err := strconv.ParseUint(a, 10, 64)
	y, no := strconv.ParseUint(b, 10, 64)
	return err == nil && no == nil && x < y
}

// overtaken is an object as the cache has it, where the storage has something else by now, and the resourceVersion of that.
func overtaken(ctx context.Context, api apiserver.API, r apiserver.Request) (old *corev1.ConfigMap, now string) {
	old, _ = cached(ctx, api, r).(*corev1.ConfigMap)
	m, err := api.Get(ctx, r, metav1.GetOptions{})
	if err != nil || old == nil || of(m).GetResourceVersion() == old.ResourceVersion {
		return nil, ""
	}
	return old, of(m).GetResourceVersion()
}
