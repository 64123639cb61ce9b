// Package fake puts lwtest's own API server, in this process and without a
// wire, to the suites.
package fake

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	clientrest "k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/fakes/apiserver/schemas"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/mutants"
	"github.com/lwtest/lwtest/plugins/resources"
)

// Features are what the fake declares of ConfigMaps: all that the suite has, but for what these lack, and for faults of a storage: it is its own.
func Features() []harness.Feature { return featuresOf(resources.ConfigMaps) }

func featuresOf(r resources.Resource) []harness.Feature {
	out := []harness.Feature{harness.VirtualTime}
	for _, f := range watchcache.Suite.Features {
		if !slices.Contains(r.Lacks, f.Name) && f.Name != watchcache.StorageFaults {
			out = append(out, f.Name)
		}
	}
	return out
}

// Open opens the target "fake", or with the argument mutant/NAME or
// oddity/NAME a server that breaks one rule, or does one odd thing, or with
// resource/NAME the fake tested with another resource than ConfigMaps.
func Open(_ context.Context, arg string) (harness.Target, error) {
	if arg == "" {
		return harness.Target{Name: "fake", Cases: cases("fake", func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
			s := apiserver.New(o)
			return s, s
		})}, nil
	}
	if name, ok := strings.CutPrefix(arg, "resource/"); ok {
		return ofResource(name)
	}
	return mutants.Find("fake:"+arg, slices.Concat(Mutants(), Nulls(), Oddities()))
}

// cases binds the suites to servers that open makes, one for each check, with
// the run's seed.
func cases(name string, open func(apiserver.Options) (apiserver.API, *apiserver.Server)) []harness.Case {
	return casesOf(name, resources.ConfigMaps, open)
}

// casesOf is cases for a resource; without are features that these servers do not have of it.
func casesOf(name string, r resources.Resource, open func(apiserver.Options) (apiserver.API, *apiserver.Server), without ...harness.Feature) []harness.Case {
	return watchcache.Suite.Bind(harness.Plugin[watchcache.Subject]{
		Name:     name,
		Features: slices.DeleteFunc(featuresOf(r), func(f harness.Feature) bool { return slices.Contains(without, f) }),
		Open: func(t *harness.T) (watchcache.Subject, error) {
			api, server := open(apiserver.Options{Seed: uint64(t.Seed()), NoShards: !t.Has(watchcache.Shards), Types: schemas.Types}) // where it is withdrawn, it is off: a real server says so by itself
			t.Cleanup(func() { _ = server.Close() })                                                                                  // its error is always nil
			return subject{resources.Controls{Server: server, Of: r.GVR()}, api, r, sync.OnceValue(func() *resources.Forms { return overHTTP(t, api) })}, nil
		},
	})
}

// subject is an API server as a watchcache.Subject, with all that one may offer.
type subject struct {
	resources.Controls
	api   apiserver.API
	res   resources.Resource
	forms func() *resources.Forms
}

// Cluster implements watchcache.ClusterScoper. Nobody else has the server: names need no prefix.
func (s subject) Cluster() (c watchcache.Client, prefix string) {
	return shown{s.api, resources.Namespaces, apiserver.Request{Resource: resources.Namespaces.GVR()}, s.forms}, ""
}

// InVersion implements watchcache.VersionServer.
func (s subject) InVersion(namespace string, other bool) watchcache.Client {
	r := s.res.InVersion(other)
	return shown{s.api, r, apiserver.Request{Resource: r.GVR(), Namespace: namespace}, s.forms}
}

func (s subject) In(namespace string) watchcache.Client {
	if s.res.Name == resources.ConfigMaps.Name {
		return configMaps{apiserver.ConfigMaps(s.api, namespace), s, namespace}
	}
	return shown{s.api, s.res, apiserver.Request{Resource: s.res.GVR(), Namespace: namespace}, s.forms}
}

// configMaps is a client that reads other forms than JSON over HTTP.
type configMaps struct {
	*apiserver.Client[*corev1.ConfigMap, *corev1.ConfigMapList]
	of        subject
	namespace string
}

// As implements watchcache.Former.
func (c configMaps) As(form string) watchcache.Client {
	return c.of.forms().Client(c, c.of.res, c.namespace, form)
}

// overHTTP serves an API over HTTP in memory, and reads it in forms.
func overHTTP(t *harness.T, api apiserver.API) *resources.Forms {
	o := rest.Options{Resources: resources.Rows()}
	if faulty, ok := api.(interface {
		Around(http.Handler) http.Handler
	}); ok { // a mutant
		o.Around = faulty.Around
	}
	h, err := rest.ServePipe(api, o)
	if err != nil {
		panic(err) // it makes certificates, and nothing else that can fail
	}
	t.Cleanup(func() { _ = h.Close() }) // there is nothing in memory that fails
	config := h.RESTConfig()
	client, err := clientrest.HTTPClientFor(config)
	if err != nil {
		panic(err) // the configuration is of this process
	}
	return resources.NewForms(config, client)
}
