package fuzz_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
)

// BenchmarkStories plays random stories of 20 steps on a correct implementation, one after the other, and judges them.
func BenchmarkStories(b *testing.B) {
	for _, name := range []string{"store/map", "store/expiring", "store/delta", "store/log", "informer/streams", "informer/http", "listerwatcher/typed", "watchcache/fake", "runtime/containerd", "runtime/cri-o"} {
		b.Run(name, func(b *testing.B) {
			target, err := open(b.Context(), name)
			require.NoError(b, err)
			c := target.Cases[0]
			stories := func(t *testing.T) { // virtual time needs a testing.T
				for n := 0; b.Loop(); n++ {
					one, err := c.Play(c.Kind.Language.Draw(rand.New(rand.NewPCG(1, uint64(n))), 20))
					require.NoError(t, err)
					harness.Run(one, harness.Options{TB: t, Seed: 1})
				}
			}
			all := func(string, string) (bool, error) { return true, nil }
			require.True(b, testing.RunTests(all, []testing.InternalTest{{Name: "stories", F: stories}}))
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "stories/s")
		})
	}
}
