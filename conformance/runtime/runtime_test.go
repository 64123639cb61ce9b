package runtime_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/runtime"
	"github.com/lwtest/lwtest/harness"
	faulty "github.com/lwtest/lwtest/plugins/mutants/runtime"
)

// Both personalities of the fake keep the contract.
func TestFakes(t *testing.T) {
	for _, m := range faulty.Correct() {
		t.Run(m.Name, func(t *testing.T) { harness.Test(t, m.Cases()) })
	}
}

func TestSuite(t *testing.T) {
	require.NoError(t, runtime.Suite.Describe().Validate())
}
