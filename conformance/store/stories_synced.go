package store

import "github.com/lwtest/lwtest/harness/story"

func syncedChecks() []story.Check {
	return []story.Check{
		{Name: "queue/synced", About: "asks whether it has synced around a first list of two", Rules: rules(queueSynced, queueInitial), Needs: aQueue(),
			Steps: seq(synced(), replace("a/x", "a/y"), synced(), add("a/z"), del("a/y"), update("a/x"), synced(), take(1), synced(),
				when("!"+IsAtomic, take(1), synced()), replace("a/x", "a/y", "a/z", "a/w"), synced(), resync(), take(2), synced(), drain(), synced())},
		{Name: "queue/synced/twice", About: "asks the same around a first list that has keys twice",
			Rules: rules(queueSynced, queueInitial), Needs: aQueue(),
			Steps: seq(replace("a/x", "a/y", "a/x", "a/y", "a/x"), synced(), take(1), synced(), drain(), synced())},
		{Name: "queue/synced/empty", About: "asks the same around a first list that is empty", Rules: rules(queueSynced), Needs: aQueue(),
			Steps: seq(synced(), replace(), synced(), when(IsAtomic, take(1), synced()), replace("a/x"), synced(), drain(), synced())},
		{Name: "queue/synced/add", About: "asks the same where an Add comes first", Rules: rules(queueSynced, queueInitial), Needs: aQueue(),
			Steps: syncedAfter(add("a/x"))},
		{Name: "queue/synced/update", About: "asks the same where an Update comes first", Rules: rules(queueSynced, queueInitial), Needs: aQueue(),
			Steps: syncedAfter(update("a/x"))},
		{Name: "queue/synced/delete", About: "asks the same where a Delete comes first", Rules: rules(queueSynced, queueInitial), Needs: aQueue(),
			Steps: syncedAfter(del("a/x"))},
		{Name: "queue/synced/unkeyable", About: "asks the same when a first list has failed, as an object in it has no key",
			Rules: rules(queueSynced), Needs: aQueue(Keys),
			Steps: seq(synced(), replace("a/x", noKey), synced(), add("a/y"), drain(), synced())},
		{Name: "queue/synced/before", About: "asks the same where a resync and a bookmark come before the first list",
			Rules: rules(queueSynced), Needs: aQueue(),
			// Neither is a first list. The third that pops is the bookmark.
			Steps: seq(resync(), synced(), bookmark(), synced(), replace("a/x", "a/y"), synced(), times(2, take(1), synced()),
				when(IsAtomic, when(Bookmarks, take(1), synced())), resync(), synced(), drain(), synced())},
		{Name: "queue/synced/batch", About: "asks the same around batches", Rules: rules(queueSynced), Needs: aQueue(Batch),
			// The first list takes two batches at least, as a key is there twice.
			Steps: seq(replace("a/x", "a/y", "a/x"), add("a/z"), synced(), do("take-batch"), synced(), do("drain-batches"), synced())},
	}
}

func syncedAfter(change steps) steps {
	return seq(synced(), change, synced(), replace("a/x", "a/y"), synced(), drain(), synced())
}
