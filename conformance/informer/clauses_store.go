package informer

import (
	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
)

var (
	versionDoc = source.Symbol(source.Cache + "store.go#Store.LastStoreSyncResourceVersion")
	versionKEP = source.KEP("KEP-5647: Stale controller detection and mitigation", "Informer and Cache Update", "5647-stale-controller-handling/README.md#informer-and-cache-update")
)

var storeIndex = harness.Rule{
	Clause: harness.Clause{
		ID:       "store/index",
		Level:    harness.Must,
		MustWith: ClientGoSemantics,
		Text:     "indexes are a function of the store's content",
		Sources:  []harness.Source{source.Symbol(source.Cache + "index.go#Indexer")},
		Why:      "what a controller looks up by its owner or node is not what is there",
		Classes:  []string{"INDEX objects", "INDEX nothing"},
	},
	Needs: []harness.Feature{Indexes},
	Judge: judgeIndex,
}

var storeSnapshot = harness.Rule{
	Clause: harness.Clause{
		ID:       "store/snapshot",
		Level:    harness.Must,
		MustWith: ClientGoSemantics,
		Text:     "every query is answered from one state; a list has no key twice",
		Sources:  []harness.Source{sharedInformer},
		Why:      "who counts what the list has counts one object twice, or one that is alive not at all",
		Classes:  []string{"STORE objects", "GET object", "GET nothing", "asks=relist got=items"},
	},
	Judge: judgeSnapshot,
}

var storeVersion = harness.Rule{
	Clause: harness.Clause{
		ID:      "store/version",
		Level:   harness.Must,
		Text:    "where the store tells a resourceVersion, it holds every change before it, and every change at it unless several share it; it never goes back",
		Sources: []harness.Source{versionKEP, versionDoc},
		Why:     "who waits for its own write to come reads the old state all the same",
		Classes: []string{"VERSION some"},
	},
	Needs: []harness.Feature{Version},
	Judge: judgeVersion,
}

var storeMoves = harness.Rule{
	Clause: harness.Clause{
		ID:      "store/version-moves",
		Level:   harness.Should,
		Text:    "it advances with bookmarks, where the store is given them, and with changes that leave nothing in the store",
		Sources: []harness.Source{versionKEP, versionDoc, source.Symbol(reflector + "ReflectorBookmarkStore")},
		Why:     "who waits for a deletion of its own to come waits until something else changes",
		Classes: []string{"VERSION some", "asks=watch got=clean-bookmark", "deleted watched=true"},
	},
	Needs: []harness.Feature{Version},
	Judge: judgeVersionMoves,
}

var storeOwnWrites = harness.Rule{
	Clause: harness.Clause{
		ID:      "store/read-your-writes",
		Level:   harness.Should,
		Text:    "where a client promises it, a read after an acknowledged write of its own reflects the write, or waits",
		Sources: []harness.Source{source.Symbol("sigs.k8s.io/controller-runtime@v0.25.0/pkg/client/client.go#CacheOptions")},
		Why:     "a controller that has created what it needs does not find it, and creates another",
		Classes: []string{"READ object"},
	},
	Needs: []harness.Feature{ReadYourWrites},
	Judge: judgeOwnWrites,
}

var storeTransform = harness.Rule{
	Clause: harness.Clause{
		ID:       "store/transform",
		Level:    harness.Must,
		MustWith: ClientGoSemantics,
		Text: "what store and handlers get went through the transform, on every path: list, streaming list, add, update, a delete that was seen " +
			"(an unknown final state is as it was stored)",
		Sources: []harness.Source{shared("SetTransform"), source.Symbol(source.Cache + "delta_fifo.go#TransformFunc")},
		Why:     "what the transform was to strip fills the memory, or what it was to set is missing where it is relied on",
		Classes: []string{"STORE objects", "asks=restream got=clean-bookmark", "asks=relist got=items", "UPDATE of=a change", "DELETE unknown=false", "DELETE unknown=true"},
	},
	Needs: []harness.Feature{Transforms},
	Judge: judgeTransform,
}

var storePush = harness.Rule{
	Clause: harness.Clause{
		ID:       "store/push",
		Level:    harness.Must,
		MustWith: ClientGoSemantics,
		Text:     "what is pushed is the whole content, from the first list on, and each change of it is followed by a push that has it",
		Sources:  []harness.Source{source.Symbol(source.Cache + "undelta_store.go#UndeltaStore")},
		Why:      "a kubelet does not hear of a pod that it is to run, or kills all that a push lacks",
		Classes:  []string{"PUSH objects", "PUSH nothing", "asks=relist got=items"},
	},
	Needs: []harness.Feature{Pushes},
	Judge: judgePush,
}

var storeRules = []harness.Rule{storeIndex, storeSnapshot, storeVersion, storeMoves, storeOwnWrites, storeTransform, storePush}
