// Package apiservertest gives tests an API server: Start for one test, and Environment for those who use envtest of
// controller-runtime now. Neither runs another process.
//
//	func TestReconcile(t *testing.T) {
//		s := apiservertest.Start(t, apiservertest.WithManifests("config/crd"))
//		clients := kubernetes.NewForConfigOrDie(s.Config)
package apiservertest

import (
	"os"
	"path/filepath"
	"testing"

	clientrest "k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/faults"
	"github.com/lwtest/lwtest/fakes/apiserver/serve"
)

// Server is a running API server.
type Server struct {
	// Config is for clients that may do everything. It is the caller's.
	Config *clientrest.Config
	// URL is where the server is. In memory it is only a name.
	URL string
	// Store has the objects: what it is told in Go needs no wire, and can lag, compact and restart.
	Store *apiserver.Server
	// Faults strike requests. They may be added and removed at any time.
	Faults *faults.Set

	t      testing.TB
	served *serve.Server
}

// Option changes what Start starts. Those below are the usual ones. A function of your own can set everything that serve.Options has.
type Option func(testing.TB, *serve.Options)

// WithManifests creates the objects of files, and of folders of .yaml, .yml and .json files, first.
func WithManifests(paths ...string) Option {
	return func(_ testing.TB, o *serve.Options) { o.Manifests = append(o.Manifests, paths...) }
}

// WithAdmission switches optional admission plugins on, of those that apiserver.AdmissionPlugins names.
func WithAdmission(plugins ...string) Option {
	return func(t testing.TB, o *serve.Options) {
		t.Helper()
		var err error
		if o.Admission, err = apiserver.ParseAdmission(plugins); err != nil {
			t.Fatal(err)
		}
	}
}

// WithAccounts gives each namespace the ServiceAccount default and the ConfigMap kube-root-ca.crt.
func WithAccounts() Option { return func(_ testing.TB, o *serve.Options) { o.Accounts = true } }

// WithRBAC refuses what no role allows to service accounts and to users who are impersonated.
func WithRBAC() Option { return func(_ testing.TB, o *serve.Options) { o.RBAC = true } }

// WithFaults makes requests fail; see docs/faults.md. Faults given before are replaced.
func WithFaults(all ...faults.Fault) Option {
	return func(t testing.TB, o *serve.Options) {
		t.Helper()
		var err error
		if o.Faults, err = faults.New(0, all...); err != nil {
			t.Fatal(err)
		}
	}
}

// WithCEL evaluates the CEL expressions of definitions, webhooks and policies: apiservertest.WithCEL(cel.New()), where package cel is
// github.com/lwtest/lwtest/fakes/apiserver/cel.
func WithCEL(c apiserver.CEL) Option { return func(_ testing.TB, o *serve.Options) { o.CEL = c } }

// CEL evaluates expressions in every server of this package whose Options have no CEL of their own, that of an Environment too. Set it
// in an init function, before any server starts. nil: expressions are accepted with a warning, and not evaluated.
var CEL apiserver.CEL

// WithTLS serves HTTPS.
func WithTLS() Option { return func(_ testing.TB, o *serve.Options) { o.TLS = true } }

// InMemory serves over net.Pipe, and so inside a testing/synctest bubble. Call Start in the bubble. Idle connections of clients
// must be closed before the bubble ends, as those of any client there.
func InMemory() Option { return func(_ testing.TB, o *serve.Options) { o.InMemory = true } }

// WithWebhookService says at which address (host:port) the webhooks of a service are, as those of a clientConfig with a service.
func WithWebhookService(namespace, name, address string) Option {
	return func(_ testing.TB, o *serve.Options) {
		if o.Webhooks.Services == nil {
			o.Webhooks.Services = map[string]string{}
		}
		o.Webhooks.Services[namespace+"/"+name] = address
	}
}

// Start starts an API server over TCP, at a free port of 127.0.0.1, and stops it when the test ends.
func Start(t testing.TB, opts ...Option) *Server {
	t.Helper()
	set, err := faults.New(0)
	if err != nil {
		t.Fatal(err)
	}
	o := serve.Options{Faults: set, CEL: CEL}
	for _, opt := range opts {
		opt(t, &o)
	}
	served, err := serve.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := served.Close(); err != nil {
			t.Errorf("the API server: %v", err)
		}
	})
	first := served.First()
	return &Server{Config: first.RESTConfig(), URL: first.URL(), Store: served.Store, Faults: o.Faults, t: t, served: served}
}

// Kubeconfig writes a kubeconfig into a temporary folder of the test, and returns its path. A server in memory has none that would
// be of use.
func (s *Server) Kubeconfig() string {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "kubeconfig")
	if err := os.WriteFile(file, s.served.Servers.Kubeconfig(), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return file
}

// View is the config of a server that WithView has added.
func (s *Server) View(name string) *clientrest.Config {
	s.t.Helper()
	for _, n := range s.served.Servers {
		if n.Name == name {
			return n.Server.RESTConfig()
		}
	}
	s.t.Fatalf("there is no view %q", name)
	return nil
}

// WithView adds a server on the same store, whose caches are behind; see Server.View.
func WithView(v serve.View) Option {
	return func(_ testing.TB, o *serve.Options) { o.Views = append(o.Views, v) }
}
