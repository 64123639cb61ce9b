package main

import (
	"bufio"
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
)

// program starts the test binary as lwtest, in a process of its own.
func program(t *testing.T, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	require.NoError(t, cmd.Start())
	return cmd, &errs
}

// longRun takes about a second and ends in every verdict.
var longRun = []string{"run", "--target", "slow", "--target", "bad", "--target", "hostile-toy:exit7", "--target", "ordered", "--parallel", "1", "--format", "json"}

// steady returns the verdicts that two runs share: what of a burst was recorded before its process ended, the scheduler decides.
func steady(r report.Report) map[string]string {
	out := verdicts(r)
	maps.DeleteFunc(out, func(of, _ string) bool {
		at := strings.Fields(of) // target, check, and the rule if it is one's
		return len(at) == 3 && strings.HasPrefix(at[0], "hostile-toy:") && isScheduled(at[1])
	})
	return out
}

func TestKilledRunIsResumed(t *testing.T) {
	undisturbed := lwtest(t, append(longRun, "--out", filepath.Join(t.TempDir(), "whole"))...)
	want := readReport(t, undisturbed.out)
	require.Equal(t, report.Failed, undisturbed.status)
	for i := range 5 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "run")
			cmd, _ := program(t, append(longRun, "--out", dir)...)
			await(t, func() bool { return resultsIn(dir) >= 4*i })
			children := childrenOf(cmd.Process.Pid)
			require.NoError(t, cmd.Process.Kill())
			cmd.Wait()
			for _, pid := range children {
				await(t, func() bool { return !alive(pid) })
			}
			in, err := report.Load(dir)
			require.NoError(t, err, "what is left is readable")
			killed := report.New(in)
			t.Logf("killed with %d of %d results, %d workers", len(killed.Results), len(want.Results), len(children))
			if in.Truncated {
				judged := lwtest(t, "judge", dir)
				assert.NotEqual(t, report.OK, judged.status)
				assert.Contains(t, judged.out, "truncated")
			}
			var o output
			await(t, func() bool { // a worker that was just starting holds the run a moment longer
				o = lwtest(t, "run", "--resume", dir, "--format", "json")
				return !strings.Contains(o.errors, "another lwtest is using")
			})
			got := readReport(t, o.out)
			assert.Equal(t, undisturbed.status, o.status, o.errors)
			assert.Equal(t, steady(want), steady(got))
			assert.False(t, got.Truncated)
			left, _ := filepath.Glob(filepath.Join(dir, ".*"))
			assert.Empty(t, left, "no temporary files")
			again := lwtest(t, "run", "--resume", dir, "--format", "json")
			assert.Equal(t, verdicts(got), verdicts(readReport(t, again.out)), "a finished run has nothing to do")
		})
	}
}

// A run whose output nobody reads any more (head, or a tee that was interrupted with it) ends as if it were
// interrupted.
func TestUnreadRunIsInterrupted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	cmd := exec.Command(os.Args[0], append(longRun, "--out", dir)...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	r, w, err := os.Pipe()
	require.NoError(t, err)
	cmd.Stdout, cmd.Stderr = w, w
	require.NoError(t, cmd.Start())
	require.NoError(t, w.Close())
	_, err = bufio.NewReader(r).ReadString('\n')
	require.NoError(t, err)
	require.NoError(t, r.Close())
	_ = cmd.Wait()
	assert.Equal(t, report.Broken, cmd.ProcessState.ExitCode(), cmd.ProcessState)
	in, err := report.Load(dir)
	require.NoError(t, err)
	assert.Less(t, len(in.Results), len(in.Header.Plan))
}

// A broken pipe to an adapter that closed its input does not end the run.
func TestBrokenPipeOfAnAdapter(t *testing.T) {
	for range 3 {
		cmd, errs := program(t, "run", "--target", "exec:exec <&-", "--out", filepath.Join(t.TempDir(), "run"))
		_ = cmd.Wait()
		assert.Equal(t, report.Broken, cmd.ProcessState.ExitCode())
		assert.NotContains(t, errs.String(), "interrupted")
		assert.Contains(t, errs.String(), "does not answer hello")
	}
}

// begun reports whether a run has its header.
func begun(dir string) bool { return resultsIn(dir) >= 0 }

// resultsIn counts the results that a run has written. It returns -1 before the run has begun.
func resultsIn(dir string) int {
	b, err := os.ReadFile(filepath.Join(dir, "results.jsonl"))
	if err != nil {
		return -1
	}
	return max(0, bytes.Count(b, []byte("\n"))-1) // the first line is the header
}

