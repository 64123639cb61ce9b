package main

import (
	"os"
	"os/exec"
	"path/filepath"
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
	for _, c := range []struct {
		name, target, fuzz string
		status             int
		says               string
	}{
		{"passes", "\n  store:oddity/any-order \n", "1s", 0, ""},
		{"fails", "store:mutant/list-short", "", 1, "::error title=lwtest%3A store/basic/"},
		{"empty", " \n", "", 3, "the input target is empty"},
		{"unknown", "nonsense", "1s", 3, "::error title=lwtest::the run could not be made"},
	} {
		t.Run(c.name, func(t *testing.T) {
			temp := t.TempDir()
			cmd := exec.CommandContext(t.Context(), filepath.Join(action, "run.sh"))
			cmd.Dir = root
			cmd.Env = append(os.Environ(), "RUNNER_TEMP="+temp, "GITHUB_ACTION_PATH="+action, "GITHUB_OUTPUT="+filepath.Join(temp, "output"), "GITHUB_STEP_SUMMARY="+filepath.Join(temp, "summary"),
				"INPUT_TARGET="+c.target, "INPUT_SUITE=store", "INPUT_FUZZ="+c.fuzz)
			out, _ := cmd.CombinedOutput()
			assert.Equal(t, c.status, cmd.ProcessState.ExitCode(), string(out))
			assert.Contains(t, string(out), c.says)
			if c.status > 1 {
				return
			}
			for _, file := range []string{"lwtest-report.html", "summary"} {
				i, err := os.Stat(filepath.Join(temp, file))
				require.NoError(t, err)
				assert.Positive(t, i.Size(), file)
			}
			if c.fuzz != "" {
				assert.Contains(t, string(out), "::group::random stories on store:oddity/")
			}
		})
	}
}
