package store

import "github.com/lwtest/lwtest/harness"

var (
	queueOrder = must(ruleOrder, harness.Clause{
		Text: "a queue that gathers deltas pops keys in the order of their first pending change, with all their deltas in order; " +
			"a log pops notifications one by one in the order given",
		Sources: []harness.Source{sources.deltaPop, sources.realFIFO},
		Why:     "an update is taken for the newer one, or a delete comes before its add and the object stays for ever",
		Classes: []string{"ADD key=absent outcome=ok", "ADD key=queued outcome=ok", "UPDATE key=queued outcome=ok", "UPDATE key=known outcome=ok", "DELETE key=queued outcome=ok", "DELETE key=known outcome=ok"},
	}, byQueue(ruleOrder), IsQueue)
	queueDedup = must(ruleDedup, harness.Clause{
		Text: "a queue that gathers deltas makes one of two adjacent deletes of a key, the one that knows more of the final state, and merges nothing else; " +
			"a log merges nothing",
		Sources: []harness.Source{sources.deltaFIFO, sources.realFIFO},
		Why:     "a handler never hears of a state that mattered, or hears of one deletion twice",
		Classes: []string{"UPDATE key=queued outcome=ok", "DELETE key=queued outcome=ok"},
	}, byQueue(ruleDedup), IsQueue)
	queueUnknown = must(ruleUnknown, harness.Clause{
		Text:    "a queue that gathers deltas drops a delete of what is neither queued nor known",
		Sources: []harness.Source{sources.deltaDelete},
		Why:     "a handler hears of the deletion of what it never saw, or twice of one",
		Classes: []string{"DELETE key=absent outcome=ok"},
	}, byQueue(ruleUnknown), IsQueue, IsDelta)
	queueReplace = must(ruleReplace, harness.Clause{
		Text: "Replace queues what is given as Replaced (or Sync), and for each key that is queued or known and not given one tombstone with its latest object, " +
			"unless a delete is its last already; a queue that is atomic queues one item with the whole list and its resourceVersion",
		Sources: []harness.Source{sources.deltaReplace, sources.realReplace, sources.replacedAll},
		Why:     "what was deleted while no watch was open stays in every cache",
		Classes: []string{"REPLACE items=some outcome=ok", "REPLACE items=none outcome=ok", "POP tombstone=true", "POP type=ReplacedAll"},
	}, byQueue(ruleReplace), IsQueue)
	queueGhost = must(ruleGhost, harness.Clause{
		Text:    "what was queued, is not among the known objects yet, and is absent from the next list is not there in the end",
		Sources: []harness.Source{sources.deltaReplace},
		Why:     "an object that is gone comes to life in the cache and stays: kubernetes#115658",
		Classes: []string{"REPLACE lacks=queued"},
	}, byQueue(ruleGhost), IsQueue)
	queueSynced = must(ruleSynced, harness.Clause{
		Text: "HasSynced is true once the items of the first Replace have been popped, not before, and stays so; " +
			"at once where that Replace was empty (where it is one item, once that is popped), or where an Add, Update or Delete came first",
		Sources: []harness.Source{sources.hasSynced},
		Why:     "a controller starts to work before it knows what there is, or never",
		Classes: []string{"SYNCED outcome=true", "SYNCED outcome=false"},
	}, byQueue(ruleSynced), IsQueue)
	queueInitial = should(ruleInitial, harness.Clause{
		Text:    "Pop says \"initial\" for the items of the first Replace, and for no others",
		Sources: []harness.Source{sources.process},
		Why:     "a handler takes what has long been there for new, or the other way round",
		Classes: []string{"POP initial=true", "POP initial=false"},
	}, byQueue(ruleInitial), IsQueue, InitialFlag)
	queueResync = must(ruleResync, harness.Clause{
		Text: "Resync queues a Sync for each known key that has nothing pending, so that two in a row queue it once; " +
			"a queue that is atomic queues one SyncAll each time",
		Sources: []harness.Source{sources.deltaResync, sources.realResync, sources.syncAll},
		Why:     "a handler that relies on its resync period never gets another chance, or gets an old state after a newer one",
		Classes: []string{"RESYNC outcome=ok", "POP type=Sync", "POP type=SyncAll"},
	}, byQueue(ruleResync), IsQueue)
	queueBookmark = should(ruleBookmark, harness.Clause{
		Text:    "in a queue that is atomic a bookmark pops in its place, as its resourceVersion; others drop it",
		Sources: []harness.Source{sources.bookmark},
		Why:     "the store behind the queue tells a resourceVersion that it has not seen, or never the newest",
		Classes: []string{"BOOKMARK outcome=ok", "POP type=Bookmark"},
	}, byQueue(ruleBookmark), IsQueue, Bookmarks)
	queueBatch = must(ruleBatch, harness.Clause{
		Text:    "a batch has no key twice, keeps the order, and does not mix initial items with later ones; a list, a resync or a bookmark comes alone",
		Sources: []harness.Source{sources.processBatch, sources.popBatch},
		Why:     "a store that takes a batch at once keeps the older state of an object, or has synced before it has the whole list",
		Classes: []string{"POP-BATCH items=several", "POP-BATCH items=one"},
	}, byQueue(ruleBatch), IsQueue, Batch)
	queueClose = must(ruleClose, harness.Clause{
		Text:    "after Close a Pop that waits returns, what is left pops, and then Pop fails",
		Sources: []harness.Source{sources.queue, sources.deltaPop},
		Why:     "a controller that was told to stop never does",
		Classes: []string{"CLOSE outcome=ok", "POP outcome=Closed"},
	}, byQueue(ruleClose), IsQueue)
)
