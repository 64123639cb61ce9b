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
	Classes:  []string{"INDEX objects", "INDEX nothing"},
}, judgeIndex, Indexes)

var storeSnapshot = harness.NewRule(harness.Clause{
	ID:       "store/snapshot",
	Level:    harness.Must,
	MustWith: ClientGoSemantics,
	Text:     "Every query is answered from one state of the store. A list has no key twice.",
	Sources:  []harness.Source{sharedInformer},
	Why:      "A controller that counts the list counts one object twice, or misses one that exists.",
	Classes:  []string{"STORE objects", "GET object", "GET nothing", "asks=relist got=items"},
}, judgeSnapshot)

var storeVersion = harness.NewRule(harness.Clause{
	ID:      "store/version",
	Level:   harness.Must,
	Text:    "If the store tells a resourceVersion, it holds every change before that version, and every change at that version unless several share it. The version never goes back.",
	Sources: []harness.Source{versionKEP, versionDoc},
	Why:     "A controller that waits for its own write to arrive still reads the old state.",
	Classes: []string{"VERSION some"},
}, judgeVersion, Version)

var storeMoves = harness.NewRule(harness.Clause{
	ID:      "store/version-moves",
	Level:   harness.Should,
	Text:    "The store's resourceVersion advances with bookmarks, if the store gets them, and with changes that leave nothing in the store.",
	Sources: []harness.Source{versionKEP, versionDoc, source.Symbol(reflector + "ReflectorBookmarkStore")},
	Why:     "A controller that waits for its own deletion to arrive waits until something else changes.",
	Classes: []string{"VERSION some", "asks=watch got=clean-bookmark", "deleted watched=true"},
}, judgeVersionMoves, Version)

var storeOwnWrites = harness.NewRule(harness.Clause{
	ID:      "store/read-your-writes",
	Level:   harness.Should,
	Text:    "If a client promises it, a read after its own acknowledged write shows the write, or waits for it.",
	Sources: []harness.Source{source.Symbol("sigs.k8s.io/controller-runtime@v0.25.0/pkg/client/client.go#CacheOptions")},
	Why:     "A controller does not find what it has created, and creates another.",
	Classes: []string{"READ object"},
}, judgeOwnWrites, ReadYourWrites)

var storeNeverBack = harness.NewRule(harness.Clause{
	ID:    "store/never-back",
	Level: harness.Must,
	Text: "The answer to a write of the informer's own never takes its copy back: it is not kept if the copy has had a newer state of the object, or its deletion. " +
		"Once the copy has what the answer had, an event from before that write does not take it back either.",
	Sources: []harness.Source{source.Concept("Resource versions", "resource-versions"), versionKEP},
	Why:     "An answer that comes late puts an old state in place of a newer one, or a deleted object into the copy, where it stays.",
	Classes: []string{"ANSWERED late=true"},
}, judgeNeverBack, Writes)

var storeTransform = harness.NewRule(harness.Clause{
	ID:       "store/transform",
	Level:    harness.Must,
	MustWith: ClientGoSemantics,
	Text:     "The store and the handlers get only transformed objects, on every path: list, streaming list, add, update, and a delete that was seen. An unknown final state is the object as it was stored.",
	Sources:  []harness.Source{shared("SetTransform"), source.Symbol(source.Cache + "delta_fifo.go#TransformFunc")},
	Why:      "Data that the transform should remove fills the memory, or data that it should set is missing.",
	Classes:  []string{"STORE objects", "asks=restream got=clean-bookmark", "asks=relist got=items", "UPDATE of=a change", "DELETE unknown=false", "DELETE unknown=true"},
}, judgeTransform, Transforms)

var storePush = harness.NewRule(harness.Clause{
	ID:       "store/push",
	Level:    harness.Must,
	MustWith: ClientGoSemantics,
	Text:     "Every push has the whole content, from the first list on. Each change of the content is followed by a push that has it.",
	Sources:  []harness.Source{source.Symbol(source.Cache + "undelta_store.go#UndeltaStore")},
	Why:      "A kubelet misses a pod that it should run, or kills all pods that a push lacks.",
	Classes:  []string{"PUSH objects", "PUSH nothing", "asks=relist got=items"},
}, judgePush, Pushes)

var storeRules = []harness.Rule{storeIndex, storeSnapshot, storeVersion, storeMoves, storeOwnWrites, storeNeverBack, storeTransform, storePush}
