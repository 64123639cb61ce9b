package mutants

import (
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// beginRows are faults of the state that a watch begins with, and of what follows that.
var beginRows = []row{
	{name: "unset-lacks-one", rule: "watch/unset", about: "the second object of the state is missing where a watch begins without a resourceVersion",
		on: "watch", when: all(unset, plain), events: drop(only(2, initialEvents))},
	{name: "unset-twice", rule: "watch/unset", about: "each object of the state comes twice where a watch begins without a resourceVersion",
		on: "watch", when: all(unset, plain), events: double(initialEvents)},
	{name: "unset-then-gap", rule: "watch/unset", about: "the first change after the state is lost where a watch begins without a resourceVersion and allows no bookmarks",
		on: "watch", when: all(unset, plain, not(bookmarks)), events: drop(only(1, changes))},
	{name: "unset-stale", rule: "watch/unset-fresh", about: "a watch without a resourceVersion begins with whatever a cache has that is a second behind (kube-apiserver with its gate WatchList off: allowed there, so that this needs a feature)",
		options: lagging, on: "watch", when: all(unset, plain), ask: atZero},
	{name: "deleting-unstarted", rule: "watch/unset", about: "what a watch without a resourceVersion begins with lacks what is being deleted",
		on: "watch", when: all(unset, plain), events: drop(initialDeleting)},

	{name: "zero-lacks-one", rule: "watch/zero", about: `the first object of the state is missing where a watch begins at "0"`,
		on: "watch", when: all(zero, plain), events: drop(only(1, initialEvents))},
	{name: "zero-then-gap", rule: "watch/zero", about: `the first change after the state is lost where a watch begins at "0" and allows no bookmarks`,
		on: "watch", when: all(zero, plain, not(bookmarks)), events: drop(only(1, changes))},
	{name: "zero-of-two-states", rule: "watch/zero", about: `where a watch begins at "0" each object comes as the first watch of it showed it, old or new`,
		on: "watch", state: func(*apiserver.Server) row {
			var first sync.Map // by uid
			return row{when: all(zero, plain), events: each(initialEvents, func(e watch.Event) []watch.Event {
				old, _ := first.LoadOrStore(of(e.Object).GetUID(), copyOf(e))
				return []watch.Event{copyOf(old.(watch.Event))}
			})}
		}},
	{name: "deleting-unstarted-at-zero", rule: "watch/zero", about: `what a watch from "0" begins with lacks what is being deleted`,
		on: "watch", when: all(zero, plain), events: drop(initialDeleting)},
	{name: "restart-zero-from-now", rule: "watch/zero", about: `after a restart a watch from "0" begins with nothing, and goes on from the present`,
		on: "watch", state: onceRestarted(row{when: all(zero, plain), ask: skipToNow})},
}

// initialDeleting picks those initial events whose object is being deleted.
var initialDeleting = event(func(e watch.Event, c apiserver.Cause) bool {
	return c == apiserver.Initial && deleting(of(e.Object))
})

// resumeRows are faults of how a watch goes on where another ended, of long sequences, and of what two watches make of the same changes.
var resumeRows = []row{
	{name: "resumed-after", rule: "watch/resumable", about: "a watch from the resourceVersion of an event lacks the change after it; one from a list's is whole",
		on: "watch", state: movedFromEvents(1)},
	{name: "resumed-before", rule: "watch/resumable", about: "a watch from the resourceVersion of an event begins with that event; one from a list's does not",
		on: "watch", state: movedFromEvents(-1)},
	{name: "one-of-two", rule: "watch/same-for-all", about: "every second watch lacks every fourth change (two replicas of a cache of which one has lost events)",
		on: "watch", state: func(*apiserver.Server) row {
			var opened atomic.Int64
			return row{events: func(c *call) apiserver.Tap {
				if opened.Add(1)%2 == 1 {
					return nil
				}
				return drop(every(4, changes))(c)
			}}
		}},
	{name: "replay-ends-at-100", rule: "watch/from-list", about: "a watch from the past gives the last 100 changes of what it has missed, and nothing tells of those before (a ring that is overwritten, without 410)",
		on: "watch", when: missed(100), ask: skipTo(100)},
	{name: "replay-ends-at-500", rule: "watch/from-list", about: "a watch from the past gives the last 500 changes of what it has missed, and nothing tells of those before (a ring that is overwritten, without 410)",
		on: "watch", when: missed(500), ask: skipTo(500)},
	{name: "change-lost-at-100", rule: "watch/reliable", about: "a watch leaves out change number 100",
		on: "watch", events: drop(only(100, changes))},
	{name: "change-lost-at-500", rule: "watch/reliable", about: "a watch leaves out change number 500",
		on: "watch", events: drop(only(500, changes))},
}

// movedFromEvents moves the start of watches from a resourceVersion that an event has shown.
func movedFromEvents(revisions int64) func(*apiserver.Server) row {
	return func(*apiserver.Server) row {
		var seen sync.Map // by resourceVersion
		return row{
			ask: func(c *call) {
				if _, ok := seen.Load(c.list.ResourceVersion); ok && plain(c) {
					moveBy(revisions)(c)
				}
			},
			events: each(changes, func(e watch.Event) []watch.Event {
				seen.Store(of(e.Object).GetResourceVersion(), true)
				return []watch.Event{e}
			}),
		}
	}
}

// missed reports whether a watch begins more than so many revisions ago; skipTo has it begin so many revisions ago.
func missed(revisions int64) func(*call) bool {
	return func(c *call) bool {
		return at(c) && below(plus(c.list.ResourceVersion, revisions), c.store.Revision())
	}
}

func skipTo(revisions int64) func(*call) {
	return func(c *call) { c.list.ResourceVersion = plus(c.store.Revision(), -revisions) }
}
