// Package informer is the conformance suite for informers: a reflector, its store and its handlers together, which keep a
// local copy of a resource.
//
// In virtual time an informer has ten minutes after the last change (more if a check's Grace says so) to apply everything and
// to call every handler. What has not come by then counts as missing. In real time it has until a sentinel object has come. If
// that does not come within a limit, the check is inconclusive.
package informer

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// Subject is an implementation under test. It may be called concurrently.
type Subject interface {
	// New returns an informer that is not started yet.
	New(Config) (Informer, error)
}

// Config configures an informer. A field of a feature is only set if the subject declares the feature.
type Config struct {
	Server    rig.Endpoint
	Resource  schema.GroupVersionResource
	Namespace string // "": all

	LabelSelector string // of the objects that it has; "": all (feature selectors)
	FieldSelector string // as well

	Resync    time.Duration // of handlers without a period of their own; 0: never (feature resync)
	PageSize  int64         // of its lists; 0: the default (feature page-size)
	Transform string        // applied to each object before it is stored: "" or Mark (feature transforms)
	Index     string        // of the store: "" or ByApp (feature indexes)

	// Failed is called with each error (feature error-hook). It may be called concurrently.
	Failed func(error)
	// Push is called with the whole content after each change of it (feature pushes), one call at a time.
	Push func([]json.RawMessage)
}

// Select sets the selectors of the configuration in the options of a list or a watch.
func (c Config) Select(o *metav1.ListOptions) {
	o.LabelSelector, o.FieldSelector = c.LabelSelector, c.FieldSelector
}

const (
	// Mark is an idempotent transform: it sets the annotation Marked to "yes".
	Mark   = "mark"
	Marked = "lwtest/marked"
	// ByApp is an index by the label app.
	ByApp = "app"
)

// Informer is an informer. It returns objects as JSON of its own type. Its methods, and those of the optional interfaces
// below, may be called concurrently, before, while and after it runs.
type Informer interface {
	// Run starts the informer, and returns when ctx has ended and the informer has stopped.
	Run(ctx context.Context)
	// Get returns the object with a key ("namespace/name", or "name"); nil: the store has none.
	Get(key string) (json.RawMessage, error)
	// List returns all objects of the store, in any order.
	List() ([]json.RawMessage, error)
}

// Synced is an Informer that reports whether it has synced (feature has-synced).
type Synced interface {
	HasSynced() bool
}

// Handled is an Informer that calls handlers (feature handlers).
type Handled interface {
	// Handle adds a handler: only one, before Run, or any at any time (feature many-handlers). tell is called for each
	// notification and may block. period is its resync period; 0: that of the Config (feature handler-periods, without which
	// it is 0).
	Handle(tell func(Notice), period time.Duration) (Registration, error)
}

// Overlapping is a Handled that can tell of a notification while the handler is still in the call before.
type Overlapping interface {
	// HandleOverlapping does what Handle does. tell calls begun when the notification is recorded; the next one may then be told.
	HandleOverlapping(tell func(n Notice, begun func()), period time.Duration) (Registration, error)
}

// Registration is a handler that was added.
type Registration interface {
	// HasSynced reports whether the handler was called for its initial list (feature handler-synced, without which the result
	// means nothing).
	HasSynced() bool
	// Remove removes the handler (feature removal). If wait is set it returns only when no call is under way (feature
	// removal-waits, without which it is false). Removing a handler again does nothing.
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
	Object  json.RawMessage // of DELETE the last known state; nil: not known
	Key     string          // of DELETE without an Object
	Old     json.RawMessage // of UPDATE
	Initial bool            // of ADD: the object is in the handler's initial list (feature initial-flag)
	Unknown bool            // of DELETE: the deletion was missed, the final state is not known (feature delete-state)
	Held    json.RawMessage // the store's object with that key when the handler was called; nil: none
	Indexed []string        // keys that the index ByApp returned then for the app of Object (feature indexes)
}

// Indexed is an Informer with the index ByApp (feature indexes).
type Indexed interface {
	ByIndex(value string) ([]json.RawMessage, error)
}

// Versioned is an Informer whose store has a resourceVersion (feature version); "": none yet.
type Versioned interface {
	Version() string
}

// Writer is an Informer that also writes to the server (feature writes).
type Writer interface {
	// Write sets the annotation "note" of an object, which it creates if it is missing, and returns the server's answer.
	Write(ctx context.Context, key, note string) (json.RawMessage, error)
}

// Rereader is a Writer that promises to read its own writes (feature read-your-writes).
type Rereader interface {
	Writer
	// Read is a Get that may wait.
	Read(ctx context.Context, key string) (json.RawMessage, error)
}

// Rig is what a check runs on: the implementation, and the server that its informers use.
type Rig = rig.Of[Subject]

// Test runs the whole suite, each check as a subtest with a fresh subject from open and a fresh server. It runs in real time,
// unless harness.VirtualTime is among the features: then server and open are called inside the bubble, and everything that
// the subject starts must end with the test's cleanups. features must include those of the server: plugins/fake has them as
// ServerFeatures.
func Test(t *testing.T, server func(*harness.T) (rig.Server, error), open func(*testing.T) Subject, features ...harness.Feature) {
	t.Helper()
	harness.Test(t, cases(t, server, open, features))
}

// Fuzz plays random stories on an implementation: see story.Fuzz. Its other parameters are those of Test.
func Fuzz(f *testing.F, server func(*harness.T) (rig.Server, error), open func(*testing.T) Subject, features ...harness.Feature) {
	f.Helper()
	story.Fuzz(f, cases(f, server, open, features))
}

func cases(t testing.TB, server func(*harness.T) (rig.Server, error), open func(*testing.T) Subject, features []harness.Feature) []harness.Case {
	return Suite.Bind(Plugin(t.Name(), server, func(ht *harness.T) (Subject, error) { return open(ht.Testing()), nil }, features...))
}

// Plugin returns a plugin of this kind.
func Plugin(name string, server func(*harness.T) (rig.Server, error), open func(*harness.T) (Subject, error), features ...harness.Feature) harness.Plugin[Rig] {
	return rig.Plugin(name, server, open, features...)
}
