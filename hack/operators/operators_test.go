package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/controller"
)

// Each operator has a scenario that can be read, and a reason for each known failure.
func TestOperators(t *testing.T) {
	for _, o := range operators {
		_, err := controller.ReadScenario(filepath.Join(o.name, "scenario.yaml"))
		require.NoError(t, err)
		known, err := harness.ReadKnown(filepath.Join(o.name, "known.json"))
		require.NoError(t, err)
		for _, k := range known {
			require.NotEmpty(t, k.Reason, k.Where())
		}
	}
}
