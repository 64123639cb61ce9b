package clientgo_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/clientgo"
	"github.com/lwtest/lwtest/plugins/clientgo/informers"
	"github.com/lwtest/lwtest/plugins/clientgo/listwatch"
	"github.com/lwtest/lwtest/plugins/fake"
)

// BenchmarkSuites is all three suites of the client side, each on one way of client-go, in this process, one check
// after the other: what somebody waits for who has an implementation of each.
func BenchmarkSuites(b *testing.B) {
	clientgo.Quiet()
	has := append([]harness.Feature{harness.VirtualTime}, fake.ServerFeatures...)
	informer, err := informers.Target("shared-informer", fake.Server, has...)
	require.NoError(b, err)
	listwatcher, err := listwatch.Target("typed", fake.Server, has...)
	require.NoError(b, err)
	store, err := clientgo.Targets()[1].Open(b.Context(), "")
	require.NoError(b, err)
	suites := func(t *testing.T) {
		for _, target := range []harness.Target{informer, listwatcher, store} {
			for _, c := range target.Cases {
				harness.Run(c, harness.Options{TB: t, Seed: 1, Target: target.Name})
			}
		}
	}
	all := func(string, string) (bool, error) { return true, nil }
	for b.Loop() { // virtual time needs a testing.T
		require.True(b, testing.RunTests(all, []testing.InternalTest{{Name: "suites", F: suites}}))
	}
}
