package kubecontrollers

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/plugins/controller"
)

// Each controller passes the suite, but for what known.json names.
func TestControllers(t *testing.T) {
	known(t)
	for _, c := range Controllers() {
		t.Run(c.Name, func(t *testing.T) {
			target, err := controller.Target(c.Subject())
			require.NoError(t, err)
			if !full.Wanted() {
				t.Log("runs the checks that have no run for each write: LWTEST_FULL=1 runs all")
				target.Cases = slices.DeleteFunc(target.Cases, func(x harness.Case) bool {
					return strings.HasPrefix(x.Name, "converge/") && (c.Wide || !strings.Contains(x.Name, "/late/"))
				})
			}
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
