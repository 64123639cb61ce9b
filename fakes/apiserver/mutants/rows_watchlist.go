package mutants

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// streamRows are faults of streaming lists: of their initial events, and of the bookmark that ends those.
var streamRows = []row{
	{name: "stream-without-end", rule: "watchlist/initial", about: "the bookmark that ends the initial events of a streaming list never comes",
		on: "watch", when: streams, events: drop(endOfInitial)},
	{name: "stream-empty-without-end", rule: "watchlist/initial", about: "a streaming list of nothing has no end",
		on: "watch", when: streams, events: drop(func() func(watch.Event, apiserver.Cause) bool {
			something := false
			return func(e watch.Event, c apiserver.Cause) bool {
				something = something || c == apiserver.Initial
				return !something && endsInitial(e, c)
			}
		})},
	{name: "stream-lacks-one", rule: "watchlist/initial", about: "the second object of the state is missing from a streaming list",
		on: "watch", when: streams, events: drop(only(2, initialEvents))},
	{name: "stream-plain-lacks-one", rule: "watchlist/initial", about: "the first object of the state is missing from a streaming list that allows no bookmarks",
		on: "watch", when: all(streams, not(bookmarks)), events: drop(only(1, initialEvents))},
	{name: "deleting-unstreamed", rule: "watchlist/initial", about: "a streaming list lacks what is being deleted",
		on: "watch", when: streams, events: drop(initialDeleting)},
	{name: "restart-stream-empty", rule: "watchlist/initial", about: "after a restart a streaming list has nothing but its end",
		on: "watch", state: onceRestarted(row{when: streams, events: drop(initialEvents)})},
	{name: "stream-modified", rule: "watchlist/only-added", about: "every second object of a streaming list comes as MODIFIED",
		on: "watch", when: streams, events: as(watch.Modified, every(2, initialEvents))},
	{name: "stream-twice", rule: "watchlist/only-added", about: "each object of a streaming list comes twice",
		on: "watch", when: streams, events: double(initialEvents)},

	{name: "stream-end-at-old", rule: "watchlist/end-version", about: "the bookmark that ends a streaming list says the resourceVersion before that of its state",
		on: "watch", events: shown(endOfInitial, saysMore(-1))},
	{name: "stream-stale", rule: "watchlist/end-version", about: "a streaming list without a resourceVersion begins with whatever a cache has that is a second behind",
		options: lagging, on: "watch", when: all(unset, not(plain)), ask: atZero},
	{name: "stream-ends-again", rule: "watchlist/once", about: "every bookmark after the one that ends the initial events has the annotation, too",
		on: "watch", events: tap(func() apiserver.Tap {
			var told map[string]string
			return func(e watch.Event, c apiserver.Cause) []watch.Event {
				if endsInitial(e, c) {
					told = of(e.Object).GetAnnotations()
				} else if c == apiserver.Bookmark {
					of(e.Object).SetAnnotations(told)
				}
				return pass(e, c)
			}
		})},
	{name: "bookmark-ends-nothing", rule: "watchlist/once", about: "every bookmark of a watch from a resourceVersion says that it ends the initial events",
		on: "watch", when: all(at, plain), events: shown(bookmarkEvents, func(o metav1.Object) {
			o.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
		})},
}

// streamRefusalRows are faults of streaming lists that cannot begin yet, and of what sendInitialEvents may be combined with.
var streamRefusalRows = []row{
	{name: "stream-future-at-now", rule: "watchlist/future", about: "a streaming list from a resourceVersion that is not there yet gives the present state, and ends at it",
		on: "watch", when: all(streams, notThereYet), ask: atPresentNow},
	{name: "stream-future-at-now-by-label", rule: "watchlist/future", about: "a streaming list by label from a resourceVersion that is not there yet gives the present state, and ends at it",
		on: "watch", when: all(streams, byLabel, notThereYet), ask: atPresentNow},
	{name: "stream-future-at-now-by-field", rule: "watchlist/future", about: "a streaming list by field from a resourceVersion that is not there yet gives the present state, and ends at it",
		on: "watch", when: all(streams, byField, notThereYet), ask: atPresentNow},
	{name: "stream-future-at-now-with-timeout", rule: "watchlist/future", about: "a streaming list with timeoutSeconds from a resourceVersion that is not there yet gives the present state, and ends at it",
		on: "watch", when: all(streams, timed, notThereYet), ask: atPresentNow},
	{name: "stream-future-refused", rule: "watchlist/future", about: "a streaming list from a resourceVersion that is not there yet is refused for good, with 400",
		on: "watch", answer: changeErrors(func(s *metav1.Status) {
			if s.Reason == metav1.StatusReasonTimeout {
				*s = apierrors.NewBadRequest("it is not in the history").Status()
			}
		})},

	{name: "off-sends-state", rule: "watchlist/off", about: "sendInitialEvents=false gives the initial events all the same, and their end",
		on: "watch", when: all(skips, not(unmatched)), ask: func(c *call) { c.list.SendInitialEvents = new(true) }},
	{name: "off-sends-old-changes", rule: "watchlist/off", about: "sendInitialEvents=false without a resourceVersion gives the last changes before it, too",
		on: "watch", when: all(skips, unset), ask: skipTo(2)},
	{name: "off-from-now", rule: "watchlist/off", about: "sendInitialEvents=false starts at now, whatever resourceVersion is asked for",
		on: "watch", when: all(skips, not(unmatched)), ask: func(c *call) { c.list.ResourceVersion = "" }},
	{name: "future-from-now-without-initial", rule: "watchlist/off", about: "a watch with sendInitialEvents=false from a resourceVersion that is not there yet begins at the present",
		on: "watch", when: all(skips, notThereYet), ask: atPresentNow},

	{name: "stream-needs-no-match", rule: "watchlist/combinations", about: "sendInitialEvents is served without a match, or with any",
		on: "watch", when: not(plain), ask: func(c *call) { c.list.ResourceVersionMatch = metav1.ResourceVersionMatchNotOlderThan }},
	{name: "list-ignores-send-initial", rule: "watchlist/combinations", about: "sendInitialEvents is not looked at on a list",
		on: "list", when: not(plain), ask: func(c *call) { c.list.SendInitialEvents, c.list.ResourceVersionMatch = nil, "" }},
	{name: "match-ignored", rule: "watch/combinations", about: "a match without sendInitialEvents is not looked at on a watch",
		on: "watch", when: plain, ask: anyMatch},
}
