package informer_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/plugins/clientgo/informers"
	"github.com/lwtest/lwtest/plugins/fake"
	"github.com/lwtest/lwtest/plugins/mutants"
)

// bare is a server that does nothing but serve.
func bare(t *harness.T) (rig.Server, error) {
	s, err := fake.Server(t)
	return struct{ rig.Server }{s}, err
}

// A check that needs what a server does not have says so: it is skipped where the server declares nothing, and
// inconclusive where it declares what it does not have. No other needs it.
func TestBareServer(t *testing.T) {
	if full.Race {
		t.Skip("the other tests have the same drives under the race detector")
	}
	for _, has := range [][]harness.Feature{nil, fake.ServerFeatures} {
		target, err := informers.Target("shared-informer", bare, append(slices.Clone(has), harness.VirtualTime)...)
		require.NoError(t, err)
		for _, c := range target.Cases {
			r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: target.Name})
			switch {
			case r.Verdict == harness.Pass:
			case has == nil:
				assert.Equal(t, harness.Skip, r.Verdict, "%s: %s", r.Check, r.Reason)
				assert.NotEmpty(t, r.Reason, r.Check)
			case r.Verdict != harness.Skip:
				assert.Equal(t, harness.Inconclusive, r.Verdict, "%s: %s", r.Check, r.Reason)
				assert.Contains(t, r.Reason, "the server that the client is given does not have what server-", r.Check)
			}
		}
	}
}

// What polls is seen to do in a moment of real time only what waits for no further list; no check may be inconclusive of it.
func TestPollsInRealTime(t *testing.T) {
	all := ours.Oddities()
	i := slices.IndexFunc(all, func(m mutants.Target) bool { return m.Name == "polls-30s" })
	require.GreaterOrEqual(t, i, 0)
	ran := 0
	for _, c := range all[i].Cases() {
		r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, RealTime: true})
		if r.Verdict == harness.Pass {
			ran++
			continue
		}
		assert.Equal(t, harness.Skip, r.Verdict, "%s: %s", r.Check, r.Reason)
	}
	assert.Equal(t, 3, ran)
}

// What an HTTP client asks for again by itself is no stubbornness of the informer, and what is stubborn does not pass for want of
// patience: who would be refused for longer than the check waits is not proven, and nobody is blamed.
func TestRepeatsInRealTime(t *testing.T) {
	full.Need(t, "half a minute of waiting")
	for name, want := range map[string]harness.Verdict{"repeats-3": harness.Pass, "repeats-10": harness.Inconclusive, "client-go-0.18.5-too-large-not-go": harness.Inconclusive} {
		all := append(ours.Oddities(), ours.Mutants()...)
		i := slices.IndexFunc(all, func(m mutants.Target) bool { return m.Name == name })
		require.GreaterOrEqual(t, i, 0, name)
		at := slices.IndexFunc(all[i].Cases(), func(c harness.Case) bool { return c.Info.Name == "resume/too-large" })
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := harness.Run(all[i].Cases()[at], harness.Options{TB: t, Seed: 1, RealTime: true})
			assert.Equal(t, want, r.Verdict, "%s %+v", r.Reason, r.Rules)
			if want == harness.Inconclusive {
				assert.Contains(t, r.Reason, "too few to judge")
			}
		})
	}
}

// In real time a sentinel that one informer has says nothing of another of the same namespace.
func TestSettledTogetherInRealTime(t *testing.T) {
	all := ours.Oddities()
	i := slices.IndexFunc(all, func(m mutants.Target) bool { return m.Name == "first-keeps-late" })
	require.GreaterOrEqual(t, i, 0)
	ran := 0
	for _, c := range all[i].Cases() {
		if !slices.Contains([]string{"converge/equal/same", "converge/equal/two"}, c.Info.Name) {
			continue
		}
		r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, RealTime: true})
		assert.Equal(t, harness.Pass, r.Verdict, "%s: %s %+v", r.Check, r.Reason, r.Rules)
		ran++
	}
	assert.Equal(t, 2, ran)
}
