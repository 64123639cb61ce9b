package mutants

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// caches are faults of a cache that lags, starts, is restarted or overflows.
func caches() []Mutant {
	return []Mutant{
		{
			Name: "lag-list-stale", Rule: "watchcache/cache/lag",
			About: "most-recent lists come from the cache without a look at how far it has come, as lists at \"0\" do",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				if o.ResourceVersion == "" && o.Continue == "" {
					o.ResourceVersion = "0"
				}
				return api.List(ctx, r, o)
			}}),
		},
		{
			Name: "lag-get-stale", Rule: "watchcache/cache/lag",
			About: "most-recent gets come from the cache without a look at how far it has come",
			Open: calling(calls{get: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
				if o.ResourceVersion == "" {
					o.ResourceVersion = "0"
				}
				return api.Get(ctx, r, o)
			}}),
		},
		{
			Name: "lag-not-older-stale", Rule: "watchcache/cache/lag",
			About: "a list that must not be older than N comes from the cache, which is",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				if o.ResourceVersionMatch == metav1.ResourceVersionMatchNotOlderThan {
					o.ResourceVersion = "0"
				}
				return api.List(ctx, r, o)
			}}),
		},
		{
			Name: "lag-watch-stale", Rule: "watchcache/cache/lag",
			About: "a watch without resourceVersion starts at what the cache has, as servers do whose WatchList gate is off",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				if o.ResourceVersion == "" && (o.SendInitialEvents == nil || *o.SendInitialEvents) {
					o.ResourceVersion = "0"
				}
				return nil
			}),
		},
		{
			Name: "lag-refused-for-good", Rule: "watchcache/cache/lag",
			About: "while the cache lags a list is refused with a 500 that does not say that it may be tried again",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				answer, err := api.List(ctx, r, o)
				if apierrors.IsTimeout(err) {
					err = &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: 500, Message: "the cache is behind"}}
				}
				return answer, err
			}}),
		},
		{
			Name: "starting-lists-nothing", Rule: "watchcache/cache/starting",
			About: "while the cache is not ready a list has no items",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				answer, err := api.List(ctx, r, o)
				if apierrors.IsTooManyRequests(err) {
					answer, err = api.List(ctx, r, metav1.ListOptions{Limit: 1}) // from the storage: for its resourceVersion
					setItems(answer, nil)
					listOf(answer).SetContinue("")
				}
				return answer, err
			}}),
		},
		{
			Name: "starting-watches-nothing", Rule: "watchcache/cache/starting",
			About: "while the cache is not ready a watch starts with nothing, and says that this was all",
			Open: calling(calls{watch: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
				w, err := api.Watch(ctx, r, o)
				if !apierrors.IsTooManyRequests(err) {
					return w, err
				}
				now, _ := api.List(ctx, r, metav1.ListOptions{Limit: 1}) // from the storage
				empty := watch.NewFakeWithChanSize(1, false)
				end := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{ResourceVersion: listOf(now).GetResourceVersion(), Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true"}}}
				empty.Action(watch.Bookmark, end)
				return empty, nil
			}}),
		},
		{
			Name: "starting-lists-nothing-by-field", Rule: "watchcache/cache/starting",
			About: "while the cache is not ready a list by field has no items",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				answer, err := api.List(ctx, r, o)
				if apierrors.IsTooManyRequests(err) && o.FieldSelector != "" {
					answer, err = api.List(ctx, r, metav1.ListOptions{Limit: 1}) // from the storage: for its resourceVersion
					setItems(answer, nil)
					listOf(answer).SetContinue("")
				}
				return answer, err
			}}),
		},
		{
			Name: "starting-refused-for-good", Rule: "watchcache/cache/starting",
			About: "while the cache is not ready a list is refused with a 500 that does not say that it may be tried again",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				answer, err := api.List(ctx, r, o)
				if apierrors.IsTooManyRequests(err) {
					err = &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: 500, Message: "not ready"}}
				}
				return answer, err
			}}),
		},
		{
			Name: "restart-goes-back", Rule: "watchcache/cache/restart",
			About: "after a restart lists have a resourceVersion from before it",
			Open: restarting(func(c *calls, restarted func() bool) {
				c.list = func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
					answer, err := api.List(ctx, r, o)
					if err == nil && restarted() {
						listOf(answer).SetResourceVersion(plus(listOf(answer).GetResourceVersion(), -3))
					}
					return answer, err
				}
			}),
		},
		{
			Name: "restart-gap", Rule: "watchcache/cache/restart",
			About: "after a restart a watch from before goes on with what comes now, without what it missed",
			Open: restarting(func(c *calls, restarted func() bool) {
				c.watch = func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
					if from(&o) && restarted() {
						fromNow(&o)
					}
					return api.Watch(ctx, r, o)
				}
			}),
		},
		{
			Name: "restart-refused-otherwise", Rule: "watchcache/cache/restart",
			About: "after a restart a watch from before is refused with 400, from which no client takes that it must list",
			Open: restarting(func(c *calls, restarted func() bool) {
				c.watch = func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
					if from(&o) && restarted() {
						return nil, apierrors.NewBadRequest("that was before the restart")
					}
					return api.Watch(ctx, r, o)
				}
			}),
		},
		{
			Name: "window-gap", Rule: "watchcache/cache/window",
			About: "a watch from before the window starts with its oldest event, without what has overflowed",
			Open: calling(calls{watch: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
				if from(&o) && outOfWindow(ctx, api, r, o) {
					fromNow(&o)
				}
				return api.Watch(ctx, r, o)
			}}),
		},
	}
}

// restarting is a store behind an API that f makes faulty once the store has been restarted: an idle
// watch of nothing is cut by that.
func restarting(f func(c *calls, restarted func() bool)) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
		s := apiserver.New(o)
		day := int64(24 * time.Hour / time.Second)
		idle, err := apiserver.ConfigMaps(s, "idle").Watch(context.Background(), metav1.ListOptions{TimeoutSeconds: &day})
		if err != nil {
			panic(err) // the store is new
		}
		c := calls{API: s}
		f(&c, func() bool {
			select {
			case _, open := <-idle.ResultChan():
				return !open
			default:
				return false
			}
		})
		return c, s
	}
}

// outOfWindow says whether the store refuses a watch as too old.
func outOfWindow(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) bool {
	w, err := api.Watch(ctx, r, o)
	if err != nil {
		return false
	}
	defer w.Stop()
	select {
	case e := <-w.ResultChan():
		return e.Type == watch.Error && apierrors.IsResourceExpired(apierrors.FromObject(e.Object))
	case <-time.After(time.Millisecond):
		return false
	}
}
