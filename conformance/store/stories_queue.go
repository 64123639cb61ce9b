package store

import (
	"math/rand/v2"
	"slices"

	"github.com/lwtest/lwtest/harness/story"
)

func queueChecks() []story.Check {
	return []story.Check{
		{Name: "queue/order", About: "changes of several keys, some of them twice, of what is known and what is not",
			Rules: rules(queueOrder), Needs: aQueue(),
			Steps: seq(times(2, add("a/x"), add("a/y"), update("a/x"), add("b/x"), del("a/y"), update("a/x"), takeChanges(1, 2),
				update("a/x"), update("a/z"), del("b/x"), add("b/x"), takeChanges(4, 8)), drain())},
		{Name: "queue/order/many", About: "random changes, lists and resyncs, and pops now and then",
			Rules: rules(queueOrder, queueReplace, queueSynced), Needs: aQueue(), Steps: manyOfQueue()},
		{Name: "queue/order/large", About: "more than a hundred keys wait, and all pop", Rules: rules(queueOrder), Needs: aQueue(),
			Steps: seq(fill(manyThings), update("a/"+nth(0)), update("a/"+nth(manyThings/2)), update("a/"+nth(manyThings-1)), drain())},
		{Name: "queue/order/consumers", About: "two Pops wait for two things that are put one right after the other",
			Rules: rules(queueOrder), Needs: aQueue(),
			// Whether one of them runs between the two is up to the scheduler.
			Steps: seq(times(10, do("pop"), by("pop", "pop2"), fill(2), do("await"), by("await", "pop2")), drain())},
		{Name: "queue/dedup", About: "two of everything in a row, of one key", Rules: rules(queueDedup), Needs: aQueue(),
			// The key is known, so that no delete is dropped.
			Steps: seq(add("a/x"), take(1), forEach(func(l []steps) steps {
				return seq(seq(l...), add("a/y"), takeChanges(2, len(l)+1), add("a/x"), del("a/y"), takeChanges(2, 2))
			}, []steps{del("a/x"), del("a/x")}, []steps{lost("a/x"), del("a/x")}, []steps{del("a/x"), lost("a/x")}, []steps{lost("a/x"), lost("a/x")},
				[]steps{update("a/x"), update("a/x")}, []steps{add("a/x"), add("a/x")}, []steps{del("a/x"), add("a/x"), del("a/x")}),
				update("a/x"), applyWith(Update, "a/x", Content{Same: true}), drain())},
		{Name: "queue/dedup/large", About: "two deletes of a key behind many other changes of it", Rules: rules(queueDedup), Needs: aQueue(),
			// Of x after updates alone, of y after everything in turn.
			Steps: seq(add("a/x"), times(30, update("a/x")), del("a/x"), del("a/x"), times(10, add("a/y"), update("a/y"), del("a/y")),
				add("a/y"), lost("a/y"), del("a/y"), drain())},
		{Name: "queue/unknown-delete", About: "deletes what was never there, and what is gone", Rules: rules(queueUnknown), Needs: aQueue(IsDelta),
			Steps: seq(del("a/x"), add("a/y"), take(1), del("a/y"), take(1), del("a/y"), lost("a/y"), waiting("pop", add("a/x")),
				del("a/y"), update("a/x"), drain())},
		{Name: "queue/replace", About: "lists that lack what is known, and what is queued", Rules: rules(queueReplace), Needs: aQueue(),
			Steps: seq(replace("a/x", "a/y", "b/x"), takeItems(3), replace("a/y", "c/x"), takeItems(4), // two known ones are gone
				update("a/y"), replace("c/x", "a/z"), update("a/z"), takeOf(3, 5, 3), // so is one that is known and queued
				del("a/z"), replace("c/x"), takeOf(2, 2, 2), // its last is a delete
				lost("c/x"), replace("a/x", "a/y", "a/x"), replace("a/y", "a/x"), replace(), drain())}, // a key twice
		{Name: "queue/replace/idle", About: "an empty list while nothing is pending", Rules: rules(queueReplace), Needs: aQueue(),
			Steps: seq(add("a/x"), add("a/y"), take(2), replace(), takeItems(2), replace(), drain())},
		{Name: "queue/replace/unset", About: "lists that have no resourceVersion, after one that has", Rules: rules(queueReplace), Needs: aQueue(),
			Steps: seq(replace("a/x"), replaceBy(unset, item("a/x"), item("a/y")), replaceBy(unset), drain())},
		{Name: "queue/replace/waiting", About: "lists that a Pop waits for", Rules: rules(queueReplace), Needs: aQueue(),
			Steps: seq(waiting("pop", replace("a/x")), waiting("pop", replace()), drain())},
		{Name: "queue/replace/unkeyable", About: "a list, and one with an object that has no key in the middle",
			Rules: rules(queueReplace), Needs: aQueue(Keys),
			// What is queued after the second list is open.
			Steps: seq(add("a/x"), replace("a/x", "a/y"), takeOf(2, 3, 2), add("a/z"), update("a/x"), replace("a/y", noKey, "a/x"), take(2), drain())},
		{Name: "queue/replace/large", About: "a first list of many pops, and so do a resync, and the tombstones of a list that lacks them",
			Rules: rules(queueReplace, queueSynced), Needs: aQueue(),
			Steps: seq(fillByList(70), synced(), when("!"+IsAtomic, take(35), times(3, synced(), take(10)), synced(), take(5)),
				when(IsAtomic, synced(), take(1)), synced(), resync(), takeItems(70), twoOfMany, takeItems(70), drain(), synced())},
		{Name: "queue/replace/large/batch", About: "a first list of many pops in batches, and so does a list that lacks them",
			Rules: rules(queueReplace, queueSynced), Needs: aQueue(Batch),
			Steps: seq(fillByList(70), synced(), twoOfMany, do("drain-batches"), synced())},
		{Name: "queue/no-ghost", About: "lists that lack what was queued and never popped", Rules: rules(queueGhost), Needs: aQueue(),
			// Once with nothing known, once with others.
			Steps: seq(add("a/x"), replace(), add("a/y"), takeOf(2, 3, 3), add("a/z"), update("a/z"), replace("a/y", "a/w"), drain())},
		{Name: "queue/resync", About: "resyncs with something pending, and twice in a row", Rules: rules(queueResync), Needs: aQueue(),
			Steps: seq(resync(), add("a/x"), add("a/y"), add("a/z"), takeOf(3, 3, 4), resync(), takeItems(3),
				update("a/y"), resync(), resync(), take(3), // of atomic: the update and two SyncAll
				del("a/z"), take(1), del("a/y"), resync(), takeChanges(2, 2), // while it is known
				add("a/w"), resync(), update("a/x"), drain())},
		{Name: "queue/resync/unsynced", About: "resyncs when half of the first list has popped",
			Rules: rules(queueResync, queueSynced), Needs: aQueue(),
			// What is known by then gets its Sync. The end shows what is missing before it.
			Steps: seq(replace("a/x", "a/y"), when("!"+IsAtomic, take(1)), synced(), resync(), synced(), add("z/end"), drain(), synced())},
		{Name: "queue/resync/waiting", About: "a resync that a Pop waits for", Rules: rules(queueResync), Needs: aQueue(),
			Steps: seq(add("a/x"), take(1), waiting("pop", resync()), drain())},
		{Name: "queue/bookmark", About: "bookmarks between everything else", Rules: rules(queueBookmark), Needs: aQueue(Bookmarks),
			Steps: seq(bookmark(), when(IsAtomic, take(1)), replace("a/x"), bookmark(), update("a/x"), bookmark(), bookmark(), add("a/y"),
				bookmark(), resync(), takeChanges(2, 3), replace("a/y"), bookmark(), drain())},
		{Name: "queue/bookmark/waiting", About: "a bookmark that a Pop waits for", Rules: rules(queueBookmark), Needs: aQueue(IsAtomic, Bookmarks),
			Steps: seq(waiting("pop", bookmark()), drain())},
		{Name: "queue/batch", About: "pops in batches what has keys twice, lists, resyncs and bookmarks in it",
			Rules: rules(queueBatch), Needs: aQueue(Batch),
			// Keys that come again, lists, resyncs and bookmarks end a batch, each behind two changes that may be together.
			Steps: seq(replace("a/x", "a/y", "a/z"), add("a/w"), update("a/x"), update("a/y"), update("a/x"), resync(), bookmark(),
				del("a/x"), add("b/x"), resync(), twoChanges, bookmark(), bookmark(), twoChanges, replace("a/y", "a/x", "a/z", "b/x"), twoChanges,
				resync(), bookmark(), update("a/z"), do("drain-batches"))},
		{Name: "queue/batch/waiting", About: "pops a batch that it waits for, and two that it does not", Rules: rules(queueBatch), Needs: aQueue(Batch),
			Steps: seq(waiting("pop-batch", add("a/x")), update("a/x"), add("a/y"), do("drain-batches"))},
		{Name: "queue/close", About: "closes a queue that a Pop waits on", Rules: rules(queueClose), Needs: aQueue(),
			Steps: seq(waiting("pop", shut()), take(2), add("a/x"))},
		{Name: "queue/close/left", About: "closes a queue in which something is left", Rules: rules(queueClose), Needs: aQueue(),
			Steps: seq(replace("a/x"), add("a/y"), update("a/x"), add("a/z"), take(1), drain())},
		{Name: "queue/close/two", About: "closes a queue that two Pops wait on", Rules: rules(queueClose), Needs: aQueue(IsDelta), Steps: closeTwo},
		{Name: "queue/close/two/log", About: "closes a log that two Pops wait on", Rules: rules(queueClose), Needs: aQueue(IsLog), Steps: closeTwo},
		{Name: "queue/close/two/atomic", About: "closes a log with atomic lists that two Pops wait on",
			Rules: rules(queueClose), Needs: aQueue(IsAtomic), Steps: closeTwo},
		{Name: "queue/close/batch", About: "closes a queue that a PopBatch waits on, and asks again", Rules: rules(queueClose), Needs: aQueue(Batch),
			Steps: seq(waiting("pop-batch", shut()), do("take-batch"))},
	}
}

