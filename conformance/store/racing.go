package store

// These checks are no stories: calls of several actors must meet each other inside the store, which no order of steps ensures.
var racingChecks = []check{
	{Name: "replace/atomic", About: "three readers list beside one that replaces everything again and again",
		Rules: rules(replaceAtomic), Needs: aMap(), Drive: driveAtomic},
	{Name: "concurrent/linearizable", About: "four actors write and read two objects at once",
		Rules: rules(concurrentLinear), Needs: aMap(), Drive: driveLinear},
	{Name: "concurrent/linearizable/readers", About: "three readers ask by key, and by an index or for all, beside one that changes what they ask for",
		Rules: rules(concurrentLinear), Needs: aMap(), Opens: indexed, Drive: driveReaders},
	{Name: "concurrent/linearizable/at-once", About: "three readers ask, and give bookmarks, beside one that makes several changes at once",
		Rules: rules(concurrentLinear), Needs: aMap(Transactions), Opens: indexed, Drive: driveBesideAtOnce},
	{Name: "concurrent/linearizable/batches", About: "actors make several changes at once beside others that do, change one object, replace everything or give bookmarks",
		Rules: rules(concurrentLinear), Needs: aMap(Transactions), Opens: indexed, Drive: driveAtOnceBeside},
	{Name: "concurrent/linearizable/bookmarks", About: "an actor gives bookmarks beside others that write",
		Rules: rules(concurrentLinear), Needs: aMap(Version), Opens: indexed, Drive: driveBookmarksBeside},
	{Name: "concurrent/linearizable/add-late", About: "one of three readers adds an index beside one that changes what is there",
		Rules: rules(concurrentLinear), Needs: aMap(Index), Opens: byNamespace, Drive: driveBesideLate},
	{Name: "version/told/beside", About: "three readers ask for the version, and for the object, beside one that changes it",
		Rules: rules(versionTold), Needs: aMap(Version), Unless: needs(Expiring), Opens: indexed, Drive: driveToldBeside},
	{Name: "queue/order/beside/batch", About: "the same, by one that pops in batches",
		Rules: rules(queueOrder, queueSynced), Needs: aQueue(Batch), Drive: driveBatchesBeside},
	{Name: "queue/order/beside", About: "one actor puts, another pops, a third asks whether it has synced, and none waits for the others",
		Rules: rules(queueOrder, queueSynced), Needs: aQueue(), Drive: driveQueueBeside},
	{Name: "undelta/push/beside", About: "four actors change their own object and one of all at once, now and then several times, and then one of them alone",
		Rules: rules(undeltaPush), Needs: aMap(Undelta), Drive: drivePushBeside},
}
