package main

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness/report"
)

// servedCRI is the runtime fake in a process of its own, which the commands kill and start.
type servedCRI struct {
	dir, logs, kill, start string
}

func serveCRI(t *testing.T) servedCRI {
	dir, err := os.MkdirTemp("", "lwtest-") // paths of sockets must be short
	require.NoError(t, err)
	r := servedCRI{dir: dir, logs: filepath.Join(dir, "logs"), kill: filepath.Join(dir, "kill"), start: filepath.Join(dir, "start")}
	script := func(path, text string) {
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755))
	}
	script(r.start, fmt.Sprintf("%s=1 setsid %s serve cri %s/s >/dev/null 2>&1 </dev/null &\necho $! >%s/pid", asProgram, os.Args[0], dir, dir))
	script(r.kill, fmt.Sprintf("kill -9 $(cat %s/pid)", dir))
	r.begin(t)
	t.Cleanup(func() {
		assert.NoError(t, exec.Command("sh", r.kill).Run())
		os.RemoveAll(dir)
	})
	return r
}

// begin starts the fake, and waits until it answers.
func (r servedCRI) begin(t *testing.T) {
	require.NoError(t, exec.Command("sh", r.start).Run())
	await(t, func() bool {
		c, err := net.Dial("unix", r.dir+"/s")
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

// down reports whether the fake was killed.
func (r servedCRI) down() bool {
	b, _ := os.ReadFile(r.dir + "/pid")
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	return err == nil && !alive(pid)
}

func (r servedCRI) target(restarts bool) string {
	q := url.Values{"logs": {r.logs}}
	if restarts {
		q.Set("kill", r.kill)
		q.Set("start", r.start)
	}
	return "cri:unix://" + r.dir + "/s?" + q.Encode()
}

// TestRuntimeThatDies checks that a run whose runtime dies ends and says so, and that no verdict blames a check.
func TestRuntimeThatDies(t *testing.T) {
	t.Parallel()
	r, dir := serveCRI(t), filepath.Join(t.TempDir(), "run")
	cmd, errs := program(t, "run", "runtime/image/status", "runtime/stop/kill", "--target", r.target(false), "--parallel", "1", "--out", dir)
	await(t, func() bool { return resultsIn(dir) > 0 })
	require.NoError(t, exec.Command("sh", r.kill).Run())
	cmd.Wait()
	assert.Equal(t, report.Broken, cmd.ProcessState.ExitCode())
	for _, want := range []string{"does not answer any more: it has died, or hangs", "may still have pods of this run", "continue with `lwtest run --resume"} {
		assert.Contains(t, errs.String(), want)
	}
	in, err := report.Load(dir)
	require.NoError(t, err)
	for _, res := range in.Results {
		assert.Equal(t, "pass", string(res.Verdict), res.Check)
	}
	assert.Empty(t, entries(t, r.logs))
	r.begin(t)
	o := lwtest(t, "run", "--resume", dir)
	assert.Equal(t, report.OK, o.status, o.errors)
}

// TestServedFakeRestarts checks that the checks of restarts pass on the served fake, which signals kill and start, and fail if it
// forgets how containers ended.
func TestServedFakeRestarts(t *testing.T) {
	for memory, want := range map[string]int{"keeps": report.OK, "forgets-exits": report.Failed} {
		t.Run(memory, func(t *testing.T) {
			t.Parallel()
			dir, err := os.MkdirTemp("", "lwtest-") // paths of sockets must be short
			require.NoError(t, err)
			defer os.RemoveAll(dir)
			serve, _ := program(t, "serve", "cri", dir+"/s", "--memory", memory)
			await(t, func() bool { _, err := os.Stat(dir + "/s"); return err == nil })
			kill := func(sig string) string { return fmt.Sprintf("kill -%s %d", sig, serve.Process.Pid) }
			q := url.Values{"logs": {dir + "/logs"}, "kill": {kill("USR1")}, "start": {kill("USR2")}}
			o := lwtest(t, "run", "runtime/restart/exit", "--target", "cri:unix://"+dir+"/s?"+q.Encode(), "--out", filepath.Join(t.TempDir(), "run"))
			assert.Equal(t, want, o.status, o.errors)
			require.NoError(t, serve.Process.Signal(os.Interrupt))
			require.NoError(t, serve.Wait())
		})
	}
}

// TestServedFakePulls checks that the checks of images pass on the served fake, which asks the registry of the suite.
func TestServedFakePulls(t *testing.T) {
	t.Parallel()
	r := serveCRI(t)
	o := lwtest(t, "run", "runtime/image/*", "--target", r.target(false)+"&image=busybox:1&images-may-be-removed=true", "--out", filepath.Join(t.TempDir(), "run"))
	assert.Equal(t, report.OK, o.status, "%s\n%s", o.out, o.errors)
}

// TestKillThatDoesNothing checks that a run and a fuzz run end at the first kill that leaves the runtime answering.
func TestKillThatDoesNothing(t *testing.T) {
	t.Parallel()
	r := serveCRI(t)
	r.kill = "true"
	began := time.Now()
	o := lwtest(t, "run", "runtime/restart/*", "--target", r.target(true), "--out", filepath.Join(t.TempDir(), "run"))
	assert.Equal(t, report.Broken, o.status)
	assert.Contains(t, o.errors, "kill=true has ended, but the runtime still answers")
	assert.Contains(t, o.errors, "correct the parameter kill")
	assert.Less(t, time.Since(began), 30*time.Second, "the other three checks are left out")
	assert.Empty(t, entries(t, r.logs))
}

// TestPodsOfEarlierRuns checks that a run says which pods a killed one has left, and that clean removes them.
func TestPodsOfEarlierRuns(t *testing.T) {
	t.Parallel()
	r := serveCRI(t)
	cmd, _ := program(t, "run", "runtime/stop/kill", "--target", r.target(false), "--out", filepath.Join(t.TempDir(), "killed"))
	await(t, func() bool { logs, _ := filepath.Glob(r.logs + "/*/*.log"); return len(logs) > 0 }) // a container has begun
	children := childrenOf(cmd.Process.Pid)
	require.NoError(t, cmd.Process.Kill())
	cmd.Wait()
	for _, pid := range children {
		await(t, func() bool { return !alive(pid) })
	}
	o := lwtest(t, "run", "runtime/image/status", "--target", r.target(false), "--out", filepath.Join(t.TempDir(), "run"))
	assert.Equal(t, report.OK, o.status, o.errors)
	assert.Regexp(t, "it has pods of other runs of lwtest: 1 of the run [a-z2-7]{8}. If a run is over, delete its pods: lwtest clean --target 'cri:unix://", o.errors)
	o = lwtest(t, "clean", "--target", r.target(false))
	assert.Equal(t, report.OK, o.status, o.errors)
	assert.Regexp(t, "^run [a-z2-7]{8}: pods removed: 1\n$", o.out)
	assert.Empty(t, entries(t, r.logs))
	assert.Equal(t, "nothing is left of earlier runs\n", lwtest(t, "clean", "--target", r.target(false)).out)
	refuses(t, "only a container runtime on a socket", "clean", "--target", "cri:fake")
	refuses(t, "--run goes with --target", "clean", "--run", "x")
}

// TestInterruptedKill checks that a runtime is up again after a run that was interrupted or killed while it was down.
func TestInterruptedKill(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			r, dir := serveCRI(t), filepath.Join(t.TempDir(), "run")
			cmd, errs := program(t, "run", "runtime/restart/exit", "--target", r.target(true), "--out", dir)
			await(t, r.down)
			children := childrenOf(cmd.Process.Pid)
			require.NoError(t, cmd.Process.Signal(sig))
			cmd.Wait()
			for _, pid := range children {
				await(t, func() bool { return !alive(pid) })
			}
			if sig == syscall.SIGINT {
				assert.Equal(t, report.Broken, cmd.ProcessState.ExitCode())
				assert.Contains(t, errs.String(), "the runtime was started again")
				assert.False(t, r.down())
				assert.Empty(t, entries(t, r.logs))
				return
			}
			assert.True(t, r.down())
			o := lwtest(t, "run", "--resume", dir)
			assert.Contains(t, o.errors, "the run directory is", "it was started, and the check was driven")
			assert.False(t, r.down())
			assert.Empty(t, entries(t, r.logs))
		})
	}
}

// TestAdapterOfDocs checks that the adapter of docs/cri.md is right, and that lwtest can test a runtime with it.
func TestAdapterOfDocs(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"bash", "jq"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s", tool)
		}
	}
	page, err := os.ReadFile("../../docs/cri.md")
	require.NoError(t, err)
	_, after, _ := strings.Cut(string(page), "<!-- adapter -->\n```bash\n")
	script, _, ok := strings.Cut(after, "```\n")
	require.True(t, ok)
	script = strings.ReplaceAll(script, "{ my-runtime ", fmt.Sprintf("{ %s=1 %s serve cri ", asProgram, os.Args[0]))
	file := filepath.Join(t.TempDir(), "adapter.sh")
	require.NoError(t, os.WriteFile(file, []byte(script), 0o755))
	target := "exec:bash " + file
	o := lwtest(t, "smoke", "--target", target)
	assert.Equal(t, report.OK, o.status, o.errors)
	o = lwtest(t, "run", "runtime/exec/code", "runtime/image/status", "--target", target, "--out", filepath.Join(t.TempDir(), "run"))
	assert.Equal(t, report.OK, o.status, o.errors)
}
