package mutants

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// goings are faults of how a watch begins with a state, how it goes on where another ended, and of
// what two watches make of the same changes.
func goings() []Mutant {
	return slices.Concat(begins(), deletions(), []Mutant{
		{
			Name: "resumed-after", Rule: "watchcache/watch/resumable",
			About: "a watch from the resourceVersion of an event lacks the change after it; one from a list's is whole",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				return watching(moving(new(sync.Map), 1))(o)
			},
		},
		{
			Name: "resumed-before", Rule: "watchcache/watch/resumable",
			About: "a watch from the resourceVersion of an event begins with that event; one from a list's does not",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				return watching(moving(new(sync.Map), -1))(o)
			},
		},
		{
			Name: "bookmark-in-between", Rule: "watchcache/watch/atomic",
			About: "a bookmark comes between two deletions of one revision (etcd#15220: progress told ahead of events under way)",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				last, asked := "", o.AllowWatchBookmarks
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if c == apiserver.Deleted && asked {
						again := last == of(e.Object).GetResourceVersion()
						if last = of(e.Object).GetResourceVersion(); again {
							return []watch.Event{mark(e), e}
						}
					}
					return pass(e, c)
				}
			}),
		},
		{
			Name: "ends-in-between", Rule: "watchcache/watch/atomic",
			About: "a watch ends cleanly after the first of several deletions of one revision",
			Open: relaying(func(w *relay) func(watch.Event) []watch.Event {
				return func(e watch.Event) []watch.Event {
					if e.Type == watch.Deleted && w.options.TimeoutSeconds != nil {
						w.end()
					}
					return []watch.Event{e}
				}
			}),
		},
		{
			Name: "left-at-old-version", Rule: "watchcache/watch/selector-exit",
			About: "an object that leaves the selector comes as DELETED with the resourceVersion that it had before",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				last := map[types.UID]string{}
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if c == apiserver.Updated && e.Type == watch.Deleted && last[of(e.Object).GetUID()] != "" {
						of(e.Object).SetResourceVersion(last[of(e.Object).GetUID()])
					} else if c == apiserver.Updated || c == apiserver.Created {
						last[of(e.Object).GetUID()] = of(e.Object).GetResourceVersion()
					}
					return pass(e, c)
				}
			}),
		},
		{
			Name: "entered-as-deleted", Rule: "watchcache/watch/selector-exit",
			About: "an object that enters the selector comes as DELETED",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				return retype(func(e watch.Event, c apiserver.Cause) watch.EventType {
					if e.Type == watch.Added && c == apiserver.Updated {
						return watch.Deleted
					}
					return e.Type
				})
			}),
		},
		{
			Name: "one-of-two", Rule: "watchcache/watch/same-for-all",
			About: "every second watch lacks every fourth change (two replicas of a cache of which one has lost events)",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				var opened atomic.Int64
				return watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
					second, fourth := opened.Add(1)%2 == 0, nth(4)
					return keep(func(_ watch.Event, c apiserver.Cause) bool { return !second || !change(c) || !fourth() })
				})(o)
			},
		},
	})
}

// moving moves the start of watches from what an event has shown, and notes what events show.
func moving(seen *sync.Map, by int64) func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
	return func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
		if _, ok := seen.Load(o.ResourceVersion); ok && from(o) && o.SendInitialEvents == nil {
			o.ResourceVersion = plus(o.ResourceVersion, by)
		}
		return func(e watch.Event, c apiserver.Cause) []watch.Event {
			if change(c) {
				seen.Store(of(e.Object).GetResourceVersion(), true)
			}
			return pass(e, c)
		}
	}
}

// stale lets changes reach caches late.
const stale = time.Second
