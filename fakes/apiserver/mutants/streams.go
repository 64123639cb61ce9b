package mutants

import (
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// streams are faults of the sequence that a watch sends.
func streams() []Mutant {
	return []Mutant{
		{
			Name: "old-content", Rule: "watchcache/watch/reliable",
			About: "MODIFIED comes with the resourceVersion of the change, and with the object as it was before",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				last := map[types.UID]watch.Event{}
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if !change(c) {
						return pass(e, c)
					}
					old, ok := last[of(e.Object).GetUID()]
					last[of(e.Object).GetUID()] = copyOf(e)
					if c == apiserver.Updated && ok && e.Type == watch.Modified {
						of(old.Object).SetResourceVersion(of(e.Object).GetResourceVersion())
						e.Object = old.Object
					}
					return pass(e, c)
				}
			}),
		},
		{
			Name: "doubled-event", Rule: "watchcache/watch/unique",
			About: "every third change comes twice (etcd#17247: the buffers of transactions were merged wrongly; found before a release)",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				third := nth(3)
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					switch {
					case c == apiserver.End:
						return nil
					case change(c) && third():
						return []watch.Event{e, copyOf(e)}
					}
					return []watch.Event{e}
				}
			}),
		},
		{
			Name: "repeated-at-end", Rule: "watchcache/watch/unique",
			About: "a watch that the server ends repeats its last change first",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				var last []watch.Event
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if c == apiserver.End {
						return last
					}
					if change(c) {
						last = []watch.Event{copyOf(e)}
					}
					return []watch.Event{e}
				}
			}),
		},
		{
			Name: "repeated-at-bookmark", Rule: "watchcache/watch/unique",
			About: "the last change comes again just before a bookmark",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				var last []watch.Event
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if c == apiserver.Bookmark {
						again := last
						last = nil
						return append(again, e)
					}
					if change(c) {
						last = []watch.Event{copyOf(e)}
					}
					return pass(e, c)
				}
			}),
		},
		{
			Name: "swapped-events", Rule: "watchcache/watch/ordered",
			About: "every third change comes after the one that follows it",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				third, held := nth(3), []watch.Event(nil)
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if change(c) && third() {
						held = []watch.Event{e}
						return nil
					}
					late := held
					held = nil
					if !change(c) {
						return append(late, pass(e, c)...)
					}
					return append([]watch.Event{e}, late...)
				}
			}),
		},
		{
			Name: "back-in-time", Rule: "watchcache/watch/ordered",
			About: "after the fourth change the first comes again (etcd#15271: after a network partition; kubernetes#73845: after the initial events)",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				n, first := 0, watch.Event{}
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if !change(c) {
						return pass(e, c)
					}
					if n++; n == 1 {
						first = copyOf(e)
					} else if n == 4 {
						return []watch.Event{e, first}
					}
					return []watch.Event{e}
				}
			}),
		},
		{
			Name: "lost-modified", Rule: "watchcache/watch/reliable",
			About: "every third MODIFIED is lost (etcd#17529: lost by a watcher that is slow)",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				third := nth(3)
				return keep(func(e watch.Event, c apiserver.Cause) bool { return e.Type != watch.Modified || !third() })
			}),
		},
		{
			Name: "lost-deleted", Rule: "watchcache/watch/reliable",
			About: "the first DELETED of a watch is lost (etcd#19179: a delete at the revision where the watch begins, while that is compacted)",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				n := 0
				return keep(func(e watch.Event, c apiserver.Cause) bool {
					if e.Type == watch.Deleted {
						n++
					}
					return e.Type != watch.Deleted || n > 1
				})
			}),
		},
		{
			Name: "lost-after-quiet", Rule: "watchcache/watch/reliable",
			About: "the first change after ten minutes in which a watch brought nothing is lost (a proxy that forgets idle connections, and opens another from now)",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				last := time.Now()
				return keep(func(watch.Event, apiserver.Cause) bool {
					quiet := time.Since(last)
					last = time.Now()
					return quiet < 10*time.Minute
				})
			}),
		},
		{
			Name: "lost-created", Rule: "watchcache/watch/reliable",
			About: "the second object created during a watch is not told (kubernetes#116122: a watch that opens while the cache starts anew)",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				n := 0
				return keep(func(_ watch.Event, c apiserver.Cause) bool {
					if c == apiserver.Created {
						n++
					}
					return c != apiserver.Created || n != 2
				})
			}),
		},
		{
			Name: "lost-late", Rule: "watchcache/watch/reliable",
			About: "the 150th change of a watch is lost (a buffer that overflows once)",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				n := 0
				return keep(func(_ watch.Event, c apiserver.Cause) bool {
					if change(c) {
						n++
					}
					return !change(c) || n != 150
				})
			}),
		},
		{
			Name: "old-content-at-start", Rule: "watchcache/watch/reliable",
			About: "the initial ADDED of an object has its resourceVersion, and the content that a watch showed first",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				var first sync.Map // by uid
				return watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
					return func(e watch.Event, c apiserver.Cause) []watch.Event {
						if c == apiserver.End || c == apiserver.Bookmark {
							return pass(e, c)
						}
						old, ok := first.LoadOrStore(of(e.Object).GetUID(), copyOf(e).Object)
						if ok && c == apiserver.Initial {
							e.Object = moved(old.(runtime.Object), of(e.Object).GetResourceVersion())
						}
						return []watch.Event{e}
					}
				})(o)
			},
		},
	}
}
