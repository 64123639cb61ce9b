package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness/report"
)

// stdout has the folder alone, so that a shell can assign it. Twice is as good as once.
func TestEnvtest(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("LWTEST_CACHE", cache)
	t.Setenv("PATH", t.TempDir()) // without Go and lwtest-apiserver
	for range 2 {
		o := lwtest(t, "envtest")
		require.Equal(t, report.OK, o.status, o.errors)
		require.Contains(t, o.errors, "CEL expressions are not evaluated")
		dir := strings.TrimSuffix(o.out, "\n")
		require.Equal(t, filepath.Join(cache, "envtest"), filepath.Dir(dir))
		for _, name := range []string{"kube-apiserver", "etcd"} {
			_, err := os.Stat(filepath.Join(dir, name))
			require.NoError(t, err)
		}
	}
	other := filepath.Join(cache, "other")
	require.Equal(t, other+"\n", lwtest(t, "envtest", other).out)
}
