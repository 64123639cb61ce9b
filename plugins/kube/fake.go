package kube

import (
	"context"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/fakes/apiserver/schemas"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/resources"
)

// OpenFake opens the target fake:http or fake:http/RESOURCE: lwtest's own API
// server behind HTTP in memory, asked as any other is, in virtual time. Each
// check has a server of its own.
func OpenFake(_ context.Context, arg string) (harness.Target, error) {
	r, err := resources.Find(strings.TrimPrefix(strings.TrimPrefix(arg, "http"), "/"))
	if err != nil {
		return harness.Target{}, err
	}
	return wiredTarget("fake:"+arg, r, func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
		s := apiserver.New(o)
		return s, s
	}), nil
}

// making makes a server and the API that is served of it.
type making func(apiserver.Options) (apiserver.API, *apiserver.Server)

func wiredTarget(name string, r resources.Resource, open making) harness.Target {
	features := []harness.Feature{harness.VirtualTime}
	for _, f := range watchcache.Suite.Features {
		if !slices.Contains(r.Lacks, f.Name) {
			features = append(features, f.Name)
		}
	}
	return harness.Target{Name: name, Cases: watchcache.Suite.Bind(harness.Plugin[watchcache.Subject]{
		Name: name, Features: features,
		Open: func(t *harness.T) (watchcache.Subject, error) { return openWired(t, r, open) },
	})}
}

// wired is the fake behind HTTP: clients go over the wire, and what no API can be told is done to the
// server itself.
type wired struct {
	*server
	resources.Controls
}

func openWired(t *harness.T, r resources.Resource, open making) (watchcache.Subject, error) {
	o := apiserver.Options{Seed: uint64(t.Seed()), NoShards: !t.Has(watchcache.Shards), Types: schemas.Types}
	o.Resources = resources.Rows()
	if r.Definition != "" {
		o.FirstRevision = 10 // its definition was written before
	}
	api, store := open(o)
	t.Cleanup(func() { _ = store.Close() }) // its error is always nil
	h, err := rest.ServePipe(api, rest.Options{Resources: o.Resources})
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = h.Close() }) // there is nothing in memory that fails
	s := wired{&server{resource: r, clock: &clock{}}, resources.Controls{Server: store, Of: r.GVR()}}
	return s, s.clients(h.RESTConfig())
}

// Cluster implements watchcache.ClusterScoper. Nobody else has the server: names need no prefix.
func (s wired) Cluster() (c watchcache.Client, prefix string) {
	return formed{client{s.core, resources.Namespaces, ""}, s.forms}, ""
}

func (s wired) In(namespace string) watchcache.Client {
	return formed{client{s.objects, s.resource, namespace}, s.forms}
}
