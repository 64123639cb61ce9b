package informer_test

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/fake"
	"github.com/lwtest/lwtest/plugins/mutants"
	informers "github.com/lwtest/lwtest/plugins/mutants/informer"
)

var ours = informers.Servers{Open: fake.Server, Has: fake.ServerFeatures}

// Our own correct informers pass every check: they are what mutants and oddities are made of. The one that asks for
// streaming lists skips none.
func TestControls(t *testing.T) {
	t.Setenv("LWTEST_SHOULD", "fail")
	for i, m := range ours.Correct() {
		t.Run(m.Name, func(t *testing.T) { harness.Test(t, third(i, m.Target.Cases)) })
		for _, c := range m.Target.Cases {
			lacks := slices.DeleteFunc(slices.Clone(c.Needs), func(f harness.Feature) bool { return slices.Contains(c.Has, f) })
			assert.True(t, m.Name == "lists" || len(lacks) == 0, "%s skips %s, for want of %s", m.Name, c.Name, lacks)
		}
	}
}

// third is all cases, but with the race detector each third, from another on for each informer.
func third(from int, cases []harness.Case) (out []harness.Case) {
	for i, c := range cases {
		if !raceEnabled || (from+i)%3 == 0 {
			out = append(out, c)
		}
	}
	return out
}

// Each rule has a mutant, and each mutant is flagged by its rule, which is one of the suite's.
func TestMutants(t *testing.T) {
	has, rules := map[string]bool{}, map[string]bool{}
	for _, r := range informer.Suite.Rules {
		rules["informer/"+r.Address()] = true
	}
	for i, m := range ours.Mutants() {
		assert.True(t, rules[m.Rule], "%s is of %s, and there is no such rule", m.Name, m.Rule)
		if has[m.Rule] = true; raceEnabled && i%24 != 0 {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			assert.True(t, caught(t, m), "%s does not flag it: %s", m.Rule, m.About)
		})
	}
	for _, r := range informer.Suite.Rules {
		assert.True(t, has["informer/"+r.Address()], "%s has no mutant", r.Address())
	}
}

// caught runs the checks on one, those of its rule first, until the rule flags it.
func caught(t *testing.T, m mutants.Target) bool {
	mine := func(c harness.Case) bool {
		return slices.ContainsFunc(c.Rules, func(r harness.Rule) bool { return "informer/"+r.Address() == m.Rule })
	}
	for _, first := range []bool{true, false} {
		for _, c := range m.Target.Cases {
			if mine(c) != first {
				continue
			}
			r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: m.Target.Name})
			if mutants.NewRow(m, []harness.Result{r}).Caught() {
				return true
			}
		}
	}
	return false
}

// rowOf runs all checks on one.
func rowOf(t *testing.T, m mutants.Target) mutants.Row {
	var all []harness.Result
	for _, c := range m.Target.Cases {
		r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: m.Target.Name})
		all = append(all, r)
	}
	return mutants.NewRow(m, all)
}

// breaks are the rules, each a SHOULD, that an oddity is there to break, or the one to which it gives no occasion.
var breaks = map[string]string{
	"relists-always": "resume/no-relist", "relists-recent": "resume/no-relist", "streams-always": "resume/no-relist",
	"version-by-objects": "store/version-moves",
	"polls-30s":          "", // no rule, and no check may be inconclusive: a vendor's test would fail
	"polls-streams":      "",
	"asks-everywhere":    "",
}

// What is odd but correct passes every check, but for what it is there to break. Each goes through a sample of the
// checks here, and through all where LWTEST_MUTANTS is set.
func TestOddities(t *testing.T) {
	if raceEnabled {
		t.Skip("takes minutes; TestControls has the same drives under the race detector")
	}
	t.Setenv("LWTEST_SHOULD", "fail")
	for i, m := range ours.Oddities() {
		t.Run(m.Name, func(t *testing.T) {
			only, special := breaks[m.Name]
			if !special {
				harness.Test(t, sample(i, m.Target.Cases))
				return
			}
			row := rowOf(t, m)
			for rule, c := range row.Cells {
				assert.Equal(t, rule == "informer/"+only, c.Failed > 0, "%s: %s", rule, m.About)
			}
			for _, r := range row.Results {
				assert.NotEqual(t, harness.Inconclusive, r.Verdict, "%s: %s", r.Check, r.Reason)
			}
		})
	}
}

// sample is each tenth case, or all of them.
func sample(from int, cases []harness.Case) []harness.Case {
	if os.Getenv("LWTEST_MUTANTS") != "" {
		return cases
	}
	var out []harness.Case
	for i, c := range cases {
		if (from+i)%10 == 0 {
			out = append(out, c)
		}
	}
	return out
}

// What withholds something passes nothing of it.
func TestNulls(t *testing.T) {
	if raceEnabled {
		t.Skip("the other tests have the same drives under the race detector")
	}
	for _, m := range ours.Nulls() {
		t.Run(m.Name, func(t *testing.T) { assert.Empty(t, rowOf(t, m).Wrong(), m.About) })
	}
}
