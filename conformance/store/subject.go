// Package store is the conformance suite of what a client keeps objects in: a
// map of them with or without indexes, one that forgets, one that pushes its
// whole content, and the queues between a reflector and such a map.
package store

import (
	"errors"
	"testing"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// Object is all that a store of this kind has to know of an object. A plugin
// makes one of its own library's of it, and gives back what it got.
type Object struct {
	Namespace       string   `json:"namespace,omitempty"`
	Name            string   `json:"name"`
	ResourceVersion string   `json:"resourceVersion,omitempty"`
	Values          []string `json:"values,omitempty"` // what the index function value returns
	Body            string   `json:"body,omitempty"`   // everything else
}

// Key is what the key function makes of an object that it does not fail for:
// "namespace/name", or "name" where there is no namespace.
func (o Object) Key() string {
	if o.Namespace == "" {
		return o.Name
	}
	return o.Namespace + "/" + o.Name
}

// NoKey is the name of the objects for which the key function fails, see ErrKey.
const NoKey = "no-key"

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

// Open makes a fresh store.
type Open func(Options) (Subject, error)

// Options say what a store is to be like. Whatever it is, its key function is
// that of Object.Key, which fails for objects of the name NoKey.
type Options struct {
	Indexers []string      // index functions that it has from the beginning; empty unless the feature index is declared
	TTL      time.Duration // feature expiring: how old entries get; 0: they do not grow old
	// Push gets the whole content (feature undelta). It may be called concurrently.
	Push func([]Object)
}

// Verb is what a Change does.
type Verb string

const (
	Add    Verb = "ADD"
	Update Verb = "UPDATE"
	Delete Verb = "DELETE"
)

// Change is of one object.
type Change struct {
	Verb    Verb   `json:"verb" jsonschema:"enum=ADD,enum=UPDATE,enum=DELETE"`
	Object  Object `json:"object"`
	Unknown bool   `json:"unknown,omitempty"` // of DELETE: the deletion was missed, and the object is the last known state, as in client-go's DeletedFinalStateUnknown
}

// Subject is one living store. All methods of it and of its optional parts may
// be called concurrently. Errors wrap ErrKey or ErrClosed where that is the
// reason; with any other nobody knows what was done.
type Subject interface {
	Apply(Change) error
	Replace(list []Object, resourceVersion string) error
	Resync() error
}

var (
	// ErrKey is the key function's error, as a store returns it.
	ErrKey = errors.New("the object has no key")
	// ErrClosed is the error of a Pop on a queue that is closed and empty.
	ErrClosed = errors.New("the queue is closed")
)

// Reader is the part of a Subject that can be read (feature map). Get and
// GetByKey give nil for what is not there.
type Reader interface {
	Get(Object) (*Object, error)
	GetByKey(key string) (*Object, error)
	List() ([]Object, error)
	ListKeys() ([]string, error)
}

// Batched is the part of a Subject that takes several changes at once, in
// their order (feature transactions). Those whose object has no key may be left
// out alone; the error then wraps ErrKey.
type Batched interface {
	ApplyAll([]Change) error
}

// Versioned is the part of a Subject that tells a resourceVersion (feature version).
type Versioned interface {
	Bookmarker
	Version() (string, error)
}

// Bookmarker is a Subject that is given bookmarks: a map with the feature
// version, a queue with the feature bookmarks.
type Bookmarker interface {
	Bookmark(resourceVersion string) error
}

// Indexed is the part of a Subject that has indexes (feature index).
type Indexed interface {
	Index(index string, o Object) ([]Object, error)
	ByIndex(index, value string) ([]Object, error)
	IndexKeys(index, value string) ([]string, error)
	IndexValues(index string) ([]string, error)
	AddIndexers(indexes []string) error
}

// Queue is a Subject between a producer and a consumer (feature queue). Its
// known objects are what its consumer has: the plugin applies to them what it
// pops, before Pop returns, as controllers do. A queue of the sort atomic has none.
type Queue interface {
	Subject
	Pop() (Popped, error) // waits until something is there, or the queue is closed
	Synced() (bool, error)
	Close() error
}

// Batcher is a Queue of the sort log or atomic that pops several items at a
// time where it can (feature batch).
type Batcher interface {
	PopBatch() (Popped, error)
}

// Popped is what one Pop gives: of the sort delta all deltas of one key, of
// the sorts log and atomic one, and from PopBatch several.
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
	Type            string   `json:"type" jsonschema:"enum=Added,enum=Updated,enum=Deleted,enum=Replaced,enum=Sync,enum=ReplacedAll,enum=SyncAll,enum=Bookmark"`
	Object          *Object  `json:"object,omitempty"`
	Unknown         bool     `json:"unknown,omitempty"`         // of Deleted: a tombstone, the object is the last known state
	Objects         []Object `json:"objects,omitempty"`         // of ReplacedAll
	ResourceVersion string   `json:"resourceVersion,omitempty"` // of ReplacedAll and Bookmark
}

