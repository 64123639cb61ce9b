package watchcache_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
)

// reachesEveryClass: every clause names the classes of request that a run must reach for it, and on the fake each of
// them is reached.
func reachesEveryClass(t *testing.T, kind *harness.Kind, results []harness.Result) {
	t.Helper()
	require.NoError(t, kind.Validate())
	for _, r := range kind.Rules {
		if r.Address() != harness.Survives.Address() { // every class is one of its
			assert.NotEmpty(t, r.Clause.Classes, "%s names no class", r.Address())
		}
	}
	in := report.Input{Results: results, Kinds: []*harness.Kind{kind}}
	for _, r := range in.Results {
		in.Header.Plan = append(in.Header.Plan, report.Planned{Target: r.Target, Check: r.Check})
	}
	for _, c := range report.New(in).Kinds[0].Classes {
		assert.Positive(t, c.Reached, "%s of %v was never reached", c.Class, c.Clauses)
	}
}
