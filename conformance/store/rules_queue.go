package store

import "github.com/lwtest/lwtest/harness"

var (
	queueOrder = must(ruleOrder, harness.Clause{
		Text: "a queue that gathers deltas pops keys in the order of their first pending change, with all their deltas in order; " +
			"a log pops notifications one by one in the order given",
		Sources: []harness.Source{sources.deltaPop, sources.realFIFO},
		Why:     "an update is taken for the newer one, or a delete comes before its add and the object stays for ever",
		Advice:  "Append each change as it comes, pop from the front, and let a waiting key keep its place. Drop no change as old or unchanged, and wake a Pop.",
		Classes: []string{"ADD key=absent outcome=ok", "ADD key=queued outcome=ok", "UPDATE key=queued outcome=ok", "UPDATE key=known outcome=ok", "DELETE key=queued outcome=ok", "DELETE key=known outcome=ok"},
	}, byQueue(ruleOrder), IsQueue)
	queueDedup = must(ruleDedup, harness.Clause{
		Text: "a queue that gathers deltas makes one of two adjacent deletes of a key, the one that knows more of the final state, and merges nothing else; " +
			"a log merges nothing",
		Sources: []harness.Source{sources.deltaFIFO, sources.realFIFO},
		Why:     "a handler never hears of a state that mattered, or hears of one deletion twice",
		Advice:  "Merge only two deletes of a key that are next to each other, and keep the one that is no tombstone. In a log merge nothing.",
		Classes: []string{"UPDATE key=queued outcome=ok", "DELETE key=queued outcome=ok"},
	}, byQueue(ruleDedup), IsQueue)
	queueUnknown = must(ruleUnknown, harness.Clause{
		Text:    "a queue that gathers deltas drops a delete of what is neither queued nor known",
		Sources: []harness.Source{sources.deltaDelete},
		Why:     "a handler hears of the deletion of what it never saw, or twice of one",
		Advice:  "In Delete look for the key among what is queued and what is known: if it is in neither, return without queueing anything.",
		Classes: []string{"DELETE key=absent outcome=ok"},
	}, byQueue(ruleUnknown), IsQueue, IsDelta)
	queueReplace = must(ruleReplace, harness.Clause{
		Text: "Replace queues what is given as Replaced (or Sync), and for each key that is queued or known and not given one tombstone with its latest object, " +
			"unless a delete is its last already; a queue that is atomic queues one item with the whole list and its resourceVersion",
		Sources: []harness.Source{sources.deltaReplace, sources.realReplace, sources.replacedAll},
		Why:     "what was deleted while no watch was open stays in every cache",
		Advice:  "In Replace queue all items (as one, if atomic), and a tombstone of the newest state for each queued or known key that is not given. Then wake Pop.",
		Classes: []string{"REPLACE items=some outcome=ok", "REPLACE items=none outcome=ok", "POP tombstone=true", "POP type=ReplacedAll"},
	}, byQueue(ruleReplace), IsQueue)
	queueGhost = must(ruleGhost, harness.Clause{
		Text:    "what was queued, is not among the known objects yet, and is absent from the next list is not there in the end",
		Sources: []harness.Source{sources.deltaReplace},
		Why:     "an object that is gone comes to life in the cache and stays: kubernetes#115658",
		Advice:  "In Replace look for missing keys among what is queued, not only among what is known, and queue their deletes behind the pending changes.",
		Classes: []string{"REPLACE lacks=queued"},
	}, byQueue(ruleGhost), IsQueue)
	queueSynced = must(ruleSynced, harness.Clause{
		Text: "HasSynced is true once the items of the first Replace have been popped, not before, and stays so; " +
			"at once where that Replace was empty (where it is one item, once that is popped), or where an Add, Update or Delete came first",
		Sources: []harness.Source{sources.hasSynced},
		Why:     "a controller starts to work before it knows what there is, or never",
		Advice:  "Count what the first successful Replace queues, count down as that pops, and stay true from 0 on. An Add, Update or Delete that comes first makes it true.",
		Classes: []string{"SYNCED outcome=true", "SYNCED outcome=false"},
	}, byQueue(ruleSynced), IsQueue)
	queueInitial = should(ruleInitial, harness.Clause{
		Text:    "Pop says \"initial\" for the items of the first Replace, and for no others",
		Sources: []harness.Source{sources.process},
		Why:     "a handler takes what has long been there for new, or the other way round",
		Advice:  "Mark an item when the first Replace queues it, and no item of another list or change: do not guess from the queue when it pops.",
		Classes: []string{"POP initial=true", "POP initial=false"},
	}, byQueue(ruleInitial), IsQueue, InitialFlag)
	queueResync = must(ruleResync, harness.Clause{
		Text: "Resync queues a Sync for each known key that has nothing pending, so that two in a row queue it once; " +
			"a queue that is atomic queues one SyncAll each time",
		Sources: []harness.Source{sources.deltaResync, sources.realResync, sources.syncAll},
		Why:     "a handler that relies on its resync period never gets another chance, or gets an old state after a newer one",
		Advice:  "In Resync queue a Sync for each known key with nothing pending, synced or not (if atomic, one SyncAll each time), and wake a waiting Pop.",
		Classes: []string{"RESYNC outcome=ok", "POP type=Sync", "POP type=SyncAll"},
	}, byQueue(ruleResync), IsQueue)
	queueBookmark = should(ruleBookmark, harness.Clause{
		Text:    "in a queue that is atomic a bookmark pops in its place, as its resourceVersion; others drop it",
		Sources: []harness.Source{sources.bookmark},
		Why:     "the store behind the queue tells a resourceVersion that it has not seen, or never the newest",
		Advice:  "In an atomic queue append a bookmark as an item with its resourceVersion, also if nothing waits, and wake Pop. In the others ignore it.",
		Classes: []string{"BOOKMARK outcome=ok", "POP type=Bookmark"},
	}, byQueue(ruleBookmark), IsQueue, Bookmarks)
	queueBatch = must(ruleBatch, harness.Clause{
		Text:    "a batch has no key twice, keeps the order, and does not mix initial items with later ones; a list, a resync or a bookmark comes alone",
		Sources: []harness.Source{sources.processBatch, sources.popBatch},
		Why:     "a store that takes a batch at once keeps the older state of an object, or has synced before it has the whole list",
		Advice:  "End a batch before a key that it already has, at the change from initial items to later ones, and before and after a list, resync or bookmark.",
		Classes: []string{"POP-BATCH items=several", "POP-BATCH items=one"},
	}, byQueue(ruleBatch), IsQueue, Batch)
	queueClose = must(ruleClose, harness.Clause{
		Text:    "after Close a Pop that waits returns, what is left pops, and then Pop fails",
		Sources: []harness.Source{sources.queue, sources.deltaPop},
		Why:     "a controller that was told to stop never does",
		Advice:  "In Close set a flag and wake all Pops that wait (in Go: Broadcast, not Signal). In Pop, look at the flag only when nothing is left.",
		Classes: []string{"CLOSE outcome=ok", "POP outcome=Closed"},
	}, byQueue(ruleClose), IsQueue)
)
