package mutants

import (
	"context"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// Which watches are asked for as informers do.
func bounded(o *metav1.ListOptions) bool { return o.TimeoutSeconds != nil }

func informersAsk(o *metav1.ListOptions) bool { return bounded(o) && o.AllowWatchBookmarks }

// situations are faults that only some forms of a watch meet, where a server has to do more than go on.
func situations() []Mutant {
	return append(nexts(), []Mutant{
		{
			Name: "expired-gap-to-informers", Rule: "watchcache/watch/expired",
			About: "a watch with bookmarks and timeoutSeconds from before the window begins at the present",
			Open:  gap(informersAsk),
		},
		{
			Name: "expired-silent-with-timeout", Rule: "watchcache/watch/expired",
			About: "a watch with timeoutSeconds from before the window ends without a word",
			Open: relaying(func(w *relay) func(watch.Event) []watch.Event {
				return func(e watch.Event) []watch.Event {
					if s := failed(e); s != nil && s.Code == http.StatusGone && bounded(&w.options) {
						w.end()
						return nil
					}
					return []watch.Event{e}
				}
			}),
		},
		{
			Name: "expired-uncoded-with-timeout", Rule: "watchcache/watch/expired",
			About: "a watch with timeoutSeconds from before the window is refused without code and reason",
			Open: relaying(func(w *relay) func(watch.Event) []watch.Event {
				return func(e watch.Event) []watch.Event {
					if s := failed(e); s != nil && s.Code == http.StatusGone && bounded(&w.options) {
						s.Code, s.Reason = 0, ""
					}
					return []watch.Event{e}
				}
			}),
		},
		{
			Name: "error-bookmark-follows", Rule: "watchcache/watch/error-ends",
			About: "a watch with timeoutSeconds that was refused in its stream still gets a bookmark",
			Open: relaying(func(w *relay) func(watch.Event) []watch.Event {
				return func(e watch.Event) []watch.Event {
					if s := failed(e); s != nil && bounded(&w.options) {
						last := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{ResourceVersion: oldest(s.Message)}}
						return []watch.Event{e, {Type: watch.Bookmark, Object: last}}
					}
					return []watch.Event{e}
				}
			}),
		},
		{
			Name: "restart-gap-to-informers", Rule: "watchcache/cache/restart",
			About: "after a restart a watch with bookmarks and timeoutSeconds from before goes on with what comes now",
			Open: restartedWatches(func(o *metav1.ListOptions) {
				if from(o) && informersAsk(o) {
					fromNow(o)
				}
			}),
		},
		{
			Name: "restart-gap-everywhere-by-label", Rule: "watchcache/cache/restart",
			About: "after a restart a watch of all namespaces by label from before goes on with what comes now",
			Open: restarting(func(c *calls, restarted func() bool) {
				c.watch = func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
					if from(&o) && r.Namespace == "" && o.LabelSelector != "" && restarted() {
						fromNow(&o)
					}
					return api.Watch(ctx, r, o)
				}
			}),
		},
		{
			Name: "lag-start-stale-with-timeout", Rule: "watchcache/cache/lag",
			About: "a watch with timeoutSeconds and resourceVersion unset starts at what the cache has",
			Open: staleStart(func(o *metav1.ListOptions) bool {
				return bounded(o) && o.ResourceVersion == "" && o.SendInitialEvents == nil
			}),
		},
		{
			Name: "lag-stream-stale-to-informers", Rule: "watchcache/cache/lag",
			About: "a streaming list with timeoutSeconds and resourceVersion unset starts at what the cache has",
			Open: staleStart(func(o *metav1.ListOptions) bool {
				return informersAsk(o) && o.ResourceVersion == "" && streaming(o)
			}),
		},
		{
			Name: "compacted-edge-lost-everywhere", Rule: "watchcache/watch/compacted-edge",
			About: "a watch of all namespaces from just before a compaction lacks the change at it",
			Open:  edgeLost(func(r *apiserver.Request, _ *metav1.ListOptions) bool { return r.Namespace == "" }),
		},
		{
			Name: "compacted-edge-lost-to-informers", Rule: "watchcache/watch/compacted-edge",
			About: "a watch with bookmarks and timeoutSeconds from just before a compaction lacks the change at it",
			Open:  edgeLost(func(_ *apiserver.Request, o *metav1.ListOptions) bool { return informersAsk(o) }),
		},
		{
			Name: "future-from-now-to-informers", Rule: "watchcache/watch/future",
			About: "a watch with bookmarks and timeoutSeconds from a resourceVersion that is not there yet begins at the present",
			Open:  futureFromNow(func(o *metav1.ListOptions) bool { return informersAsk(o) && o.SendInitialEvents == nil }),
		},
		{
			Name: "stream-future-at-now-with-timeout", Rule: "watchcache/watchlist/future",
			About: "a streaming list with timeoutSeconds from a resourceVersion that is not there yet gives the present state, and ends at it",
			Open:  futureFromNow(func(o *metav1.ListOptions) bool { return streaming(o) && bounded(o) }),
		},
		{
			Name: "bookmark-ends-nothing", Rule: "watchcache/watchlist/once",
			About: "every bookmark of a watch from a resourceVersion says that it ends the initial events",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if c == apiserver.Bookmark && from(o) && o.SendInitialEvents == nil {
						of(e.Object).SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
					}
					return pass(e, c)
				}
			}),
		},
	}...)
}

