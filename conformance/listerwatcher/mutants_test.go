package listerwatcher_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/conformance/listerwatcher"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/clientgo"
	"github.com/lwtest/lwtest/plugins/fake"
	"github.com/lwtest/lwtest/plugins/mutants"
	clients "github.com/lwtest/lwtest/plugins/mutants/listerwatcher"
)

// Each rule has a mutant, and each mutant is flagged by its rule.
func TestMutants(t *testing.T) {
	clientgo.Quiet() // client-go tells of each answer that it cannot read
	has := map[string]bool{}
	for _, m := range clients.Mutants(fake.Server, fake.ServerFeatures...) {
		has[m.Rule] = true
		t.Run(m.Name, func(t *testing.T) {
			var all []harness.Result
			for _, c := range m.Target.Cases {
				r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: m.Target.Name})
				all = append(all, r)
			}
			assert.True(t, mutants.NewRow(m, all).Caught(), "%s does not flag it: %s", m.Rule, m.About)
		})
	}
	for _, r := range listerwatcher.Suite.Rules {
		assert.True(t, has["listerwatcher/"+r.Address()], "%s has no mutant", r.Address())
	}
}