// The features of this kind. Declare what the store's documentation promises: a check that needs a feature which is not
// declared is skipped.
const (
	// Map: a map of objects by key that can be read. The store implements Reader.
	Map harness.Feature = "map"
	// Expiring: a map whose entries expire, as ExpirationCache does.
	Expiring harness.Feature = "expiring"
	// Undelta: a map that pushes its whole content after each change, as UndeltaStore does.
	Undelta harness.Feature = "undelta"
	// Keys: the store calls a key function, which may fail: in lwtest it fails for objects with the name NoKey.
	Keys harness.Feature = "keys"
	// Index: a map with indexes. The store implements Indexed.
	Index harness.Feature = "index"
	// Version: a map that reports a resourceVersion. The store implements Versioned.
	Version harness.Feature = "version"
	// Transactions: a map that applies several changes at once. The store implements Batched.
	Transactions harness.Feature = "transactions"

	// IsQueue: the store is a Queue. Declare exactly one of IsDelta, IsLog and IsAtomic with it.
	IsQueue harness.Feature = "queue"
	// IsDelta: a queue that collects deltas by key, as DeltaFIFO does.
	IsDelta harness.Feature = "delta"
	// IsLog: a queue of single notifications, as RealFIFO is.
	IsLog harness.Feature = "log"
	// IsAtomic: a queue of single notifications in which a Replace is one, and a Resync too, as in RealFIFO with atomic events.
	IsAtomic harness.Feature = "atomic"
	// InitialFlag: Pop says whether an item is of the first Replace. The queues of client-go before 0.27 cannot tell.
	InitialFlag harness.Feature = "initial-flag"
	// Batch: a queue of the sort log or atomic that can also pop in batches. It implements Batcher.
	Batch harness.Feature = "batch"
	// Bookmarks: a queue that accepts bookmarks. It implements Bookmarker; one of the sort atomic passes them on, others drop them.
	Bookmarks harness.Feature = "bookmarks"

	// ClientGoSemantics: the store is to behave as client-go's stores do. Clauses that only client-go's documentation supports
	// are MUSTs with it, and SHOULDs without.
	ClientGoSemantics harness.Feature = "client-go-semantics"
)

var features = []harness.FeatureInfo{
	{Name: Map, Help: "a map of objects by key that can be read (Reader): Store, Indexer, ThreadSafeStore, and stores that do more"},
	{Name: Expiring, Help: "a map whose entries expire (ExpirationCache)"},
	{Name: Undelta, Help: "a map that pushes its whole content after each change (UndeltaStore)"},
	{Name: Keys, Help: "a key function that may fail: here it fails for objects with the name no-key, and what needs a key is then an error"},
	{Name: Index, Help: "a map with indexes (Indexed)"},
	{Name: Version, Help: "a map that reports a resourceVersion (Versioned)"},
	{Name: Transactions, Help: "a map that applies several changes at once (Batched)"},
	{Name: IsQueue, Help: "a queue (Queue); declare one of delta, log and atomic with it"},
	{Name: IsDelta, Help: "a queue that collects deltas by key (DeltaFIFO)"},
	{Name: IsLog, Help: "a queue of single notifications (RealFIFO)"},
	{Name: IsAtomic, Help: "a queue of single notifications in which a Replace is one, and a Resync too (RealFIFO with atomic events)"},
	{Name: InitialFlag, Help: "a queue whose Pop says whether an item is of the first Replace (client-go's since 0.27)"},
	{Name: Batch, Help: "a queue of the sort log or atomic that can also pop in batches (Batcher)"},
	{Name: Bookmarks, Help: "a queue that accepts bookmarks (Bookmarker): the sort atomic passes them on, the others drop them"},
	{Name: ClientGoSemantics, Help: "behaves as client-go's stores do: clauses that only client-go's documentation supports are MUSTs with it, and SHOULDs without"},
}

// Test puts what open makes to the whole suite, each check a subtest with a
// fresh store. It runs in real time, unless harness.VirtualTime is among the
// features; then open is called inside the bubble, and everything that the
// store starts must end with the test's cleanups.
func Test(t *testing.T, open func(*testing.T, Options) Subject, features ...harness.Feature) {
	t.Helper()
	harness.Test(t, cases(t, open, features))
}

// Fuzz plays random stories on a store: see story.Fuzz. Its other parameters are those of Test.
func Fuzz(f *testing.F, open func(*testing.T, Options) Subject, features ...harness.Feature) {
	f.Helper()
	story.Fuzz(f, cases(f, open, features))
}

func cases(t testing.TB, open func(*testing.T, Options) Subject, features []harness.Feature) []harness.Case {
	return Suite.Bind(harness.Plugin[Open]{Name: t.Name(), Features: features,
		Open: func(ht *harness.T) (Open, error) {
			return func(o Options) (Subject, error) { return open(ht.Testing(), o), nil }, nil
		}})
}
