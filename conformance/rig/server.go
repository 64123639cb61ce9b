// Package rig is what the suites for clients share: a server for the client under test, which misbehaves on demand and logs
// what it received and sent. A Driver records both sides in one history.
package rig

import (
	"context"
	"net"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/harness"
)

// Server serves a Kubernetes API to the client under test, as long as its case lasts. All methods may be called concurrently.
type Server interface {
	// Endpoint returns what a client connects to. Its name, of letters, digits and dashes, is in the log with each of its requests.
	Endpoint(client string) Endpoint
	// Namespaces returns two namespaces: one that the client uses, and another. They exist when the case begins, and nobody
	// but the case writes ConfigMaps there.
	Namespaces() (own, other string)
	// ConfigMaps returns a writer for the case itself, which no fault affects and no log shows.
	ConfigMaps(namespace string) Writer
	// Log calls f, from now on, with each request of the client and everything that follows from it, in the order in which the
	// server does it. f is called by one goroutine at a time, and must not call the server.
	Log(f func(Entry))
}

// Endpoint says how to connect to a server.
type Endpoint struct {
	URL   string // http://HOST:PORT or https://HOST:PORT
	CA    []byte // of its certificate, in PEM; nil: the system's, or no TLS
	Token string // bearer token, by which the server knows the client; "": none
	// Dial connects to the server, whatever the address; nil: use the network.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Direct has list and watch functions for a client in this process; nil: there are none.
	Direct *Direct
}

// Direct is the server's list and watch as functions. They return typed objects, which the caller may change; errors of the
// server are an APIStatus. Both may be called concurrently.
type Direct struct {
	List  func(ctx context.Context, r schema.GroupVersionResource, namespace string, o metav1.ListOptions) (runtime.Object, error)
	Watch func(ctx context.Context, r schema.GroupVersionResource, namespace string, o metav1.ListOptions) (watch.Interface, error)
}

// Writer writes the ConfigMaps of a namespace, and lists them as they are now. client-go's ConfigMapInterface is one.
type Writer interface {
	Create(context.Context, *corev1.ConfigMap, metav1.CreateOptions) (*corev1.ConfigMap, error)
	Update(context.Context, *corev1.ConfigMap, metav1.UpdateOptions) (*corev1.ConfigMap, error)
	Delete(context.Context, string, metav1.DeleteOptions) error
	List(context.Context, metav1.ListOptions) (*corev1.ConfigMapList, error)
}

// Faulty is a server that misbehaves on demand (feature server-faults).
type Faulty interface {
	// Add adds a fault, which takes effect from now on. Its name must be new.
	Add(Fault) error
	// Remove removes a fault; requests that it already affects stay affected.
	Remove(name string)
}

// Forgetter is a server that can forget its history (feature server-forgets).
type Forgetter interface {
	// Forget drops all earlier states and events, for exact lists, continue tokens and watches.
	Forget(context.Context) error
	// ForgetEvents drops only events: earlier watches get a 410, while earlier states can still be listed.
	ForgetEvents(context.Context) error
}

// Cutter is a server that can disconnect its clients (feature server-cuts).
type Cutter interface {
	// Cut ends all open watches, cleanly or in the middle of the stream, and returns how many there were.
	Cut(clean bool) int
	// Refuse breaks all connections and refuses new ones (true), or accepts them again (false).
	Refuse(bool)
}

// Viewed is a server with two views, like a cluster with two API servers (feature server-views). Either view answers reads from
// what it has received. The first one is always up to date, and answers at first.
type Viewed interface {
	// Hold stops updating the second view (true), or brings it up to date and keeps it so (false).
	Hold(bool)
	// Turn lets the second view (true), or the first one, answer each request from now on. Open watches stay where they are.
	Turn(second bool)
	// Pretend lets the second view answer every list from what it has, even if that is too old for the request. That breaks the
	// contract, and the log shows it as the fault "stale".
	Pretend(bool)
}

// Reviser is a server whose resourceVersions can be chosen (feature server-revisions).
type Reviser interface {
	// DeleteTogether deletes ConfigMaps in one write, as the end of an etcd lease does: the deletions have one resourceVersion.
	DeleteTogether(namespace string, names ...string) error
	// Leap skips so many resourceVersions between the next write and the one after it.
	Leap(by uint64)
}

// Encrypter is a server that can serve TLS (feature server-tls).
type Encrypter interface {
	// Encrypt lets each Endpoint from now on be one of TLS, with HTTP/2 for clients that speak it, or with HTTP/1.1 alone.
	Encrypt(http2 bool) error
}

