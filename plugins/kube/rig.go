package kube

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
)

// Servers gives clients under test an API server that a kubeconfig leads to: each case a proxy of its own in front of
// it, and two namespaces. Such a server has none of the features of rig: nobody can tell it to misbehave, to forget or
// to let go, and its time is real.
type Servers struct {
	server *server
	at     *url.URL
}

// OpenServers connects, and removes what earlier runs have left behind. Only Kubeconfig and Context of the options
// mean something to it. Who uses it alone must Close it; Lend has a target do so.
func OpenServers(ctx context.Context, o Options) (*Servers, error) {
	config, err := Config(o)
	if err != nil {
		return nil, err
	}
	return openServers(ctx, config)
}

func openServers(ctx context.Context, config *rest.Config) (*Servers, error) {
	at, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, fmt.Errorf("the kubeconfig's server cannot be used: %w", err)
	}
	s, err := connect(ctx, config, Options{})
	if err != nil {
		return nil, err
	}
	return &Servers{s, at}, nil
}

// String says whose server it is.
func (s *Servers) String() string {
	return "kube-apiserver " + cmp.Or(s.server.version, "of unknown version")
}

// Lend has a target that was made of Server bring what a shared server needs before and after its cases.
func (s *Servers) Lend(t harness.Target) harness.Target {
	t.Ready, t.Sweep, t.Close, t.Release = s.server.ready, s.server.sweep, s.server.close, s.server.release
	return t
}

// Close lets go of the server, as harness.Target has it.
func (s *Servers) Close() (string, error) { return s.server.close() }

// Server is that of a case: it ends, and its namespaces go, with that.
func (s *Servers) Server(t *harness.T) (rig.Server, error) {
	of := &subject{server: s.server, t: t}
	names, err := of.Namespaces(t.Context(), 2)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := s.server.furnished(t.Context(), name); err != nil {
			return nil, err
		}
	}
	p, err := newProxy(s.at, s.server.http.Transport)
	if err != nil {
		return nil, err
	}
	t.Cleanup(p.close)
	own, err := ownClient(p)
	if err != nil {
		return nil, err
	}
	return &lent{p, s.server, own, [2]string(names)}, nil
}

// lent is the server of one case.
type lent struct {
	*proxy
	server *server
	own    *http.Client // of list and watch functions
	names  [2]string
}

// Endpoint implements rig.Server.
func (l *lent) Endpoint(client string) rig.Endpoint {
	token := l.token + "." + client
	return rig.Endpoint{URL: l.url, Token: token, Direct: l.functions(token)}
}

// Namespaces implements rig.Server.
func (l *lent) Namespaces() (own, other string) { return l.names[0], l.names[1] }

// ConfigMaps implements rig.Server. What it does goes by the proxy.
func (l *lent) ConfigMaps(namespace string) rig.Writer {
	return client{l.server.objects, l.server.resource, namespace}
}

// rootCA is the ConfigMap that the controllers of an ordinary cluster put into each namespace, once.
const rootCA = "kube-root-ca.crt"

// furnished waits until the cluster's controllers have put into a new namespace what they put into all: a drive that
// has begun must be the only one that writes. On a bare API server they never do.
func (s *server) furnished(ctx context.Context, name string) error {
	if _, err := (client{s.objects, s.resource, "kube-system"}).Get(ctx, rootCA, metav1.GetOptions{}); err != nil {
		return ignoreNotFound(err)
	}
	ctx, cancel := context.WithTimeout(ctx, useLimit)
	defer cancel()
	for {
		_, err := client{s.objects, s.resource, name}.Get(ctx, rootCA, metav1.GetOptions{})
		if ignoreNotFound(err) != nil || err == nil {
			return err
		}
		select {
		case <-time.After(pollEvery):
		case <-ctx.Done():
			return fmt.Errorf("the namespace %s has no ConfigMap %s after %s, though kube-system has one: %w: check that the cluster's controllers run", name, rootCA, useLimit, ctx.Err())
		}
	}
}
