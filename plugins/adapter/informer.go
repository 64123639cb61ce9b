package adapter

import (
	"context"
	"encoding/json"
	"time"
)

// InformerOffer is what can be put to the suite of informers: of whatever keeps a local copy of a resource true.
type InformerOffer struct {
	Features []string // of the table of the kind informer
	// New makes an informer, which is not started yet. Nil: none is offered.
	New func(InformerConfig) (Informer, error)
}

// Server is one that a client under test is given. It may ask as often as it likes: a client that limits itself is not to.
type Server struct {
	URL   string `json:"url"`             // http://HOST:PORT or https://HOST:PORT
	CA    string `json:"ca,omitempty"`    // PEM of the authority of its certificate
	Token string `json:"token,omitempty"` // bearer token
}

// Resource is what it is asked for.
type Resource struct {
	Group    string `json:"group"`
	Version  string `json:"version"`
	Resource string `json:"resource"`
}

// InformerConfig is what an informer is to be like. What belongs to a feature is set only where that is declared.
type InformerConfig struct {
	Server    Server
	Resource  Resource
	Namespace string // "": all

	Resync    time.Duration // how often handlers without a period of their own are told of everything again; 0: never (feature resync)
	PageSize  int64         // of its lists; 0: as it likes (feature page-size)
	Transform string        // what is done to each object before it is kept: "" or Mark (feature transforms)
	Index     string        // an index that it has: "" or ByApp (feature indexes)

	// Failed is to be told of errors (feature error-hook); nil: nobody is. It may be called concurrently.
	Failed func(error)
	// Push is to be given the whole content after each change of it (feature pushes), one call at a time; nil: nobody is.
	Push func([]json.RawMessage)
}

const (
	// Mark is a transform: it sets the annotation Marked to "yes". Applied twice it does no more than once.
	Mark   = "mark"
	Marked = "lwtest/marked"
	// ByApp is an index: its one value of an object is that of the label app; an object without one has none.
	ByApp = "app"
)

// Informer is one that is made and not yet started. Objects are as its own type has them, in JSON. All methods of it
// and of its optional parts may be called concurrently, before, while and after it runs.
type Informer interface {
	// Run starts it, and returns when ctx has ended and it has stopped.
	Run(ctx context.Context)
	// Get gives what its store has under a key ("namespace/name", or "name"); nil: nothing.
	Get(key string) (json.RawMessage, error)
	// List gives all that its store has, in any order.
	List() ([]json.RawMessage, error)
}

// InformerSyncer is the part of an Informer that says whether it has synced (feature has-synced).
type InformerSyncer interface {
	HasSynced() bool
}

// InformerTeller is the part of an Informer that tells handlers (feature handlers).
type InformerTeller interface {
	// Handle adds one: the only one, before Run, or any at any time (feature many-handlers). tell is to be called by
	// the handler for each notification; it returns when the handler is to, which may take its time. period is how
	// often it is told of everything again; 0: as the informer's Config says (feature handler-periods, else it is 0).
	Handle(tell func(Notice), period time.Duration) (Registration, error)
}

// Registration is a handler that was added.
type Registration interface {
	// HasSynced says whether it has been told of its first objects (feature handler-synced; else its answer means nothing).
	HasSynced() bool
	// Remove takes the handler away; wait says that it returns only when no call is under way (feature removal-waits,
	// else it is false). Feature removal. Of one that was removed it does nothing.
	Remove(wait bool) error
}

// The types of a Notice.
const (
	NoticeAdd    = "ADD"
	NoticeUpdate = "UPDATE"
	NoticeDelete = "DELETE"
)

// Notice is one notification.
type Notice struct {
	Type    string          `json:"type"`
	Object  json.RawMessage `json:"object,omitempty"`  // of DELETE the last state known; nil: not known
	Key     string          `json:"key,omitempty"`     // of DELETE without an Object
	Old     json.RawMessage `json:"old,omitempty"`     // of UPDATE
	Initial bool            `json:"initial,omitempty"` // of ADD: it is of the handler's first objects (feature initial-flag)
	Unknown bool            `json:"unknown,omitempty"` // of DELETE: nobody saw it, the final state is not known (feature delete-state)
	Held    json.RawMessage `json:"held,omitempty"`    // what the store had under that key when the handler was called; nil: nothing
	Indexed []string        `json:"indexed,omitempty"` // keys that the index ByApp gave then for the app of Object (feature indexes)
}

// InformerIndexer is the part of an Informer that has the index ByApp (feature indexes).
type InformerIndexer interface {
	ByIndex(value string) ([]json.RawMessage, error)
}

// InformerVersioner is the part of an Informer whose store tells a resourceVersion (feature version); "": none.
type InformerVersioner interface {
	Version() string
}

// InformerWriter is the part of an Informer that is a client, too, and promises to read its own writes (feature
// read-your-writes).
type InformerWriter interface {
	// Write changes the annotation "note" of an object, creates the object where it is missing, and returns when the
	// server has acknowledged that; it gives what it answered.
	Write(ctx context.Context, key, note string) (json.RawMessage, error)
	// Read is Get, but may wait.
	Read(ctx context.Context, key string) (json.RawMessage, error)
}
