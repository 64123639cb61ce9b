package mutants

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// selectorRows are faults of watches by selectors whose text has more to it, or with several options at once.
var selectorRows = []row{
	{name: "watch-prefixed-key-silent", rule: "watch/scope/label", about: "a watch by a label whose key has a prefix (example.com/role) gets no changes",
		on: "watch", when: labelsHave("/"), events: drop(changes)},
	{name: "watch-empty-value-lost", rule: "watch/scope/label", about: "a watch by label is not told of objects that have a label with an empty value",
		on: "watch", when: byLabel, events: drop(event(func(e watch.Event, c apiserver.Cause) bool {
			return c != apiserver.Bookmark && hasEmptyLabel(of(e.Object))
		}))},
	{name: "watch-value-is-prefix", rule: "watch/scope/label", about: "a watch by app=one gives those too that have app=one-two",
		on: "watch", ask: func(c *call) {
			if c.list.LabelSelector == "app=one" {
				c.list.LabelSelector = "app in (one,one-two)"
			}
		}},
	{name: "watch-first-value", rule: "watch/scope/label", about: "of the values of a label selector a watch looks at the first alone",
		on: "watch", ask: firstValue},
	{name: "watch-first-label", rule: "watch/scope/label", about: "of the requirements of a label selector a watch looks at the first alone",
		on: "watch", ask: firstLabel},
	{name: "watch-first-field", rule: "watch/scope/field", about: "of the requirements of a field selector a watch looks at the first alone",
		on: "watch", ask: firstField},

	{name: "informers-silent", rule: "watch/reliable", about: "a watch that allows bookmarks and has a timeoutSeconds of minutes, as informers open it, gets no changes",
		on: "watch", when: all(informers, func(c *call) bool { return *c.list.TimeoutSeconds >= 300 }), events: drop(changes)},
	{name: "bookmarked-label-silent", rule: "watch/scope/label", about: "a watch of all namespaces by label that allows bookmarks gets no changes",
		on: "watch", when: all(everywhere, byLabel, bookmarks), events: drop(changes)},
	{name: "bookmarked-name-silent", rule: "watch/scope/name", about: "a watch of one name that allows bookmarks gets no changes",
		on: "watch", when: all(byName, bookmarks), events: drop(changes)},
	{name: "off-label-silent", rule: "watchlist/off", about: "sendInitialEvents=false with a label selector gives no changes either",
		on: "watch", when: all(skips, byLabel), events: drop(changes)},
	{name: "stream-name-elsewhere", rule: "watch/scope/namespace", about: "a streaming list by name that allows bookmarks is of all namespaces",
		on: "watch", when: all(streams, byName, bookmarks), ask: inAnyNamespace},
}

// initialRows are faults of the events with which a watch begins.
var initialRows = []row{
	{name: "stream-ends-at-10", rule: "watchlist/initial", about: "of the initial events of a streaming list 10 come, then their end (a buffer that is full)",
		on: "watch", when: streams, events: drop(after(10, cause(apiserver.Initial)))},
	{name: "stream-ends-at-50", rule: "watchlist/initial", about: "of the initial events of a streaming list 50 come, then their end",
		on: "watch", when: streams, events: drop(after(50, cause(apiserver.Initial)))},
	{name: "stream-selected-empty", rule: "watchlist/initial", about: "a streaming list with a label and a field selector has no initial events",
		on: "watch", when: all(streams, byLabel, byField), events: drop(cause(apiserver.Initial))},
	{name: "stream-of-nothing-endless", rule: "watchlist/initial", about: "a streaming list by label that selects nothing is never told that its initial events have ended",
		on: "watch", when: all(streams, byLabel), events: tap(func() apiserver.Tap {
			begun := false
			return func(e watch.Event, c apiserver.Cause) []watch.Event {
				if begun = begun || c == apiserver.Initial; endsInitial(e, c) && !begun {
					of(e.Object).SetAnnotations(nil)
				}
				return pass(e, c)
			}
		})},
	{name: "stream-everywhere-end-at-highest", rule: "watchlist/end-version", about: "the initial events of all namespaces from N end at the highest resourceVersion of any, which may be below N",
		on: "watch", when: all(streams, everywhere, at), events: tap(func() apiserver.Tap {
			highest := "1"
			return func(e watch.Event, c apiserver.Cause) []watch.Event {
				if c == apiserver.Initial && older(highest, of(e.Object).GetResourceVersion()) {
					highest = of(e.Object).GetResourceVersion()
				}
				if endsInitial(e, c) {
					of(e.Object).SetResourceVersion(highest)
				}
				return pass(e, c)
			}
		})},
	{name: "initial-ends-at-10", rule: "watch/zero", about: `of the initial events of a watch from "0" 10 come (a buffer that is full)`,
		on: "watch", when: zero, events: drop(after(10, cause(apiserver.Initial)))},
	{name: "initial-ends-at-50", rule: "watch/zero", about: `of the initial events of a watch from "0" 50 come`,
		on: "watch", when: zero, events: drop(after(50, cause(apiserver.Initial)))},
}

// after picks all but the first so many of what another picks.
func after(n int, w which) which { return counted(w, func(i int) bool { return i > n }) }

// pastRows are faults of events of writes from before a watch was opened: a store that reads them back from its history may lose a part.
var pastRows = []row{
	{name: "past-lacks-annotations", rule: "watch/reliable", about: "events from before a watch was opened come without annotations",
		on: "watch", when: at, events: showsPast(withoutAnnotations)},
	{name: "past-lacks-owners", rule: "watch/reliable", about: "events from before a watch was opened come without ownerReferences",
		on: "watch", when: at, events: showsPast(withoutOwners)},
	{name: "past-lacks-status", rule: "watch/reliable", about: "events from before a watch was opened come without status",
		on: "watch", when: at, events: showsPast(withoutStatus)},
	{name: "past-lacks-large", rule: "watch/reliable", about: "events from before a watch was opened come without the end of values above 64 KiB",
		on: "watch", when: at, events: showsPast(withoutLarge)},
	{name: "past-lacks-mark", rule: "watch/reliable", about: "events from before a watch was opened come without deletionTimestamp",
		on: "watch", when: at, events: showsPast(withoutDeletion)},
}

// showsPast changes the objects of events from before the watch was opened.
func showsPast(f func(metav1.Object)) func(*call) apiserver.Tap {
	return func(c *call) apiserver.Tap {
		opened := c.store.Revision()
		return shown(event(func(e watch.Event, is apiserver.Cause) bool {
			return change(is) && !older(opened, of(e.Object).GetResourceVersion())
		}), f)(c)
	}
}
