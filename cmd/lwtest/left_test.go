package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
)

// leaving is a target that cannot release what it created, and that has a note.
func leaving(context.Context, string) (harness.Target, error) {
	t, err := toyTarget("leaving", nil, func(*harness.T) toy { return newToy(false) }, harness.VirtualTime)
	t.Notes = []string{"the feature wings is withdrawn: clipped"}
	t.Sweep = func(_ context.Context, id string) (string, error) {
		if len(id) != 8 {
			return "", fmt.Errorf("%q is no ID of a run", id)
		}
		return "2 nests were removed", nil
	}
	t.Close = func() (string, error) {
		return "a nest has not gone yet", errors.New("what the parent looks at stays:\nforbidden")
	}
	t.Release = func() error {
		return errors.Join(errors.New("a namespace of a worker stays:\nforbidden"), errors.New("another of it stays"))
	}
	return t, err
}

// TestWhatIsLeftIsSaid checks that verdicts hold, but that a run that leaves something on a server does not end with
// success, whichever process created it.
func TestWhatIsLeftIsSaid(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	o := lwtest(t, "run", "toy/map/reads", "--target", "leaving", "--parallel", "1", "--format", "json", "--out", dir)
	assert.Equal(t, report.Broken, o.status)
	for _, want := range []string{"lwtest: a namespace of a worker stays: forbidden\n", "lwtest: another of it stays\n", "lwtest: what the parent looks at stays:\nforbidden\n"} {
		assert.Contains(t, o.errors, want)
	}
	assert.Equal(t, 1, strings.Count(o.errors, "the parent looks"), "once, at the end")
	assert.Equal(t, 1, strings.Count(o.errors, "target leaving: 2 nests were removed\n"), "and what the run itself removed")
	assert.Equal(t, 1, strings.Count(o.errors, "target leaving: a nest has not gone yet\n"), "and what goes by itself")
	r := readReport(t, o.out)
	assert.Equal(t, 2, r.Counts.Pass, "the verdicts are there all the same")
	assert.Len(t, r.Problems, 3, "what goes by itself is none")
	in, err := report.Load(dir)
	require.NoError(t, err)
	assert.False(t, in.Truncated)
	assert.FileExists(t, filepath.Join(dir, "report.json"))
}

// A note of a target is printed once, before the run.
func TestNotesAreSaid(t *testing.T) {
	o := lwtest(t, "run", "toy/map/reads", "--target", "leaving", "--out", filepath.Join(t.TempDir(), "run"))
	assert.Regexp(t, `^target leaving: the feature wings is withdrawn: clipped\n2 checks; `, o.errors)
}

// littered is a target on whose server runs leave files, as a killed process does. Each check that begins creates one,
// named by the run's ID, and none removes it. If there is a file "locked", cleaning up never ends.
func littered(_ context.Context, dir string) (harness.Target, error) {
	t, err := toyTarget("littered", nil, func(t *harness.T) toy {
		_ = os.WriteFile(filepath.Join(dir, t.ID()), nil, 0o666)
		return &toyMap{m: map[string]string{}, slow: 100 * time.Millisecond}
	})
	t.Sweep = func(ctx context.Context, id string) (string, error) {
		if _, err := os.Stat(filepath.Join(dir, "locked")); err == nil {
			_ = os.WriteFile(filepath.Join(dir, "sweeping"), nil, 0o666)
			<-ctx.Done()
		}
		left, err := filepath.Glob(filepath.Join(dir, id+"-*"))
		for _, file := range left {
			err = errors.Join(err, os.Remove(file))
		}
		if len(left) == 0 || err != nil {
			return "", err
		}
		return "files were removed", nil
	}
	return t, err
}

func entries(t *testing.T, dir string) (names []string) {
	all, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}

