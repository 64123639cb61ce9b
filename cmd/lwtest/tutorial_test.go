package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/lwtest/lwtest/internal/full"
)

// The parts of docs/tutorial.md, each in a shell of its own: its commands print what the page shows, except for times, and the action
// passes with what its CI job says.
func TestTutorialIsTrue(t *testing.T) {
	full.Need(t, "it runs every command of the page")
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "tutorial.md"))
	require.NoError(t, err)
	parts := 0
	for part := range strings.SplitSeq(string(b), "\n## ") {
		shown := commands(part)
		if len(shown) == 0 {
			continue
		}
		parts++
		title, _, _ := strings.Cut(part, "\n")
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			if strings.HasSuffix(title, "Python") {
				version, err := exec.Command("/usr/bin/python3", "-c", "import kubernetes; print(kubernetes.__version__)").CombinedOutput()
				if have := strings.TrimSpace(string(version)); err != nil || have != shown[0].want[0] {
					t.Skipf("the page is about python3-kubernetes %s, and here is %s", shown[0].want[0], have[strings.LastIndexByte(have, '\n')+1:])
				}
			}
			shown = append(shown, actions(t, part)...)
			got := playAll(t, shown)
			if slices.ContainsFunc(got, func(g string) bool { return g != "" }) { // checks in real time may fail on a busy machine
				got = playAll(t, shown)
			}
			assert.Empty(t, strings.Join(got, ""))
		})
	}
	assert.Equal(t, 5, parts)
}

// playAll runs commands one after the other in one bash in a new folder, whatever their status. For each it returns what the page shows
// and the command did not print, and all that it printed; empty: nothing lacks. A command that ends with & has printed something when
// the next one begins.
func playAll(t *testing.T, all []shownCommand) []string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	for name, program := range map[string]string{"lwtest": fmt.Sprintf("%s=1 exec %s", asProgram, os.Args[0]), "python3": "exec /usr/bin/python3"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+program+" \"$@\"\n"), 0o755))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "start"), 0o755))
	script := "trap 'kill $(jobs -p)' EXIT\n"
	for i, c := range all {
		if line, later := strings.CutSuffix(c.line, " &"); later {
			c.line = fmt.Sprintf("%s >%d.log 2>&1 &\nfor i in {1..600}; do [ ! -s %[2]d.log ] || break; sleep 0.1; done; cat %[2]d.log", line, i)
		}
		script += c.line + "\necho; echo @@@\n"
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", "exec 2>&1\n"+script)
	cmd.Dir = filepath.Join(dir, "start")
	cmd.Env = append(os.Environ(), "LWTEST="+root, "PATH="+dir+":"+os.Getenv("PATH"), "GOWORK=off", "RUNNER_TEMP="+t.TempDir(), "GITHUB_OUTPUT=/dev/null", "GITHUB_STEP_SUMMARY=/dev/null",
		"GITHUB_ACTION_PATH="+filepath.Join(root, ".github", "actions", "lwtest"))
	out, _ := cmd.Output()
	got := strings.Split("\n"+string(out), "@@@")
	require.Len(t, got, len(all)+1, "%s", out)
	got = got[:len(all)]
	for i, c := range all {
		if lack := lacking(c.want, got[i]); lack != nil {
			got[i] = fmt.Sprintf("\n%s\nlacks %q:\n%s", c.line, lack, got[i])
		} else {
			got[i] = ""
		}
	}
	return got
}

// actions returns the commands that lwtest's action runs in the CI jobs of a page, and those that a job runs with go. It wants all to pass.
func actions(t *testing.T, page string) (out []shownCommand) {
	t.Helper()
	var about struct{ Inputs map[string]any }
	b, err := os.ReadFile(filepath.Join("..", "..", ".github", "actions", "lwtest", "action.yml"))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(b, &about))
	for _, block := range strings.Split(page, "```yaml\n")[1:] {
		text, _, _ := strings.Cut(block, "```")
		var workflow struct {
			Jobs map[string]struct {
				Steps []struct {
					Uses, Run string
					With, Env map[string]string
				}
			}
		}
		require.NoError(t, yaml.Unmarshal([]byte(text), &workflow))
		for _, job := range workflow.Jobs {
			for _, step := range job.Steps {
				if strings.HasPrefix(step.Run, "go ") { // lwtest is checked out beside it
					command := "ln -s $LWTEST lwtest; env"
					for name, value := range step.Env {
						command += fmt.Sprintf(" %s=%q", name, strings.ReplaceAll(value, "${{ github.workspace }}", "$PWD"))
					}
					out = append(out, shownCommand{line: fmt.Sprintf("%s bash -c %q; echo \"status $?\"", command, step.Run), want: []string{"status 0"}})
				}
				if !strings.HasPrefix(step.Uses, "lwtest/lwtest/.github/actions/lwtest@") {
					continue
				}
				command := "env"
				for name, value := range step.With {
					assert.Contains(t, about.Inputs, name, text)
					quoted := fmt.Sprintf("%q", strings.ReplaceAll(value, "${{ github.workspace }}", "$PWD"))
					command += fmt.Sprintf(" INPUT_%s=%s", strings.ToUpper(name), strings.ReplaceAll(quoted, `\n`, "\n")) // bash keeps \n as it is
				}
				out = append(out, shownCommand{line: command + ` "$GITHUB_ACTION_PATH/run.sh"; echo "status $?"`, want: []string{"status 0"}})
			}
		}
	}
	return out
}
