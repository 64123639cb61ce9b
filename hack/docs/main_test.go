package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/fake"
	hostile "github.com/lwtest/lwtest/plugins/mutants/watchcache"
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

// The README counts what there is.
func TestReadmeCounts(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	crashing := 0 // the mutants of subject/survives
	for _, h := range hostile.All {
		if strings.HasSuffix(h.Rule, harness.Survives.Address()) {
			crashing++
		}
	}
	require.Contains(t, string(b), fmt.Sprintf("against %d servers with exactly one fault", len(fake.Mutants())+crashing))
	require.Contains(t, string(b), fmt.Sprintf("on %d odd but correct servers", len(fake.Oddities())))
}
