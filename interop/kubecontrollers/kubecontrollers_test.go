package kubecontrollers

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/plugins/controller"
)

// Each controller passes the suite, but for what known.json names.
func TestControllers(t *testing.T) {
	known(t)
	for i, c := range Controllers() {
		t.Run(c.Name, func(t *testing.T) {
			target, err := controller.Target(c.Subject())
			require.NoError(t, err)
			target.Cases = full.Part(t, target.Cases, 10, i)
			harness.TestTarget(t, "controller", target.Name, target)
		})
	}
}

// known has the suite read known.json.
func known(t *testing.T) {
	t.Helper()
	file, err := filepath.Abs("known.json")
	require.NoError(t, err)
	t.Setenv("LWTEST_KNOWN", file)
}
