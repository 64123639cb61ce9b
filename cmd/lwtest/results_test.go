package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestResults(t *testing.T) {
	dir := t.TempDir()
	good, bad, table := filepath.Join(dir, "good"), filepath.Join(dir, "bad"), filepath.Join(dir, "table.json")
	require.Zero(t, lwtest(t, "run", "--target", "good", "--out", good).status)
	lwtest(t, "run", "--target", "bad", "--out", bad)
	o := lwtest(t, "results", filepath.Join(good, "report.json"), "--format", "json")
	require.Zero(t, o.status, o.errors)
	require.NoError(t, os.WriteFile(table, []byte(o.out), 0o666))
	both := lwtest(t, "results", good, bad)
	assert.Contains(t, both.out, "**")
	assert.Equal(t, both.out, lwtest(t, "results", table, bad).out, "a table of before is as good as its reports")
	some := filepath.Join(dir, "some")
	require.Zero(t, lwtest(t, "run", "toy/*", "--target", "good", "--out", some).status)
	assert.Contains(t, lwtest(t, "results", some).out, `(**only toy/\***)`)
	for want, args := range map[string][]string{
		"results makes a table of reports":                         {},
		some + ": a run of only toy/* cannot replace the full row": {table, some},
		"holds no report":      {filepath.Join(dir, "none")},
		"lwtest":               {os.DevNull},
		"--format is \"text\"": {good, "--format", "text"},
	} {
		o := lwtest(t, append([]string{"results"}, args...)...)
		assert.Equal(t, 3, o.status)
		assert.Contains(t, o.errors, want)
	}
}
