package clientgo_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/clientgo"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Every check that a store's features allow passes, but for what is known, and
// no line is stale.
func TestStores(t *testing.T) {
	for _, target := range clientgo.Targets() {
		t.Run(target.Name, func(t *testing.T) {
			opened, err := target.Open(t.Context(), "")
			require.NoError(t, err)
			var results []harness.Result
			for _, c := range opened.Cases {
				r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: target.Name})
				results = append(results, r)
			}
			require.NoError(t, harness.Cover(opened.Known, results), "stale lines")
			passed := 0
			for _, r := range results {
				if r.Verdict == harness.Pass {
					passed++
				} else if r.Verdict != harness.Skip && r.Known == "" {
					t.Errorf("%s: %s %s", r.Check, r.Verdict, r.Reason)
					for _, rr := range r.Rules {
						if rr.Verdict == harness.Fail {
							t.Error(opened.Cases[0].Kind.Explain(rr))
						}
					}
				}
			}
			assert.Positive(t, passed)
			t.Logf("%d of %d passed", passed, len(results))
		})
	}
}

// In real time, whose clock is a bubble's here, each verdict is the same.
func TestStoresInRealTime(t *testing.T) {
	for _, target := range clientgo.Targets() {
		opened, err := target.Open(t.Context(), "")
		require.NoError(t, err)
		for _, c := range opened.Cases {
			virtual, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: target.Name})
			synctest.Test(t, func(t *testing.T) {
				r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: target.Name, RealTime: true})
				assert.Equal(t, virtual.Verdict, r.Verdict, "%s on %s: %s", c.Name, target.Name, r.Reason)
			})
		}
	}
}

func TestNoArgument(t *testing.T) {
	_, err := clientgo.Targets()[0].Open(t.Context(), "x")
	assert.ErrorContains(t, err, "takes no argument")
}
