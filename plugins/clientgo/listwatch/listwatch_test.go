package listwatch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/internal/full/cases"
	"github.com/lwtest/lwtest/plugins/clientgo/listwatch"
	"github.com/lwtest/lwtest/plugins/fake"
)

// Every check that the features of a way allow passes, but for what is known, and no line is stale.
func TestSuite(t *testing.T) {
	for i, name := range listwatch.Names() {
		t.Run(name, func(t *testing.T) {
			target, err := listwatch.Target(name, fake.Server, append(fake.ServerFeatures, harness.VirtualTime)...)
			require.NoError(t, err)
			var results []harness.Result
			for _, c := range cases.Part(t, target.Cases, 4, i) {
				r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: target.Name})
				results = append(results, r)
			}
			if err := harness.Cover(target.Known, results); full.Wanted() {
				require.NoError(t, err, "stale lines")
			}
			passed := 0
			for _, r := range results {
				if r.Verdict == harness.Pass {
					passed++
				} else if r.Verdict != harness.Skip && r.Known == "" {
					t.Errorf("%s: %s %s", r.Check, r.Verdict, r.Reason)
					for _, rr := range r.Rules {
						if rr.Verdict == harness.Fail {
							t.Error(target.Cases[0].Kind.Explain(rr))
						}
					}
				}
			}
			assert.True(t, passed > 0 || full.Race) // of the few checks that run then, each may need what the target lacks
			t.Logf("%d of %d passed", passed, len(results))
		})
	}
}