// Killer is a server whose connections can die without anybody being told, as when a machine or a NAT between loses them
// (feature server-dead-connections).
type Killer interface {
	// Kill lets nothing pass any more on the connections that are open now and may have HTTP/2, in either direction. New ones are as ever.
	Kill()
	// Dead counts those of them that their clients have not closed yet.
	Dead() int
}

// Features of a server.
const (
	Faults    harness.Feature = "server-faults"
	Forgets   harness.Feature = "server-forgets"
	Cuts      harness.Feature = "server-cuts"
	Views     harness.Feature = "server-views"
	Revisions harness.Feature = "server-revisions"
	TLS       harness.Feature = "server-tls"
	Deaths    harness.Feature = "server-dead-connections"
)

// HTTP2 is a feature of clients: where a server offers HTTP/2 over TLS, the client speaks it.
const HTTP2 harness.Feature = "http2"

// InProcess is a feature of clients: they take the server's functions (Direct), so that there are no bytes on which anything could go wrong.
const InProcess harness.Feature = "in-process"

// Features describes the features of servers, for the kinds whose subjects use one.
var Features = []harness.FeatureInfo{
	{Name: Faults, Help: "the server that the client is given misbehaves on demand (rig.Faulty); a real one does not"},
	{Name: Forgets, Help: "the server that the client is given can be told to forget old states and events (rig.Forgetter)"},
	{Name: Cuts, Help: "the server that the client is given can be told to end its watches (rig.Cutter)"},
	{Name: Views, Help: "the server that the client is given has two views, of which one may lag (rig.Viewed)"},
	{Name: Revisions, Help: "the resourceVersions of the server that the client is given can be chosen: one for several writes, or a very large one (rig.Reviser)"},
	{Name: TLS, Help: "the server that the client is given can serve TLS, with HTTP/2 or without (rig.Encrypter)"},
	{Name: Deaths, Help: "the connections to the server that the client is given can be made to die silently (rig.Killer)"},
	{Name: InProcess, Help: "the client takes the server's list and watch functions, and so never sees what goes wrong with bytes"},
	{Name: HTTP2, Help: "the client speaks HTTP/2 over TLS where the server offers it, and so must notice that its connection is dead"},
}

// Part returns the part of a server that a feature needs. If the server has no such part, or does not declare the feature, it gives
// the case up and ok is false.
func Part[P any](t *harness.T, s Server, f harness.Feature) (p P, ok bool) {
	if p, ok = s.(P); !ok || !t.Has(f) {
		t.GiveUp("the server that the client is given does not have what %s is: declare no %s, or let it be a %s", f, f, reflect.TypeFor[P]())
		return p, false
	}
	return p, true
}

// The network between a client and a server, which the server's log does not show.
const (
	Network = "network" // the actor
	Down    = "DOWN"    // connections are broken, and new ones refused
	Up      = "UP"      // connections are accepted again
	Died    = "DIED"    // nothing passes any more on the connections that are open, and nobody is told; new ones are as ever
	Refused = "REFUSED" // a connection was refused, the last of BusyFailures within BusyTime; those of other processes are not seen
	// Untrusted: a client did not trust the certificate of a server that serves TLS; only the first time is recorded. The server's log
	// does not show what such a client would have asked for.
	Untrusted = "UNTRUSTED"
)

// Distrusted is what a finding says to the author of a client that made no request after Untrusted.
const Distrusted = "the client refused the server's certificate: it must trust Endpoint.CA (Config.Server.CA, and server.ca of an adapter)"

// Refuse breaks a server's connections and refuses new ones, until end is called, and records both. It gives the case up if the
// server is no Cutter.
func Refuse(t *harness.T, s Server) (end func()) {
	c, ok := Part[Cutter](t, s, Cuts)
	if !ok {
		return func() {}
	}
	record := func(kind string, refused bool) {
		t.Do(harness.Call{Actor: Network, Kind: kind}, func(context.Context) harness.Answer {
			c.Refuse(refused)
			return harness.Answer{}
		})
	}
	record(Down, true)
	return func() { record(Up, false) }
}

// Of is what a check runs on: the implementation, and the server that its clients use.
type Of[S any] struct {
	Subject S
	Server  Server
}

// Plugin returns a plugin of a kind whose subjects use a server.
func Plugin[S any](name string, server func(*harness.T) (Server, error), open func(*harness.T) (S, error), features ...harness.Feature) harness.Plugin[Of[S]] {
	return harness.Plugin[Of[S]]{Name: name, Features: features, Open: func(t *harness.T) (Of[S], error) {
		s, err := server(t)
		if err != nil {
			return Of[S]{}, err
		}
		subject, err := open(t)
		return Of[S]{subject, s}, err
	}}
}
