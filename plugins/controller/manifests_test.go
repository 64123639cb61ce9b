package controller

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Files for kustomize are skipped. A definition whose group begins with kustomize is not.
func TestFilesOf(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"kustomization.yaml", "kustomizeconfig.yaml", "kustomize.toolkit.fluxcd.io_kustomizations.yaml"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	files, err := filesOf(dir)
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(dir, "kustomize.toolkit.fluxcd.io_kustomizations.yaml")}, files)
}
