package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/resources"
)

// connectLimit is how long the server may take to answer the first requests.
const connectLimit = 15 * time.Second

// userAgent is how requests say who sends them; managedFields name their manager by it.
const userAgent = "lwtest"

// clients are those that repeat what is refused for now (see patient.go).
type clients struct{ core, objects, versions rest.Interface }

// server is a connection to an API server.
type server struct {
	http     *http.Client
	core     rest.Interface // core/v1: namespaces
	objects  rest.Interface // of the resource's group and version
	access   rest.Interface // authorization.k8s.io/v1
	tidy     clients        // for clearing up
	resource resources.Resource
	forms    *resources.Forms
	versions [2]rest.Interface // of the first and the other version of the resource
	version  string
	clock    *clock
	opened   time.Time // by that clock
	features []harness.Feature
	notes    []string // what whoever runs it should know

	etcd    *etcd                           // nil: it is not to be touched
	restart func(ctx context.Context) error // nil: it is not to be restarted

	mu   sync.Mutex
	errs []error // of the end of cases, for Close
}

// Config returns the configuration of a client that Kubeconfig and Context of the options name.
func Config(o Options) (*rest.Config, error) {
	if o.Config != nil {
		return o.Config, nil
	}
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	where := "the kubeconfig"
	if o.Kubeconfig != "" {
		if _, err := os.Stat(o.Kubeconfig); err != nil {
			return nil, fmt.Errorf("the kubeconfig cannot be read: %w: give its path, kubeconfig:PATH", err)
		}
		rules.ExplicitPath, where = o.Kubeconfig, "the kubeconfig "+o.Kubeconfig
	}
	raw, err := rules.Load()
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", where, err)
	}
	if name := o.Context; name != "" && raw.Contexts[name] == nil {
		return nil, fmt.Errorf("%s has no context %q; it has %s", where, name, list(slices.Sorted(maps.Keys(raw.Contexts))))
	}
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: o.Context}).ClientConfig()
	switch {
	case clientcmd.IsEmptyConfig(err):
		return nil, fmt.Errorf("%s names no API server: use --target kubeconfig:PATH, or set KUBECONFIG (%w)", where, err)
	case err != nil:
		return nil, fmt.Errorf("%s cannot be used: %w", where, err)
	}
	return config, nil
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// connect makes clients, asks for the version, and clears up.
func connect(ctx context.Context, config *rest.Config, o Options) (*server, error) {
	r, err := resources.Find(o.Resource)
	if err != nil {
		return nil, err
	}
	s := &server{resource: r, clock: &clock{}, restart: o.restart()}
	if o.Etcd != "" {
		if s.etcd, err = newEtcd(o.Etcd, o.EtcdTLS); err != nil {
			return nil, err
		}
	}
	if err := s.clients(config); err != nil {
		return nil, fmt.Errorf("the kubeconfig cannot be used: %w", err)
	}
	if err := s.hello(ctx, config.Host); err != nil {
		s.hangUp()
		return nil, err
	}
	return s, nil
}

// hello are the first requests.
func (s *server) hello(ctx context.Context, host string) error {
	limited, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	if err := s.greet(limited); err != nil {
		return teach(host, err)
	}
	s.opened = s.clock.now().Add(-2 * time.Second) // the Date it comes from has no fractions
	if err := s.mayAll(limited); err != nil {
		return err
	}
	if err := s.mayWork(limited); err != nil {
		return err
	}
	if err := s.define(limited); err != nil {
		return err
	}
	if err := s.tryEtcd(limited); err != nil {
		return err
	}
	if err := s.probe(limited); err != nil {
		return err
	}
	return s.removeStale(ctx)
}

func (s *server) clients(config *rest.Config) error {
	c := rest.CopyConfig(config)
	c.QPS = -1 // a drive's requests leave when it makes them
	c.Timeout = 0
	c.ContentType, c.AcceptContentTypes = runtime.ContentTypeJSON, runtime.ContentTypeJSON
	c.UserAgent = userAgent
	c.WarningHandler = rest.NoWarnings{}
	c.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	c.Wrap(s.clock.wrap)
	var err error
	if s.http, err = rest.HTTPClientFor(c); err != nil {
		return err
	}
	s.forms = resources.NewForms(c, s.http)
	if s.core, err = restClient(c, s.http, schema.GroupVersion{Version: "v1"}); err != nil {
		return err
	}
	if s.access, err = restClient(c, s.http, authorizationv1.SchemeGroupVersion); err != nil {
		return err
	}
	again := &http.Client{Transport: &patient{s.http.Transport}}
	if s.tidy.core, err = restClient(c, again, schema.GroupVersion{Version: "v1"}); err != nil {
		return err
	}
	if s.resource.Definition != "" {
		c.NegotiatedSerializer = anyKind()
	}
	for i, r := range s.resource.Versions {
		if s.versions[i], err = restClient(c, s.http, r.GroupVersion); err != nil {
			return err
		}
	}
	if len(s.resource.Versions) > 0 {
		if s.tidy.versions, err = restClient(c, again, s.resource.InVersion(false).GroupVersion); err != nil {
			return err
		}
	}
	if s.tidy.objects, err = restClient(c, again, s.resource.GroupVersion); err != nil {
		return err
	}
	s.objects, err = restClient(c, s.http, s.resource.GroupVersion)
	return err
}

func restClient(c *rest.Config, h *http.Client, gv schema.GroupVersion) (rest.Interface, error) {
	own := *c
	own.GroupVersion = &gv
	own.APIPath = "/apis"
	if gv.Group == "" {
		own.APIPath = "/api"
	}
	return rest.RESTClientForConfigAndClient(&own, h)
}

// hangUp lets go of the connection. It may be another target's too, which
// dials again then: client-go shares them by configuration.
func (s *server) hangUp() { utilnet.CloseIdleConnectionsFor(s.http.Transport) }

// greet asks for the version.
func (s *server) greet(ctx context.Context) error {
	b, err := s.core.Get().AbsPath("/version").DoRaw(ctx)
	if apierrors.IsForbidden(err) { // it answers, and knows us: that will do
		return nil
	}
	if err != nil {
		return err
	}
	var v struct{ GitVersion string }
	if err := json.Unmarshal(b, &v); err != nil || v.GitVersion == "" {
		return fmt.Errorf("its answer to /version is not a Kubernetes version: %.80q", b)
	}
	s.version = v.GitVersion
	return nil
}

// teach says what can be done about a server that cannot be talked to.
func teach(host string, err error) error {
	switch {
	case apierrors.IsUnauthorized(err):
		return fmt.Errorf("the API server %s rejects the credentials of the kubeconfig: %w: they may have expired, or belong to another cluster (--context chooses)", host, err)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("the API server %s does not answer within %s: %w: check that it runs and that this machine can reach it", host, connectLimit, err)
	case isAnswer(err):
		return fmt.Errorf("%s does not answer like an API server: %w: check the server's address in the kubeconfig", host, err)
	}
	return fmt.Errorf("the API server %s cannot be reached: %w: check that it runs, and the server's address in the kubeconfig", host, err)
}

func isAnswer(err error) bool {
	var s apierrors.APIStatus
	return errors.As(err, &s)
}

// refused says that the server did not do it, for certain.
func refused(err error) bool {
	var s apierrors.APIStatus
	return errors.As(err, &s) && s.Status().Code < http.StatusInternalServerError
}

// note keeps an error of the end of a case for Close.
func (s *server) note(err error) {
	if err == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.errs = append(s.errs, err)
}
