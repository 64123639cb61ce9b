package store

import (
	"time"

	"github.com/lwtest/lwtest/harness"
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
	Checks: checks,
	Score:  score,
}

// check makes one of a store without indexes that does not forget.
func check(name, about string, f func(*driver), rules []harness.Rule, needs ...harness.Feature) harness.Check[Open] {
	return checkOf(Options{}, name, about, f, rules, needs...)
}

func checkOf(o Options, name, about string, f func(*driver), rules []harness.Rule, needs ...harness.Feature) harness.Check[Open] {
	return harness.Check[Open]{Info: harness.Info{Name: name, About: about, Rules: rules, Needs: needs, Span: 10*time.Second + 5*o.TTL}, Drive: drive(o, f)}
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
	check("basic/many", "random changes to four objects, and reads everything after each", driveMany, append(rules(basicAdd, basicUpdate, basicDelete, replaceExact), reads...), Map),
	checkOf(indexed, "basic/many/at-once", "several changes at once, some of them of one key, and reads everything after each", driveAtOnce,
		append(rules(basicAdd, basicUpdate, basicDelete), reads...), Map, Transactions),
	checkOf(indexed, "basic/key-error/at-once", "several changes at once, one of which has no key", driveAtOnceKeyError, rules(keyError), Map, Keys, Transactions),
	checkOf(indexed, "basic/key-error", "asks for what the key function fails for, also in the middle of a list", driveKeyError, rules(keyError), Map, Keys),
	check("replace/atomic", "three readers list beside one that replaces everything again and again", driveAtomic, rules(replaceAtomic), Map),
	checkOf(indexed, "replace/exact", "replaces the content by more, less, others, nothing, and a list that has a key twice", driveExact, rules(replaceExact), Map),
	check("version/told", "asks for the resourceVersion after everything that may move it", driveVersion, rules(versionTold), Map, Version),
	check("version/told/at-once", "asks for the resourceVersion after several changes at once", driveAtOnceVersion, rules(versionTold), Map, Version, Transactions),
	checkOf(indexed, "index/function", "takes an object from each set of index values to each other", driveFunction, rules(indexFunction), Map, Index),
	checkOf(indexed, "index/query", "asks by objects whose index values are shared, and for an index that there is not", driveQuery, rules(indexQuery), Map, Index),
	checkOf(Options{Indexers: []string{ByNamespace}}, "index/add-late", "adds an index to what is there, and one whose name is taken", driveLate, rules(indexLate), Map, Index),
	check("index/add-late/together", "adds two indexes at once to what is there", driveLateTogether, rules(indexLate), Map, Index),
	check("concurrent/linearizable", "four actors write and read two objects at once", driveLinear, rules(concurrentLinear), Map),
	checkOf(indexed, "concurrent/linearizable/readers", "three readers ask by key, and by an index or for all, beside one that changes what they ask for", driveReaders, rules(concurrentLinear), Map),
	checkOf(indexed, "version/told/beside", "three readers ask for the version, and for the object, beside one that changes it", driveToldBeside, rules(versionTold), Map, Version),
	check("queue/order", "changes of several keys, some of them twice, of what is known and what is not", driveOrder, rules(queueOrder), IsQueue),
	check("queue/order/many", "random changes, lists and resyncs, and pops now and then", driveQueueMany, rules(queueOrder, queueReplace, queueSynced), IsQueue),
	check("queue/dedup", "two of everything in a row, of one key", driveDedup, rules(queueDedup), IsQueue),
	check("queue/unknown-delete", "deletes what was never there, and what is gone", driveUnknown, rules(queueUnknown), IsQueue, IsDelta),
	check("queue/replace", "lists that lack what is known, and what is queued", driveReplace, rules(queueReplace), IsQueue),
	check("queue/replace/unkeyable", "a list, and one with an object that has no key in the middle", driveUnkeyable, rules(queueReplace), IsQueue, Keys),
	check("queue/no-ghost", "lists that lack what was queued and never popped", driveGhost, rules(queueGhost), IsQueue),
	check("queue/synced", "asks whether it has synced around a first list of two", driveSynced, rules(queueSynced, queueInitial), IsQueue),
	check("queue/synced/twice", "asks the same around a first list that has keys twice", driveSyncedTwice, rules(queueSynced, queueInitial), IsQueue),
	check("queue/synced/empty", "asks the same around a first list that is empty", driveSyncedEmpty, rules(queueSynced), IsQueue),
	check("queue/synced/add", "asks the same where an Add comes first", driveSyncedChange(Add), rules(queueSynced, queueInitial), IsQueue),
	check("queue/synced/update", "asks the same where an Update comes first", driveSyncedChange(Update), rules(queueSynced, queueInitial), IsQueue),
	check("queue/synced/delete", "asks the same where a Delete comes first", driveSyncedChange(Delete), rules(queueSynced, queueInitial), IsQueue),
	check("queue/resync", "resyncs with something pending, and twice in a row", driveResync, rules(queueResync), IsQueue),
	check("queue/bookmark", "bookmarks between everything else", driveBookmark, rules(queueBookmark), IsQueue, Bookmarks),
	check("queue/batch", "pops in batches what has keys twice, lists, resyncs and bookmarks in it", driveBatch, rules(queueBatch), IsQueue, Batch),
	check("queue/batch/waiting", "pops a batch that it waits for, and two that it does not", driveBatchWaiting, rules(queueBatch), IsQueue, Batch),
	check("queue/close", "closes a queue that a Pop waits on", driveClose, rules(queueClose), IsQueue),
	check("queue/close/left", "closes a queue in which something is left", driveCloseLeft, rules(queueClose), IsQueue),
	check("undelta/push", "changes a store in every way, and does what changes nothing", drivePush, rules(undeltaPush, undeltaNoPush), Map, Undelta),
	checkOf(Options{TTL: ttl}, "expire/ttl", "lets entries grow old, and makes some young in time", driveTTL, rules(expireTTL), Map, Expiring),
	check("expire/ttl/never", "lets an hour pass where nothing grows old", driveNoTTL, rules(basicGet, basicList), Map, Expiring),
}
