package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/internal/full"
)

// tmpfs mounts a file system of this size in KiB, if that is permitted.
func tmpfs(t *testing.T, kib int) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, fmt.Sprintf("size=%dk", kib)); err != nil {
		t.Skipf("no tmpfs can be mounted here: %v", err)
	}
	t.Cleanup(func() { assert.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return dir
}

// TestFullDisk runs on disks of every size up to one that is large enough. On each smaller one the status is 3, stderr
// says why and what to do, and with more room the run can be finished with the same verdicts.
func TestFullDisk(t *testing.T) {
	args := []string{"run", "--target", "bad", "--target", "ordered", "--parallel", "1", "--format", "json"}
	want := lwtest(t, append(args, "--out", filepath.Join(t.TempDir(), "run"))...)
	require.Equal(t, report.Failed, want.status)
	tooSmall, step := 0, 8
	if full.Wanted() {
		step = 4 // a page
	}
	for kib := 4; kib < 1024; kib += step {
		disk := tmpfs(t, kib)
		dir := filepath.Join(disk, "run")
		o := lwtest(t, append(args, "--out", dir)...)
		if o.status != report.Broken {
			assert.Equal(t, verdicts(readReport(t, want.out)), verdicts(readReport(t, o.out)), "on %d KiB", kib)
			assert.Equal(t, want.status, o.status)
			break
		}
		tooSmall++
		assert.Empty(t, o.out, "on %d KiB: no report of what is not kept", kib)
		assert.Contains(t, o.errors, "no space left on device", "on %d KiB", kib)
		require.NoError(t, syscall.Mount("none", disk, "tmpfs", syscall.MS_REMOUNT, "size=4m"))
		if !strings.Contains(o.errors, "--resume "+dir) { // not even begun
			assert.Contains(t, o.errors, "make room, or give another with --out")
			assert.NoFileExists(t, filepath.Join(dir, "results.jsonl"))
			continue
		}
		assert.NoFileExists(t, filepath.Join(dir, "report.json"))
		again := lwtest(t, "run", "--resume", dir, "--format", "json")
		assert.Equal(t, want.status, again.status, "on %d KiB: %s", kib, again.errors)
		assert.Equal(t, verdicts(readReport(t, want.out)), verdicts(readReport(t, again.out)), "on %d KiB", kib)
		left, _ := filepath.Glob(filepath.Join(dir, ".*"))
		assert.Empty(t, left)
	}
	assert.Greater(t, tooSmall, 3, "the smallest disks hold no run")
	_, err := os.Stat("runs")
	assert.Error(t, err)
}
