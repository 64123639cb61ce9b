package mutants

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// bookmarks are faults of what a bookmark says.
func bookmarkMutants() []Mutant {
	return []Mutant{
		{
			Name: "bookmark-for-event", Rule: "watchcache/bookmark/complete/none-missing",
			About: "every third change never comes, but a bookmark at its resourceVersion does",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				third, asked := nth(3), o.AllowWatchBookmarks
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if asked && change(c) && third() {
						return []watch.Event{mark(e)}
					}
					return pass(e, c)
				}
			}),
		},
		{
			Name: "bookmark-hides-loss", Rule: "watchcache/bookmark/complete/none-missing",
			About: "a bookmark takes the place of the last two changes before it",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				n, asked := 0, o.AllowWatchBookmarks
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if !asked || !change(c) {
						return pass(e, c)
					}
					if n++; n%4 == 2 {
						return nil
					} else if n%4 == 3 {
						return []watch.Event{mark(e)}
					}
					return []watch.Event{e}
				}
			}),
		},
		{
			Name: "bookmark-before-event", Rule: "watchcache/bookmark/complete/none-follows",
			About: "every second change comes after a bookmark at its resourceVersion (etcd#15220: progress told ahead of events under way)",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				second, asked := nth(2), o.AllowWatchBookmarks
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if asked && change(c) && second() {
						return []watch.Event{mark(e), e}
					}
					return pass(e, c)
				}
			}),
		},
		{
			Name: "bookmark-ahead", Rule: "watchcache/bookmark/complete/none-follows",
			About: "bookmarks say three more than they may (etcd#20221 is alike: a watch from a later revision than its member has is given a progress notification, and older events behind it)",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if c == apiserver.Bookmark {
						of(e.Object).SetResourceVersion(plus(of(e.Object).GetResourceVersion(), 3))
					}
					return pass(e, c)
				}
			}),
		},
	}
}
