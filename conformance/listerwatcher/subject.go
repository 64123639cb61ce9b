// Package listerwatcher is the conformance suite of a client's list and watch calls: what a reflector, a pager or
// a controller of its own asks a Kubernetes API server with, and relies on.
package listerwatcher

import (
	"context"
	"encoding/json"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// Subject is one implementation. All methods may be called concurrently.
type Subject interface {
	// Open makes a client of a server. What it keeps open ends with the case, and so does what it has at work for its own
	// life: a Cleanup of the test in which the Subject is made ends that. What is left then is taken for a watch's.
	Open(Config) (Client, error)
}

// Config is what a client is opened with.
type Config struct {
	Server    rig.Endpoint
	Resource  schema.GroupVersionResource
	Namespace string // "": all
}

// Client makes list and watch calls for one resource in one namespace. It is a Lister, a Watcher or a Waiter, or
// several of them, as its features say.
type Client any

// Lister lists (feature lists). An error is an APIStatus of apimachinery where the server sent a Status, or where
// the client made one of what it sent.
type Lister interface {
	// List is one call of the client, whatever requests that takes. What the caller gave must not change; a
	// client that takes its options by value is given a copy of what is pointed to here.
	List(context.Context, *metav1.ListOptions) (*List, error)
}

// Watcher watches (feature watches).
type Watcher interface {
	Watch(context.Context, *metav1.ListOptions) (Watch, error)
}

// List is what a list gave. Each item is as the client's own type has it, in JSON.
type List struct {
	metav1.ListMeta
	Items []json.RawMessage
}

// Watch is an open watch. Stop may be called at any time, also while Next waits.
type Watch interface {
	// Next gives the next event; ok is false when the stream has ended, or the context has.
	Next(context.Context) (e Event, ok bool)
	Stop()
}

// Event is one of a watch. Its object is as the client's own type has it, in JSON; of type ERROR a Status, where it is one.
type Event struct {
	Type   string
	Object json.RawMessage
}

// Waiter waits for a condition on a watch (feature waits).
type Waiter interface {
	// Until gives the event that met the condition, or an error: of the watch, or of the context. It looks at what
	// the selectors of the options choose, from their resourceVersion; one that lists by itself may begin later.
	Until(context.Context, *metav1.ListOptions, Condition) (*Event, error)
}

// Preconditioned is a Waiter that looks, when it has a list, whether there is anything to wait for (feature
// preconditions).
type Preconditioned interface {
	// UntilUnless is Until, but that it gives neither an event nor an error if the precondition holds.
	UntilUnless(context.Context, *metav1.ListOptions, Precondition, Condition) (*Event, error)
}

// Precondition holds where an object of this name is there, or where none is.
type Precondition struct {
	Name  string
	There bool
}

// Condition is met by an event of this type, of an object of this name.
type Condition struct{ Type, Name string }

// The features of this kind. Declare what the client's documentation promises: a check that needs a feature which is not
// declared is skipped.
const (
	// Lists: the client lists. It implements Lister.
	Lists harness.Feature = "lists"
	// Watches: the client watches. It implements Watcher.
	Watches harness.Feature = "watches"
	// Waits: the client waits for a condition on a watch. It implements Waiter.
	Waits harness.Feature = "waits"
	// Preconditions: a wait first looks whether there is anything to wait for. The client implements Preconditioned.
	Preconditions harness.Feature = "preconditions"
	// Pages: the client splits a list into pages by itself.
	Pages harness.Feature = "pages"
	// Retries: the client resumes a watch by itself when it ends.
	Retries harness.Feature = "retries"
	// AsksAgain: the client repeats a list, or the opening of a watch, that was refused with 429 or 503 and Retry-After.
	AsksAgain harness.Feature = "asks-again"
	// ClientGoSemantics: the client is to behave as client-go does. Clauses that only client-go's documentation supports are
	// MUSTs with it, and SHOULDs without.
	ClientGoSemantics harness.Feature = "client-go-semantics"
	// MetadataOnly: the client returns only the metadata of objects (PartialObjectMetadata).
	MetadataOnly harness.Feature = "metadata-only"
	// ItemsOnly: a list returns its items without resourceVersion, continue token and remaining count.
	ItemsOnly harness.Feature = "items-only"
	// FieldCalls: each call takes a field selector of its own.
	FieldCalls harness.Feature = "field-selectors"
	// AllNamespaces: the client can be opened for all namespaces.
	AllNamespaces harness.Feature = "all-namespaces"
	// JSON: the client sends Accept: application/json. A client that sends no Accept, or */*, gets JSON too.
	JSON harness.Feature = "json"
	// Protobuf: the client asks for protobuf. Nobody can tell what is wrong with a garbled frame then.
	Protobuf harness.Feature = "protobuf"
)

var features = append([]harness.FeatureInfo{
	{Name: Lists, Help: "lists (Lister)"},
	{Name: Watches, Help: "watches (Watcher)"},
	{Name: Waits, Help: "waits for a condition on a watch (Waiter)"},
	{Name: Preconditions, Help: "a wait first looks whether there is anything to wait for (Preconditioned)"},
	{Name: Pages, Help: "splits a list into pages by itself"},
	{Name: Retries, Help: "resumes a watch by itself when it ends"},
	{Name: AsksAgain, Help: "repeats a list, or the opening of a watch, that was refused with 429 or 503 and Retry-After"},
	{Name: ClientGoSemantics, Help: "behaves as client-go does: clauses that only client-go's documentation supports are MUSTs with it, and SHOULDs without"},
	{Name: MetadataOnly, Help: "returns only the metadata of objects (PartialObjectMetadata)"},
	{Name: ItemsOnly, Help: "returns a list's items alone: no resourceVersion, no continue token, no remaining count"},
	{Name: FieldCalls, Help: "each call takes a field selector (NewListWatchFromClient has one for all calls)"},
	{Name: AllNamespaces, Help: "can be opened for all namespaces"},
	{Name: JSON, Help: "sends Accept: application/json; a client that sends no Accept, or */*, gets JSON too"},
	{Name: Protobuf, Help: "asks for protobuf, where nobody can tell what is wrong with a garbled frame"},
}, rig.Features...)

// Rig is what a drive has: the client under test, and the server that it is given.
type Rig = rig.Of[Subject]

// Test puts what open makes to the whole suite, each check a subtest with a fresh subject and a fresh server. It
// runs in real time, unless harness.VirtualTime is among the features: then server and open are called inside
// the bubble, and everything that the subject starts must end with the test's cleanups. The server brings the
// features serverHas, which plugins/fake has as ServerFeatures.
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
