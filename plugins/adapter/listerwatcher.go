package adapter

import (
	"context"
	"encoding/json"
)

// ListerWatcherOffer is what can be put to the suite of list and watch calls.
type ListerWatcherOffer struct {
	Features []string // of the table of the kind listerwatcher
	// Open makes a client of a server: a Lister, a Watcher or a Waiter, or several of them, as its features say. Nil:
	// none is offered.
	Open func(ClientConfig) (any, error)
}

// ClientConfig is what a client is opened with.
type ClientConfig struct {
	Server    Server
	Resource  Resource
	Namespace string // "": all
}

// Options are the caller's: ListOptions of the Kubernetes API, in JSON. Whoever can change what the caller gave
// puts them back here as they are when the call has returned; a client that takes its options by value leaves them.
type Options = *json.RawMessage

// Lister lists (feature lists). An error is an *Error with a Status where the server sent one, or where the client made
// one of what it sent.
type Lister interface {
	// List is one call of the client, whatever requests that takes.
	List(context.Context, Options) (*List, error)
}

// List is what a list gave. Each item is as the client's own type has it, in JSON.
type List struct {
	Metadata ListMeta
	Items    []json.RawMessage
}

// ListMeta is what a list says beside its items.
type ListMeta struct {
	ResourceVersion    string `json:"resourceVersion,omitempty"`
	Continue           string `json:"continue,omitempty"`
	RemainingItemCount *int64 `json:"remainingItemCount,omitempty"`
}

// Watcher watches (feature watches).
type Watcher interface {
	// Watch opens a watch. The context is the watch's, too: it ends when its caller has gone.
	Watch(context.Context, Options) (Watch, error)
}

// Watch is an open watch. Stop may be called at any time, also twice, also while Next waits.
type Watch interface {
	// Next gives the next event; ok is false when the stream has ended, or the context has.
	Next(context.Context) (e Event, ok bool)
	Stop()
}

// Event is one of a watch.
type Event struct {
	Type   string          `json:"type"`   // ADDED, MODIFIED, DELETED, BOOKMARK, ERROR
	Object json.RawMessage `json:"object"` // as the client's own type has it; of ERROR a Status, where it is one
}

// Waiter waits for a condition on a watch (feature waits).
type Waiter interface {
	// Until gives the event that met the condition, or an error: of the watch, or of the context. It looks at what
	// the selectors of the options choose, from their resourceVersion; one that lists by itself may begin later. With
	// a precondition (feature preconditions, else it is nil) that holds it gives neither.
	Until(context.Context, Options, *Precondition, Condition) (*Event, error)
}

// Precondition holds, when there is a list, where an object of this name is there, or where none is.
type Precondition struct {
	Name  string `json:"name"`
	There bool   `json:"there"`
}

// Condition is met by an event of this type, of an object of this name.
type Condition struct {
	Type string `json:"type"`
	Name string `json:"name"`
}
