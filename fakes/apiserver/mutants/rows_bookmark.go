package mutants

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// bookmarkRows are faults of bookmarks: what they say, what they look like, and when they come.
var bookmarkRows = []row{
	{name: "bookmark-for-event", rule: "bookmark/complete/none-missing", about: "every third change never comes, but a bookmark at its resourceVersion does",
		on: "watch", when: bookmarks, events: each(every(3, changes), func(e watch.Event) []watch.Event { return []watch.Event{mark(e)} })},
	{name: "bookmark-hides-loss", rule: "bookmark/complete/none-missing", about: "a bookmark takes the place of the last two changes before it",
		on: "watch", when: bookmarks, events: tap(func() apiserver.Tap {
			n := 0
			return func(e watch.Event, c apiserver.Cause) []watch.Event {
				if !change(c) {
					return pass(e, c)
				}
				if n++; n%4 == 2 {
					return nil
				} else if n%4 == 3 {
					return []watch.Event{mark(e)}
				}
				return []watch.Event{e}
			}
		})},
	{name: "bookmark-before-event", rule: "bookmark/complete/none-follows", about: "every second change comes after a bookmark at its resourceVersion (etcd#15220: progress told ahead of events under way)",
		on: "watch", when: bookmarks, events: each(every(2, changes), func(e watch.Event) []watch.Event { return []watch.Event{mark(e), e} })},
	{name: "bookmark-ahead", rule: "bookmark/complete/none-follows", about: "bookmarks say three more than they may (etcd#20221 is alike: a watch from a later revision than its member has is given a progress notification, and older events behind it)",
		on: "watch", events: shown(bookmarkEvents, saysMore(3))},
	{name: "bookmark-in-between", rule: "watch/atomic", about: "a bookmark comes between two deletions of one revision (etcd#15220: progress told ahead of events under way)",
		on: "watch", when: bookmarks, events: tap(func() apiserver.Tap {
			last := ""
			return func(e watch.Event, c apiserver.Cause) []watch.Event {
				if c != apiserver.Deleted {
					return pass(e, c)
				}
				again := last == of(e.Object).GetResourceVersion()
				if last = of(e.Object).GetResourceVersion(); again {
					return []watch.Event{mark(e), e}
				}
				return []watch.Event{e}
			}
		})},

	{name: "bookmark-unasked", rule: "bookmark/asked", about: "bookmarks come to all watches, whether they allow them or not",
		on: "watch", ask: func(c *call) { c.list.AllowWatchBookmarks = true }},
	{name: "bookmark-goes-back", rule: "bookmark/monotonic", about: "a bookmark says the resourceVersion of the change before the last",
		on: "watch", events: tap(func() apiserver.Tap {
			last, before := "", ""
			return func(e watch.Event, c apiserver.Cause) []watch.Event {
				if change(c) {
					last, before = of(e.Object).GetResourceVersion(), last
				} else if c == apiserver.Bookmark && before != "" {
					of(e.Object).SetResourceVersion(before)
				}
				return pass(e, c)
			}
		})},
	{name: "bookmark-below-start", rule: "bookmark/monotonic", about: "the first bookmark of a watch from N says N-1",
		on: "watch", when: at, events: func(c *call) apiserver.Tap {
			return shown(only(1, bookmarkEvents), says(plus(c.list.ResourceVersion, -1)))(c)
		}},
	{name: "bookmark-has-object", rule: "bookmark/shape", about: "a bookmark is the last object with another type: it has a name, labels and data",
		on: "watch", events: tap(func() apiserver.Tap {
			var last watch.Event
			return func(e watch.Event, c apiserver.Cause) []watch.Event {
				if change(c) {
					last = copyOf(e)
				} else if c == apiserver.Bookmark && last.Object != nil {
					e.Object = moved(last.Object, of(e.Object).GetResourceVersion())
				}
				return pass(e, c)
			}
		})},
	{name: "bookmark-of-another-kind", rule: "bookmark/shape", about: "a bookmark is a PartialObjectMetadata, whatever was asked for",
		on: "watch", events: each(bookmarkEvents, func(e watch.Event) []watch.Event {
			m := &metav1.PartialObjectMetadata{}
			m.ResourceVersion, m.Annotations = of(e.Object).GetResourceVersion(), of(e.Object).GetAnnotations()
			return []watch.Event{{Type: e.Type, Object: m}}
		})},

	{name: "bookmarks-cease", rule: "bookmark/idle", about: "no bookmark comes after the third of a watch",
		on: "watch", events: drop(counted(bookmarkEvents, func(i int) bool { return i > 3 }))},
	{name: "bookmarks-say-nothing-new", rule: "bookmark/idle", about: "a bookmark says what the watch began with, or the last event",
		on: "watch", when: all(at, plain), events: func(c *call) apiserver.Tap {
			last := c.list.ResourceVersion
			return func(e watch.Event, c apiserver.Cause) []watch.Event {
				if change(c) {
					last = of(e.Object).GetResourceVersion()
				} else if c == apiserver.Bookmark {
					of(e.Object).SetResourceVersion(last)
				}
				return pass(e, c)
			}
		}},
	{name: "bookmark-only-with-events", rule: "bookmark/idle", about: "a watch that has brought nothing gets no bookmark",
		on: "watch", events: drop(func() func(watch.Event, apiserver.Cause) bool {
			busy := false
			return func(_ watch.Event, c apiserver.Cause) bool {
				busy = busy || c != apiserver.Bookmark
				return !busy
			}
		})},
	{name: "bookmarks-never-after-a-stream", rule: "bookmark/idle", about: "a watch that began with a streaming list gets no bookmark but the one that ends that",
		on: "watch", when: streams, events: drop(plainBookmarks)},
	{name: "bookmarks-never-from-unset", rule: "bookmark/idle", about: "a watch without a resourceVersion gets no bookmark",
		on: "watch", when: all(unset, plain), events: drop(plainBookmarks)},
	{name: "bookmarks-never-from-zero", rule: "bookmark/idle", about: `a watch from "0" gets no bookmark`,
		on: "watch", when: all(zero, plain), events: drop(plainBookmarks)},
}
