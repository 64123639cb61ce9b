package informer_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/internal/full/cases"
	"github.com/lwtest/lwtest/plugins/fake"
	"github.com/lwtest/lwtest/plugins/mutants"
	informers "github.com/lwtest/lwtest/plugins/mutants/informer"
)

var ours = informers.Servers{Open: fake.Server, Has: fake.ServerFeatures}

// Our own correct informers pass every check: mutants and oddities are made of them. The one that asks for streaming lists
// skips no check.
func TestControls(t *testing.T) {
	t.Setenv("LWTEST_SHOULD", "fail")
	for i, m := range ours.Correct() {
		t.Run(m.Name, func(t *testing.T) { harness.Test(t, cases.Part(t, m.Cases(), 6, i)) })
		for _, c := range m.Cases() {
			lacks := slices.DeleteFunc(slices.Clone(c.Needs), func(f harness.Feature) bool { return slices.Contains(c.Has, f) })
			if m.Name == "http" { // client-go may ask ten times, as slowly as it is told to
				lacks = slices.DeleteFunc(lacks, func(f harness.Feature) bool { return f == informer.NoticesSilence })
			}
			if m.Name == "streams" { // it goes round the wire
				lacks = slices.DeleteFunc(lacks, func(f harness.Feature) bool { return f == rig.HTTP2 })
			}
			assert.True(t, m.Name == "lists" || len(lacks) == 0, "%s skips %s, for want of %s", m.Name, c.Name, lacks)
		}
	}
}

// Each rule has a mutant. The rule, which is one of the suite's, flags the mutant.
func TestMutants(t *testing.T) {
	all := ours.Mutants()
	has, rules := map[string]bool{}, map[string]bool{}
	for _, r := range informer.Suite.Rules {
		rules["informer/"+r.Address()] = true
	}
	for _, m := range all {
		assert.True(t, rules[m.Rule], "mutant %s is for rule %s, which does not exist", m.Name, m.Rule)
		has[m.Rule] = true
	}
	for rule := range rules {
		assert.True(t, has[rule], "no mutant is for rule %s", rule)
	}
	for _, m := range full.Part(t, all, 20, 0) {
		t.Run(m.Name, func(t *testing.T) {
			row := untilCaught(t, m)
			assert.True(t, row.Caught(), "%s does not flag it: %s", m.Rule, m.About)
		})
	}
}

// judgedBy reports whether rule, an address with its kind, is one that c must test.
func judgedBy(c harness.Case, rule string) bool {
	return slices.ContainsFunc(c.Rules, func(r harness.Rule) bool { return "informer/"+r.Address() == rule })
}

// untilCaught runs the checks of m, those of its rule first, until the rule flags it.
func untilCaught(t *testing.T, m mutants.Target) (row mutants.Row) {
	for _, first := range []bool{true, false} {
		for _, c := range m.Cases() {
			if judgedBy(c, m.Rule) != first {
				continue
			}
			if row = rowOf(t, m, []harness.Case{c}); row.Caught() {
				return row
			}
		}
	}
	return row
}

// rowOf runs these checks of m.
func rowOf(t *testing.T, m mutants.Target, some []harness.Case) mutants.Row {
	var all []harness.Result
	for _, c := range some {
		r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: m.Target.Name})
		all = append(all, r)
	}
	return mutants.NewRow(m, all)
}

// breaks has, for each oddity that does not pass every check, the SHOULD that it breaks. Where this is empty it breaks
// none, but some rule has nothing to judge.
var breaks = map[string]string{
	"relists-always": "resume/no-relist", "relists-recent": "resume/no-relist", "streams-always": "resume/no-relist",
	"version-by-objects": "store/version-moves",
	"polls-30s":          "", // and no check may be inconclusive: a vendor's test would fail
	"polls-streams":      "",
	"asks-everywhere":    "",
}

// An oddity is correct: it passes every check, but for what it is there to break.
func TestOddities(t *testing.T) {
	if full.Race {
		t.Skip("takes minutes; TestControls has the same drives under the race detector")
	}
	t.Setenv("LWTEST_SHOULD", "fail")
	for i, m := range ours.Oddities() {
		t.Run(m.Name, func(t *testing.T) {
			some := cases.Part(t, m.Cases(), 40, i)
			if only, special := breaks[m.Name]; special {
				breaksOnly(t, m, some, only)
			} else {
				harness.Test(t, some)
			}
		})
	}
}

// breaksOnly runs some checks, and those of the rule that m is there to break, and wants this rule alone to fail.
func breaksOnly(t *testing.T, m mutants.Target, some []harness.Case, rule string) {
	for _, c := range m.Cases() {
		if judgedBy(c, "informer/"+rule) && !slices.ContainsFunc(some, func(o harness.Case) bool { return o.Name == c.Name }) {
			some = append(some, c)
		}
	}
	row := rowOf(t, m, some)
	for address, c := range row.Cells {
		assert.Equal(t, address == "informer/"+rule, c.Failed > 0, "%s: %s", address, m.About)
	}
	for _, r := range row.Results {
		assert.NotEqual(t, harness.Inconclusive, r.Verdict, "%s: %s", r.Check, r.Reason)
	}
}

// A null informer, which withholds something, passes nothing about it.
func TestNulls(t *testing.T) {
	if full.Race {
		t.Skip("the other tests have the same drives under the race detector")
	}
	for i, m := range ours.Nulls() {
		t.Run(m.Name, func(t *testing.T) {
			assert.Empty(t, rowOf(t, m, cases.Part(t, m.Cases(), 8, i)).Wrong(), m.About)
		})
	}
}
