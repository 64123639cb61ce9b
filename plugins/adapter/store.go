package adapter

import "time"

// StoreOffer is what can be put to the suite of stores and queues.
type StoreOffer struct {
	Features []string // of the table of the kind store
	// Open makes a fresh store. Nil: none is offered.
	Open func(StoreOptions) (Store, error)
}

// StoreOptions say what a store is to be like. Whatever it is, its key function is that of Object.Key, which fails for
// objects of the name NoKey.
type StoreOptions struct {
	Indexers []string      // index functions that it has from the beginning; empty unless the feature index is declared
	TTL      time.Duration // feature expiring: how old entries get; 0: they do not grow old
	// Push is to be given the whole content after each change (feature undelta). It may be called concurrently.
	Push func([]Object)
}

// Object is all that a store has to know of an object. An adapter makes one of its own library's of it, and gives back
// what it got.
type Object struct {
	Namespace       string   `json:"namespace,omitempty"`
	Name            string   `json:"name"`
	ResourceVersion string   `json:"resourceVersion,omitempty"`
	Values          []string `json:"values,omitempty"` // what the index function ByValue gives
	Body            string   `json:"body,omitempty"`   // all else
}

// NoKey is the name of the objects for which the key function fails, see ErrKey.
const NoKey = "no-key"

// Key is what the key function makes of an object that it does not fail for: "namespace/name", or "name" where there
// is no namespace.
func (o Object) Key() string {
	if o.Namespace == "" {
		return o.Name
	}
	return o.Namespace + "/" + o.Name
}

// The index functions, by name: an object's namespace, and its Values: none, one or several.
const (
	ByNamespace = "namespace"
	ByValue     = "value"
)

// IndexedValues is what an index function makes of an object.
func IndexedValues(index string, o Object) []string {
	if index == ByNamespace {
		return []string{o.Namespace}
	}
	return o.Values
}

// Verb is what a Change does.
type Verb string

// The verbs.
const (
	Add    Verb = "ADD"
	Update Verb = "UPDATE"
	Delete Verb = "DELETE"
)

// Change is of one object.
type Change struct {
	Verb   Verb   `json:"verb"`
	Object Object `json:"object"`
	// Unknown says of a Delete that nobody saw it: the object is the last known state, as in client-go's
	// DeletedFinalStateUnknown.
	Unknown bool `json:"unknown,omitempty"`
}

// Store is one living store, or queue. All methods of it and of its optional parts may be called concurrently. Errors
// wrap ErrKey or ErrClosed where that is the reason; with any other nobody knows what was done.
type Store interface {
	Apply(Change) error
	Replace(list []Object, resourceVersion string) error
	// Resync is a resync, as a reflector asks for it; where there is nothing to do it does nothing.
	Resync() error
}

// StoreReader is the part of a Store that can be read (feature map). Get and GetByKey give nil for what is not there.
type StoreReader interface {
	Get(Object) (*Object, error)
	GetByKey(key string) (*Object, error)
	List() ([]Object, error)
	ListKeys() ([]string, error)
}

// StoreBatcher is the part of a Store that takes several changes at once, in their order (feature transactions). Those
// whose object has no key may be left out alone; the error then wraps ErrKey.
type StoreBatcher interface {
	ApplyAll([]Change) error
}

// StoreBookmarker is a Store that is given bookmarks: a map with the feature version, a queue with the feature
// bookmarks.
type StoreBookmarker interface {
	Bookmark(resourceVersion string) error
}

// StoreVersioner is the part of a Store that tells a resourceVersion (feature version).
type StoreVersioner interface {
	Version() (string, error)
}

// StoreIndexer is the part of a Store that has indexes (feature index).
type StoreIndexer interface {
	Index(index string, o Object) ([]Object, error)
	ByIndex(index, value string) ([]Object, error)
	IndexKeys(index, value string) ([]string, error)
	IndexValues(index string) ([]string, error)
	AddIndexers(indexes []string) error
}

// Queue is a Store between a producer and a consumer (feature queue). Its known objects are what its consumer has: the
// adapter applies to them what it pops, before Pop returns, as controllers do. A queue of the sort atomic has none.
//
// A queue that is open when its case ends is closed, so that each Pop returns.
type Queue interface {
	Store
	Pop() (Popped, error) // waits until something is there, or the queue is closed
	Synced() (bool, error)
	Close() error
}

// QueueBatcher is a Queue of the sort log or atomic that pops several items at a time where it can (feature batch).
type QueueBatcher interface {
	PopBatch() (Popped, error)
}

// Popped is what one Pop gives: of the sort delta all deltas of one key, of the sorts log and atomic one, and from
// PopBatch several.
type Popped struct {
	Initial bool    `json:"initial,omitempty"`
	Deltas  []Delta `json:"deltas"`
}

// The types of a Delta.
const (
	Added       = "Added"
	Updated     = "Updated"
	Deleted     = "Deleted"
	Replaced    = "Replaced"
	Synced      = "Sync"
	ReplacedAll = "ReplacedAll"
	SyncedAll   = "SyncAll"
	Bookmarked  = "Bookmark"
)

// Delta is one notification.
type Delta struct {
	Type            string   `json:"type"`
	Object          *Object  `json:"object,omitempty"`
	Unknown         bool     `json:"unknown,omitempty"`         // of Deleted: a tombstone, the object is the last known state
	Objects         []Object `json:"objects,omitempty"`         // of ReplacedAll
	ResourceVersion string   `json:"resourceVersion,omitempty"` // of ReplacedAll and Bookmark
}
