package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// --wire logs the messages to and from an adapter, in a run's workers and in smoke.
func TestWire(t *testing.T) {
	dir := t.TempDir()
	for verb, rest := range map[string][]string{"run": {"store/basic/add", "--out", filepath.Join(dir, "run")}, "smoke": nil} {
		t.Setenv("LWTEST_WIRE", "")
		file := filepath.Join(dir, verb+".log")
		lwtest(t, append([]string{verb, "--target", says("echo garbage"), "--wire", file}, rest...)...)
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Regexp(t, `(?m)^\d\d:\d\d:\d\d\.\d{6} \d+ → {"id":1,"op":"hello","protocol":1}$`, string(b))
		assert.Regexp(t, `(?m)^\S+ \d+ → {"id":\d+,"op":"case.begin","case":"[^"]+"}$`, string(b))
		assert.Regexp(t, `(?m)^\S+ \d+ ← garbage$`, string(b))
	}
	o := lwtest(t, "run", "--target", "fake", "--wire", filepath.Join(dir, "x"))
	assert.Equal(t, 3, o.status)
	assert.Contains(t, o.errors, "--wire logs the messages of an adapter: it needs a --target exec:COMMAND")
}
