package watchcache_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
)

// Every clause names the classes of request that a run must reach for it, and
// on the fake each of them is reached.
func TestClasses(t *testing.T) {
	target := openFake(t, "")
	kind := target.Cases[0].Kind
	require.NoError(t, kind.Validate())
	for _, r := range kind.Rules {
		if r.Address() != harness.Survives.Address() { // every class is one of its
			assert.NotEmpty(t, r.Clause.Classes, "%s names no class", r.Address())
		}
	}
	in := report.Input{Results: append(results(t, target), ofLacking(t)...), Kinds: []*harness.Kind{kind}}
	for _, r := range in.Results {
		in.Header.Plan = append(in.Header.Plan, report.Planned{Target: r.Target, Check: r.Check})
	}
	all := report.New(in)
	for _, c := range all.Kinds[0].Classes {
		assert.Positive(t, c.Reached, "%s of %v was never reached", c.Class, c.Clauses)
	}
}
