package mutants

import (
	"context"
	"encoding/json"
	"maps"
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
	out := &survived{make(chan watch.Event), make(chan struct{}), make(chan struct{})}
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
}

func (s *survived) ResultChan() <-chan watch.Event { return s.out }

func (s *survived) Stop() {
	close(s.stop)
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

// overtaken are faults of servers whose cache lags, of limits and of writes that look at what it has.
func overtaken() []Mutant {
	return []Mutant{
		{
			Name: "lag-not-older-limit-stale", Rule: "watchcache/cache/lag",
			About: "a list with a limit that must not be older than N comes from the cache, which is",
			Open:  staleList(notOlderPage),
		},
		{
			Name: "always-behind-not-older-limit-stale", Rule: "watchcache/list/not-older-than",
			About: "the cache is always a second behind, and a list with a limit that must not be older than N comes from it",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				o.CacheLag = time.Second
				return staleList(notOlderPage)(o)
			},
		},
		{
			Name: "lag-exact-limit-stale", Rule: "watchcache/cache/lag",
			About: "a list with a limit at exactly N is what the cache has, and says N",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				rv := o.ResourceVersion
				if o.Limit == 0 || o.ResourceVersionMatch != metav1.ResourceVersionMatchExact {
					return api.List(ctx, r, o)
				}
				o.ResourceVersion, o.ResourceVersionMatch, o.Limit = "0", "", 0
				l, err := api.List(ctx, r, o)
				if err == nil {
					listOf(l).SetResourceVersion(rv)
				}
				return l, err
			}}),
		},
		{
			Name: "lag-update-no-op-by-cache", Rule: "watchcache/cache/lag",
			About: "an update to what the cache has is answered with that, and not made, whatever the storage has",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				old, _ := cached(ctx, api, r).(*corev1.ConfigMap)
				if m, ok := obj.(*corev1.ConfigMap); ok && old != nil && maps.Equal(m.Data, old.Data) && maps.Equal(m.Labels, old.Labels) && len(m.Finalizers) == len(old.Finalizers) {
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
				old, _ := cached(ctx, api, r).(*corev1.ConfigMap)
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

func notOlderPage(o *metav1.ListOptions) bool {
	return o.Limit > 0 && o.ResourceVersionMatch == metav1.ResourceVersionMatchNotOlderThan
}
