package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/internal/full"
)

// The GitHub action's program runs as the runner would run it.
func TestAction(t *testing.T) {
	full.Need(t, "it builds lwtest, and fuzzes for seconds")
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	action := filepath.Join(root, ".github", "actions", "lwtest")
	temp := t.TempDir() // one for all: a job may use the action more than once
	for _, c := range []struct {
		name, target, fuzz, args, fuzzArgs string
		status                             int
		says, summary                      string
	}{
		{"passes", "\n  store:oddity/any-order \n", "8s", "", "", 0, "::group::random stories on store:oddity/", "nothing failed"},
		{"fails", "store:mutant/list-short", "", "", "", 1, "::error title=lwtest%3A store/basic/", "a check failed"},
		{"empty", " \n", "", "", "", 3, "the input target is empty", ""},
		{"unknown", "nonsense", "1s", "", "", 3, "::error title=lwtest::the run could not be made", ""},
		{"random stories fail", "store:mutant/index-first-value", "5s", "--feature=-index", "", 1, "::error title=lwtest fuzz::random stories on store:", "lwtest fuzz: random stories on"},
		{"and do not", "store:mutant/index-first-value", "8s", "--feature=-index", "--feature=-index", 0, "", "nothing failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), filepath.Join(action, "run.sh"))
			cmd.Dir = root
			cmd.Env = append(os.Environ(), "RUNNER_TEMP="+temp, "GITHUB_ACTION_PATH="+action, "GITHUB_OUTPUT="+filepath.Join(temp, "output"), "GITHUB_STEP_SUMMARY="+filepath.Join(temp, "summary"),
				"INPUT_TARGET="+c.target, "INPUT_SUITE=store", "INPUT_FUZZ="+c.fuzz, "INPUT_ARGS="+c.args, "INPUT_FUZZ_ARGS="+c.fuzzArgs)
			_ = os.Remove(filepath.Join(temp, "summary"))
			out, _ := cmd.CombinedOutput()
			assert.Equal(t, c.status, cmd.ProcessState.ExitCode(), string(out))
			assert.Contains(t, string(out), c.says)
			if c.status > 1 {
				return
			}
			summary, err := os.ReadFile(filepath.Join(temp, "summary"))
			require.NoError(t, err)
			assert.Contains(t, string(summary), c.summary)
			pages, err := filepath.Glob(filepath.Join(temp, "lwtest-*", "out", "report.html"))
			require.NoError(t, err)
			assert.NotEmpty(t, pages)
		})
	}
	t.Run("envtest", func(t *testing.T) {
		set := filepath.Join(temp, "env")
		cmd := exec.CommandContext(t.Context(), filepath.Join(action, "run.sh"))
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "RUNNER_TEMP="+temp, "GITHUB_ACTION_PATH="+action, "GITHUB_ENV="+set, "INPUT_ENVTEST=true")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		said, err := os.ReadFile(set)
		require.NoError(t, err)
		dir, ok := strings.CutPrefix(strings.TrimSpace(string(said)), "KUBEBUILDER_ASSETS=")
		require.True(t, ok, string(said))
		assert.FileExists(t, filepath.Join(dir, "kube-apiserver"))
		assert.FileExists(t, filepath.Join(dir, "etcd"))
	})
}
