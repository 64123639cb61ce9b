package runtime_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/lwtest/lwtest/conformance/runtime"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/mutants"
	faulty "github.com/lwtest/lwtest/plugins/mutants/runtime"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// results runs the checks of a target that apply a rule; empty: all.
func results(t *testing.T, target harness.Target, rule string) (out []harness.Result) {
	t.Helper()
	for _, c := range target.Cases {
		if rule != "" && !slices.ContainsFunc(c.Info.Rules, func(r harness.Rule) bool { return "runtime/"+r.Address() == rule }) {
			continue
		}
		r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: target.Name})
		out = append(out, r)
	}
	return out
}

// Each rule has a mutant, and each mutant is flagged by its rule.
func TestMutants(t *testing.T) {
	has := map[string]bool{}
	for _, m := range faulty.Mutants() {
		has[m.Rule] = true
		t.Run(m.Name, func(t *testing.T) {
			row := mutants.NewRow(m, results(t, m.Open(), m.Rule))
			assert.True(t, row.Caught(), "%s: %s does not flag it: %s", m.Name, m.Rule, m.About)
		})
	}
	for _, r := range runtime.Suite.Rules {
		assert.True(t, has["runtime/"+r.Address()], "%s has no mutant", r.Address())
	}
}

// No rule flags what is odd but correct.
func TestOddities(t *testing.T) {
	for _, m := range faulty.Oddities() {
		t.Run(m.Name, func(t *testing.T) { harness.Test(t, m.Cases()) })
	}
}

// A runtime that does nothing passes no check.
func TestNulls(t *testing.T) {
	for _, m := range faulty.Nulls() {
		t.Run(m.Name, func(t *testing.T) {
			for _, r := range results(t, m.Open(), "") {
				if r.Verdict == harness.Pass {
					t.Errorf("%s passes: %s", r.Check, m.About)
				}
			}
		})
	}
}
