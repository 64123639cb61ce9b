// Package fake puts lwtest's own API server, in this process and without a
// wire, to the suites.
package fake

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/resources"
)

// Features are what the fake declares: all that the suite has.
func Features() []harness.Feature {
	out := []harness.Feature{harness.VirtualTime}
	for _, f := range watchcache.Suite.Features {
		out = append(out, f.Name)
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
	for _, v := range slices.Concat(Mutants(), Nulls(), Oddities()) {
		if v.Target.Name == "fake:"+arg {
			return v.Target, nil
		}
	}
	return harness.Target{}, fmt.Errorf("there is no fake %q: say fake alone, fake:mutant/NAME or fake:oddity/NAME with a name that `lwtest mutants` prints", arg)
}

// cases binds the suites to servers that open makes, one for each check, with
// the run's seed; without are features that these do not have.
func cases(name string, open func(apiserver.Options) (apiserver.API, *apiserver.Server), without ...harness.Feature) []harness.Case {
	return casesOf(name, resources.ConfigMaps, open, without...)
}

// casesOf is cases for a resource.
func casesOf(name string, r resources.Resource, open func(apiserver.Options) (apiserver.API, *apiserver.Server), without ...harness.Feature) []harness.Case {
	return watchcache.Suite.Bind(harness.Plugin[watchcache.Subject]{
		Name:     name,
		Features: slices.DeleteFunc(Features(), func(f harness.Feature) bool { return slices.Contains(without, f) }),
		Open: func(t *harness.T) (watchcache.Subject, error) {
			api, server := open(apiserver.Options{Seed: uint64(t.Seed()), NoShards: !t.Has(watchcache.Shards)}) // where it is withdrawn, it is off: a real server says so by itself
			t.Cleanup(func() { _ = server.Close() })                                                            // its error is always nil
			return subject{api, server, r}, nil
		},
	})
}

// subject is an API server as a watchcache.Subject, with all that one may offer.
type subject struct {
	api    apiserver.API
	server *apiserver.Server
	res    resources.Resource
}

func (s subject) In(namespace string) watchcache.Client {
	if s.res.Name == resources.ConfigMaps.Name {
		return apiserver.ConfigMaps(s.api, namespace)
	}
	return shown{s.api, s.res, apiserver.Request{Resource: s.gvr(), Namespace: namespace}}
}

func (s subject) gvr() schema.GroupVersionResource {
	return s.res.GroupVersion.WithResource(s.res.Name)
}

// Compact implements watchcache.Compactor.
func (s subject) Compact(context.Context) (string, error) {
	rv := s.server.Revision()
	return rv, s.server.Compact(rv)
}

// MoveWindow implements watchcache.WindowMover.
func (s subject) MoveWindow(context.Context) error {
	return s.server.ForgetEvents(s.gvr(), "")
}

// Restart implements watchcache.Restarter.
func (s subject) Restart(context.Context) error {
	s.server.Restart()
	return nil
}

// DeleteTogether implements watchcache.Deleter.
func (s subject) DeleteTogether(namespace string, names ...string) error {
	var reqs []apiserver.Request
	for _, n := range names {
		reqs = append(reqs, apiserver.Request{Resource: s.gvr(), Namespace: namespace, Name: n})
	}
	return s.server.DeleteTogether(reqs...)
}

// SetLag implements watchcache.Lagger.
func (s subject) SetLag(_ context.Context, lag time.Duration) error {
	s.server.SetLag(lag)
	return nil
}

// SetReady implements watchcache.Starter.
func (s subject) SetReady(_ context.Context, ready bool) error {
	if ready {
		return s.server.StartCache(s.gvr())
	}
	return s.server.StopCache(s.gvr())
}
