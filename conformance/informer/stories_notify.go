package informer

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// notifies returns the rules of a check with handlers: some, and those that every such check tests.
func notifies(r ...harness.Rule) []harness.Rule {
	return append(r, notifyOrder, notifySequential, notifyAfterStore, notifyComplete, convergeTime)
}

func notifyChecks() []story.Check {
	return []story.Check{
		{
			Name:  "notify/order",
			About: "Objects come, change, go and come again, while two handlers listen, or the one that there can be.",
			Needs: []harness.Feature{Handlers},
			Rules: notifies(),
			Steps: seq(put("a"), put("b"), twoHandlers(), start(), settle(), lives(), pause(), put("b"), settle()),
		}, {
			Name:  "notify/order/relist",
			About: "The same while watches end, with changes that a list brings, or a watch all at once.",
			Needs: []harness.Feature{Handlers, rig.Cuts, rig.Faults},
			Rules: notifies(),
			Span:  3 * time.Minute,
			Steps: seq(fill(4), twoHandlers(), start(), settle(), story.Repeat(3, func(i int) steps {
				return seq(whileDisconnected(change(i+1)), catchUp(), put("o1"), settle())
			}), whileDisconnected(), settle(), story.Repeat(4, func(i int) steps {
				return seq(atOnce(story.Repeat(6, func(n int) steps { return putOrToggle(fmt.Sprint("m", n), 5*i+n) }), change(i+4)), settle())
			})),
		}, {
			Name:  "notify/order/slow",
			About: "Each call of the only handler takes a fifth of a second, while objects come, change and go, watches end, and lists follow.",
			Needs: []harness.Feature{Handlers, rig.Cuts, rig.Faults},
			Rules: notifies(),
			Span:  30 * time.Second,
			Steps: seq(fill(3), handleSlow("h1", 200*time.Millisecond), start(), settle(), lives(), settle(), story.Repeat(2, func(i int) steps {
				return seq(churn(6), put("o1"), put("o1"), whileDisconnected(change(i+1), put("o2")), put("o1"), settle())
			})),
		}, {
			Name:  "notify/order/held",
			About: "The only handler is held in a call while other objects change, the watch ends, and a list follows.",
			Needs: []harness.Feature{Handlers, rig.Cuts, rig.Faults},
			Rules: notifies(),
			Span:  30 * time.Second,
			Steps: seq(fill(4), handle("h1"), start(), settle(), story.Repeat(2, func(i int) steps {
				return seq(hold("h1"), put("o1"), put("o1"), put("o2"), pause(), del("o0"), put("o0"), pause(), whileDisconnected(change(i+1), put("o1")), pause(), release("h1"), settle())
			})),
		}, {
			Name:  "notify/order/many",
			About: "Five objects change at random, watches end and expire, and a handler is held now and then.",
			Needs: []harness.Feature{Handlers, rig.Cuts, rig.Faults},
			Rules: notifies(),
			Span:  3 * time.Minute,
			Steps: seq(twoHandlers(), fill(3), start(), settle(), atRandom(60), release("h1"), settle()),
		}, {
			Name:  "notify/after-store",
			About: "The index value of an object changes while a handler is held.",
			Needs: []harness.Feature{Handlers, Indexes},
			Rules: notifies(),
			Steps: seq(opened(Open{Index: true}), fill(2), twoHandlers(), start(), settle(), hold("h1"),
				story.Each([]string{"two", "", "one", "three"}, func(_ int, app string) steps { return seq(label("o0", app), put("o1"), pause()) }),
				del("o1"), pause(), release("h1"), settle()),
		}, {
			Name:  "notify/delete-state",
			About: "Objects are deleted while a watch is open, and while none is.",
			Needs: []harness.Feature{Handlers, DeleteState, rig.Cuts, rig.Faults},
			Rules: notifies(notifyDelete),
			Steps: seq(fill(6), twoHandlers(), start(), settle(), put("o0"), del("o0", "o1"), put("o1"), settle(),
				whileDisconnected(put("o2"), del("o2", "o3", "o4"), put("o4")), settle(), del("o4"), settle()),
		}, {
			Name:  "notify/late-handler",
			About: "Handlers join when the store is filled, while objects change, and during the first list.",
			Needs: []harness.Feature{Handlers, ManyHandlers},
			Rules: notifies(notifyLate),
			Steps: seq(slow(), fill(3), start(), advance(1500*time.Millisecond), handle("amid"), clearFaults("slow-*"), settle(),
				handle("late"), settle(), lives(), handle("busy"), change(1), settle(), del("o0"), settle()),
		}, {
			Name:  "notify/late-handler/backlog",
			About: "A handler joins while another is held with a backlog, in which one object changes several times in a row.",
			Needs: []harness.Feature{Handlers, ManyHandlers},
			Rules: notifies(notifyLate),
			Steps: seq(handle("h1"), fill(3), start(), settle(), hold("h1"), churn(50), put("o1"), put("o1"), put("o1"), del("o1"), pause(),
				handle("late"), churn(10), pause(), look(), release("h1"), settle()),
		}, {
			Name:  "notify/late-handler/beside",
			About: "Handlers join while objects come, change and go without a pause.",
			Needs: []harness.Feature{Handlers, ManyHandlers},
			Rules: notifies(notifyLate),
			Steps: seq(fill(10), start(), settle(), repeated("handle-beside-writes", 20), settle()),
		}, {
			Name:  "notify/late-handler/relist",
			About: "Handlers join during a later list, which brings changes.",
			Needs: []harness.Feature{Handlers, ManyHandlers, rig.Cuts, rig.Faults},
			Rules: notifies(notifyLate),
			Span:  30 * time.Second,
			Steps: seq(fill(3), twoHandlers(), start(), settle(), slow(), whileDisconnected(change(1)),
				story.Repeat(15, func(i int) steps {
					return seq(advance(400*time.Millisecond), handle(fmt.Sprint("joins-", i)))
				}),
				clearFaults("slow-*"), settle(), change(2), settle()),
		}, {
			Name:  "notify/removed-handler",
			About: "Handlers are removed without waiting, twice: one that is idle, and one that is held with a backlog.",
			Needs: []harness.Feature{Handlers, ManyHandlers, Removal},
			Rules: notifies(notifyRemoved),
			Steps: removed(false, seq(remove("h2", false), remove("h2", false), churn(5), pause(), release("h2"))), // with a backlog still
		}, {
			Name:  "notify/removed-handler/waiting",
			About: "Handlers are removed by a call that waits, twice: one that is idle, and one that is held with a backlog.",
			Needs: []harness.Feature{Handlers, ManyHandlers, Removal, RemovalWaits},
			Rules: notifies(notifyRemoved),
			Steps: removed(true, seq(story.Async(remove("h2", true)...), story.Async(remove("h2", true)...), advance(time.Second), release("h2"), story.Join("h2"))),
		}, {
			Name:  "notify/removed-handler/last",
			About: "The only handler is removed, objects change, and another handler is added.",
			Needs: []harness.Feature{Handlers, ManyHandlers, Removal, rig.Cuts, rig.Faults},
			Rules: notifies(notifyRemoved, convergeEqual),
			Span:  25 * time.Second,
			Steps: seq(fill(3), handle("h1"), start(), settle(), remove("h1", false), churn(4), del("o2"), settle(), handle("h2"), settle(),
				churn(4), settle(), whileDisconnected(change(3)), settle()),
		}, {
			Name:   "notify/removed-handler/resync",
			About:  "A handler with the informer's resync period is removed without waiting, and periods go by.",
			Needs:  []harness.Feature{Handlers, ManyHandlers, Removal, Resync},
			Unless: polls,
			Rules:  notifies(notifyRemoved),
			Steps:  removedResync(false),
		}, {
			Name:   "notify/removed-handler/resync-waiting",
			About:  "Such a handler is removed by a call that waits.",
			Needs:  []harness.Feature{Handlers, ManyHandlers, Removal, RemovalWaits, Resync},
			Unless: polls,
			Rules:  notifies(notifyRemoved),
			Steps:  removedResync(true),
		}, {
			Name:  "notify/removed-handler/early",
			About: "Handlers are removed without waiting, before the start and during the first list.",
			Needs: []harness.Feature{Handlers, ManyHandlers, Removal},
			Rules: notifies(notifyRemoved),
			Steps: removedEarly(false),
		}, {
			Name:  "notify/removed-handler/early-waiting",
			About: "Handlers are removed then by a call that waits.",
			Needs: []harness.Feature{Handlers, ManyHandlers, Removal, RemovalWaits},
			Rules: notifies(notifyRemoved),
			Steps: removedEarly(true),
		}, {
			Name:  "notify/slow",
			About: "One handler is held during 2,100 changes, and another is notified of them all.",
			Needs: []harness.Feature{Handlers, ManyHandlers},
			Rules: notifies(notifySlow),
			Span:  30 * time.Second,
			// More than twice what client-go's queue of a handler begins with, and more than a queue of a usual size holds. The
			// handler is in its call when the others come. No later change makes up for the one of "oldest".
			Steps: seq(fill(3), twoHandlers(), start(), settle(), hold("h1"), churn(1), settle(), put("oldest"), churn(2100), del("o1"), settle(),
				release("h1"), settle()),
		}, {
			Name:  "notify/slow/relist",
			About: "One handler is held while watches end and lists follow.",
			Needs: []harness.Feature{Handlers, ManyHandlers, rig.Cuts, rig.Faults},
			Rules: notifies(notifySlow),
			Span:  30 * time.Second,
			Steps: seq(fill(3), twoHandlers(), start(), settle(), story.Repeat(2, func(i int) steps {
				return seq(hold("h1"), put("o1"), settle(), whileDisconnected(change(i+1)), settle(), release("h1"), settle())
			})),
		}, {
			Name: "notify/resync",
			About: "A handler has the informer's resync period, and another, if it can, a longer one of its own; an object changes now " +
				"and then.",
			Needs:  []harness.Feature{Handlers, Resync},
			Unless: polls,
			Rules:  notifies(notifyResync),
			Span:   10 * time.Minute,
			// A watch of twenty seconds has enough periods of three.
			Steps: seq(opened(Open{Resync: story.Duration(3 * time.Second)}), fill(3), handle("h1"), handleEvery("h2", 25*time.Second), start(), settle(),
				story.Repeat(5, func(int) steps { return seq(advance(25*time.Second), put("o0")) }), handleEvery("late", 20*time.Second),
				advance(2*time.Minute), settle()),
		}, {
			Name: "notify/resync/later",
			About: "The same after a watch that has ended, and after a later list with objects that the first did not have, one of them created " +
				"again.",
			Needs:  []harness.Feature{Handlers, Resync, rig.Cuts, rig.Faults},
			Unless: polls,
			Rules:  notifies(notifyResync),
			Span:   10 * time.Minute,
			Steps: seq(opened(Open{Resync: story.Duration(3 * time.Second)}), fill(3), handle("h1"), handleEvery("h2", 25*time.Second), start(), settle(),
				put("newer"), catchUp(), cut(), advance(2*time.Minute),
				whileDisconnected(put("newest"), put("o1"), del("o2", "newer"), put("newer")), advance(2*time.Minute), settle()),
		}, {
			Name:  "notify/order/large",
			About: "Hundreds of objects are listed, missed, changed at once, and notified to a handler that joins late.",
			Needs: []harness.Feature{Handlers, rig.Cuts, rig.Faults},
			Rules: notifies(),
			Span:  30 * time.Second,
			Steps: seq(fill(large), handle("h1"), start(), settle(), whileDisconnected(story.Repeat(large, func(i int) steps {
				switch name := fmt.Sprint("o", i); i % 3 {
				case 0:
					return seq(del(name), put(fmt.Sprint("n", i)))
				case 1:
					return put(name)
				}
				return nil
			})), settle(), story.Repeat(large, func(i int) steps {
				if i%3 == 0 {
					return nil
				}
				return put(fmt.Sprint("o", i))
			}), handle("late"), settle()),
		}, {
			Name:   "notify/resync/large",
			About:  "Resync periods of a handler go by while there are hundreds of objects.",
			Needs:  []harness.Feature{Handlers, Resync},
			Unless: polls,
			Rules:  notifies(notifyResync),
			Span:   10 * time.Minute,
			Steps: seq(opened(Open{Resync: story.Duration(30 * time.Second)}), fill(large/2), handle("h1"), start(), settle(),
				advance(4*time.Minute), settle()),
		},
	}
}

