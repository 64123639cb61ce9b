package fake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/faults"
	"github.com/lwtest/lwtest/fakes/apiserver/requestlog"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/fakes/apiserver/schemas"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/resources"
)

// ServerFeatures are what Server has for drives of clients.
var ServerFeatures = []harness.Feature{rig.Faults, rig.Forgets, rig.Cuts, rig.Views, rig.Revisions, rig.TLS, rig.Deaths}

// Server is lwtest's own API server, for the client under test: in a bubble in memory, otherwise on loopback.
// It wants the token that it gives, as real ones do, and ends with the case.
func Server(t *harness.T) (rig.Server, error) { return newServer(t) }

func newServer(t *harness.T) (*server, error) {
	s := &server{lines: &lines{}}
	s.lines.tell(func() { t.Seen(rig.Network, rig.Refused, 0, harness.Answer{}) })
	t.Cleanup(func() { s.lines.tell(nil) })
	all := apiserver.Resources()
	store := apiserver.New(apiserver.Options{Resources: all, Seed: uint64(t.Seed()), Types: schemas.Types, Step: func() uint64 { return 1 + s.leap.Swap(0) }})
	t.Cleanup(func() { _ = store.Close() }) // its error is always nil
	set, err := faults.New(uint64(t.Seed()))
	if err != nil {
		return nil, err
	}
	s.store, s.faults = store, set
	if s.views, err = twoViews(store, set); err != nil {
		return nil, err
	}
	s.cuts = &cutter{API: s.views}
	log := requestlog.New(s.entry)
	s.direct = log.API(s.cuts, "")
	serve := rest.Serve
	if t.Virtual() {
		serve = rest.ServePipe
	}
	s.untrusted = sync.OnceFunc(func() { t.Seen(rig.Network, rig.Untrusted, 0, harness.Answer{}) })
	s.serve = func(o rest.Options) error {
		o.Resources, o.Seed, o.Log, o.Token = all, uint64(t.Seed()), log, fmt.Sprintf("lwtest-%d", t.Seed())
		h, err := serve(s.cuts, o)
		if err != nil {
			return err
		}
		s.http.Store(&served{h, o.TLS && !o.HTTP1})
		t.Cleanup(func() { _ = h.Close() }) // what is open is broken off: a drive's watches are stopped by then
		return nil
	}
	t.Cleanup(s.lines.bury)
	return s, s.serve(rest.Options{})
}

// pair is the certificate of all servers.
var pair = sync.OnceValues(func() (rest.Pair, error) { return rest.NewPair() })

// Encrypt implements rig.Encrypter.
func (s *server) Encrypt(http2 bool) error {
	p, err := pair()
	if err != nil {
		return err
	}
	return s.serve(rest.Options{TLS: true, Pair: &p, HTTP1: !http2, Untrusted: s.untrusted})
}

// Kill implements rig.Killer.
func (s *server) Kill() { s.lines.kill() }

// Dead implements rig.Killer.
func (s *server) Dead() int { return s.lines.dead() }

// served is how an API is served.
type served struct {
	*rest.Server
	pings bool // clients speak HTTP/2 to it, and learn by its pings that a connection is dead
}

type server struct {
	store  *apiserver.Server
	faults *faults.Set
	views  *views
	cuts   *cutter
	direct apiserver.API
	lines  *lines                   // apart: client-go's cache of transports keeps each Dial, and what that refers to, for ever
	serve  func(rest.Options) error // serves anew
	http   atomic.Pointer[served]   // for clients from now on
	leap   atomic.Uint64            // what the next step is larger by
	log    []func(rig.Entry)        // set before the client is asked anything

	untrusted func() // called when a client does not trust the certificate
}

// Endpoint implements rig.Server.
func (s *server) Endpoint(client string) rig.Endpoint {
	to, l := s.http.Load(), s.lines
	c, pings := to.RESTConfig(), to.pings
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		return l.dial(ctx, c.Dial, pings, network, address)
	}
	return rig.Endpoint{URL: c.Host, CA: c.CAData, Token: s.token(client), Dial: dial, Direct: s.functions(client)}
}

