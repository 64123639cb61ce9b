package mutants

import (
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// sequenceRows are faults of the sequence of events that a watch sends.
var sequenceRows = []row{
	{name: "old-content", rule: "watch/reliable", about: "MODIFIED comes with the resourceVersion of the change, and with the object as it was before",
		on: "watch", events: tap(func() apiserver.Tap {
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
		})},
	{name: "old-content-at-start", rule: "watch/reliable", about: "the initial ADDED of an object has its resourceVersion, and the content that a watch showed first",
		on: "watch", state: func(*apiserver.Server) row {
			var first sync.Map // by uid
			return row{events: tap(func() apiserver.Tap {
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
			})}
		}},
	{name: "doubled-event", rule: "watch/unique", about: "every third change comes twice (etcd#17247: the buffers of transactions were merged wrongly; found before a release)",
		on: "watch", events: double(every(3, changes))},
	{name: "repeated-at-end", rule: "watch/unique", about: "a watch that the server ends repeats its last change first",
		on: "watch", events: repeats(apiserver.End)},
	{name: "repeated-at-bookmark", rule: "watch/unique", about: "the last change comes again just before a bookmark",
		on: "watch", events: repeats(apiserver.Bookmark)},
	{name: "swapped-events", rule: "watch/ordered", about: "every third change comes after the one that follows it",
		on: "watch", events: swap(every(3, changes))},
	{name: "back-in-time", rule: "watch/ordered", about: "after the fourth change the first comes again (etcd#15271: after a network partition; kubernetes#73845: after the initial events)",
		on: "watch", events: tap(func() apiserver.Tap {
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
		})},
	{name: "lost-modified", rule: "watch/reliable", about: "every third MODIFIED is lost (etcd#17529: lost by a watcher that is slow)",
		on: "watch", events: drop(every(3, typed(watch.Modified)))},
	{name: "lost-deleted", rule: "watch/reliable", about: "the first DELETED of a watch is lost (etcd#19179: a delete at the revision where the watch begins, while that is compacted)",
		on: "watch", events: drop(only(1, typed(watch.Deleted)))},
	{name: "lost-created", rule: "watch/reliable", about: "the second object created during a watch is not told (kubernetes#116122: a watch that opens while the cache starts anew)",
		on: "watch", events: drop(only(2, cause(apiserver.Created)))},
	{name: "lost-late", rule: "watch/reliable", about: "the 150th change of a watch is lost (a buffer that overflows once)",
		on: "watch", events: drop(only(150, changes))},
	{name: "lost-after-quiet", rule: "watch/reliable", about: "the first change after ten minutes in which a watch brought nothing is lost (a proxy that forgets idle connections, and opens another from now)",
		on: "watch", events: drop(afterQuiet(10 * time.Minute))},

	{name: "labels-alone-lost", rule: "watch/reliable", about: "a change of labels alone comes on no watch",
		on: "watch", events: drop(onlyOf(labelsOf))},
	{name: "annotations-alone-lost", rule: "watch/reliable", about: "a change of annotations alone comes on no watch",
		on: "watch", events: drop(onlyOf(annotationsOf))},
	{name: "status-alone-lost", rule: "watch/reliable", about: "a change of status alone comes on no watch",
		on: "watch", events: drop(onlyOf(statusOf))},
	{name: "owners-alone-lost", rule: "watch/reliable", about: "a change of ownerReferences alone comes on no watch",
		on: "watch", events: drop(onlyOf(ownersOf))},
	{name: "labels-alone-unstored", rule: "write/response", about: "an update of labels alone is answered, and stores nothing",
		on: "update", instead: func(c *call) {
			is, ok := c.sent.(*corev1.ConfigMap)
			if now := c.now(); ok && now != nil && onlyDiffersIn(labelsOf, now.(*corev1.ConfigMap), is) {
				c.got = now
				return
			}
			c.next()
		}},
}

// repeats sends the last change again before events of a cause.
func repeats(before apiserver.Cause) func(*call) apiserver.Tap {
	return tap(func() apiserver.Tap {
		var last []watch.Event
		return func(e watch.Event, c apiserver.Cause) []watch.Event {
			if change(c) {
				last = []watch.Event{copyOf(e)}
			}
			if c != before {
				return pass(e, c)
			}
			again := last
			last = nil
			return append(again, pass(e, c)...)
		}
	})
}

// afterQuiet picks the first event after a time without any.
func afterQuiet(d time.Duration) which {
	return func() func(watch.Event, apiserver.Cause) bool {
		last := time.Now()
		return func(watch.Event, apiserver.Cause) bool {
			quiet := time.Since(last)
			last = time.Now()
			return quiet >= d
		}
	}
}

// part takes one part of an object from another.
type part func(to, from *corev1.ConfigMap)

func labelsOf(to, from *corev1.ConfigMap)      { to.Labels = from.Labels }
func annotationsOf(to, from *corev1.ConfigMap) { to.Annotations = from.Annotations }
func ownersOf(to, from *corev1.ConfigMap)      { to.OwnerReferences = from.OwnerReferences }

func statusOf(to, from *corev1.ConfigMap) {
	all := map[string]string{}
	for _, m := range []*corev1.ConfigMap{to, from} {
		for k, v := range m.Data {
			if (k == "status") == (m == from) {
				all[k] = v
			}
		}
	}
	to.Data = all
}

// onlyDiffersIn reports whether two states of an object differ in a part and in nothing else.
func onlyDiffersIn(p part, was, is *corev1.ConfigMap) bool {
	was = was.DeepCopy()
	was.ResourceVersion, was.ManagedFields = is.ResourceVersion, is.ManagedFields
	if equality.Semantic.DeepEqual(was, is) {
		return false
	}
	p(was, is)
	return equality.Semantic.DeepEqual(was, is)
}

// onlyOf picks updates that differ from what the watch showed last in one part alone.
func onlyOf(p part) which {
	return func() func(watch.Event, apiserver.Cause) bool {
		last := map[types.UID]*corev1.ConfigMap{}
		return func(e watch.Event, c apiserver.Cause) bool {
			is, ok := e.Object.(*corev1.ConfigMap)
			if !ok || c == apiserver.Bookmark {
				return false
			}
			was := last[is.UID]
			last[is.UID] = is.DeepCopy()
			return c == apiserver.Updated && was != nil && onlyDiffersIn(p, was, is)
		}
	}
}

// startRows are faults of where a watch from a resourceVersion begins.
var startRows = []row{
	{name: "from-now", rule: "watch/from-list", about: "a watch from N starts at now (controller-runtime's fake client drops the options of a watch)",
		on: "watch", when: all(at, plain), ask: skipToNow},
	{name: "from-before", rule: "watch/from-list", about: "a watch from N repeats the change at N",
		on: "watch", when: all(at, plain), ask: moveBy(-1)},
	{name: "from-after", rule: "watch/from-list", about: "a watch from N lacks the first change after N (kubernetes#49992: off by one where the cache had no events yet)",
		on: "watch", when: all(at, plain), ask: moveBy(1)},
	{name: "from-list-lost-delete", rule: "watch/from-list", about: "what was deleted between a list and the watch from it is not told (kubernetes#141528: client-go's fake clientset)",
		on: "watch", events: drops(beforeOpen(apiserver.Deleted))},
	{name: "gap-deletes-lost-marked", rule: "watch/from-list", about: "on a watch that allows bookmarks what was deleted between the list and the watch is not told",
		on: "watch", when: bookmarks, events: drops(beforeOpen(apiserver.Deleted))},
	{name: "gap-deletes-lost-timed", rule: "watch/from-list", about: "on a watch with timeoutSeconds what was deleted between the list and the watch is not told",
		on: "watch", when: timed, events: drops(beforeOpen(apiserver.Deleted))},
	{name: "gap-deletes-lost-by-field", rule: "watch/from-list", about: "on a watch by field what was deleted between the list and the watch is not told",
		on: "watch", when: byField, events: drops(beforeOpen(apiserver.Deleted))},
	{name: "gap-deletes-lost-by-label", rule: "watch/from-list", about: "on a watch by label that allows bookmarks what was deleted between the list and the watch is not told",
		on: "watch", when: all(byLabel, bookmarks), events: drops(beforeOpen(apiserver.Deleted))},
	{name: "timed-from-now", rule: "watch/from-list", about: "a watch with timeoutSeconds begins at now",
		on: "watch", when: all(timed, at), ask: skipToNow},
}

// skipToNow has a watch begin at the present, without its state; moveBy has it begin so many revisions later.
func skipToNow(c *call) { fromNow(&c.list) }

func moveBy(revisions int64) func(*call) {
	return func(c *call) { c.list.ResourceVersion = plus(c.list.ResourceVersion, revisions) }
}

// beforeOpen picks events of a cause that are not newer than the opening of the watch.
func beforeOpen(cause apiserver.Cause) func(*call) which {
	return func(c *call) which {
		opened := c.store.Revision()
		return event(func(e watch.Event, is apiserver.Cause) bool {
			return is == cause && !older(opened, of(e.Object).GetResourceVersion())
		})
	}
}