func await(t *testing.T, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited five minutes in vain")
		}
	}
}

// childrenOf returns the child processes of pid, or none on a system without /proc.
func childrenOf(pid int) []int {
	var out []int
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range stats {
		child, parent, state := stat(file)
		if parent == pid && state != "Z" {
			out = append(out, child)
		}
	}
	return out
}

func alive(pid int) bool {
	_, _, state := stat(fmt.Sprintf("/proc/%d/stat", pid))
	return state != "" && state != "Z"
}

func stat(file string) (pid, parent int, state string) {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0, 0, ""
	}
	fmt.Sscanf(string(b), "%d", &pid)
	fmt.Sscanf(string(b[bytes.LastIndexByte(b, ')')+1:]), "%s %d", &state, &parent)
	return pid, parent, state
}

func TestInterruptedRunSaysHowToGoOn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	cmd, errs := program(t, append(longRun, "--out", dir)...)
	await(t, func() bool { return resultsIn(dir) >= 2 })
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	cmd.Wait()
	assert.Equal(t, report.Broken, cmd.ProcessState.ExitCode())
	assert.Contains(t, errs.String(), "--resume "+dir)
	o := lwtest(t, "run", "--resume", dir)
	assert.Equal(t, report.Failed, o.status)
}

func TestTwoRunsDoNotShareADirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	cmd, _ := program(t, append(longRun, "--out", dir)...)
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
	}()
	await(t, func() bool { return begun(dir) })
	for _, args := range [][]string{{"run", "--out", dir}, {"run", "--resume", dir}} {
		o := lwtest(t, args...)
		assert.Equal(t, report.Broken, o.status)
		assert.Contains(t, o.errors, "another lwtest is using")
	}
}

func TestResumeWantsTheSameRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	require.Equal(t, report.OK, lwtest(t, "run", "toy/map/reads", "--target", "good", "--seed", "7", "--out", dir).status)
	refused := map[string][]string{
		"--seed cannot be changed":              {"--seed", "8"},
		"--target cannot be changed":            {"--target", "bad"},
		"--feature cannot be changed":           {"--feature", "ordered"},
		"--span cannot be changed":              {"--span", "1s"},
		"--real-time cannot be changed":         {"--real-time"},
		"--out cannot be changed":               {"--out", dir},
		"--etcd cannot be changed":              {"--etcd", "x"},
		"--restart-cmd cannot be changed":       {"--restart-cmd", "x"},
		"--context cannot be changed":           {"--context", "x"},
		"--resource cannot be changed":          {"--resource", "leases"},
		"the checks of a run cannot be changed": {"toy/map/quick"},
	}
	for want, args := range refused {
		o := lwtest(t, append([]string{"run", "--resume", dir}, args...)...)
		assert.Equal(t, report.Broken, o.status, args)
		assert.Contains(t, o.errors, want)
		assert.Contains(t, o.errors, "--seed 7", "and says how it was begun")
	}
	o := lwtest(t, "run", "toy/map/reads", "--resume", dir, "--seed", "7", "--target", "good", "--parallel", "3")
	assert.Equal(t, report.OK, o.status, o.errors)
	assert.Equal(t, report.Broken, lwtest(t, "run", "--out", dir).status, "a run is not overwritten")
}

// TestResumeComparesOptionsOfClusters checks that these are part of the run's targets.
func TestResumeComparesOptionsOfClusters(t *testing.T) {
	f := &flags{}
	a := toyApp()
	cmd := &cobra.Command{}
	f.selecting(cmd)
	f.running(cmd)
	require.NoError(t, cmd.Flags().Parse([]string{"--resource", "leases"}))
	se := &session{app: a, flags: f, dir: &report.Dir{}, settings: report.Settings{Targets: []string{"good", "kubeconfig:k?context=c&resource=leases"}}}
	assert.NoError(t, se.agree(nil), "each by itself")
	require.NoError(t, cmd.Flags().Set("context", "d"))
	assert.ErrorContains(t, se.agree(nil), "--context cannot be changed")
	require.NoError(t, cmd.Flags().Set("context", "c"))
	require.NoError(t, cmd.Flags().Set("target", "good"))
	require.NoError(t, cmd.Flags().Set("target", "kubeconfig:k"))
	assert.NoError(t, se.agree(nil), "as the run was begun")
}

