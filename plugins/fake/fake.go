// Package fake puts lwtest's own API server, in this process and without a
// wire, to the suites.
package fake

import (
	"context"
	"fmt"
	"slices"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/harness"
)

// Features are what the fake declares: all that the suite has.
func Features() []harness.Feature {
	out := []harness.Feature{harness.VirtualTime}
	for _, f := range watchcache.Suite.Features {
		out = append(out, f.Name)
	}
	return out
}

// Open opens the target "fake"; it takes no argument.
func Open(_ context.Context, arg string) (harness.Target, error) {
	if arg != "" {
		return harness.Target{}, fmt.Errorf("the target fake takes no argument, and %q was given", arg)
	}
	cases := Cases("fake", func(seed uint64) apiserver.API { return apiserver.New(apiserver.Options{Seed: seed}) })
	return harness.Target{Name: "fake", Cases: cases}, nil
}

// Cases binds the suites to servers that open makes, one for each check, with
// the run's seed. A server that has Close is closed at the end of its check.
func Cases(name string, open func(seed uint64) apiserver.API, without ...harness.Feature) []harness.Case {
	has := slices.DeleteFunc(Features(), func(f harness.Feature) bool { return slices.Contains(without, f) })
	return watchcache.Suite.Bind(harness.Plugin[watchcache.Subject]{
		Name:     name,
		Features: has,
		Open: func(t *harness.T) (watchcache.Subject, error) {
			api := open(uint64(t.Seed()))
			if c, ok := api.(interface{ Close() error }); ok {
				t.Cleanup(func() { _ = c.Close() }) // its error is always nil
			}
			return subject{api}, nil
		},
	})
}

// subject is an API server as a watchcache.Subject.
type subject struct{ api apiserver.API }

func (s subject) In(namespace string) watchcache.Client {
	return apiserver.ConfigMaps(s.api, namespace)
}