var (
	closeTwo   = seq(do("pop"), by("pop", "pop2"), shut(), do("await"), by("await", "pop2"))
	twoChanges = seq(update("a/w"), update("a/v"))
	// twoOfMany is a list of two of those that fillByList has put, as they are.
	twoOfMany = replaceBy("", asBefore("a/"+nth(0)), asBefore("a/"+nth(1)))
)

func by(name, actor string) steps { return steps{{Op: name, Actor: actor}} }
func fillByList(n int) steps      { return steps{{Op: "replace", N: n}} }

// manyOfQueue are the same random changes of a few keys in each run. The fuzzer draws others. A list lacks one key at most:
// the order of several tombstones may be a map's.
func manyOfQueue() steps {
	rnd := rand.New(rand.NewPCG(2, 2))
	names := []string{"a/x", "a/y", "a/z", "a/w"}
	others := func(but string) []string {
		return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == but })
	}
	return seq(seq(randomly(12, func() steps {
		fresh := map[string]bool{}
		all := seq(randomly(1+rnd.IntN(4), func() steps {
			n := names[rnd.IntN(len(names))]
			switch k := rnd.IntN(9); {
			case k < 4:
				fresh[n] = true
				return apply(verbs[k%2], n)
			case k < 6:
				return applyWith(Delete, n, Content{Unknown: k == 5})
			case k < 7:
				return replace(others(n)...)
			case k < 8:
				return resync()
			}
			return bookmark()
		})...)
		return seq(all, synced(), take(rnd.IntN(len(fresh)+1)), synced())
	})...), replace(others("a/x")...), drain(), synced())
}
