package informer

import (
	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
)

var (
	versionDoc = source.Symbol(source.Cache + "store.go#Store.LastStoreSyncResourceVersion")
	versionKEP = source.KEP("KEP-5647: Stale controller detection and mitigation", "Informer and Cache Update", "5647-stale-controller-handling/README.md#informer-and-cache-update")
)

var storeIndex = harness.NewRule(harness.Clause{
	ID:       "store/index",
	Level:    harness.Must,
	MustWith: ClientGoSemantics,
	Text:     "The indexes follow from the store's content alone.",
	Sources:  []harness.Source{source.Symbol(source.Cache + "index.go#Indexer")},
	Why:      "A controller that looks objects up by owner or node finds the wrong ones.",
	Advice:   "Change the index under the same lock as the object: take out its old values first, on a relist too, and key the entries by namespace/name.",
	Classes:  []string{"INDEX objects", "INDEX nothing"},
}, judgeIndex, Indexes)

var storeSnapshot = harness.NewRule(harness.Clause{
	ID:       "store/snapshot",
	Level:    harness.Must,
	MustWith: ClientGoSemantics,
	Text:     "Every query is answered from one state of the store. A list has no key twice.",
	Sources:  []harness.Source{sharedInformer},
	Why:      "A controller that counts the list counts one object twice, or misses one that exists.",
	Advice:   "Let List, Get and the indexes read one map under one lock, and copy the answer there: look nothing up in a second step or a second copy.",
	Classes:  []string{"STORE objects", "GET object", "GET nothing", "asks=relist got=items"},
}, judgeSnapshot)

var storeVersion = harness.NewRule(harness.Clause{
	ID:      "store/version",
	Level:   harness.Must,
	Text:    "If the store tells a resourceVersion, it holds every change before that version, and every change at that version unless several share it. The version never goes back.",
	Sources: []harness.Source{versionKEP, versionDoc},
	Why:     "A controller that waits for its own write to arrive still reads the old state.",
	Advice:  "Set the version under the lock of the change that it belongs to, not before. Never set it back or to empty, not even while you list again.",
	Classes: []string{"VERSION some"},
}, judgeVersion, Version)

var storeMoves = harness.NewRule(harness.Clause{
	ID:      "store/version-moves",
	Level:   harness.Should,
	Text:    "The store's resourceVersion advances with bookmarks, if the store gets them, and with changes that leave nothing in the store.",
	Sources: []harness.Source{versionKEP, versionDoc, source.Symbol(reflector + "ReflectorBookmarkStore")},
	Why:     "A controller that waits for its own deletion to arrive waits until something else changes.",
	Advice:  "Set the store's version from every event that comes: from a BOOKMARK, from a DELETED, and from one of an object that you do not keep.",
	Classes: []string{"VERSION some", "asks=watch got=clean-bookmark", "deleted watched=true"},
}, judgeVersionMoves, Version)

var storeOwnWrites = harness.NewRule(harness.Clause{
	ID:      "store/read-your-writes",
	Level:   harness.Should,
	Text:    "If a client promises it, a read after its own acknowledged write shows the write, or waits for it.",
	Sources: []harness.Source{source.Symbol("sigs.k8s.io/controller-runtime@v0.25.0/pkg/client/client.go#CacheOptions")},
	Why:     "A controller does not find what it has created, and creates another.",
	Advice:  "Let a read of an object that you wrote wait until the store has that resourceVersion or a newer one. Compare them as numbers, not as text.",
	Classes: []string{"READ object"},
}, judgeOwnWrites, ReadYourWrites)

var storeNeverBack = harness.NewRule(harness.Clause{
	ID:    "store/never-back",
	Level: harness.Must,
	Text: "The answer to a write of the informer's own never takes its copy back: it is not kept if the copy has had a newer state of the object, or its deletion. " +
		"Once the copy has what the answer had, an event from before that write does not take it back either.",
	Sources: []harness.Source{source.Concept("Resource versions", "resource-versions"), versionKEP},
	Why:     "An answer that comes late puts an old state in place of a newer one, or a deleted object into the copy, where it stays.",
	Advice:  "Keep the answer to a write only if its resourceVersion is above the last event's, and drop an event that is older than the object you have.",
	Classes: []string{"ANSWERED late=true"},
}, judgeNeverBack, Writes)

var storeTransform = harness.NewRule(harness.Clause{
	ID:       "store/transform",
	Level:    harness.Must,
	MustWith: ClientGoSemantics,
	Text:     "The store and the handlers get only transformed objects, on every path: list, streaming list, add, update, and a delete that was seen. An unknown final state is the object as it was stored.",
	Sources:  []harness.Source{shared("SetTransform"), source.Symbol(source.Cache + "delta_fifo.go#TransformFunc")},
	Why:      "Data that the transform should remove fills the memory, or data that it should set is missing.",
	Advice:   "Call the transform in one place that everything passes on its way in: each page, each kind of list, each event, and the object of a DELETED.",
	Classes:  []string{"STORE objects", "asks=restream got=clean-bookmark", "asks=relist got=items", "UPDATE of=a change", "DELETE unknown=false", "DELETE unknown=true"},
}, judgeTransform, Transforms)

var storePush = harness.NewRule(harness.Clause{
	ID:       "store/push",
	Level:    harness.Must,
	MustWith: ClientGoSemantics,
	Text:     "Every push has the whole content, from the first list on. Each change of the content is followed by a push that has it.",
	Sources:  []harness.Source{source.Symbol(source.Cache + "undelta_store.go#UndeltaStore")},
	Why:      "A kubelet misses a pod that it should run, or kills all pods that a push lacks.",
	Advice:   "Take in a list in one step, and after each change push everything in the store: after a delete and when it is empty, too.",
	Classes:  []string{"PUSH objects", "PUSH nothing", "asks=relist got=items"},
}, judgePush, Pushes)

var storeRules = []harness.Rule{storeIndex, storeSnapshot, storeVersion, storeMoves, storeOwnWrites, storeNeverBack, storeTransform, storePush}
