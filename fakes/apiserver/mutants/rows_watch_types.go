package mutants

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// typeRows are faults of the types of events.
var typeRows = []row{
	{name: "added-for-known", rule: "watch/types", about: "every second MODIFIED comes as ADDED",
		on: "watch", events: as(watch.Added, every(2, typed(watch.Modified)))},
	{name: "deleted-for-modified", rule: "watch/types", about: "every third MODIFIED comes as DELETED",
		on: "watch", events: as(watch.Deleted, every(3, typed(watch.Modified)))},
	{name: "modified-for-created", rule: "watch/types", about: "the creation of an object comes as MODIFIED",
		on: "watch", events: as(watch.Modified, creations)},
	{name: "modified-for-deleted", rule: "watch/types", about: "a deletion comes as MODIFIED, with its resourceVersion and the last state",
		on: "watch", events: as(watch.Modified, removals)},
	{name: "modified-for-left", rule: "watch/types", about: "an object that leaves the selector comes as MODIFIED",
		on: "watch", events: as(watch.Modified, leaving)},
	{name: "modified-for-entered", rule: "watch/types", about: "an object that enters the selector comes as MODIFIED",
		on: "watch", events: as(watch.Modified, entering)},
	{name: "entered-as-deleted", rule: "watch/selector-exit", about: "an object that enters the selector comes as DELETED",
		on: "watch", events: as(watch.Deleted, entering)},
	{name: "left-at-old-version", rule: "watch/selector-exit", about: "an object that leaves the selector comes as DELETED with the resourceVersion that it had before",
		on: "watch", events: atLastVersion(leaving)},
}

// deletedRows are faults of the object in a DELETED.
var deletedRows = []row{
	{name: "deleted-at-last-version", rule: "watch/delete-version", about: "DELETED has the resourceVersion of the last stored state",
		on: "watch", events: atLastVersion(removals)},
	{name: "deleted-version-behind", rule: "watch/delete-version", about: "DELETED has the resourceVersion of the change before the deletion, whatever object that was of",
		on: "watch", events: shown(removals, saysMore(-1))},
	{name: "deleted-shows-older-state", rule: "watch/delete-version", about: "DELETED shows the object as it was after its first update, not as it was last",
		on: "watch", events: tap(func() apiserver.Tap {
			first := map[types.UID]watch.Event{}
			return func(e watch.Event, c apiserver.Cause) []watch.Event {
				if !change(c) {
					return pass(e, c)
				}
				old, ok := first[of(e.Object).GetUID()]
				if c == apiserver.Updated && !ok {
					first[of(e.Object).GetUID()] = copyOf(e)
				} else if c == apiserver.Deleted && ok {
					e.Object = moved(old.Object, of(e.Object).GetResourceVersion())
				}
				return []watch.Event{e}
			}
		})},
	{name: "left-shows-no-labels", rule: "watch/delete-version", about: "an object that leaves the selector is not shown as it was before: its labels are gone",
		on: "watch", events: shown(leaving, func(o metav1.Object) { o.SetLabels(nil) })},
}

// createdRows are faults of creations on a watch that begins with the state and does not say where that ends: they look like more of it.
var createdRows = []row{
	{name: "created-swapped", rule: "watch/ordered", about: "on a watch without an end of its initial events every second creation, until something else comes, comes after the next",
		on: "watch", when: all(withState, not(bookmarks)), events: tap(func() apiserver.Tap {
			second, held, changed := nth(2), []watch.Event(nil), false
			return func(e watch.Event, c apiserver.Cause) []watch.Event {
				if changed = changed || e.Type != watch.Added; c == apiserver.Created && !changed && held == nil && second() {
					held = []watch.Event{e}
					return nil
				}
				late := held
				held = nil
				if c != apiserver.Created { // what follows is no more of the state
					return append(late, pass(e, c)...)
				}
				return append([]watch.Event{e}, late...)
			}
		})},
	{name: "created-repeated", rule: "watch/unique", about: "on a watch without an end of its initial events every second creation comes again after the one that follows it",
		on: "watch", when: all(withState, not(bookmarks)), events: tap(func() apiserver.Tap {
			second, again := nth(2), []watch.Event(nil)
			return func(e watch.Event, c apiserver.Cause) []watch.Event {
				if c != apiserver.Created {
					return pass(e, c)
				}
				out := append(pass(e, c), again...)
				if again = nil; second() {
					again = []watch.Event{copyOf(e)}
				}
				return out
			}
		})},
	{name: "created-modified", rule: "watch/types", about: "on a watch without an end of its initial events every second creation comes as MODIFIED",
		on: "watch", when: all(withState, not(bookmarks)), events: as(watch.Modified, every(2, creations))},
}
