package adapter

import (
	"context"
	"encoding/json"
	"time"
)

// WatchCacheOffer offers something that serves lists, watches and writes to the watchcache suite: without HTTP, as a fake
// clientset, a cache or a storage does, or over HTTP.
type WatchCacheOffer struct {
	Features []string // of the kind watchcache
	// Open makes an empty one without HTTP. It is nil if nothing is offered, or if Serve is set.
	Open func() (WatchCache, error)
	// Serve starts an empty one that speaks the Kubernetes API over HTTP. If it needs namespaces, it has a, ab, ba, abb and
	// bab. It is nil if Open is set.
	Serve func() (Serving, error)
}

// Serving is a server with an address. It may implement Compactor, WindowMover, Lagger, Starter, Restarter,
// StorageFaulter, OtherWriter and TogetherDeleter. If it has a method Close(), that is called at the end of the case.
type Serving interface {
	Address() Server
}

// WatchCache is a server. Whatever resource it serves, it shows each object as a ConfigMap in JSON: its metadata, and in
// data the strings spec and status. Options are those of the Kubernetes API, in JSON.
//
// All its methods, and those of its optional parts, may be called concurrently. Each does one request without retries. If
// the server answered, the error is an *Error with a Status. After any other error nobody knows whether a write happened,
// unless the error is Definite. If it has a method Close(), that is called at the end of the case.
type WatchCache interface {
	Create(context.Context, Write) (json.RawMessage, error)
	Update(context.Context, Write) (json.RawMessage, error)
	Delete(context.Context, Deletion) error
	Get(ctx context.Context, namespace, name string, options json.RawMessage) (json.RawMessage, error)
	// List and Watch ask in one namespace, or in all ("").
	List(ctx context.Context, namespace string, options json.RawMessage) (*List, error)
	// Watch opens a watch, which lives as long as the context.
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
	List      json.RawMessage `json:"list,omitempty"` // of a collection: delete what a list with these options returns
}

// Patching is a patch.
type Patching struct {
	Namespace   string          `json:"namespace"`
	Name        string          `json:"name"`
	Type        string          `json:"type"`  // its media type
	Patch       string          `json:"patch"` // the patch itself
	Options     json.RawMessage `json:"options"`
	Subresource string          `json:"subresource,omitempty"` // "" or status
}

// Patcher is a WatchCache that takes patches (features patch, json-patch, strategic-merge-patch, apply).
type Patcher interface {
	Patch(context.Context, Patching) (json.RawMessage, error)
}

// CollectionDeleter is a WatchCache that deletes collections (feature deletecollection).
type CollectionDeleter interface {
	DeleteCollection(context.Context, Deletion) error
}

// TogetherDeleter is a WatchCache that deletes several objects in one revision (feature together).
type TogetherDeleter interface {
	DeleteTogether(ctx context.Context, namespace string, names []string) error
}

// Compactor is a WatchCache that can drop the states before now (feature compaction). Compact returns when the effect is
// visible, with the oldest resourceVersion that is kept, or "" if that is not known.
type Compactor interface {
	Compact(context.Context) (kept string, err error)
}

// WindowMover is a WatchCache that can drop the watch events before now (feature window). MoveWindow returns when the
// effect is visible.
type WindowMover interface {
	MoveWindow(context.Context) error
}

// Lagger is a WatchCache whose cache can be made to lag (feature lag); 0 ends the lag.
type Lagger interface {
	SetLag(context.Context, time.Duration) error
}

// Starter is a WatchCache whose cache can be made not ready, as after a start (feature starting).
type Starter interface {
	SetReady(ctx context.Context, ready bool) error
}

// OtherWriter is a WatchCache that can write to another resource, whose resourceVersions come from the same sequence (feature
// other-resource). WriteOther returns the resourceVersion that a list of that resource has then.
type OtherWriter interface {
	WriteOther(context.Context) (resourceVersion string, err error)
}

// StorageFaulter is a WatchCache whose storage can go wrong (feature storage-faults). The fault is as in a file of faults between an API server
// and its etcd (docs/faults.md); nil ends the one before.
type StorageFaulter interface {
	SetStorageFault(ctx context.Context, fault json.RawMessage) error
}

// Restarter is a WatchCache that can crash and start again on what it had stored, or a Runtime (feature restart). Restart returns when
// it serves again.
type Restarter interface {
	Restart(context.Context) error
}