// edgeLost is a store in which those watches that such picks lack the change at the edge of a compaction.
func edgeLost(such func(*apiserver.Request, *metav1.ListOptions) bool) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return calling(calls{watch: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
		if _, err := api.List(ctx, r, exactly(o)); from(&o) && such(&r, &o) && apierrors.IsResourceExpired(err) {
			o.ResourceVersion = plus(o.ResourceVersion, 1)
		}
		return api.Watch(ctx, r, o)
	}})
}

// isNext says that a resourceVersion is the one that the next write will have.
func isNext(api apiserver.API, rv string) bool {
	return rv == plus(api.(*apiserver.Server).Revision(), 1)
}

// nexts are faults of one too many: what the next write will have is served as if it were there.
func nexts() []Mutant {
	return []Mutant{
		{
			Name: "get-next-answered", Rule: "watchcache/get/future",
			About: "a get at the resourceVersion after the last is answered with what there is",
			Open: calling(calls{get: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
				if isNext(api, o.ResourceVersion) {
					o.ResourceVersion = ""
				}
				return api.Get(ctx, r, o)
			}}),
		},
		{
			Name: "list-next-answered", Rule: "watchcache/list/future",
			About: "a list at the resourceVersion after the last is answered with what there is",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				if isNext(api, o.ResourceVersion) {
					o.ResourceVersion, o.ResourceVersionMatch = "", ""
				}
				return api.List(ctx, r, o)
			}}),
		},
		{
			Name: "exact-next-made-up", Rule: "watchcache/list/exact",
			About: "a list at exactly the resourceVersion after the last is of what there is, and says that it is of then",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				rv, exact := o.ResourceVersion, o.ResourceVersionMatch == metav1.ResourceVersionMatchExact
				if !exact || !isNext(api, rv) {
					return api.List(ctx, r, o)
				}
				o.ResourceVersion, o.ResourceVersionMatch = "", ""
				l, err := api.List(ctx, r, o)
				if err == nil {
					listOf(l).SetResourceVersion(rv)
				}
				return l, err
			}}),
		},
		{
			Name: "watch-next-given", Rule: "watchcache/watch/future",
			About: "a watch from the resourceVersion after the last gives the change at it",
			Open: calling(calls{watch: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
				if o.SendInitialEvents == nil && isNext(api, o.ResourceVersion) {
					o.ResourceVersion = plus(o.ResourceVersion, -1)
				}
				return api.Watch(ctx, r, o)
			}}),
		},
		{
			Name: "stream-next-at-now", Rule: "watchcache/watchlist/future",
			About: "a streaming list from the resourceVersion after the last gives the present state, and ends at it",
			Open: calling(calls{watch: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
				if streaming(&o) && isNext(api, o.ResourceVersion) {
					o.ResourceVersion = plus(o.ResourceVersion, -1)
				}
				return api.Watch(ctx, r, o)
			}}),
		},
	}
}
