package watchcache

import (
	"context"
	"fmt"
	"slices"
	"strings"

	conformance "github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/resources"
)

// Open opens the target of the hostile subject with that name: lwtest's own
// fake with that misbehaviour in front of it.
func Open(_ context.Context, name string) (harness.Target, error) {
	var names []string
	for _, h := range All {
		if h.Name == name {
			return harness.Target{Name: "hostile:" + name, Cases: h.cases()}, nil
		}
		names = append(names, h.Name)
	}
	return harness.Target{}, fmt.Errorf("there is no hostile subject %q: there are %s", name, strings.Join(names, ", "))
}

func (h Hostile) cases() []harness.Case {
	has := []harness.Feature{harness.VirtualTime}
	for _, f := range conformance.Suite.Features {
		if !slices.Contains(resources.ConfigMaps.Lacks, f.Name) {
			has = append(has, f.Name)
		}
	}
	return conformance.Suite.Bind(harness.Plugin[conformance.Subject]{Name: "hostile: " + h.About, Features: has,
		Open: func(t *harness.T) (conformance.Subject, error) {
			server := apiserver.New(apiserver.Options{Seed: uint64(t.Seed())})
			t.Cleanup(func() { _ = server.Close() }) // its error is always nil
			return h.Wrap(good{server}), nil
		}})
}

type good struct{ api apiserver.API }

func (g good) In(namespace string) conformance.Client { return apiserver.ConfigMaps(g.api, namespace) }
