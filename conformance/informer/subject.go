// Package informer is the conformance suite of what keeps a local copy of a resource true: a reflector, its store and
// the handlers that are told of changes, together.
//
// An informer may take its time. In virtual time it has ten minutes of it (more where a check's Grace says so) after the
// last change to apply everything and to tell every handler: what has not come by then counts as missing. In real time it
// has until a sentinel object has come, for which a check waits a limited time, and is inconclusive after that.
package informer

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
)

// Subject is one implementation. It may be called concurrently.
type Subject interface {
	// New makes an informer, which is not started yet.
	New(Config) (Informer, error)
}

// Config is what an informer is to be like. What belongs to a feature is set only where that is declared.
type Config struct {
	Server    rig.Endpoint
	Resource  schema.GroupVersionResource
	Namespace string // "": all

	Resync    time.Duration // how often handlers without a period of their own are told of everything again; 0: never (feature resync)
	PageSize  int64         // of its lists; 0: as it likes (feature page-size)
	Transform string        // what is done to each object before it is kept: "" or Mark (feature transforms)
	Index     string        // an index that it has: "" or ByApp (feature indexes)

	// Failed is to be told of errors (feature error-hook). It may be called concurrently.
	Failed func(error)
	// Push is to be given the whole content after each change of it (feature pushes), one call at a time.
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

// Synced is the part of an Informer that says whether it has synced (feature has-synced).
type Synced interface {
	HasSynced() bool
}

// Handled is the part of an Informer that tells handlers (feature handlers).
type Handled interface {
	// Handle adds one: the only one, before Run, or any at any time (feature many-handlers). tell is called for each
	// notification and may take its time. period is how often it is told of everything again; 0: as the informer's
	// Config says (feature handler-periods, else it is 0).
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
	Added   = "ADD"
	Updated = "UPDATE"
	Deleted = "DELETE"
)

// Notice is one notification.
type Notice struct {
	Type    string
	Object  json.RawMessage // of DELETE the last state known; nil: not known
	Key     string          // of DELETE without an Object
	Old     json.RawMessage // of UPDATE
	Initial bool            // of ADD: it is of the handler's first objects (feature initial-flag)
	Unknown bool            // of DELETE: nobody saw it, the final state is not known (feature delete-state)
	Held    json.RawMessage // what the store had under that key when the handler was called; nil: nothing
	Indexed []string        // keys that the index ByApp gave then for the app of Object (feature indexes)
}

// Indexed is the part of an Informer that has the index ByApp (feature indexes).
type Indexed interface {
	ByIndex(value string) ([]json.RawMessage, error)
}

// Versioned is the part of an Informer whose store tells a resourceVersion (feature version); "": none.
type Versioned interface {
	Version() string
}

// Writer is the part of an Informer that is a client, too, and promises to read its own writes (feature read-your-writes).
type Writer interface {
	// Write changes the annotation "note" of an object, creates the object where it is missing, and returns when the
	// server has acknowledged that; it gives what it answered.
	Write(ctx context.Context, key, note string) (json.RawMessage, error)
	// Read is Get, but may wait.
	Read(ctx context.Context, key string) (json.RawMessage, error)
}

// Rig is what a drive has: the informer's maker, and the server that it is given.
type Rig struct {
	Subject Subject
	Server  rig.Server
}

// Test puts what open makes to the whole suite, each check a subtest with a fresh subject and a fresh server. It
// runs in real time, unless harness.VirtualTime is among the features: then server and open are called inside
// the bubble, and everything that the subject starts must end with the test's cleanups. The server brings its own
// features: plugins/fake has them as ServerFeatures.
func Test(t *testing.T, server func(*harness.T) (rig.Server, error), open func(*testing.T) Subject, features ...harness.Feature) {
	t.Helper()
	harness.Test(t, Suite.Bind(Plugin(t.Name(), server, func(ht *harness.T) (Subject, error) { return open(ht.Testing()), nil }, features...)))
}

// Plugin is one of this kind.
func Plugin(name string, server func(*harness.T) (rig.Server, error), open func(*harness.T) (Subject, error), features ...harness.Feature) harness.Plugin[Rig] {
	return harness.Plugin[Rig]{Name: name, Features: features, Open: func(t *harness.T) (Rig, error) {
		s, err := server(t)
		if err != nil {
			return Rig{}, err
		}
		subject, err := open(t)
		return Rig{subject, s}, err
	}}
}
