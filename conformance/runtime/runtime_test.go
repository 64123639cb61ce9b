package runtime_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/runtime"
	"github.com/lwtest/lwtest/fakes/cri"
	"github.com/lwtest/lwtest/harness"
	plugin "github.com/lwtest/lwtest/plugins/cri"
)

// Both personalities of the fake keep the contract.
func TestFakes(t *testing.T) {
	for _, p := range []cri.Personality{cri.Containerd, cri.CRIO} {
		t.Run(p.Name, func(t *testing.T) {
			harness.Test(t, plugin.FakeTarget(p).Cases)
		})
	}
}

func TestSuite(t *testing.T) {
	require.NoError(t, runtime.Suite.Describe().Validate())
}
