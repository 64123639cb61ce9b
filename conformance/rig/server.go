// Package rig is what the drive of a client has in its hands beside the client under test: a server that the
// client is given, which misbehaves on demand and tells what it was asked and what it sent.
//
// What a server does and what its client makes of it are recorded in one history, by Record.
package rig

import (
	"context"
	"net"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/harness"
)

// Server serves a Kubernetes API to the client under test. It lives as long as its case. All methods may be
// called concurrently.
type Server interface {
	// Endpoint is what the client is given.
	Endpoint() Endpoint
	// Namespaces are the two of the drive's: one that the client is given, and another. They are there when the case
	// begins, and as long as it lasts nobody else writes ConfigMaps there.
	Namespaces() (own, other string)
	// ConfigMaps is the drive's own hand: no fault strikes what it does, and no log has it.
	ConfigMaps(namespace string) Writer
	// Log has f told, from now on, of each request of the client's and of all that comes of it, in the order
	// in which the server does it. f is called by one goroutine at a time, and must not call the server.
	Log(f func(Entry))
}

// Endpoint is where a server is, and how it is reached.
type Endpoint struct {
	URL   string // http://HOST:PORT or https://HOST:PORT
	CA    []byte // PEM of the authority that its certificate is of; nil: the system's, or there is no TLS
	Token string // bearer token; "": none
	// Dial connects to it, whatever the address; nil: by the network, as every process can.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Direct is a way round the wire, for a client in this process that is made of list and watch functions; nil:
	// there is none, and none for a subject of another process.
	Direct *Direct
}

// Direct are the server's list and watch, as functions. They answer with typed objects, which are the caller's;
// errors of the server are APIStatus of apimachinery. Both may be called concurrently.
type Direct struct {
	List  func(ctx context.Context, r schema.GroupVersionResource, namespace string, o metav1.ListOptions) (runtime.Object, error)
	Watch func(ctx context.Context, r schema.GroupVersionResource, namespace string, o metav1.ListOptions) (watch.Interface, error)
}

// Writer changes ConfigMaps of a namespace, and lists them as they are now. client-go's typed
// ConfigMapInterface is one.
type Writer interface {
	Create(context.Context, *corev1.ConfigMap, metav1.CreateOptions) (*corev1.ConfigMap, error)
	Update(context.Context, *corev1.ConfigMap, metav1.UpdateOptions) (*corev1.ConfigMap, error)
	Delete(context.Context, string, metav1.DeleteOptions) error
	List(context.Context, metav1.ListOptions) (*corev1.ConfigMapList, error)
}

// Faulty is a server that misbehaves on demand (feature faults).
type Faulty interface {
	// Add makes a fault, which strikes from now on. Its name must be new.
	Add(Fault) error
	// Remove takes one away; what it does to what is under way goes on.
	Remove(name string)
}

// Forgetter is a server that can be told to forget (feature forgets): the states and events before now are gone,
// for lists at exactly a resourceVersion, for continue tokens, and for watches.
type Forgetter interface {
	Forget(context.Context) error
	// ForgetEvents has it forget events alone: watches from before are 410, while states of the past are still there
	// to be listed.
	ForgetEvents(context.Context) error
}

// Cutter is a server that can let go of its clients (feature cuts).
type Cutter interface {
	// Cut ends all watches that are open, cleanly or as streams that break off, and gives how many those were.
	Cut(clean bool) int
	// Refuse refuses connections from now on, and breaks those that are there (true), or takes them again (false).
	Refuse(bool)
}

// Viewed is a server of two views, as a cluster of two API servers is one: any of them answers what is read, from
// what it has been given so far (feature views). The first is always up to date, and the one that answers at first.
type Viewed interface {
	// Hold has the second view be given nothing new any more (true), or all that it lacks, and what comes (false).
	Hold(bool)
	// Turn has the second view (true) or the first answer each request from now on. Watches that are open stay
	// where they are.
	Turn(second bool)
	// Pretend has the second view answer every list from what it has, also one that must not be so old: that breaks
	// the contract, and the log calls it a fault that is "stale".
	Pretend(bool)
}

// Reviser is a server of which it can be said what revisions writes have (feature revisions).
type Reviser interface {
	// DeleteTogether deletes ConfigMaps of a namespace by one write, as the end of a lease of etcd's, or any transaction
	// over several keys does: the deletions have one resourceVersion.
	DeleteTogether(namespace string, names ...string) error
	// Leap leaves out so many resourceVersions between the next write and the one after it.
	Leap(by uint64)
}

// The features of a server.
const (
	Faults    harness.Feature = "server-faults"
	Forgets   harness.Feature = "server-forgets"
	Cuts      harness.Feature = "server-cuts"
	Views     harness.Feature = "server-views"
	Revisions harness.Feature = "server-revisions"
)

// Features are those of servers, for the table of each kind that is given one.
var Features = []harness.FeatureInfo{
	{Name: Faults, Help: "the server that the client is given misbehaves on demand (rig.Faulty); a real one does not"},
	{Name: Forgets, Help: "the server that the client is given can be told to forget old states and events (rig.Forgetter)"},
	{Name: Cuts, Help: "the server that the client is given can be told to end its watches (rig.Cutter)"},
	{Name: Views, Help: "the server that the client is given has two views, of which one may lag (rig.Viewed)"},
	{Name: Revisions, Help: "of the server that the client is given it can be said what resourceVersions writes have: one for several, or a very large one (rig.Reviser)"},
}
