package adapter

import "time"

// StoreOffer offers a store or queue to the store suite.
type StoreOffer struct {
	Features []string // of the kind store
	// Open makes a fresh store. If Open is nil, nothing is offered.
	Open func(StoreOptions) (Store, error)
}

// StoreOptions say what a store must be like. Its key function is always Object.Key, which fails for objects with the
// name NoKey.
type StoreOptions struct {
	Indexers []string      // its index functions from the start; empty unless the feature index is declared
	TTL      time.Duration // how long entries live (feature expiring); 0: for ever
	// Push must be called with the whole content after each change (feature undelta). It may be called concurrently.
	Push func([]Object)
}

// Object is all that a store has to know of an object. An adapter converts it to its library's type, and back without a
// loss.
type Object struct {
	Namespace       string   `json:"namespace,omitempty"`
	Name            string   `json:"name"`
	ResourceVersion string   `json:"resourceVersion,omitempty"`
	Values          []string `json:"values,omitempty"` // what the index function ByValue returns
	Body            string   `json:"body,omitempty"`   // everything else
}

// NoKey is the name of the objects for which the key function fails, see ErrKey.
const NoKey = "no-key"

// Key returns the key of an object: "namespace/name", or "name" without a namespace.
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

// IndexedValues returns the values that an index function has for an object.
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

// Change is a change of one object.
type Change struct {
	Verb   Verb   `json:"verb"`
	Object Object `json:"object"`
	// Unknown says that the deletion itself was missed, and that the object is the last known state, as in client-go's
	// DeletedFinalStateUnknown.
	Unknown bool `json:"unknown,omitempty"`
}

// Store is a store or queue. All its methods, and those of its optional parts, may be called concurrently. An error wraps
// ErrKey or ErrClosed if that is the reason. After any other error nobody knows what was done.
type Store interface {
	Apply(Change) error
	Replace(list []Object, resourceVersion string) error
	// Resync resyncs, as a reflector asks for it. It may do nothing.
	Resync() error
}

// StoreReader is a Store that can be read (feature map). Get and GetByKey return nil if there is no such object.
type StoreReader interface {
	Get(Object) (*Object, error)
	GetByKey(key string) (*Object, error)
	List() ([]Object, error)
	ListKeys() ([]string, error)
}

// StoreBatcher is a Store that applies several changes at once, in their order (feature transactions). It may leave out
// only changes whose object has no key; the error then wraps ErrKey.
type StoreBatcher interface {
	ApplyAll([]Change) error
}

// StoreBookmarker is a Store that accepts bookmarks: a map with the feature version, or a queue with the feature bookmarks.
type StoreBookmarker interface {
	Bookmark(resourceVersion string) error
}

// StoreVersioner is a Store that reports a resourceVersion (feature version).
type StoreVersioner interface {
	Version() (string, error)
}

// StoreIndexer is a Store with indexes (feature index).
type StoreIndexer interface {
	Index(index string, o Object) ([]Object, error)
	ByIndex(index, value string) ([]Object, error)
	IndexKeys(index, value string) ([]string, error)
	IndexValues(index string) ([]string, error)
	AddIndexers(indexes []string) error
}

// Queue is a Store between a producer and a consumer (feature queue). Its known objects are those of the consumer: the
// adapter applies what it pops to them before Pop returns, as controllers do. A queue of the sort atomic has none.
//
// A queue that is still open at the end of its case is closed, so that each Pop returns.
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

// Popped is the result of a Pop: in the sort delta all deltas of one key, in the sorts log and atomic one delta, and from
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
