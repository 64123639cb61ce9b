package store_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/lwtest/lwtest/conformance/store"
	"github.com/lwtest/lwtest/conformance/store/golden"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/internal/full/cases"
	"github.com/lwtest/lwtest/plugins/clientgo"
	"github.com/lwtest/lwtest/plugins/mutants"
	stores "github.com/lwtest/lwtest/plugins/mutants/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func results(t *testing.T, target harness.Target) []harness.Result {
	t.Helper()
	var out []harness.Result
	for _, c := range target.Cases {
		r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: target.Name})
		out = append(out, r)
	}
	return out
}

// clientGo are client-go's stores and queues.
func clientGo(t *testing.T) []harness.Target {
	t.Helper()
	var out []harness.Target
	for _, target := range clientgo.Targets() {
		opened, err := target.Open(t.Context(), "")
		require.NoError(t, err)
		out = append(out, opened)
	}
	return out
}

// Correct stores, which the mutants are made of, pass every check that their
// features allow. So do client-go's, but for what is known: see plugins/clientgo.
func TestCorrect(t *testing.T) {
	t.Setenv("LWTEST_SHOULD", "fail")
	for _, m := range stores.Correct() {
		t.Run(m.Target.Name, func(t *testing.T) { harness.Test(t, m.Cases()) })
	}
}

// Each rule has a mutant, and each mutant is flagged by its rule on the suite's
// ordinary drives, each of which ran to its end or to the fault.
func TestMutants(t *testing.T) {
	all, has := stores.Mutants(), map[string]bool{}
	for _, m := range all {
		has[m.Rule] = true
	}
	for _, m := range full.Part(t, all, 40, 0) {
		t.Run(m.Name, func(t *testing.T) {
			row := mutants.NewRow(m, results(t, m.Open()))
			assert.Empty(t, innocents(m, row.Results), "these are blamed for %s", m.About)
			assert.True(t, row.Caught(), "%s: %s does not flag it: %s", m.Name, m.Rule, m.About)
			for _, r := range row.Results {
				if r.Verdict == harness.Inconclusive {
					assert.Empty(t, r.Stack, "%s: %s", r.Check, r.Reason) // that stopped the drive
				}
			}
		})
	}
	for _, r := range store.Suite.Rules {
		assert.True(t, has["store/"+r.Address()], "%s has no mutant", r.Address())
	}
}

// alsoBreaks are the other rules that a map with one fault breaks: it is more than one wrong thing, or may be read as such.
var alsoBreaks = map[string][]string{
	"at-once-backwards":   {"basic/add", "basic/delete", "version/told"}, // each verb is done before another
	"list-none-expired":   {"basic/list"},                                // what is young is missing, too
	"index-first-value":   {"index/add-late", "replace/exact"},           // however the index was made
	"index-unknown-empty": {"index/add-late"},                            // an index that may be there, and is empty
	"large-unindexed":     {"index/add-late"},                            // an index of many is made so, too
	"large-values":        {"index/add-late"},                            // one that is made of what is there, too
	"large-under":         {"replace/exact"},                             // however the index was made
	"large-at-once":       {"basic/update"},                              // changes of every sort
}

// innocents are rules of maps that a mutant breaks, and has no reason to, where one call comes after the other: by
// any order of all calls most of what is wrong is seen, too.
func innocents(m mutants.Target, results []harness.Result) (out []string) {
	for _, r := range results {
		if slices.Contains(golden.Concurrent, strings.TrimPrefix(r.Check, "store/")) {
			continue
		}
		for _, rr := range r.Rules {
			known := "store/"+rr.Rule == m.Rule || rr.Rule == "concurrent/linearizable" || slices.Contains(alsoBreaks[m.Name], rr.Rule)
			if rr.Verdict == harness.Fail && !known && !strings.HasPrefix(rr.Rule, "queue/") {
				out = append(out, r.Check+": "+rr.Rule)
			}
		}
	}
	return out
}

// What is odd but correct passes everything.
func TestOddities(t *testing.T) {
	t.Setenv("LWTEST_SHOULD", "fail")
	for i, o := range stores.Oddities() {
		t.Run(o.Name, func(t *testing.T) { harness.Test(t, cases.Part(t, o.Cases(), 12, i)) })
	}
}

// What withholds something passes nothing about it.
func TestNulls(t *testing.T) {
	for _, n := range stores.Nulls() {
		require.NotEmpty(t, n.Withholds, n.Name)
		assert.Empty(t, mutants.NewRow(n, results(t, n.Open())).Wrong(), n.Name)
	}
}

// The test above can fail: a correct store passes what these withhold.
func TestNullsCanFail(t *testing.T) {
	if full.Race {
		t.Skip("TestCorrect runs the same")
	}
	var right []harness.Result
	for _, m := range stores.Correct() {
		right = append(right, results(t, m.Open())...)
	}
	for _, n := range stores.Nulls() {
		assert.NotEmpty(t, mutants.NewRow(n, right).Wrong(), n.Name)
	}
}

// Every clause names the classes of call that a run must reach for it, and over
// client-go's stores each of them is reached, and each rule tested.
func TestClasses(t *testing.T) {
	targets := clientGo(t)
	kind := targets[0].Cases[0].Kind
	require.NoError(t, kind.Validate())
	in := report.Input{Kinds: []*harness.Kind{kind}}
	tested := map[string]bool{}
	for _, target := range targets {
		in.Results = append(in.Results, results(t, target)...)
	}
	for _, r := range in.Results {
		in.Header.Plan = append(in.Header.Plan, report.Planned{Target: r.Target, Check: r.Check})
		for _, rr := range r.Rules {
			tested[rr.Rule] = tested[rr.Rule] || rr.Tested > 0
		}
	}
	for _, r := range store.Suite.Rules {
		assert.NotEmpty(t, r.Clause.Classes, "%s names no class", r.Address())
		assert.True(t, tested[r.Address()], "%s was never put to the test", r.Address())
	}
	for _, c := range report.New(in).Kinds[0].Classes {
		assert.Positive(t, c.Reached, "%s of %v was never reached", c.Class, c.Clauses)
	}
}

// Whatever a correct store leaves undeclared, it fails nothing, and nothing is left open.
func TestFeaturesWithdrawn(t *testing.T) {
	var r *harness.Result
	for i, target := range clientGo(t) {
		for _, f := range target.Cases[0].Has {
			if slices.Contains([]harness.Feature{harness.VirtualTime, store.IsDelta, store.IsLog, store.IsAtomic, store.Expiring}, f) {
				continue // a queue is one of three sorts; one that forgets may list in several moments
			}
			for _, c := range cases.Part(t, target.Cases, 16, i) {
				has, err := harness.Adjust(c.Has, []string{"-" + string(f)}, c.Kind.Features)
				require.NoError(t, err)
				c.Has = has
				one := make([]harness.Result, 1)
				one[0], _ = harness.Run(c, harness.Options{TB: t, Seed: 1, Target: target.Name})
				_ = harness.Cover(target.Known, one) // stale lines are found elsewhere
				if r = &one[0]; r.Known != "" {
					continue
				}
				assert.Contains(t, []harness.Verdict{harness.Pass, harness.Skip}, r.Verdict, "%s without %s: %s: %s", target.Name, f, r.Check, r.Reason)
			}
		}
	}
}
