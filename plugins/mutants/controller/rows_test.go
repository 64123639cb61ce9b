package controller

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	plugin "github.com/lwtest/lwtest/plugins/controller"
)

// A sample of a fleet is enough to find that a change of its size is not undone.
func TestSample(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sample.yaml")
	require.NoError(t, os.WriteFile(file, []byte(first), 0o600))
	steps, err := plugin.ReadScenario(file)
	require.NoError(t, err)
	for name, want := range map[string]harness.Verdict{"plain": harness.Pass, "never-shrinks": harness.Fail, "most": harness.Fail} {
		for _, r := range append(faulty, odd...) {
			if r.name != name {
				continue
			}
			target, err := plugin.Target(plugin.Subject{Run: r.fleet.run, Definitions: []string{Definition}, Scenario: steps})
			require.NoError(t, err)
			got, _ := harness.Run(target.Cases[0], harness.Options{TB: t, Seed: 1})
			for _, rr := range got.Rules {
				if rr.Rule == "undo/same" {
					assert.Equal(t, want, rr.Verdict, "%s: %v", name, rr.Bad)
				}
			}
		}
	}
}
