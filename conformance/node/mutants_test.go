package node_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/lwtest/lwtest/conformance/node"
	"github.com/lwtest/lwtest/conformance/pins"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/plugins/mutants"
	faulty "github.com/lwtest/lwtest/plugins/mutants/node"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestSuite(t *testing.T) { require.NoError(t, node.Suite.Describe().Validate()) }

func TestPinsOfRules(t *testing.T) { pins.Rules(t, node.Suite.Rules) }

// The reference agent keeps the contract.
func TestReference(t *testing.T) {
	for _, m := range faulty.Correct() {
		t.Run(m.Name, func(t *testing.T) { harness.Test(t, m.Cases()) })
	}
}

// results runs the checks of a target that apply a rule; empty: all.
func results(t *testing.T, target harness.Target, rule string) (out []harness.Result) {
	t.Helper()
	for _, c := range target.Cases {
		if rule != "" && !slices.ContainsFunc(c.Info.Rules, func(r harness.Rule) bool { return "node/"+r.Address() == rule }) {
			continue
		}
		r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: target.Name})
		if out = append(out, r); rule != "" && mutants.NewRow(mutants.Target{Rule: rule}, out).Caught() {
			return out
		}
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
	for _, r := range node.Suite.Rules {
		assert.True(t, has["node/"+r.Address()], "%s has no mutant", r.Address())
	}
}

// No rule flags what is odd but correct.
func TestOddities(t *testing.T) {
	for i, m := range faulty.Oddities() {
		t.Run(m.Name, func(t *testing.T) { harness.Test(t, full.Part(t, m.Cases(), 6, i)) })
	}
}

// No rule passes on an agent that does nothing.
func TestNulls(t *testing.T) {
	for _, m := range faulty.Nulls() {
		t.Run(m.Name, func(t *testing.T) {
			target := m.Open()
			target.Cases = full.Part(t, target.Cases, 3, 0)
			assert.Empty(t, mutants.NewRow(m, results(t, target, "")).Wrong(), m.About)
		})
	}
}