// TestWhatAKilledProcessLeftIsRemoved checks that it is removed after a first Ctrl-C, or by --resume if the run itself
// was killed, and that files of other runs stay.
func TestWhatAKilledProcessLeftIsRemoved(t *testing.T) {
	for _, sig := range []os.Signal{os.Interrupt, os.Kill} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			server, dir := t.TempDir(), filepath.Join(t.TempDir(), "run")
			require.NoError(t, os.WriteFile(filepath.Join(server, "others-map-quick"), nil, 0o666))
			cmd, errs := program(t, "run", "toy/map/quick", "--target", "littered:"+server, "--out", dir)
			await(t, func() bool { return len(entries(t, server)) > 1 })
			children := childrenOf(cmd.Process.Pid)
			require.NoError(t, cmd.Process.Signal(sig))
			cmd.Wait()
			said := "target littered:" + server + ": files were removed\n"
			if sig == os.Interrupt {
				assert.Equal(t, report.Broken, cmd.ProcessState.ExitCode())
				assert.Contains(t, errs.String(), "lwtest: interrupted: removing what the checks created")
				assert.Contains(t, errs.String(), said)
				assert.Equal(t, []string{"others-map-quick"}, entries(t, server))
				return
			}
			for _, pid := range children {
				await(t, func() bool { return !alive(pid) })
			}
			assert.Len(t, entries(t, server), 2)
			o := lwtest(t, "run", "--resume", dir)
			assert.Equal(t, report.OK, o.status, o.errors)
			assert.True(t, strings.HasPrefix(o.errors, said), "before the first check: %s", o.errors)
			assert.Equal(t, []string{"others-map-quick"}, entries(t, server))
		})
	}
}

// TestSignalsThatComeTogether checks that signals that come within moments count as one, as those of timeout and of a shell that ends
// its jobs.
func TestSignalsThatComeTogether(t *testing.T) {
	server := t.TempDir()
	cmd, errs := program(t, "run", "toy/map/quick", "--target", "littered:"+server, "--out", filepath.Join(t.TempDir(), "run"))
	await(t, func() bool { return len(entries(t, server)) > 0 })
	for range 5 {
		require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		time.Sleep(time.Millisecond)
	}
	cmd.Wait()
	assert.Equal(t, report.Broken, cmd.ProcessState.ExitCode())
	assert.Contains(t, errs.String(), "lwtest: interrupted")
	assert.NotContains(t, errs.String(), "ended at once")
	assert.Empty(t, entries(t, server))
}

// TestASecondInterruptEndsAtOnce checks it where cleaning up would take long, too.
func TestASecondInterruptEndsAtOnce(t *testing.T) {
	server := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(server, "locked"), nil, 0o666))
	cmd, errs := program(t, "run", "toy/map/quick", "--target", "littered:"+server, "--out", filepath.Join(t.TempDir(), "run"))
	await(t, func() bool { return len(entries(t, server)) > 1 })
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	await(t, func() bool { _, err := os.Stat(filepath.Join(server, "sweeping")); return err == nil })
	time.Sleep(2 * together) // else both signals count as one
	began := time.Now()
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	cmd.Wait()
	assert.Less(t, time.Since(began), time.Minute, "it would hang for longer")
	assert.Equal(t, report.Broken, cmd.ProcessState.ExitCode())
	assert.Contains(t, errs.String(), "lwtest: ended at once, at a second signal (interrupt)")
	assert.Contains(t, errs.String(), "after a second Ctrl-C only --resume removes it")
}

// TestInterruptAfterNobodyReads checks that one Ctrl-C after the reader of the output has gone does not count as a
// second one.
func TestInterruptAfterNobodyReads(t *testing.T) {
	server := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(server, "locked"), nil, 0o666))
	said, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	require.NoError(t, err)
	defer said.Close()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	cmd := exec.Command(os.Args[0], "run", "toy/map/quick", "--target", "littered:"+server, "--out", filepath.Join(t.TempDir(), "run"))
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), asProgram+"=1"), w, said
	require.NoError(t, cmd.Start())
	require.NoError(t, errors.Join(w.Close(), r.Close()))
	await(t, func() bool { return len(entries(t, server)) > 1 })
	require.NoError(t, cmd.Process.Signal(syscall.SIGPIPE))
	await(t, func() bool { _, err := os.Stat(filepath.Join(server, "sweeping")); return err == nil })
	tells := func(what string) func() bool {
		return func() bool { b, _ := os.ReadFile(said.Name()); return strings.Contains(string(b), what) }
	}
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	await(t, tells("a second signal (interrupt) ends it at once"))
	time.Sleep(2 * together) // else both signals count as one
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	_ = cmd.Wait()
	assert.Equal(t, report.Broken, cmd.ProcessState.ExitCode())
	await(t, tells("lwtest: ended at once, at a second signal (interrupt)"))
}
