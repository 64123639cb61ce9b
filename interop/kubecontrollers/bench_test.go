package kubecontrollers

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/internal/storytest"
	"github.com/lwtest/lwtest/plugins/controller"
)

// The plainest disturbances at each write of a controller, and late events of each resource.
func BenchmarkSweep(b *testing.B) {
	plain := []string{"killed-before", "killed-after", "answer-lost", "refused/error", "late/second", "late/minute", "late/minutes"}
	for _, name := range []string{"replicaset", "statefulset", "deployment"} {
		b.Run(name, func(b *testing.B) {
			target, err := controller.Target(controllers(b, name).Subject())
			require.NoError(b, err)
			storytest.Bench(b, slices.DeleteFunc(target.Cases, func(c harness.Case) bool {
				return !slices.Contains(plain, strings.TrimPrefix(c.Name, "converge/same/"))
			}), "disturbed")
		})
	}
}
