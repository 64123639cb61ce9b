package adapter

import (
	"context"
	"encoding/json"
	"time"
)

// WatchCacheOffer is what can be put to the suite of whatever serves lists, watches and writes: without HTTP, as a fake
// clientset, a cache or a storage does, or with it.
type WatchCacheOffer struct {
	Features []string // of the table of the kind watchcache
	// Open makes a fresh one without HTTP, with nothing in it. Nil: none is offered, or Serve has it.
	Open func() (WatchCache, error)
	// Serve starts a fresh one that speaks the Kubernetes API over HTTP itself, with nothing in it but the namespaces a, ab,
	// ba, abb and bab, where it asks for namespaces at all. Nil: Open has it.
	Serve func() (Serving, error)
}

// Serving is a server with an address. It may have the parts Compactor, WindowMover, Lagger, Starter, Restarter and
// TogetherDeleter; one with a method Close() is closed with its case.
type Serving interface {
	Address() Server
}

// WatchCache is one living server. Whatever resource it serves, it shows each object as a ConfigMap in JSON: the
// metadata as it is, and in data the strings spec and status. Options are those of the Kubernetes API, in JSON.
//
// All methods of it and of its optional parts may be called concurrently, and do one request each, without retries. An
// error is an *Error with a Status where the server answered; of a write with any other, unless it is Definite, nobody
// knows whether it happened. A server with a method Close() is closed with its case.
type WatchCache interface {
	Create(context.Context, Write) (json.RawMessage, error)
	Update(context.Context, Write) (json.RawMessage, error)
	Delete(context.Context, Deletion) error
	Get(ctx context.Context, namespace, name string, options json.RawMessage) (json.RawMessage, error)
	// List and Watch ask in one namespace; "": in all.
	List(ctx context.Context, namespace string, options json.RawMessage) (*List, error)
	// Watch opens one. The context is the watch's, too: it ends when its caller has gone.
	Watch(ctx context.Context, namespace string, options json.RawMessage) (Watch, error)
}

// Write is a create or an update.
type Write struct {
	Namespace   string          `json:"namespace"`
	Object      json.RawMessage `json:"object"`
	Subresource string          `json:"subresource,omitempty"` // of an update: "" or status (feature status-subresource)
	DryRun      bool            `json:"dryRun,omitempty"`      // (feature dry-run)
}

// Deletion is of one object, or of a collection.
type Deletion struct {
	Namespace string          `json:"namespace"`
	Name      string          `json:"name,omitempty"` // of one object
	Options   json.RawMessage `json:"options"`
	List      json.RawMessage `json:"list,omitempty"` // of a collection: what is deleted is what a list with these options gives
}

// Patching is a patch.
type Patching struct {
	Namespace   string          `json:"namespace"`
	Name        string          `json:"name"`
	Type        string          `json:"type"`  // its media type
	Patch       string          `json:"patch"` // its text
	Options     json.RawMessage `json:"options"`
	Subresource string          `json:"subresource,omitempty"` // "" or status
}

// Patcher is the part of a WatchCache that takes patches (features patch, json-patch, strategic-merge-patch, apply).
type Patcher interface {
	Patch(context.Context, Patching) (json.RawMessage, error)
}

// CollectionDeleter is the part of a WatchCache that deletes collections (feature deletecollection).
type CollectionDeleter interface {
	DeleteCollection(context.Context, Deletion) error
}

// TogetherDeleter is the part of a WatchCache that deletes several objects in one revision (feature together).
type TogetherDeleter interface {
	DeleteTogether(ctx context.Context, namespace string, names []string) error
}

// Compactor is the part of a WatchCache that lets go of the states before the present when it is told to (feature
// compaction). It returns when that can be seen, and gives the oldest resourceVersion that is kept; "": not known.
type Compactor interface {
	Compact(context.Context) (kept string, err error)
}

// WindowMover is the part of a WatchCache that lets go of the events before the present when it is told to (feature
// window). It returns when that can be seen.
type WindowMover interface {
	MoveWindow(context.Context) error
}

// Lagger is the part of a WatchCache whose cache falls behind by so long (feature lag); 0: it catches up.
type Lagger interface {
	SetLag(context.Context, time.Duration) error
}

// Starter is the part of a WatchCache whose cache can be not ready, as after a start (feature starting).
type Starter interface {
	SetReady(ctx context.Context, ready bool) error
}

// Restarter is the part of a WatchCache that ends as in a crash, and starts over what it had stored (feature restart).
// It returns when it serves again.
type Restarter interface {
	Restart(context.Context) error
}