// TestResumeWantsTheSameProgram checks that a report is of one version of lwtest.
func TestResumeWantsTheSameProgram(t *testing.T) {
	chdir(t)
	aRun(t, "run", report.OK, "good")
	edit(t, "run/results.jsonl", `"version":"`+version().module+`"`, `"version":"v0.0.1"`)
	refuses(t, "the run was started by lwtest v0.0.1, this is lwtest "+version().module+": finish it with that version, or start a new run", "run", "--resume", "run")
}

// TestResumeWantsHistories checks that a run without its histories is not resumed.
func TestResumeWantsHistories(t *testing.T) {
	chdir(t)
	aRun(t, "run", report.OK, "good")
	require.NoError(t, os.RemoveAll("run/histories"))
	refuses(t, "the history of toy/map/reads", "run", "--resume", "run")
	assert.Equal(t, report.Broken, lwtest(t, "judge", "run").status, "as judge says")
}

// TestResumeKeepsWhatIsFinished cuts a run after its second result. These two stay as they are, and each of the others
// is run once.
func TestResumeKeepsWhatIsFinished(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	whole := readReport(t, lwtest(t, "run", "--target", "good", "--keep", "all", "--out", dir, "--format", "json").out)
	file := filepath.Join(dir, "results.jsonl")
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	lines := strings.SplitAfter(string(b), "\n")
	require.NoError(t, os.WriteFile(file, []byte(strings.Join(lines[:3], "")), 0o644))
	in, err := report.Load(dir)
	require.NoError(t, err)
	require.Len(t, in.Results, 2)
	finished := map[string]bool{}
	for _, res := range in.Results {
		finished[res.Check] = true
		require.NoError(t, os.WriteFile(filepath.Join(dir, res.History), []byte("mine"), 0o644))
	}
	skipped := report.History("good", "toy/map/order") // it leaves none of its own
	require.False(t, finished["toy/map/order"])
	require.NoError(t, os.WriteFile(filepath.Join(dir, skipped), []byte("stale"), 0o644))

	o := lwtest(t, "run", "--resume", dir, "--format", "json")
	got := readReport(t, o.out)
	assert.Equal(t, verdicts(whole), verdicts(got), o.errors)
	b, err = os.ReadFile(file)
	require.NoError(t, err)
	again := strings.SplitAfter(string(b), "\n")
	assert.Len(t, again, len(lines), "one line for each check")
	assert.Equal(t, lines[:3], again[:3])
	for _, res := range got.Results {
		switch {
		case finished[res.Check]:
			b, err := os.ReadFile(filepath.Join(dir, res.History))
			require.NoError(t, err)
			assert.Equal(t, "mine", string(b), "%s was run again", res.Check)
		case res.Check == "toy/map/order":
			assert.Equal(t, harness.Skip, res.Verdict)
			assert.Empty(t, res.History, "what a killed run left is not this result's history")
		}
	}
	assert.NoFileExists(t, filepath.Join(dir, skipped))
}

// TestCutLine resumes a run that was killed while it wrote a line, and while it replaced a file.
func TestCutLine(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	whole := lwtest(t, "run", "--target", "ordered", "--out", dir, "--format", "json")
	file := filepath.Join(dir, "results.jsonl")
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	lines := strings.SplitAfter(string(b), "\n")
	cut := strings.Join(lines[:3], "") + lines[3][:len(lines[3])/2]
	require.NoError(t, os.WriteFile(file, []byte(cut), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".report.json-123"), []byte("{"), 0o644))
	left := filepath.Join(dir, report.History("ordered", "toy/map/long")) + ".log"
	require.NoError(t, os.MkdirAll(filepath.Dir(left), 0o777))
	require.NoError(t, os.WriteFile(left, []byte("{"), 0o644))
	require.NoError(t, os.Remove(filepath.Join(dir, "report.json")))

	in, err := report.Load(dir)
	require.NoError(t, err)
	assert.True(t, in.Truncated)
	assert.Len(t, in.Results, 2)
	o := lwtest(t, "run", "--resume", dir, "--format", "json")
	assert.Equal(t, verdicts(readReport(t, whole.out)), verdicts(readReport(t, o.out)), o.errors)
	assert.FileExists(t, filepath.Join(dir, "report.json"))
	assert.NoFileExists(t, filepath.Join(dir, ".report.json-123"))
	assert.NoFileExists(t, left, "what a killed worker was writing")
}
