package adapter

import (
	"context"
	"encoding/json"
)

// ListerWatcherOffer offers a client to the suite of list and watch calls.
type ListerWatcherOffer struct {
	Features []string // of the kind listerwatcher
	// Open makes a client of a server: a Lister, a Watcher or a Waiter, or several of them, as its features say. If
	// Open is nil, nothing is offered.
	Open func(ClientConfig) (any, error)
}

// ClientConfig is what a client is opened with.
type ClientConfig struct {
	Server    Server
	Resource  Resource
	Namespace string // "": all namespaces
}

// Options are the caller's ListOptions of the Kubernetes API, in JSON. A client that can change its caller's options stores
// them here as they are after the call. A client that takes options by value leaves them alone.
type Options = *json.RawMessage

// Lister lists (feature lists). If the server sent a Status, or the client made one of the answer, the error is an *Error
// with it.
type Lister interface {
	// List is one call of the client, whatever requests that takes.
	List(context.Context, Options) (*List, error)
}

// List is the result of a list. Each item is in JSON as the client's own type has it.
type List struct {
	Metadata ListMeta
	Items    []json.RawMessage
}

// ListMeta is the metadata of a list.
type ListMeta struct {
	ResourceVersion    string `json:"resourceVersion,omitempty"`
	Continue           string `json:"continue,omitempty"`
	RemainingItemCount *int64 `json:"remainingItemCount,omitempty"`
}

// Watcher watches (feature watches).
type Watcher interface {
	// Watch opens a watch, which lives as long as the context.
	Watch(context.Context, Options) (Watch, error)
}

// Watch is an open watch. Stop may be called at any time, also twice, also while Next waits.
type Watch interface {
	// Next returns the next event. ok is false if the stream or the context has ended.
	Next(context.Context) (e Event, ok bool)
	Stop()
}

// Event is one of a watch.
type Event struct {
	Type   string          `json:"type"`   // ADDED, MODIFIED, DELETED, BOOKMARK, ERROR
	Object json.RawMessage `json:"object"` // as the client's own type has it; of ERROR the Status
}

// Waiter waits for a condition on a watch (feature waits).
type Waiter interface {
	// Until returns the event that met the condition, or an error of the watch or the context. It watches what the
	// options select, from their resourceVersion; an implementation that lists by itself may start later. If a
	// precondition holds (feature preconditions, else it is nil), it returns neither.
	Until(context.Context, Options, *Precondition, Condition) (*Event, error)
}

// Precondition holds if the list has an object of this name (There), or has none (not There).
type Precondition struct {
	Name  string `json:"name"`
	There bool   `json:"there"`
}

// Condition is met by an event of this type, of an object of this name.
type Condition struct {
	Type string `json:"type"`
	Name string `json:"name"`
}
