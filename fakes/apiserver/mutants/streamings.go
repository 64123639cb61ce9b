package mutants

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// streamings are faults of streaming lists.
func streamings() []Mutant {
	return append(streamStarts(), []Mutant{
		{
			Name: "stream-end-at-old", Rule: "watchcache/watchlist/end-version",
			About: "the bookmark that ends a streaming list says the resourceVersion before that of its state",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if endsInitial(e, c) {
						of(e.Object).SetResourceVersion(plus(of(e.Object).GetResourceVersion(), -1))
					}
					return pass(e, c)
				}
			}),
		},
		{
			Name: "stream-stale", Rule: "watchcache/watchlist/end-version",
			About: "a streaming list without a resourceVersion begins with whatever a cache has that is a second behind",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				o.CacheLag = stale
				return watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
					if o.ResourceVersion == "" && o.SendInitialEvents != nil {
						o.ResourceVersion = "0"
					}
					return nil
				})(o)
			},
		},
		{
			Name: "stream-ends-again", Rule: "watchcache/watchlist/once",
			About: "every bookmark after the one that ends the initial events has the annotation, too",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				var told map[string]string
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if endsInitial(e, c) {
						told = of(e.Object).GetAnnotations()
					} else if c == apiserver.Bookmark {
						of(e.Object).SetAnnotations(told)
					}
					return pass(e, c)
				}
			}),
		},
		{
			Name: "stream-future-at-now", Rule: "watchcache/watchlist/future",
			About: "a streaming list from a resourceVersion that is not there yet gives the present state, and ends at it",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				var s *apiserver.Server
				o.OnWatch = func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
					if o.SendInitialEvents != nil && older(s.Revision(), o.ResourceVersion) {
						o.ResourceVersion = ""
					}
					return nil
				}
				s = apiserver.New(o)
				return s, s
			},
		},
		{
			Name: "stream-future-at-now-by-label", Rule: "watchcache/watchlist/future",
			About: "a streaming list by label from a resourceVersion that is not there yet gives the present state, and ends at it",
			Open:  futureFromNow(func(o *metav1.ListOptions) bool { return streaming(o) && o.LabelSelector != "" }),
		},
		{
			Name: "stream-future-at-now-by-field", Rule: "watchcache/watchlist/future",
			About: "a streaming list by field from a resourceVersion that is not there yet gives the present state, and ends at it",
			Open:  futureFromNow(func(o *metav1.ListOptions) bool { return streaming(o) && o.FieldSelector != "" }),
		},
		{
			Name: "stream-future-refused", Rule: "watchcache/watchlist/future",
			About: "a streaming list from a resourceVersion that is not there yet is refused for good, with 400",
			Open: relaying(func(*relay) func(watch.Event) []watch.Event {
				return func(e watch.Event) []watch.Event {
					if s := failed(e); s != nil && s.Reason == metav1.StatusReasonTimeout {
						*s = apierrors.NewBadRequest("it is not in the history").Status()
					}
					return []watch.Event{e}
				}
			}),
		},
		{
			Name: "off-sends-state", Rule: "watchcache/watchlist/off",
			About: "sendInitialEvents=false gives the initial events all the same, and their end",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				if yes := true; o.SendInitialEvents != nil && o.ResourceVersionMatch != "" {
					o.SendInitialEvents = &yes
				}
				return nil
			}),
		},
		{
			Name: "off-sends-old-changes", Rule: "watchcache/watchlist/off",
			About: "sendInitialEvents=false without a resourceVersion gives the last changes before it, too",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				var s *apiserver.Server
				o.OnWatch = func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
					if o.SendInitialEvents != nil && !*o.SendInitialEvents && o.ResourceVersion == "" {
						o.ResourceVersion = plus(s.Revision(), -2)
					}
					return nil
				}
				s = apiserver.New(o)
				return s, s
			},
		},
		{
			Name: "off-from-now", Rule: "watchcache/watchlist/off",
			About: "sendInitialEvents=false starts at now, whatever resourceVersion is asked for",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				if o.SendInitialEvents != nil && !*o.SendInitialEvents && o.ResourceVersionMatch != "" {
					o.ResourceVersion = ""
				}
				return nil
			}),
		},
		{
			Name: "stream-needs-no-match", Rule: "watchcache/watchlist/combinations",
			About: "sendInitialEvents is served without a match, or with any",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				if o.SendInitialEvents != nil {
					o.ResourceVersionMatch = metav1.ResourceVersionMatchNotOlderThan
				}
				return nil
			}),
		},
		{
			Name: "list-ignores-send-initial", Rule: "watchcache/watchlist/combinations",
			About: "sendInitialEvents is not looked at on a list",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				if o.SendInitialEvents != nil {
					o.SendInitialEvents, o.ResourceVersionMatch = nil, ""
				}
				return api.List(ctx, r, o)
			}}),
		},
	}...)
}

// endsInitial says whether an event is the bookmark that ends the initial events.
func endsInitial(e watch.Event, c apiserver.Cause) bool {
	return c == apiserver.Bookmark && of(e.Object).GetAnnotations()[metav1.InitialEventsAnnotationKey] != ""
}

// streaming says whether a watch is a streaming list.
func streaming(o *metav1.ListOptions) bool { return o.SendInitialEvents != nil && *o.SendInitialEvents }
