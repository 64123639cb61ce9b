package mutants

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// marks are faults of when bookmarks come and what they look like.
func marks() []Mutant {
	return []Mutant{
		{
			Name: "bookmark-unasked", Rule: "watchcache/bookmark/asked",
			About: "bookmarks come to all watches, whether they allow them or not",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				o.AllowWatchBookmarks = true
				return nil
			}),
		},
		{
			Name: "bookmark-goes-back", Rule: "watchcache/bookmark/monotonic",
			About: "a bookmark says the resourceVersion of the change before the last",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				last, before := "", ""
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if change(c) {
						last, before = of(e.Object).GetResourceVersion(), last
					} else if c == apiserver.Bookmark && before != "" {
						of(e.Object).SetResourceVersion(before)
					}
					return pass(e, c)
				}
			}),
		},
		{
			Name: "bookmark-below-start", Rule: "watchcache/bookmark/monotonic",
			About: "the first bookmark of a watch from N says N-1",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				start := o.ResourceVersion
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if c == apiserver.Bookmark && start != "" && start != "0" {
						of(e.Object).SetResourceVersion(plus(start, -1))
						start = ""
					}
					return pass(e, c)
				}
			}),
		},
		{
			Name: "bookmark-has-object", Rule: "watchcache/bookmark/shape",
			About: "a bookmark is the last object with another type: it has a name, labels and data",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				var last watch.Event
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if change(c) {
						last = copyOf(e)
					} else if c == apiserver.Bookmark && last.Object != nil {
						e.Object = moved(last.Object, of(e.Object).GetResourceVersion())
					}
					return pass(e, c)
				}
			}),
		},
		{
			Name: "bookmark-of-another-kind", Rule: "watchcache/bookmark/shape",
			About: "a bookmark is metadata alone, whatever was asked for",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if c == apiserver.Bookmark {
						m := &metav1.PartialObjectMetadata{}
						m.ResourceVersion, m.Annotations = of(e.Object).GetResourceVersion(), of(e.Object).GetAnnotations()
						e.Object = m
					}
					return pass(e, c)
				}
			}),
		},
		{
			Name: "bookmarks-cease", Rule: "watchcache/bookmark/idle",
			About: "no bookmark after the third of a watch",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				n := 0
				return keep(func(_ watch.Event, c apiserver.Cause) bool {
					if c == apiserver.Bookmark {
						n++
					}
					return c != apiserver.Bookmark || n <= 3
				})
			}),
		},
		{
			Name: "bookmarks-say-nothing-new", Rule: "watchcache/bookmark/idle",
			About: "a bookmark says what the watch began with, or the last event",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				last := o.ResourceVersion
				if last == "" || last == "0" || o.SendInitialEvents != nil {
					return nil // it begins with a state
				}
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if change(c) {
						last = of(e.Object).GetResourceVersion()
					} else if c == apiserver.Bookmark {
						of(e.Object).SetResourceVersion(last)
					}
					return pass(e, c)
				}
			}),
		},
		{
			Name: "bookmark-only-with-events", Rule: "watchcache/bookmark/idle",
			About: "a watch that has brought nothing gets no bookmark",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				busy := false
				return keep(func(_ watch.Event, c apiserver.Cause) bool {
					busy = busy || c != apiserver.Bookmark
					return busy
				})
			}),
		},
		{
			Name: "bookmarks-never-after-a-stream", Rule: "watchcache/bookmark/idle",
			About: "a watch that began with a streaming list gets no bookmark but the one that ends that",
			Open:  withoutMarks(streaming),
		},
		{
			Name: "bookmarks-never-from-unset", Rule: "watchcache/bookmark/idle",
			About: "a watch without a resourceVersion gets no bookmark",
			Open:  withoutMarks(func(o *metav1.ListOptions) bool { return o.ResourceVersion == "" && o.SendInitialEvents == nil }),
		},
		{
			Name: "bookmarks-never-from-zero", Rule: "watchcache/bookmark/idle",
			About: "a watch from \"0\" gets no bookmark",
			Open:  withoutMarks(func(o *metav1.ListOptions) bool { return o.ResourceVersion == "0" && o.SendInitialEvents == nil }),
		},
	}
}

// withoutMarks is a store of which some watches get no plain bookmarks.
func withoutMarks(such func(*metav1.ListOptions) bool) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
		if !such(o) {
			return nil
		}
		return keep(func(e watch.Event, _ apiserver.Cause) bool {
			return e.Type != watch.Bookmark || len(of(e.Object).GetAnnotations()) > 0 // which end a state
		})
	})
}
