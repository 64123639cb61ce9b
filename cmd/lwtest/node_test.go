package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness/report"
)

// TestNodeRefusals checks what is refused before a cluster is created.
func TestNodeRefusals(t *testing.T) {
	for want, args := range map[string][]string{
		"give only --suite runtime":                              {"--suite", "runtime", "--suite", "store", "--target", "kind"},
		"give only --target kind:x":                              {"--suite", "runtime", "--target", "kind:x", "--target", "fake"},
		"--resource does not apply to the runtime":               {"--suite", "runtime", "--target", "kind", "--resource", "pods"},
		`the option "imag" does not apply to the runtime`:        {"--suite", "runtime", "--target", "kind:x?imag=y"},
		"is there already: give another":                         {"--suite", "runtime", "--target", "kind", "--out", "."},
		"--kind-image: only for a cluster that is made":          {"--suite", "runtime", "--target", "kind:x", "--kind-image", "y"},
		"--corpus does not apply to the runtime in a kind node":  {"fuzz", "runtime", "--target", "kind", "--corpus", "x"},
		"--restart-cmd does not apply to the runtime in a kind ": {"fuzz", "runtime", "--target", "kind", "--restart-cmd", "x"},
	} {
		o := lwtest(t, args...)
		assert.Equal(t, report.Broken, o.status)
		assert.Contains(t, o.errors, want)
	}
}

// TestNodeFlags checks which flags reach the lwtest in the node.
func TestNodeFlags(t *testing.T) {
	known := filepath.Join(t.TempDir(), "known.json")
	require.NoError(t, os.WriteFile(known, nil, 0o600))
	f := &flags{}
	cmd := &cobra.Command{}
	f.selecting(cmd)
	f.running(cmd)
	require.NoError(t, cmd.ParseFlags([]string{"--suite", "runtime", "--target", "kind", "--feature=-stats", "--feature=x,y", "-v", "--seed", "7", "--known", known, "--out", "x", "--keep-cluster"}))
	r := &nodeRun{args: []string{"run", "*"}, out: filepath.Join(t.TempDir(), "x"), files: map[string]string{}}
	require.NoError(t, r.flags(f.set))
	assert.Equal(t, []string{"run", "*", "--feature=-stats", "--feature=x,y", "--known=known", "--seed=7", "--suite=runtime", "--verbose=true"}, r.args)
	assert.Equal(t, map[string]string{"known": known}, r.files)
}

func TestStatic(t *testing.T) {
	assert.False(t, static("node_test.go"))
	if path, err := exec.LookPath("bash"); err == nil {
		assert.False(t, static(path), path)
	}
}
