package watchcache_test

import (
	"cmp"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/internal/full/cases"
	"github.com/lwtest/lwtest/plugins/fake"
	"github.com/lwtest/lwtest/plugins/mutants"
)

// What ConfigMaps lack, and fakes that have it.
var lacking = map[harness.Feature]string{
	watchcache.CreateOnUpdate:    "resource/leases",
	watchcache.StatusSubresource: "resource/deployments",
	watchcache.Grace:             "resource/pods",
	watchcache.SubresourceCreate: "resource/pods",
}

// ofLacking are the results, and the histories, of the checks that ConfigMaps skip for want of a feature.
func ofLacking(t *testing.T) (all []harness.Result, histories map[string]*history.History) {
	t.Helper()
	histories = map[string]*history.History{}
	for f, arg := range lacking {
		target := openFake(t, arg)
		target.Cases = casesOf(t, arg, f)
		got, hs := results(t, target)
		all = append(all, got...)
		maps.Copy(histories, hs)
	}
	return all, histories
}

// casesOf are those of a fake that need a feature.
func casesOf(t *testing.T, arg string, f harness.Feature) []harness.Case {
	t.Helper()
	return slices.DeleteFunc(openFake(t, arg).Cases, func(c harness.Case) bool { return !slices.Contains(c.Needs, f) })
}

func openFake(t *testing.T, arg string) harness.Target {
	t.Helper()
	target, err := fake.Open(t.Context(), arg)
	require.NoError(t, err)
	return target
}

// The fake passes every check, in turns, no rule is left untested over all of them, no class of request unreached, and what the
// null servers withhold it passes.
func TestFake(t *testing.T) {
	target := openFake(t, "")
	right, histories := results(t, target)
	for _, r := range right {
		assert.Contains(t, []harness.Verdict{harness.Pass, harness.Skip}, r.Verdict, "%s: %s", r.Check, r.Reason)
	}
	others, theirs := ofLacking(t)
	maps.Copy(histories, theirs)
	takeTurns(t, histories)
	all := append(slices.Clone(right), others...)
	tested := map[string]bool{}
	for _, r := range all {
		for _, rr := range r.Rules {
			tested[rr.Rule] = tested[rr.Rule] || rr.Tested > 0
		}
	}
	for rule, ok := range tested {
		assert.True(t, ok, "%s was never put to the test", rule)
	}
	reachesEveryClass(t, target.Cases[0].Kind, all)
	for _, n := range fake.Nulls() {
		assert.NotEmpty(t, mutants.NewRow(n, right).Wrong(), "%s: TestNulls could not fail", n.Name)
	}
}

// results are those of all cases of a target, and the histories of those that ran, by their checks.
func results(t *testing.T, target harness.Target) (out []harness.Result, histories map[string]*history.History) {
	t.Helper()
	histories = map[string]*history.History{}
	for _, c := range target.Cases {
		r, h := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: target.Name})
		if out = append(out, r); h != nil {
			histories[c.Name] = h
		}
	}
	return out, histories
}

// Each rule has a mutant, and each mutant is flagged by its rule on the
// suite's ordinary drives, each of which ran to its end. The checks that its rule
// judges come first, and none runs after the one that caught it: `lwtest mutants` runs all checks, which takes some minutes.
func TestMutants(t *testing.T) {
	all, has := fake.Mutants(), map[string]bool{}
	for _, m := range all {
		has[m.Rule] = true
	}
	for _, m := range full.Part(t, all, 60, 0) {
		t.Run(m.Name, func(t *testing.T) {
			row := untilCaught(t, m)
			assert.True(t, row.Caught(), "%s: %s does not flag it: %s", m.Name, m.Rule, m.About)
			for _, r := range row.Results {
				if r.Verdict == harness.Inconclusive {
					assert.Empty(t, r.Stack, "%s: %s", r.Check, r.Reason) // that stopped the drive
				}
			}
		})
	}
	kind := openFake(t, "").Cases[0].Kind
	for _, r := range kind.Rules {
		if r.Address() != harness.Survives.Address() { // plugins/mutants has those that crash
			assert.True(t, has[kind.Name+"/"+r.Address()], "%s has no mutant", r.Address())
		}
	}
}

// untilCaught runs the checks of a mutant's target until one catches it: first those that its rule judges, last those that take long.
func untilCaught(t *testing.T, m mutants.Target) mutants.Row {
	t.Helper()
	cases := slices.Clone(m.Cases())
	slices.SortStableFunc(cases, func(a, b harness.Case) int { return cmp.Compare(late(m.Rule, a), late(m.Rule, b)) })
	var out []harness.Result
	for _, c := range cases {
		r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: m.Target.Name})
		out = append(out, r)
		if row := mutants.NewRow(m, out); row.Caught() {
			return row
		}
	}
	return mutants.NewRow(m, out)
}

// long are the checks that take as long as twenty others.
var long = []string{"list/forms", "list/snapshot/content", "watch/forms", "list/snapshot/large"}

// late says how late a check has its turn.
func late(rule string, c harness.Case) int {
	if !slices.ContainsFunc(c.Rules, func(r harness.Rule) bool { return c.Kind.Name+"/"+r.Address() == rule }) {
		return len(long) + 1
	}
	return 1 + slices.Index(long, c.Name)
}

// What is odd but correct passes everything: each oddity goes through a part of the checks. Bookmarks that come two minutes
// late, as all of watches-lag, break the SHOULD bookmark/idle.
func TestOddities(t *testing.T) {
	for i, o := range fake.Oddities() {
		t.Run(o.Name, func(t *testing.T) {
			if o.Name != "watches-lag" {
				t.Setenv("LWTEST_SHOULD", "fail")
			}
			harness.Test(t, cases.Part(t, o.Cases(), 60, i))
		})
	}
}

// What withholds something passes nothing about it.
func TestNulls(t *testing.T) {
	if full.Race {
		t.Skip("runs of what TestFake runs, too")
	}
	for i, n := range fake.Nulls() {
		assert.NotEmpty(t, n.Withholds, n.Name)
		target := n.Open()
		target.Cases = cases.Part(t, target.Cases, 6, i)
		got, _ := results(t, target)
		// a server on which every call succeeds refuses nothing
		refusing := []string{"watchcache/get/answered", "watchcache/write/answered", "watchcache/write/no-false-conflict"}
		wrong := slices.DeleteFunc(mutants.NewRow(n, got).Wrong(), func(rule string) bool { return n.Name == "null" && slices.Contains(refusing, rule) })
		assert.Empty(t, wrong, n.Name)
	}
}
