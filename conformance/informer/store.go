package informer

import (
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
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

func transformed(c *Config) { c.Transform = Mark }

var storeChecks = []harness.Check[Rig]{
	{Info: harness.Info{
		Name:  "store/index",
		About: "objects get, change and lose the value that the index has them by, by events and by a list, which may bring another object of the name",
		Needs: []harness.Feature{Indexes, rig.Cuts, rig.Faults},
		Rules: []harness.Rule{storeIndex, storeSnapshot, convergeEqual},
		Span:  25 * time.Second,
	}, Drive: drive(driveIndex, indexed)},
	{Info: harness.Info{
		Name:  "store/index/beside",
		About: "the index is read without a pause while objects come, go, and get other values",
		Needs: []harness.Feature{Indexes},
		Rules: []harness.Rule{storeIndex, storeSnapshot, convergeEqual},
	}, Drive: drive(driveIndexBeside, indexed)},
	{Info: harness.Info{
		Name:  "store/index/all-namespaces",
		About: "an informer of all namespaces, two of which have objects of one name, with the same value and with another, by events and by a list",
		Needs: []harness.Feature{Indexes, AllNamespaces, rig.Cuts, rig.Faults},
		Rules: []harness.Rule{storeIndex, storeSnapshot, convergeEqual},
		Span:  25 * time.Second,
	}, Drive: drive(driveIndexNamespaces, indexed, everywhere)},
	{Info: harness.Info{
		Name:  "store/snapshot",
		About: "the store is read again and again while objects change and a list replaces everything",
		Needs: []harness.Feature{rig.Cuts, rig.Faults},
		Rules: []harness.Rule{storeSnapshot, convergeTime, convergeEqual},
		Span:  25 * time.Second,
	}, Drive: drive(driveReads)},
	{Info: harness.Info{
		Name:  "store/snapshot/beside",
		About: "two read the store without a pause while objects come, change and go",
		Rules: []harness.Rule{storeSnapshot, convergeTime, convergeEqual},
	}, Drive: drive(driveReadsBeside)},
	{Info: harness.Info{
		Name:  "store/version",
		About: "the version, and then the store, are read after each change, and after a list",
		Needs: []harness.Feature{Version, rig.Cuts, rig.Faults},
		Rules: []harness.Rule{storeVersion, convergeEqual},
		Span:  30 * time.Second,
	}, Drive: drive(driveVersion)},
	{Info: harness.Info{
		Name:   "store/version-moves",
		About:  "objects of another namespace change, of which bookmarks tell; the newest object is deleted",
		Needs:  []harness.Feature{Version},
		Unless: polls,
		Rules:  []harness.Rule{storeMoves, storeVersion, convergeEqual},
		Span:   10 * time.Minute,
	}, Drive: drive(driveVersionMoves)},
	{Info: harness.Info{
		Name:  "store/read-your-writes",
		About: "the subject writes and reads, at once, also while watches are slow",
		Needs: []harness.Feature{ReadYourWrites, rig.Faults},
		Rules: []harness.Rule{storeOwnWrites},
	}, Drive: drive(driveOwnWrites)},
	{Info: harness.Info{
		Name:  "store/transform",
		About: "objects come by the first list, by events of each type, by later ones, of which one is no streaming list, and are deleted, seen and unseen",
		Needs: []harness.Feature{Transforms, rig.Cuts, rig.Faults},
		Rules: []harness.Rule{storeTransform, convergeEqual},
		Span:  30 * time.Second,
	}, Drive: drive(driveTransform, transformed)},
	{Info: harness.Info{
		Name:  "store/transform/pages",
		About: "objects come by pages, of the first list and of a later one",
		Needs: []harness.Feature{Transforms, PageSize, rig.Cuts, rig.Faults},
		Rules: []harness.Rule{storeTransform, convergeEqual},
		Span:  30 * time.Second,
	}, Drive: drive(driveTransformPages, transformed, paged)},
	{Info: harness.Info{
		Name:  "store/push",
		About: "objects come, change and go, one at a time and all of them, by events and by lists",
		Needs: []harness.Feature{Pushes, rig.Cuts, rig.Faults},
		Rules: []harness.Rule{storePush, storeSnapshot, convergeEqual},
		Span:  5 * time.Minute,
	}, Drive: drive(drivePush)},
}
