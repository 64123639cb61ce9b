package listerwatcher_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/listerwatcher"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/internal/full/cases"
	"github.com/lwtest/lwtest/plugins/clientgo"
	"github.com/lwtest/lwtest/plugins/fake"
	"github.com/lwtest/lwtest/plugins/mutants"
	clients "github.com/lwtest/lwtest/plugins/mutants/listerwatcher"
)

// Each rule has a mutant, and each mutant is flagged by its rule, on a drive that must put it to the test. No more
// drives are run than it needs: `lwtest mutants` runs all.
func TestMutants(t *testing.T) {
	clientgo.Quiet() // client-go tells of each answer that it cannot read
	all, has := clients.Mutants(fake.Server, fake.ServerFeatures...), map[string]bool{}
	for _, m := range all {
		has[m.Rule] = true
	}
	for _, m := range full.Part(t, all, 20, 0) {
		t.Run(m.Name, func(t *testing.T) {
			row := untilCaught(t, m)
			assert.True(t, row.Caught(), "%s does not flag it: %s", m.Rule, m.About)
		})
	}
	for _, r := range listerwatcher.Suite.Rules {
		assert.True(t, has["listerwatcher/"+r.Address()], "%s has no mutant", r.Address())
	}
}

// untilCaught runs the checks that its rule must judge, until it has flagged one: all, where that is subject/survives.
func untilCaught(t *testing.T, m mutants.Target) mutants.Row {
	t.Helper()
	var all []harness.Result
	for _, c := range m.Cases() {
		if m.Rule != "listerwatcher/subject/survives" && !slices.ContainsFunc(c.Rules, func(r harness.Rule) bool { return "listerwatcher/"+r.Address() == m.Rule }) {
			continue
		}
		r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: m.Target.Name})
		all = append(all, r)
		if mutants.NewRow(m, all).Caught() {
			break
		}
	}
	return mutants.NewRow(m, all)
}

// Who withholds something passes nothing about it.
func TestNulls(t *testing.T) {
	clientgo.Quiet()
	for i, m := range clients.Nulls(fake.Server, fake.ServerFeatures...) {
		t.Run(m.Name, func(t *testing.T) {
			var all []harness.Result
			for _, c := range cases.Part(t, m.Cases(), 8, i) {
				r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: m.Target.Name})
				all = append(all, r)
			}
			assert.Empty(t, mutants.NewRow(m, all).Wrong(), m.About)
		})
	}
}

// What is odd but correct passes every check, but for what client-go itself fails that it is made of.
func TestOddities(t *testing.T) {
	clientgo.Quiet()
	for i, m := range clients.Oddities(fake.Server, fake.ServerFeatures...) {
		t.Run(m.Name, func(t *testing.T) {
			var all []harness.Result
			for _, c := range cases.Part(t, m.Cases(), 8, i) {
				r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: m.Target.Name})
				all = append(all, r)
			}
			require.NoError(t, harness.Cover(m.Target.Known, all))
			for _, r := range all {
				ok := r.Verdict == harness.Pass || r.Verdict == harness.Skip || r.Known != ""
				assert.True(t, ok, "%s: %s %s %v", r.Check, r.Verdict, r.Reason, r.Rules)
			}
			assert.True(t, !full.Wanted() || mutants.NewRow(m, all).Cells[m.Rule].Tested > 0, "%s", m.Rule)
		})
	}
}

// A Stop that only sets a flag, and one of which the server is not told, fail in real time, too, where nobody knows how long the end of
// a watch may take.
func TestStopsInRealTime(t *testing.T) {
	all := clients.Mutants(fake.Server, fake.ServerFeatures...)
	for _, name := range []string{"stop-flagged", "stop-untold"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := all[slices.IndexFunc(all, func(m mutants.Target) bool { return m.Name == name })]
			c := m.Cases()[slices.IndexFunc(m.Cases(), func(c harness.Case) bool { return c.Name == "watch/stop" })]
			r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: m.Target.Name, RealTime: true, Span: time.Hour})
			assert.True(t, mutants.NewRow(m, []harness.Result{r}).Caught(), "%s %s", r.Verdict, r.Reason)
		})
	}
}
