package store

import (
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// Suite is the whole contract of this kind, in its order.
var Suite = harness.Suite[Open]{
	Kind:     "store",
	Version:  "1",
	Features: features,
	Rules: []harness.Rule{basicAdd, basicUpdate, basicDelete, basicGet, basicList, basicKeys, keyError,
		replaceAtomic, replaceExact, versionTold, indexFunction, indexQuery, indexLate, concurrentLinear,
		queueOrder, queueDedup, queueUnknown, queueReplace, queueGhost, queueSynced, queueInitial, queueResync, queueBookmark, queueBatch, queueClose,
		undeltaPush, undeltaNoPush, expireTTL},
	Checks:   checks,
	Score:    score,
	Language: vocabulary,
	Play:     func(t *harness.T, open Open, s harness.Script) { play(t, open, story.Of(s)) },
}

// check makes one of a store without indexes that does not forget.
func check(name, about string, f func(*driver), rules []harness.Rule, needs ...harness.Feature) harness.Check[Open] {
	return checkOf(Options{}, name, about, f, rules, needs...)
}

// span is how long a check may take: some make a thousand calls, and a store in another process may be slow.
const span = 30 * time.Second

func checkOf(o Options, name, about string, f func(*driver), rules []harness.Rule, needs ...harness.Feature) harness.Check[Open] {
	return harness.Check[Open]{Info: harness.Info{Name: name, About: about, Rules: rules, Needs: needs, Span: span}, Drive: drive(o, f)}
}

// unless leaves a check out for some: such a store may keep its version at an Add, and no order says which it tells.
func unless(f harness.Feature, c harness.Check[Open]) harness.Check[Open] {
	c.Unless = []harness.Feature{f}
	return c
}

func rules(r ...harness.Rule) []harness.Rule { return r }

var (
	reads   = rules(basicGet, basicList, basicKeys)
	indexed = Options{Indexers: []string{ByNamespace, ByValue}}
)

var checks = []harness.Check[Open]{
	check("basic/add", "adds what is not there and what is, beside objects whose keys are alike, and reads everything after each",
		driveBasic(Add), append(rules(basicAdd), reads...), Map),
	check("basic/update", "updates what is there and what is not, and reads everything after each", driveBasic(Update), append(rules(basicUpdate), reads...), Map),
	check("basic/delete", "deletes what is there and what is not, also without its final state, and reads everything after each",
		driveBasic(Delete), append(rules(basicDelete), reads...), Map),
	checkOf(indexed, "basic/same-version", "puts and deletes states that have no resourceVersion, the one that is there, or an older one", driveSameVersion,
		append(rules(basicAdd, basicUpdate, basicDelete, replaceExact), reads...), Map),
	check("basic/many", "random changes to four objects, and reads everything after each", driveMany, append(rules(basicAdd, basicUpdate, basicDelete, replaceExact), reads...), Map),
	checkOf(indexed, "basic/many/at-once", "several changes at once, some of them of one key, and reads everything after each", driveAtOnce,
		append(rules(basicAdd, basicUpdate, basicDelete), reads...), Map, Transactions),
	checkOf(indexed, "basic/key-error/at-once", "several changes at once, one or two of which have no key", driveAtOnceKeyError, rules(keyError), Map, Keys, Transactions),
	checkOf(indexed, "basic/key-error", "asks for what the key function fails for, also in the middle of a list", driveKeyError, rules(keyError), Map, Keys),
	check("replace/atomic", "three readers list beside one that replaces everything again and again", driveAtomic, rules(replaceAtomic), Map),
	checkOf(indexed, "replace/exact", "replaces the content by more, less, others, nothing, and a list that has a key twice", driveExact, rules(replaceExact), Map),
	checkOf(Options{Indexers: []string{ByNamespace}}, "index/add-late/large", "adds an index to more than a hundred objects, one of which has many values", driveLargeIndex, rules(indexLate), Map, Index),
	check("basic/many/at-once/large", "twenty changes at once", driveLargeAtOnce, rules(basicAdd, basicUpdate, basicDelete), Map, Transactions),
	checkOf(indexed, "replace/exact/large", "replaces the content by more than a hundred objects, by as many of which half were there, and by two", driveLargeLists, rules(replaceExact), Map),
	check("version/told", "asks for the resourceVersion after everything that may move it", driveVersion, rules(versionTold), Map, Version),
	check("version/told/unset", "asks for the resourceVersion after lists that have none", driveVersionless, rules(versionTold), Map, Version),
	check("version/told/at-once", "asks for the resourceVersion after several changes at once", driveAtOnceVersion, rules(versionTold), Map, Version, Transactions),
	checkOf(indexed, "index/function", "takes an object from each set of index values to each other", driveFunction, rules(indexFunction), Map, Index),
	checkOf(indexed, "index/query", "asks by objects whose index values are shared, and for an index that there is not", driveQuery, rules(indexQuery), Map, Index),
	checkOf(Options{Indexers: []string{ByNamespace}}, "index/add-late", "adds an index to what is there, and one whose name is taken", driveLate, rules(indexLate), Map, Index),
	check("index/add-late/together", "adds two indexes at once to what is there", driveLateTogether, rules(indexLate), Map, Index),
	check("index/add-late/empty", "adds an index to a store that is empty", driveLateEmpty, rules(indexFunction), Map, Index),
	check("concurrent/linearizable", "four actors write and read two objects at once", driveLinear, rules(concurrentLinear), Map),
	checkOf(indexed, "concurrent/linearizable/readers", "three readers ask by key, and by an index or for all, beside one that changes what they ask for", driveReaders, rules(concurrentLinear), Map),
	checkOf(indexed, "concurrent/linearizable/at-once", "three readers ask, and give bookmarks, beside one that makes several changes at once", driveBesideAtOnce, rules(concurrentLinear), Map, Transactions),
	checkOf(indexed, "concurrent/linearizable/batches", "actors make several changes at once beside others that do, change one object, replace everything or give bookmarks", driveAtOnceBeside, rules(concurrentLinear), Map, Transactions),
	checkOf(indexed, "concurrent/linearizable/bookmarks", "an actor gives bookmarks beside others that write", driveBookmarksBeside, rules(concurrentLinear), Map, Version),
	checkOf(Options{Indexers: []string{ByNamespace}}, "concurrent/linearizable/add-late", "one of three readers adds an index beside one that changes what is there", driveBesideLate, rules(concurrentLinear), Map, Index),
	unless(Expiring, checkOf(indexed, "version/told/beside", "three readers ask for the version, and for the object, beside one that changes it", driveToldBeside, rules(versionTold), Map, Version)),
	check("queue/order", "changes of several keys, some of them twice, of what is known and what is not", driveOrder, rules(queueOrder), IsQueue),
	check("queue/order/many", "random changes, lists and resyncs, and pops now and then", driveQueueMany, rules(queueOrder, queueReplace, queueSynced), IsQueue),
	check("queue/order/pairs", "each two changes of a key after each other, of one that is known and of one that is not", driveChangePairs, rules(queueOrder), IsQueue),
	check("queue/order/versions", "changes whose object has the resourceVersion of the one before, or an older one", driveVersions, rules(queueOrder), IsQueue),
	check("queue/order/after-list", "each change of what a list that is still queued has given, and of what it lacks", driveAfterList, rules(queueOrder, queueReplace), IsQueue),
	check("queue/order/after-resync", "each change of what a resync has queued", driveAfterResync, rules(queueOrder, queueResync), IsQueue),
	check("queue/order/adjacent", "each change right after a list of its object alone, and right after a resync of it", driveAdjacent, rules(queueReplace, queueResync), IsQueue),
	check("queue/replace/large", "a first list of many pops, and so do a resync, and the tombstones of a list that lacks them", driveLargeQueue, rules(queueReplace, queueSynced), IsQueue),
	check("queue/replace/large/batch", "a first list of many pops in batches, and so does a list that lacks them", driveLargeBatches, rules(queueReplace, queueSynced), IsQueue, Batch),
	check("queue/order/large", "more than a hundred keys wait, and all pop", driveManyKeys, rules(queueOrder), IsQueue),
	check("queue/order/consumers", "two Pops wait for two things that are put one right after the other", driveTwoConsumers, rules(queueOrder), IsQueue),
	check("queue/order/beside/batch", "the same, by one that pops in batches", driveBatchesBeside, rules(queueOrder, queueSynced), IsQueue, Batch),
	check("queue/order/beside", "one actor puts, another pops, a third asks whether it has synced, and none waits for the others", driveQueueBeside, rules(queueOrder, queueSynced), IsQueue),
	check("queue/dedup", "two of everything in a row, of one key", driveDedup, rules(queueDedup), IsQueue),
	check("queue/dedup/large", "two deletes of a key behind many other changes of it", driveManyDeltas, rules(queueDedup), IsQueue),
	check("queue/unknown-delete", "deletes what was never there, and what is gone", driveUnknown, rules(queueUnknown), IsQueue, IsDelta),
	check("queue/replace", "lists that lack what is known, and what is queued", driveReplace, rules(queueReplace), IsQueue),
	check("queue/replace/pairs", "a list that gives, and lacks, what has each change and some two of them pending", driveListPairs, rules(queueReplace, queueGhost), IsQueue),
	check("queue/replace/none", "the same of an empty list", driveListOfNone, rules(queueReplace, queueGhost), IsQueue),
	check("queue/replace/idle", "an empty list while nothing is pending", driveListIdle, rules(queueReplace), IsQueue),
	check("queue/replace/after-list", "a list after another that is still queued, and after changes of what that gave", driveListAfterList, rules(queueReplace), IsQueue),
	check("queue/replace/after-resync", "a list after a resync that is still queued, and after changes of what that queued", driveListAfterResync, rules(queueReplace, queueResync), IsQueue),
	check("queue/replace/versions", "a list whose objects have not changed, or are older", driveListVersions, rules(queueReplace), IsQueue),
	check("queue/replace/unset", "lists that have no resourceVersion, after one that has", driveReplaceVersionless, rules(queueReplace), IsQueue),
	check("queue/replace/waiting", "lists that a Pop waits for", driveListWaiting, rules(queueReplace), IsQueue),
	check("queue/replace/unkeyable", "a list, and one with an object that has no key in the middle", driveUnkeyable, rules(queueReplace), IsQueue, Keys),
	check("queue/no-ghost", "lists that lack what was queued and never popped", driveGhost, rules(queueGhost), IsQueue),
	check("queue/synced", "asks whether it has synced around a first list of two", driveSynced, rules(queueSynced, queueInitial), IsQueue),
	check("queue/synced/twice", "asks the same around a first list that has keys twice", driveSyncedTwice, rules(queueSynced, queueInitial), IsQueue),
	check("queue/synced/empty", "asks the same around a first list that is empty", driveSyncedEmpty, rules(queueSynced), IsQueue),
	check("queue/synced/add", "asks the same where an Add comes first", driveSyncedChange(Add), rules(queueSynced, queueInitial), IsQueue),
	check("queue/synced/update", "asks the same where an Update comes first", driveSyncedChange(Update), rules(queueSynced, queueInitial), IsQueue),
	check("queue/synced/delete", "asks the same where a Delete comes first", driveSyncedChange(Delete), rules(queueSynced, queueInitial), IsQueue),
	check("queue/synced/unkeyable", "asks the same when a first list has failed, as an object in it has no key", driveSyncedUnkeyable, rules(queueSynced), IsQueue, Keys),
	check("queue/synced/before", "asks the same where a resync and a bookmark come before the first list", driveSyncedBefore, rules(queueSynced), IsQueue),
	check("queue/synced/batch", "asks the same around batches", driveSyncedBatch, rules(queueSynced), IsQueue, Batch),
	check("queue/resync", "resyncs with something pending, and twice in a row", driveResync, rules(queueResync), IsQueue),
	check("queue/resync/pairs", "resyncs while each change and some two of them are pending", driveResyncPairs, rules(queueResync), IsQueue),
	check("queue/resync/after-list", "resyncs while a list is pending", driveResyncAfterList, rules(queueReplace), IsQueue),
	check("queue/resync/unsynced", "resyncs when half of the first list has popped", driveResyncUnsynced, rules(queueResync, queueSynced), IsQueue),
	check("queue/resync/waiting", "a resync that a Pop waits for", driveResyncWaiting, rules(queueResync), IsQueue),
	check("queue/bookmark", "bookmarks between everything else", driveBookmark, rules(queueBookmark), IsQueue, Bookmarks),
	check("queue/bookmark/waiting", "a bookmark that a Pop waits for", driveBookmarkWaiting, rules(queueBookmark), IsQueue, IsAtomic, Bookmarks),
	check("queue/batch", "pops in batches what has keys twice, lists, resyncs and bookmarks in it", driveBatch, rules(queueBatch), IsQueue, Batch),
	check("queue/batch/waiting", "pops a batch that it waits for, and two that it does not", driveBatchWaiting, rules(queueBatch), IsQueue, Batch),
	check("queue/batch/pairs", "pops in batches each two changes of a key after each other, and bookmarks behind them", driveBatchPairs, rules(queueBatch), IsQueue, Batch),
	check("queue/batch/after-list", "pops in batches a list, changes after it, and bookmarks behind them", driveBatchAfterList, rules(queueBatch, queueReplace), IsQueue, Batch),
	check("queue/close", "closes a queue that a Pop waits on", driveClose, rules(queueClose), IsQueue),
	check("queue/close/left", "closes a queue in which something is left", driveCloseLeft, rules(queueClose), IsQueue),
	check("queue/close/two", "closes a queue that two Pops wait on", driveCloseTwo, rules(queueClose), IsQueue, IsDelta),
	check("queue/close/two/log", "closes a log that two Pops wait on", driveCloseTwo, rules(queueClose), IsQueue, IsLog),
	check("queue/close/two/atomic", "closes a log with atomic lists that two Pops wait on", driveCloseTwo, rules(queueClose), IsQueue, IsAtomic),
	check("queue/close/batch", "closes a queue that a PopBatch waits on, and asks again", driveCloseBatch, rules(queueClose), IsQueue, Batch),
	check("undelta/push", "changes a store in every way, and does what changes nothing", drivePush, rules(undeltaPush, undeltaNoPush), Map, Undelta),
	check("undelta/push/beside", "four actors change their own object and one of all at once, now and then several times, and then one of them alone", drivePushBeside, rules(undeltaPush), Map, Undelta),
	checkOf(Options{TTL: ttl}, "expire/ttl", "lets entries grow old, and makes some young in time", driveTTL, rules(expireTTL), Map, Expiring),
	checkOf(Options{TTL: ttl}, "expire/ttl/mixed", "reads old entries and young ones together, and writes over what is old and was not read", driveMixedAges, rules(expireTTL), Map, Expiring),
	checkOf(Options{TTL: ttl}, "expire/ttl/same", "puts the very state that is there when it has begun to be old", driveSameAge, rules(expireTTL), Map, Expiring),
	check("expire/ttl/never", "lets an hour pass where nothing grows old", driveNoTTL, rules(basicGet, basicList), Map, Expiring),
}
