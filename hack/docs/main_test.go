package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDocsAreCurrent(t *testing.T) {
	require.NoError(t, run(filepath.Join("..", ".."), true))
}

func TestStaleDocsAreTold(t *testing.T) {
	root := t.TempDir()
	require.ErrorContains(t, run(root, true), "not current")
	require.NoError(t, os.Mkdir(filepath.Join(root, "docs"), 0o755))
	require.NoError(t, run(root, false))
	require.NoError(t, run(root, true))
	file := filepath.Join(root, "docs", "contract.md")
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, b[1:], 0o644))
	require.ErrorContains(t, run(root, true), "go run ./hack/docs")
}
