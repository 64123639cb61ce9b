package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Imports of envtest are replaced, with and without a name, and nothing else is.
func TestReplaceImports(t *testing.T) {
	dir := t.TempDir()
	require.ErrorContains(t, replaceImports(dir), "no file of")
	const was, is = `"sigs.k8s.io/controller-runtime/pkg/envtest"`, `envtest "sigs.k8s.io/cluster-api/internal/envtest"`
	for name, text := range map[string]string{"a.go": was, "b.go": "envtest " + was, "c.go": `"sigs.k8s.io/controller-runtime/pkg/envtest/komega"`, "d.txt": was} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	require.NoError(t, replaceImports(dir))
	for name, want := range map[string]string{"a.go": is, "b.go": is, "c.go": `"sigs.k8s.io/controller-runtime/pkg/envtest/komega"`, "d.txt": was} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, want, string(b), name)
	}
}

// Each project has files of known failures, with a reason for each.
func TestKnown(t *testing.T) {
	for _, p := range projects {
		var all []project
		if p.replace != nil {
			all = append(all, p)
		}
		for _, version := range p.onPrograms.versions {
			all = append(all, p.onAssets([]string{"folder"}, version))
		}
		require.NotEmpty(t, all)
		for _, p := range all {
			all, err := p.known()
			require.NoError(t, err)
			require.Subset(t, p.onPrograms.packages, p.onPrograms.quick)
			for _, k := range all {
				require.NotEmpty(t, k.Why, "%s: %s", p.knownFile(), k.Test)
				require.Contains(t, p.packages, k.Package)
			}
		}
	}
}
