// Package kube puts any Kubernetes API server that a kubeconfig leads to before
// the watchcache suite.
//
// One call of a drive is one HTTP request: nothing is retried, throttled or
// cached. Each check works in namespaces of its own, which carry a heartbeat
// and go with the check (see namespaces.go and sweep.go); nothing else on the
// server is changed. Any number of runs can share a server.
package kube

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
)

// Options say which API server, and what of it.
type Options struct {
	Kubeconfig string // path; empty: $KUBECONFIG, the default path, or the service account of this pod
	Context    string // empty: the kubeconfig's current one
	Resource   string // "configmaps" (default) or "leases"
}

// Features are what a kube-apiserver declares: all that the suite has, unless
// it is found switched off (see probe.go).
func Features() []harness.Feature {
	var out []harness.Feature
	for _, f := range watchcache.Suite.Features {
		out = append(out, f.Name)
	}
	return out
}

// Open connects, removes what earlier runs have left behind, and gives the
// suite's cases. Close ends what the deleted namespaces still wait for; it
// takes 30 seconds where no controller does that, and at most a minute.
func Open(ctx context.Context, o Options) (harness.Target, error) {
	config, err := load(o)
	if err != nil {
		return harness.Target{}, err
	}
	s, err := connect(ctx, config, o.Resource)
	if err != nil {
		return harness.Target{}, err
	}
	t := s.target()
	t.Name = strings.TrimSuffix("kubeconfig:"+o.Kubeconfig, ":")
	return t, nil
}

func (s *server) target() harness.Target {
	cases := watchcache.Suite.Bind(harness.Plugin[watchcache.Subject]{
		Name:     fmt.Sprintf("kube-apiserver %s, %s", cmp.Or(s.version, "of unknown version"), s.resource.name),
		Features: s.features,
		Open:     func(t *harness.T) (watchcache.Subject, error) { return &subject{server: s, t: t}, nil },
	})
	return harness.Target{Cases: cases, Notes: s.notes, Close: s.close}
}

// subject is the API server as one check sees it.
type subject struct {
	*server
	t *harness.T
}

func (s *subject) In(namespace string) watchcache.Client {
	return client{s.objects, s.resource, namespace}
}
