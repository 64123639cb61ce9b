package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness/report"
)

// contents returns all files below a directory. A file that disappears meanwhile is left out.
func contents(dir string) map[string]string {
	out := map[string]string{}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if b, err := os.ReadFile(path); err == nil {
				out[path] = string(b)
			}
		}
		return nil
	})
	return out
}

// TestFilesGrowOrAreWhole reads a run directory repeatedly during a run. Logs only grow, and all other files are
// complete when they appear.
func TestFilesGrowOrAreWhole(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	cmd, errs := program(t, "run", "--target", "slow", "--target", "good", "--keep", "all", "--out", dir)
	ended := make(chan error)
	go func() { ended <- cmd.Wait() }()
	before, looks := map[string]string{}, 0
	look := func() {
		now := contents(dir)
		for file, was := range before {
			if !passing(file) {
				assert.True(t, strings.HasPrefix(now[file], was), "%s was changed", file)
			}
		}
		for file, is := range now {
			if filepath.Base(file) == "report.json" {
				assert.True(t, json.Valid([]byte(is)), "%s is not whole", file)
			}
		}
		before = now
		looks++
	}
	for tick := time.NewTicker(time.Millisecond); ; {
		select {
		case <-tick.C:
			look()
			continue
		case err := <-ended:
			require.NoError(t, err, errs.String())
		}
		break
	}
	look()
	assert.Greater(t, looks, 10)
	for file, is := range before {
		name := filepath.Base(file)
		assert.False(t, passing(file), "%s was left", file)
		if filepath.Ext(name) != ".jsonl" {
			continue
		}
		assert.True(t, strings.HasSuffix(is, "\n"), file)
		for line := range strings.Lines(is) {
			assert.True(t, json.Valid([]byte(line)), "%s: %s", file, line)
		}
	}
}

// passing reports whether a file will be renamed, or is a worker's log of a check.
func passing(file string) bool {
	return strings.HasPrefix(filepath.Base(file), ".") || filepath.Ext(file) == ".log"
}

// TestDirectoryThatCannotBeWritten checks that a run whose results cannot be saved gives no verdict.
func TestDirectoryThatCannotBeWritten(t *testing.T) {
	chdir(t)
	require.NoError(t, os.MkdirAll("held/lock", 0o777))
	refuses(t, "the run directory held cannot be used: open held/lock: is a directory: make it writable, or give another with --out",
		"run", "toy/map/reads", "--target", "good", "--out", "held")
	require.NoError(t, os.Mkdir("closed", 0o555))
	if os.Getuid() != 0 { // who may do all is not kept out
		refuses(t, "permission denied: make it writable", "run", "toy/map/reads", "--target", "good", "--out", "closed")
		refuses(t, "permission denied: give another directory with --out", "record", "toy/map/reads", "--target", "good", "--out", "closed")
	}
	require.NoError(t, os.WriteFile("runs", nil, 0o666))
	refuses(t, "the folder for run directories cannot be created: mkdir runs: not a directory: give a directory with --out", "run", "toy/map/reads", "--target", "good")
}

// TestHistoryThatCannotBeSaved checks that this ends the run: later checks would fail too, and --resume would not
// repeat their inconclusive results.
func TestHistoryThatCannotBeSaved(t *testing.T) {
	chdir(t)
	require.NoError(t, os.Mkdir("run", 0o777))
	require.NoError(t, os.WriteFile("run/histories", nil, 0o666))
	for _, target := range []string{"good", "slow"} {
		refuses(t, "run/histories: not a directory: free some disk space, then run again with --resume run", "run", "--target", target, "--out", "run")
		in, err := report.Load("run")
		require.NoError(t, err)
		assert.True(t, in.Truncated)
		for _, r := range in.Results {
			assert.Equal(t, "skip", string(r.Verdict), "%s had a history to write", r.Check)
		}
		assert.NoFileExists(t, "run/report.json")
		require.NoError(t, os.Remove("run/results.jsonl"))
	}
	refuses(t, "could not be saved", "run", "--target", "good", "--out", "run")
	require.NoError(t, os.Remove("run/histories"))
	o := lwtest(t, "run", "--resume", "run")
	assert.Equal(t, report.OK, o.status, o.errors)
}
