//go:build unix

package fuzz_test

import (
	"math/rand/v2"
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
)

// BenchmarkStories plays random stories of 20 steps on a correct implementation, one after the other, and judges them. It collects
// garbage as the workers of the command do.
func BenchmarkStories(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	for _, name := range []string{"store/map", "store/expiring", "store/delta", "store/log", "informer/streams", "informer/http", "listerwatcher/typed", "watchcache/fake", "runtime/containerd", "runtime/cri-o", "node/reference"} {
		b.Run(name, func(b *testing.B) {
			target, err := open(b.Context(), name)
			require.NoError(b, err)
			c := target.Cases[0]
			stories := func(t *testing.T) { // virtual time needs a testing.T
				before := processor(b)
				n := 0
				for ; b.Loop(); n++ {
					one, err := c.Play(c.Kind.Language.Draw(rand.New(rand.NewPCG(1, uint64(n))), 20))
					require.NoError(t, err)
					harness.Run(one, harness.Options{TB: t, Seed: 1})
				}
				b.ReportMetric((processor(b)-before).Seconds()*1000/float64(n), "cpu-ms/story")
			}
			all := func(string, string) (bool, error) { return true, nil }
			require.True(b, testing.RunTests(all, []testing.InternalTest{{Name: "stories", F: stories}}))
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "stories/s")
		})
	}
}

// processor returns the time that the process has had of the processor: on a busy machine it says more than the clock.
func processor(b *testing.B) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
