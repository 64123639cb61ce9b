package adapter

import (
	"context"
	"encoding/json"
	"time"
)

// InformerOffer offers an informer, or anything that keeps a local copy of a resource, to the informer suite.
type InformerOffer struct {
	Features []string // of the kind informer
	// New makes an informer without starting it. If New is nil, nothing is offered.
	New func(InformerConfig) (Informer, error)
}

// Server is an API server. A client under test must not limit its own request rate.
type Server struct {
	URL   string `json:"url"`             // http://HOST:PORT or https://HOST:PORT
	CA    string `json:"ca,omitempty"`    // PEM of the authority that signed its certificate
	Token string `json:"token,omitempty"` // bearer token, which each request must have
}

// Resource is what it is asked for.
type Resource struct {
	Group    string `json:"group"`
	Version  string `json:"version"`
	Resource string `json:"resource"`
}

// InformerConfig says what an informer must be like. A field of a feature is set only if that feature is declared.
type InformerConfig struct {
	Server    Server
	Resource  Resource
	Namespace string // "": all namespaces

	LabelSelector string // of the objects that it has; "": all (feature selectors)
	FieldSelector string // as well

	Resync    time.Duration // resync period of handlers without their own; 0: never (feature resync)
	PageSize  int64         // page size of its lists; 0: its own choice (feature page-size)
	Transform string        // transform of each object before it is stored: "" or Mark (feature transforms)
	Index     string        // its index: "" or ByApp (feature indexes)

	// Failed must be called with each error (feature error-hook), unless it is nil. It may be called concurrently.
	Failed func(error)
	// Push must be called with the whole content after each change (feature pushes), one call at a time, unless it is nil.
	Push func([]json.RawMessage)
}

const (
	// Mark is a transform: it sets the annotation Marked to "yes". Applied twice it does no more than once.
	Mark   = "mark"
	Marked = "lwtest/marked"
	// ByApp is an index: its one value of an object is that of the label app; an object without one has none.
	ByApp = "app"
)

// Informer is an informer that was made but not started. Objects are in JSON as its own type has them. All its methods,
// and those of its optional parts, may be called concurrently, before, while and after it runs.
type Informer interface {
	// Run starts it, and returns when ctx has ended and it has stopped.
	Run(ctx context.Context)
	// Get returns what the store has under a key ("namespace/name" or "name"), or nil.
	Get(key string) (json.RawMessage, error)
	// List returns everything in the store, in any order.
	List() ([]json.RawMessage, error)
}

// InformerSyncer is an Informer that reports whether it has synced (feature has-synced).
type InformerSyncer interface {
	HasSynced() bool
}

// InformerTeller is an Informer that has handlers (feature handlers).
type InformerTeller interface {
	// Handle adds a handler: the only one, before Run; with the feature many-handlers any number at any time. The
	// handler must call tell for each notification, and return when tell does, which may take a while. period is its
	// resync period; 0: that of the InformerConfig (feature handler-periods, else it is 0).
	Handle(tell func(Notice), period time.Duration) (Registration, error)
}

// Registration is an added handler.
type Registration interface {
	// HasSynced reports whether the handler has got its first objects (feature handler-synced; otherwise ignored).
	HasSynced() bool
	// Remove removes the handler (feature removal). With wait it returns only when no call is under way (feature
	// removal-waits, else wait is false). Removing twice does nothing.
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
	Object  json.RawMessage `json:"object,omitempty"`  // of DELETE the last known state; nil: unknown
	Key     string          `json:"key,omitempty"`     // of DELETE without an Object
	Old     json.RawMessage `json:"old,omitempty"`     // of UPDATE
	Initial bool            `json:"initial,omitempty"` // of ADD: one of the handler's first objects (feature initial-flag)
	Unknown bool            `json:"unknown,omitempty"` // of DELETE: the deletion was missed, and the final state is unknown (feature delete-state)
	Held    json.RawMessage `json:"held,omitempty"`    // what the store had under that key during the call; nil: nothing
	Indexed []string        `json:"indexed,omitempty"` // keys that the index ByApp had then for the label app of Object (feature indexes)
}

// InformerIndexer is an Informer with the index ByApp (feature indexes).
type InformerIndexer interface {
	ByIndex(value string) ([]json.RawMessage, error)
}

// InformerVersioner is an Informer whose store reports a resourceVersion, or "" (feature version).
type InformerVersioner interface {
	Version() string
}

// InformerWriter is an Informer that is a client, too (feature writes).
type InformerWriter interface {
	// Write sets the annotation "note" of an object, or creates the object. It returns the server's answer when the
	// server has acknowledged the write.
	Write(ctx context.Context, key, note string) (json.RawMessage, error)
}

// InformerRereader is an InformerWriter that promises to read its own writes (feature read-your-writes).
type InformerRereader interface {
	// Read is like Get, but may wait.
	Read(ctx context.Context, key string) (json.RawMessage, error)
}
