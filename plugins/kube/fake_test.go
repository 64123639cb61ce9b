package kube

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/mutants"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/internal/full/cases"
	"github.com/lwtest/lwtest/plugins/fake"
	"github.com/lwtest/lwtest/plugins/resources"
)

// The suite comes to the same verdicts over HTTP as without a wire. In full it is the whole by ConfigMaps, and a sixth of it
// by each other resource; with LWTEST_FULL=every the whole by every resource.
func TestFakeOverHTTP(t *testing.T) {
	for over, without := range map[string]string{
		"http": "", "http/leases": "resource/leases", "http/events": "resource/events", "http/things": "resource/things",
		"http/deployments": "resource/deployments", "http/pods": "resource/pods",
	} {
		t.Run(over, func(t *testing.T) {
			wire, err := OpenFake(t.Context(), over)
			require.NoError(t, err)
			direct, err := fake.Open(t.Context(), without)
			require.NoError(t, err)
			require.Len(t, wire.Cases, len(direct.Cases))
			numbers, inFull := make([]int, len(wire.Cases)), 1
			for i := range numbers {
				numbers[i] = i
			}
			if over != "http" {
				inFull = 6
			}
			for _, i := range full.Thin(t, numbers, 8*inFull, inFull, 0) {
				c := wire.Cases[i]
				t.Run(c.Name, func(t *testing.T) {
					require.Equal(t, direct.Cases[i].Address(), c.Address())
					want, _ := harness.Run(direct.Cases[i], harness.Options{TB: t, Seed: 1})
					got, _ := harness.Run(c, harness.Options{TB: t, Seed: 1})
					require.Equal(t, want.Verdict, got.Verdict, "%s\n%s", got.Reason, got.Stack)
				})
			}
		})
	}
}

// The wire hides no fault: of some mutants the rule that catches it without a wire finds it here, too.
func TestMutantsOverHTTP(t *testing.T) {
	for _, m := range full.Thin(t, mutants.All(), 1000, 100, 0) {
		if m.Rule == "watchcache/watch/stop" { // who hangs up hears no more
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			caught := false
			resource, err := resources.Find(m.Resource)
			require.NoError(t, err)
			for _, c := range wiredTarget(m.Name, resource, m.Open).Cases {
				if caught {
					break
				}
				t.Run(c.Name, func(t *testing.T) {
					r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1})
					for _, rr := range r.Rules {
						caught = caught || rr.Verdict == harness.Fail && "watchcache/"+rr.Rule == m.Rule
					}
				})
			}
			require.True(t, caught, "by %s", m.Rule)
		})
	}
}

func TestNoSuchFake(t *testing.T) {
	_, err := OpenFake(t.Context(), "http/nosuch")
	require.ErrorContains(t, err, "nosuch")
}

// waits are the checks that let much real time pass.
var waits = []string{
	"list/future", "get/future", "watchlist/future", "watch/future", "watch/error-ends", "watch/timeout", "watch/slow",
	"bookmark/monotonic", "bookmark/complete", "bookmark/asked", "watchlist/once",
}

// Over TLS, with a token, by a kubeconfig, in real time it is an API server like any other: the suite passes,
// in namespaces that it makes and that go with all that is in them.
func TestFakeByKubeconfig(t *testing.T) {
	was := patience
	patience = 2 * time.Second // there is no controller
	defer func() { patience = was }()
	api := apiserver.New(apiserver.Options{Namespaces: true})
	defer api.Close()
	h, err := rest.Serve(api, rest.Options{TLS: true, Token: "secret"})
	require.NoError(t, err)
	defer h.Close()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(path, h.Kubeconfig(), 0o600))
	target, err := Open(t.Context(), Options{Kubeconfig: path})
	require.NoError(t, err)
	var tested atomic.Int32
	some := cases.Part(t, target.Cases, 4, 0)
	todo := make(chan harness.Case)
	var all sync.WaitGroup
	for range 4 { // they mostly wait
		all.Go(func() {
			for c := range todo {
				r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, RunID: "t"})
				switch r.Verdict {
				case harness.Pass:
					tested.Add(1)
				case harness.Skip:
				default:
					t.Errorf("%s: %s: %s", r.Check, r.Verdict, r.Reason)
				}
			}
		})
	}
	for _, c := range some {
		if !c.Isolation.Exclusive() && !slices.Contains(waits, c.Name) {
			todo <- c
		}
	}
	close(todo)
	all.Wait()
	enough := len(some) / 3
	if full.Wanted() {
		enough = 50
	}
	require.Greater(t, int(tested.Load()), enough)
	late, err := target.Close()
	require.NoError(t, err)
	require.Empty(t, late)
	a := admin(t, h.RESTConfig())
	left, err := a.ours(t.Context())
	require.NoError(t, err)
	require.Empty(t, left)
}
