package exec

import "github.com/lwtest/lwtest/conformance/store"

func storeOps() []Op {
	const kind = "store"
	return []Op{
		{"store.open", kind, "make a fresh store or queue", StoreOpen{}, Nothing{}},
		{"store.apply", kind, "apply one change, or several at once (feature transactions)", StoreApply{}, Nothing{}},
		{"store.replace", kind, "replace the whole content, as a list does", StoreReplace{}, Nothing{}},
		{"store.resync", kind, "resync, as a reflector asks for it", Store{}, Nothing{}},
		{"store.bookmark", kind, "take a bookmark (features version and bookmarks)", StoreBookmark{}, Nothing{}},
		{"store.get", kind, "get by an object or by a key (feature map)", StoreGet{}, StoreObject{}},
		{"store.list", kind, "list all objects, in any order (feature map)", Store{}, StoreObjects{}},
		{"store.keys", kind, "list all keys, in any order (feature map)", Store{}, StoreNames{}},
		{"store.index", kind, "list the objects that share an index value with an object, or that have a value (feature index)", StoreIndex{}, StoreObjects{}},
		{"store.indexkeys", kind, "list the keys of the objects under an index value (feature index)", StoreIndex{}, StoreNames{}},
		{"store.indexvalues", kind, "list the values of an index (feature index)", StoreIndex{}, StoreNames{}},
		{"store.addindexers", kind, "add indexes (feature index)", StoreIndexers{}, Nothing{}},
		{"store.version", kind, "get the resourceVersion that it reports (feature version)", Store{}, StoreVersion{}},
		{"queue.pop", kind, "take the next item. Answer when there is one, or with the error closed (feature queue)", QueuePop{}, store.Popped{}},
		{"queue.synced", kind, "say whether the first Replace was consumed (feature queue)", Store{}, InformerSynced{}},
		{"queue.close", kind, "close it (feature queue)", Store{}, Nothing{}},
	}
}

// StoreOpen makes a store. Its keys are namespace/name, or name; an object of the name no-key has none, and the error key.
type StoreOpen struct {
	H        string   `json:"h"`
	Indexers []string `json:"indexers,omitempty"` // namespace, value: its index functions from the start
	TTLMS    int64    `json:"ttlMs,omitempty"`    // how long entries live (feature expiring); 0: for ever
}

// Store names one.
type Store struct {
	H string `json:"h"`
}

// StoreApply is one change, or several that are one.
type StoreApply struct {
	H       string         `json:"h"`
	Changes []store.Change `json:"changes"`
	Batch   bool           `json:"batch,omitempty"` // apply them as one transaction, even a single one (feature transactions)
}

// StoreReplace is the whole content.
type StoreReplace struct {
	H               string         `json:"h"`
	Objects         []store.Object `json:"objects"`
	ResourceVersion string         `json:"resourceVersion,omitempty"`
}

// StoreBookmark is a bookmark's resourceVersion.
type StoreBookmark struct {
	H               string `json:"h"`
	ResourceVersion string `json:"resourceVersion"`
}

// StoreVersion is a resourceVersion; none: the store tells none yet.
type StoreVersion struct {
	ResourceVersion string `json:"resourceVersion,omitempty"`
}

// StoreGet asks by an object, or by a key.
type StoreGet struct {
	H      string        `json:"h"`
	Object *store.Object `json:"object,omitempty"`
	Key    string        `json:"key,omitempty"`
}

// StoreObject is one; none: nothing is there.
type StoreObject struct {
	Object *store.Object `json:"object,omitempty"`
}

// StoreObjects are some.
type StoreObjects struct {
	Objects []store.Object `json:"objects"`
}

// StoreNames are keys, or values.
type StoreNames struct {
	Names []string `json:"names"`
}

// StoreIndex asks an index.
type StoreIndex struct {
	H      string        `json:"h"`
	Index  string        `json:"index"`
	Object *store.Object `json:"object,omitempty"`
	Value  string        `json:"value,omitempty"` // if there is no object; left out if empty
}

// StoreIndexers are index functions by name.
type StoreIndexers struct {
	H        string   `json:"h"`
	Indexers []string `json:"indexers"`
}

// QueuePop takes one, or several where it can (feature batch).
type QueuePop struct {
	H     string `json:"h"`
	Batch bool   `json:"batch,omitempty"`
}

// StorePush is the whole content.
type StorePush struct {
	H       string         `json:"h"`
	Objects []store.Object `json:"objects"`
}
