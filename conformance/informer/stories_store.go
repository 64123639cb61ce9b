package informer

import (
	"fmt"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

func storeChecks() []story.Check {
	return []story.Check{
		{
			Name: "store/index",
			About: "Objects get, change and lose the value under which the index has them, by events and by a list, which may bring another " +
				"object with the name.",
			Needs: []harness.Feature{Indexes, rig.Cuts, rig.Faults},
			Rules: []harness.Rule{storeIndex, storeSnapshot, convergeEqual},
			Span:  25 * time.Second,
			Steps: seq(opened(Open{Index: true}), label("a", "one"), label("b", "one"), label("c", ""), label("d", "four"), label("e", "one"), label("f", "one"),
				start(), settle(), label("a", "two"), label("c", "two"), settle(), label("a", ""), del("b"), settle(),
				whileDisconnected(label("a", "three"), del("c"), label("b", "two"), del("d"), label("d", "five"), // d comes again with another value
					label("e", "six"), label("f", "")), settle(), // e is the same object with another value, f with none
				whileUnwatched(del("d"), label("d", "three"), del("b"), label("b", "")), settle(), del("a"), settle(),
				whileDisconnected(del("b", "d", "e", "f")), settle(), label("a", "one"), settle()), // nothing is left
		}, {
			Name:  "store/index/beside",
			About: "The index is read without a pause while objects come, go, and get other values.",
			Needs: []harness.Feature{Indexes},
			Rules: []harness.Rule{storeIndex, storeSnapshot, convergeEqual},
			Steps: seq(opened(Open{Index: true}), label("o0", "one"), label("o1", "one"), label("o2", "one"), start(), settle(),
				repeated("index-beside-writes", 36), settle()),
		}, {
			Name:  "store/index/all-namespaces",
			About: "An informer of all namespaces, two of which have objects of one name, with the same value and with another, by events and by a list.",
			Needs: []harness.Feature{Indexes, AllNamespaces, rig.Cuts, rig.Faults},
			Rules: []harness.Rule{storeIndex, storeSnapshot, convergeEqual},
			Span:  25 * time.Second,
			Steps: seq(opened(Open{Namespace: "all", Index: true}), labelBoth("a", "one", "one"), labelBoth("b", "one", "two"), start(), settle(),
				labelBoth("c", "two", "two"), label("other/a", "two"), del("other/b"), settle(),
				whileDisconnected(del("other/c"), label("a", "two"), label("other/b", "one")), settle()),
		}, {
			Name:  "store/snapshot",
			About: "The store is read again and again while objects change and a list replaces everything.",
			Needs: []harness.Feature{rig.Cuts, rig.Faults},
			Rules: []harness.Rule{storeSnapshot, convergeTime, convergeEqual},
			Span:  25 * time.Second,
			Steps: seq(fill(5), start(), settle(), story.Repeat(10, func(i int) steps { return seq(change(i+1), pause(), look()) }),
				whileDisconnected(story.Repeat(5, func(i int) steps { return seq(del(fmt.Sprint("o", i)), put(fmt.Sprint("p", i))) })),
				poll(300*time.Millisecond, 10), settle()),
		}, {
			Name:  "store/snapshot/beside",
			About: "Two read the store without a pause while objects come, change and go.",
			Rules: []harness.Rule{storeSnapshot, convergeTime, convergeEqual},
			Steps: seq(fill(6), start(), settle(), repeated("read-beside-writes", 12), settle()),
		}, {
			Name:  "store/version",
			About: "The version, and then the store, are read after each change, and after a list.",
			Needs: []harness.Feature{Version, rig.Cuts, rig.Faults},
			Rules: []harness.Rule{storeVersion, convergeEqual},
			Span:  30 * time.Second,
			Steps: seq(fill(3), look(), start(), settle(), story.Repeat(5, func(i int) steps {
				n := fmt.Sprint("n", i)
				return seq(put("o0"), pause(), look(), put(n), pause(), look(), del(n), pause(), look())
			}), whileDisconnected(change(7)), poll(300*time.Millisecond, 10), settle(), whileDisconnected(change(8)), op("look-at-new-version"), settle()),
		}, {
			Name:   "store/version-moves",
			About:  "Objects of another namespace change, which bookmarks show; the newest object is deleted.",
			Needs:  []harness.Feature{Version},
			Unless: polls,
			Rules:  []harness.Rule{storeMoves, storeVersion, convergeEqual},
			Span:   10 * time.Minute,
			Steps: seq(fill(3), start(), settle(), fillOther(5), advance(3*time.Minute), settle(), story.Repeat(3, func(int) steps {
				return seq(put("newest"), settle(), inVirtualTime(delayBookmarks()), del("newest"),
					steps{{Op: "settle", Obj: "newest", With: Settle{Gone: true}}}, inVirtualTime(clearFaults("bookmarks"), cut(), catchUp()))
			})),
		}, {
			Name:  "store/read-your-writes",
			About: "The subject writes and reads at once, also while watches are slow.",
			Needs: []harness.Feature{Writes, ReadYourWrites, rig.Faults},
			Rules: []harness.Rule{storeOwnWrites},
			// As texts the resourceVersions after the leaps are no later.
			Steps: seq(fill(2), start(), settle(),
				fault("slow", rig.Fault{Verbs: []string{"watch"}, Events: &rig.Events{Do: "delay", For: rig.Duration(2 * time.Second)}}), cut(),
				story.Repeat(5, func(i int) steps {
					own, leaps := fmt.Sprint("own", i%2), steps{}
					if i > 2 {
						leaps = leap(1000)
					}
					return seq(leaps, on("own-write", own), on("own-read", own))
				}), clearFaults("slow"), settle()),
		}, {
			Name: "store/never-back",
			About: "The subject writes, and has its answer when another client has changed the object, and the informer has that. Then another client " +
				"changes it while watches are slow, and so does the subject before it has that.",
			Needs:  []harness.Feature{Writes, rig.Faults},
			Unless: polls,
			Rules:  []harness.Rule{storeNeverBack, convergeEqual, convergeTime},
			Span:   30 * time.Second,
			Steps:  seq(fill(3), twoHandlers(), start(), settle(), lateAnswer(put("o0")), settle(), answerBeforeEvents(put("o0")), settle()),
		}, {
			Name:   "store/never-back/deleted",
			About:  "The subject writes, and has its answer when another client has deleted the object, and the informer has that.",
			Needs:  []harness.Feature{Writes, rig.Faults},
			Unless: polls,
			Rules:  []harness.Rule{storeNeverBack, convergeEqual, convergeTime},
			Span:   25 * time.Second,
			Steps:  seq(fill(3), twoHandlers(), start(), settle(), lateAnswer(del("o0")), settle()),
		}, {
			Name: "store/transform",
			About: "Objects come by the first list, by events of each type, and by later lists, one of which is no streaming list, and are deleted, " +
				"seen and unseen.",
			Needs: []harness.Feature{Transforms, rig.Cuts, rig.Faults},
			Rules: []harness.Rule{storeTransform, convergeEqual},
			Span:  30 * time.Second,
			Steps: seq(opened(Open{Transform: true}), handle("h1"), fill(4), start(), settle(), lives(), settle(), whileDisconnected(change(3)), settle(),
				noStreams(), whileDisconnected(change(4)), settle(), clearFaults("no-streams"), del("o0"), settle(), whileDisconnected(del("o1")), settle()),
		}, {
			Name:  "store/transform/pages",
			About: "Objects come by pages, of the first list and of a later one.",
			Needs: []harness.Feature{Transforms, PageSize, rig.Cuts, rig.Faults},
			Rules: []harness.Rule{storeTransform, convergeEqual},
			Span:  30 * time.Second,
			Steps: seq(opened(Open{Transform: true, PageSize: 3}), handle("h1"), fill(8), noStreams(), start(), settle(),
				whileDisconnected(change(1)), settle(), clearFaults("no-streams")),
		}, {
			Name:  "store/push",
			About: "Objects come, change and go, one at a time and all of them, by events and by lists.",
			Needs: []harness.Feature{Pushes, rig.Cuts, rig.Faults},
			Rules: []harness.Rule{storePush, storeSnapshot, convergeEqual},
			Span:  5 * time.Minute,
			// Each change comes to rest by itself, so that a push that lacks it is seen.
			Steps: seq(fill(3), start(), settle(), story.Each([]steps{
				put("new"), put("o0"), del("o1"), whileDisconnected(put("o2")), whileDisconnected(del("o2")), whileDisconnected(put("by-list")),
				lives(), deleteAll(), put("o0"), whileDisconnected(deleteAll()),
			}, func(_ int, change steps) steps { return seq(change, settle()) })),
		},
	}
}

// lateAnswer plays steps after the subject has written o0, and before it has its answer.
func lateAnswer(meanwhile steps) steps {
	return seq(steps{{Op: "own-write-held", Obj: "o0", For: story.Duration(12 * time.Second)}}, catchUp(), look(), meanwhile, catchUp(), look(), advance(14*time.Second), look())
}

// answerBeforeEvents plays steps while watches are slow, and then the subject writes o0. It has the answer before the events of both.
func answerBeforeEvents(meanwhile steps) steps {
	return seq(fault("slow", watches(rig.Fault{Events: &rig.Events{Do: "delay", For: rig.Duration(2 * time.Second)}})), cut(), advance(2*time.Second),
		meanwhile, on("own-write", "o0"), look(), poll(300*time.Millisecond, 10), clearFaults("slow"))
}

// labelBoth puts objects of one name into both namespaces.
func labelBoth(name, app, other string) steps {
	return seq(label(name, app), label("other/"+name, other))
}

// delayBookmarks delays bookmarks by an hour, so that what follows moves the version by itself. They come on watches that
// are open: so these end. In real time mostly none comes so soon.
func delayBookmarks() steps {
	return seq(fault("bookmarks", watches(rig.Fault{Events: &rig.Events{Types: []string{"BOOKMARK"}, Do: "delay", For: rig.Duration(time.Hour)}})), cut(), catchUp())
}
