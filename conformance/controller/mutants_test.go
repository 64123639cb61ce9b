package controller_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/lwtest/lwtest/conformance/controller"
	"github.com/lwtest/lwtest/conformance/pins"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/plugins/mutants"
	faulty "github.com/lwtest/lwtest/plugins/mutants/controller"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestSuite(t *testing.T) { require.NoError(t, controller.Suite.Describe().Validate()) }

func TestPinsOfRules(t *testing.T) { pins.Rules(t, controller.Suite.Rules) }

// caught runs the checks of a mutant until its rule flags it. Which write of a controller is the tenth depends on how its goroutines run, so
// some faults show only now and then: there are three seeds.
func caught(t *testing.T, m mutants.Target) bool {
	t.Helper()
	for seed := range int64(3) {
		var out []harness.Result
		for _, c := range m.Open().Cases {
			r, _ := harness.Run(c, harness.Options{TB: t, Seed: seed + 1, Target: m.Target.Name})
			if out = append(out, r); mutants.NewRow(m, out).Caught() {
				return true
			}
		}
	}
	return false
}

// Each rule has a mutant, and each mutant is flagged by its rule.
func TestMutants(t *testing.T) {
	all := faulty.Mutants()
	for _, m := range full.Part(t, all, 9, 0) {
		t.Run(m.Name, func(t *testing.T) { assert.True(t, caught(t, m), "%s does not flag it: %s", m.Rule, m.About) })
	}
	for _, r := range controller.Suite.Rules {
		assert.True(t, slices.ContainsFunc(all, func(m mutants.Target) bool { return m.Rule == "controller/"+r.Address() }), "%s has no mutant", r.Address())
	}
}

// No rule flags what is odd but correct.
func TestOddities(t *testing.T) {
	for i, m := range faulty.Oddities() {
		t.Run(m.Name, func(t *testing.T) { harness.Test(t, full.Part(t, m.Cases(), 12, i)) })
	}
}
