package controller_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/internal/storytest"
	plugin "github.com/lwtest/lwtest/plugins/controller"
)

// The checks that disturb the controller once at each of its writes.
func BenchmarkSweep(b *testing.B) {
	target, err := plugin.Target(subject)
	require.NoError(b, err)
	storytest.Bench(b, slices.DeleteFunc(target.Cases, func(c harness.Case) bool {
		return !strings.HasPrefix(c.Name, "converge/") || strings.HasSuffix(c.Name, "seconds")
	}), "disturbed")
}
