package listerwatcher_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/listerwatcher"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/plugins/clientgo"
	"github.com/lwtest/lwtest/plugins/clientgo/listwatch"
	"github.com/lwtest/lwtest/plugins/fake"
)

// ways are those of client-go that reach all there is to reach.
var ways = []string{"typed", "pager", "retry-watcher", "until", "until-with-sync"}

// Every clause names the classes that a run must reach for it, and client-go reaches each of them, and puts each rule
// to the test. What lwtest records it can read.
func TestClasses(t *testing.T) {
	if full.Race {
		t.Skip("plugins/clientgo/listwatch has the same clients under the race detector")
	}
	clientgo.Quiet()
	kind := listerwatcher.Suite.Describe()
	require.NoError(t, kind.Validate())
	in := report.Input{Kinds: []*harness.Kind{kind}}
	tested := map[string]bool{}
	for _, name := range ways {
		target, err := listwatch.Target(name, fake.Server, append(fake.ServerFeatures, harness.VirtualTime)...)
		require.NoError(t, err)
		for _, c := range target.Cases {
			r, h := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: target.Name})
			if h != nil { // it was not skipped
				assert.NoError(t, listerwatcher.Readable(h), "%s of %s", r.Check, name)
			}
			for _, rr := range r.Rules {
				tested[rr.Rule] = tested[rr.Rule] || rr.Tested > 0
			}
			in.Results = append(in.Results, r)
			in.Header.Plan = append(in.Header.Plan, report.Planned{Target: r.Target, Check: r.Check})
		}
	}
	for _, r := range listerwatcher.Suite.Rules {
		assert.NotEmpty(t, r.Clause.Classes, "%s names no class", r.Address())
		assert.True(t, tested[r.Address()], "%s was never put to the test", r.Address())
	}
	for _, c := range report.New(in).Kinds[0].Classes {
		assert.Positive(t, c.Reached, "%s of %v was never reached", c.Class, c.Clauses)
	}
}