// large is how many objects there are in checks with many: more than anybody keeps room for, a third of them, too.
const large = 310

// putOrToggle puts an object. Each third time it deletes it, if it exists.
func putOrToggle(name string, i int) steps {
	if i%3 == 0 {
		return on("toggle", name)
	}
	return put(name)
}

// atRandom draws n parts of a story, always the same.
func atRandom(n int) steps {
	r := rand.New(rand.NewPCG(1, 0))
	var parts []steps
	for i := range n {
		name := fmt.Sprint("o", r.IntN(5))
		switch r.IntN(10) {
		case 0:
			parts = append(parts, cutEither(r.IntN(2) == 0))
		case 1:
			parts = append(parts, whileDisconnected(putOrToggle(name, i)), catchUp())
		case 2:
			parts = append(parts, hold("h1"))
		case 3:
			parts = append(parts, release("h1"))
		case 4:
			parts = append(parts, catchUp())
		default:
			parts = append(parts, putOrToggle(name, i))
		}
	}
	return slices.Concat(parts...)
}

// removed removes h1, which is idle, and then h2, while it is held.
func removed(wait bool, whileHeld steps) steps {
	return seq(fill(3), twoHandlers(), handle("h3"), start(), settle(), remove("h1", wait), remove("h1", wait), churn(4), settle(),
		hold("h2"), hold("h3"), churn(30), put("o1"), pause(), whileHeld, release("h3"), churn(5), settle())
}

// removedResync removes a handler that is notified of everything again and again.
func removedResync(wait bool) steps {
	return seq(opened(Open{Resync: story.Duration(3 * time.Second)}), fill(1), twoHandlers(), start(), settle(), advance(4*time.Second),
		remove("h1", wait), settle(), advance(10*time.Second), churn(2), settle())
}

// removedEarly removes a handler before the start, and one before the informer has anything.
func removedEarly(wait bool) steps {
	return seq(fill(3), twoHandlers(), handle("h3"), remove("h1", wait), slow(), start(), advance(100*time.Millisecond), remove("h3", wait), look(),
		advance(8*time.Second), clearFaults("slow-*"), settle(), churn(3), settle())
}
