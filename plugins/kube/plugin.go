// Package kube puts any Kubernetes API server that a kubeconfig leads to before
// the watchcache suite, and gives it to the clients of the other suites (see
// OpenServers).
//
// One call of a drive is one HTTP request: nothing is retried, throttled or
// cached. Each check works in namespaces of its own, which carry a heartbeat
// and go with the check (see namespaces.go and sweep.go); nothing else on the
// server is changed. Any number of runs can share a server.
package kube

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"slices"
	"strings"

	"k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
)

// Options say which API server, and what of it.
type Options struct {
	Kubeconfig string // path; empty: $KUBECONFIG, the default path, or the service account of this pod
	Context    string // empty: the kubeconfig's current one
	Resource   string // one of resources; empty: "configmaps"
	Etcd       string // endpoint of the etcd behind it; empty: nothing is done to that
	RestartCmd string // restarts the API server; empty: it is not restarted

	Config  *rest.Config                    // in place of a kubeconfig; nil: that
	EtcdTLS *tls.Config                     // of an etcd that wants certificates; nil: it wants none
	Restart func(ctx context.Context) error // in place of a RestartCmd; nil: that
}

// Features are what a kube-apiserver declares for a resource: all that the
// suite has, but for what the resource lacks, what takes another's help (to
// etcd, to restart it), what no API server can be told (to lag), and what only
// its owner knows (that nobody else writes there). What it has switched off is
// found out (see probe.go), and so is what few have switched on.
func (s *server) declared() []harness.Feature {
	lacks := append([]harness.Feature{watchcache.Lag, watchcache.Starting, watchcache.Shards, watchcache.CBOR, watchcache.SoleWriter}, s.resource.Lacks...)
	if s.etcd == nil {
		lacks = append(lacks, watchcache.Compaction, watchcache.Together)
	}
	if s.restart == nil {
		lacks = append(lacks, watchcache.Restart)
	}
	var out []harness.Feature
	for _, f := range watchcache.Suite.Features {
		if !slices.Contains(lacks, f.Name) {
			out = append(out, f.Name)
		}
	}
	return out
}

// Open connects, removes what earlier runs have left behind, and gives the
// suite's cases. Close ends what the deleted namespaces still wait for; where no
// controller does that, it takes up to 30 seconds from the first deletion on,
// and at most a minute.
func Open(ctx context.Context, o Options) (harness.Target, error) {
	config, err := Config(o)
	if err != nil {
		return harness.Target{}, err
	}
	s, err := connect(ctx, config, o)
	if err != nil {
		return harness.Target{}, err
	}
	t := s.target()
	t.Name = strings.TrimSuffix("kubeconfig:"+o.Kubeconfig, ":")
	return t, nil
}

func (s *server) target() harness.Target {
	cases := watchcache.Suite.Bind(harness.Plugin[watchcache.Subject]{
		Name:     fmt.Sprintf("kube-apiserver %s, %s", cmp.Or(s.version, "of unknown version"), s.resource.Name),
		Features: s.features,
		Open:     func(t *harness.T) (watchcache.Subject, error) { return &subject{server: s, t: t}, nil },
	})
	return harness.Target{Cases: cases, Notes: s.notes, Ready: s.ready, Sweep: s.sweep, Close: s.close, Release: s.release}
}

// subject is the API server as one check sees it.
type subject struct {
	*server
	t          *harness.T
	namespaces []string // of the check
}

// InVersion implements watchcache.VersionServer.
func (s *server) InVersion(namespace string, other bool) watchcache.Client {
	by := s.versions[0]
	if other {
		by = s.versions[1]
	}
	return formed{client{by, s.resource.InVersion(other), namespace}, s.forms}
}

func (s *subject) In(namespace string) watchcache.Client {
	return formed{client{s.objects, s.resource, namespace}, s.forms}
}