// token returns the token of a client.
func (s *server) token(client string) string {
	return s.http.Load().RESTConfig().BearerToken + "." + client
}

// functions returns the list and watch functions of a client.
func (s *server) functions(client string) *rig.Direct {
	by := apiserver.Caller{Client: client}
	return &rig.Direct{
		List: func(ctx context.Context, r schema.GroupVersionResource, namespace string, o metav1.ListOptions) (runtime.Object, error) {
			if err := s.lines.refused(); err != nil {
				return nil, err
			}
			return s.direct.List(apiserver.WithCaller(ctx, by), apiserver.Request{Resource: r, Namespace: namespace}, o)
		},
		Watch: func(ctx context.Context, r schema.GroupVersionResource, namespace string, o metav1.ListOptions) (watch.Interface, error) {
			if err := s.lines.refused(); err != nil {
				return nil, err
			}
			return s.direct.Watch(apiserver.WithCaller(ctx, by), apiserver.Request{Resource: r, Namespace: namespace}, o)
		},
	}
}

// Cut implements rig.Cutter.
func (s *server) Cut(clean bool) int { return s.cuts.cut(clean) }

// Hold implements rig.Viewed.
func (s *server) Hold(still bool) { s.views.hold(still) }

// Refuse implements rig.Cutter.
func (s *server) Refuse(on bool) {
	s.lines.refuse(on)
	if on {
		s.cuts.cut(false)
	}
}

// Pretend implements rig.Viewed.
func (s *server) Pretend(on bool) { s.views.pretends.Store(on) }

// Turn implements rig.Viewed.
func (s *server) Turn(second bool) { s.views.second.Store(second) }

// Namespaces implements rig.Server. It lets everybody write into namespaces that nobody has made.
func (s *server) Namespaces() (own, other string) { return "default", "elsewhere" }

// ConfigMaps implements rig.Server.
func (s *server) ConfigMaps(namespace string) rig.Writer {
	return apiserver.ConfigMaps(s.store, namespace)
}

// Log implements rig.Server.
func (s *server) Log(f func(rig.Entry)) { s.log = append(s.log, f) }

func (s *server) entry(e requestlog.Entry) {
	for _, f := range s.log {
		f(rig.Entry{What: string(e.What), Request: e.Request, View: e.View, Client: e.Client, Idle: e.Idle, URI: e.URI, Accept: e.Accept, HTTP2: e.HTTP2, Verb: e.Verb, Group: e.Group, Version: e.Version,
			Resource: e.Resource, Namespace: e.Namespace, Options: e.Options, Object: e.Object, ResourceVersion: e.ResourceVersion,
			Code: e.Code, Reason: e.Reason, Message: e.Message, Event: e.Event, Fault: e.Fault, Does: e.Does, Lost: e.Lost, How: string(e.How)})
	}
}

// DeleteTogether implements rig.Reviser.
func (s *server) DeleteTogether(namespace string, names ...string) error {
	return resources.Controls{Server: s.store, Of: resources.ConfigMaps.GVR()}.DeleteTogether(namespace, names...)
}

// Leap implements rig.Reviser.
func (s *server) Leap(by uint64) { s.leap.Store(by) }

// Add implements rig.Faulty.
func (s *server) Add(f rig.Fault) error {
	b, err := json.Marshal(f)
	if err != nil {
		return err
	}
	var own faults.Fault
	if err := json.Unmarshal(b, &own); err != nil {
		return err
	}
	return s.faults.Add(own)
}

// Remove implements rig.Faulty.
func (s *server) Remove(name string) { s.faults.Remove(name) }

// Forget implements rig.Forgetter.
func (s *server) Forget(ctx context.Context) error {
	return errors.Join(s.store.Compact(""), s.ForgetEvents(ctx))
}

// ForgetEvents implements rig.Forgetter.
func (s *server) ForgetEvents(context.Context) error {
	return errors.Join(s.store.ForgetEvents(resources.ConfigMaps.GVR(), ""), s.views.forget(resources.ConfigMaps.GVR()))
}
