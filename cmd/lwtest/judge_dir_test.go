package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
)

// aRun makes a run directory.
func aRun(t *testing.T, dir string, want int, targets ...string) {
	t.Helper()
	args := []string{"run", "toy/map/reads", "--keep", "all", "--out", dir}
	for _, target := range targets {
		args = append(args, "--target", target)
	}
	require.Equal(t, want, lwtest(t, args...).status)
}

// uncompressed returns the content of a file, which may be compressed.
func uncompressed(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	if !bytes.HasPrefix(b, []byte{0x1f, 0x8b}) {
		return b
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	require.NoError(t, err)
	b, err = io.ReadAll(z)
	require.NoError(t, err)
	return b
}

// edit replaces a text in a file, once. A compressed file becomes plain text.
func edit(t *testing.T, file, old, now string) {
	t.Helper()
	b := uncompressed(t, file)
	require.Contains(t, string(b), old)
	require.NoError(t, os.WriteFile(file, bytes.Replace(b, []byte(old), []byte(now), 1), 0o644))
}

// verdictsOf counts how the results of a report ended.
func verdictsOf(r report.Report) map[harness.Verdict]int {
	out := map[harness.Verdict]int{}
	for _, res := range r.Results {
		out[res.Verdict]++
	}
	return out
}

// All runs below a directory become one report. Each is compared with its own known failures, and named by its folder
// if two have the same target.
func TestJudgeManyRuns(t *testing.T) {
	chdir(t)
	aRun(t, "runs/a", report.OK, "good", "excused")
	aRun(t, "runs/b", report.OK, "good")
	o := lwtest(t, "judge", "runs", "--format", "json")
	assert.Equal(t, report.OK, o.status, o.errors)
	r := readReport(t, o.out)
	assert.Equal(t, []string{"good", "excused", "runs/b good"}, r.Settings.Targets)
	assert.Equal(t, 6, len(r.Results), "map/reads and map/reads/many")
	assert.Equal(t, 2, r.Counts.Known)
	for _, res := range r.Results {
		assert.FileExists(t, res.History)
	}
	assert.Equal(t, report.Failed, lwtest(t, "judge", "runs", "--known", known(t)).status, "a line that is stale")

	b, err := os.ReadFile("runs/b/results.jsonl") // cut runs/b short
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("runs/b/results.jsonl", bytes.Join(bytes.SplitAfter(b, []byte("\n"))[:2], nil), 0o644))
	o = lwtest(t, "judge", "runs")
	assert.Equal(t, report.Unproven, o.status, "one was cut short")
	assert.Contains(t, o.out, "truncated  1 check without a result\n", "and no one directory is to be resumed")
}

// known writes a file with a line that covers nothing.
func known(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "known.json")
	require.NoError(t, os.WriteFile(file, []byte(`[{"check":"toy/map/reads","rule":"map/reads","verdict":"fail","got":"nonsense","reason":"none"}]`), 0o644))
	return file
}

// A file that cannot be read is named with the reason and costs only its own verdicts.
func TestJudgeWhatCanBeRead(t *testing.T) {
	chdir(t)
	aRun(t, "runs/a", report.OK, "good")
	aRun(t, "runs/b", report.OK, "ordered")
	aRun(t, "runs/c", report.Failed, "bad")
	aRun(t, "runs/d", report.OK, "slow")
	edit(t, "runs/b/results.jsonl", `"report/v1"`, `"report/v9"`)
	edit(t, "runs/c/results.jsonl", "}\n{", "}\n{garbage")
	spoilt := filepath.Join("runs/d", report.History("slow", "toy/map/reads"))
	edit(t, spoilt, `"history/v1"`, `"history/v9"`)
	require.NoError(t, os.WriteFile("runs/empty.jsonl", nil, 0o644))

	o := lwtest(t, "judge", "runs", "--format", "json")
	assert.Equal(t, report.Broken, o.status)
	for _, want := range []string{
		`could not be judged: runs/b/results.jsonl: line 1: format is "report/v9", this lwtest reads "report/v1"`,
		`could not be judged: runs/c/results.jsonl: line 2: not a result`,
		`could not be judged: ` + spoilt + `: line 1: format is "history/v9", this lwtest reads "history/v1"`,
		`could not be judged: runs/empty.jsonl: line 1: empty`,
	} {
		assert.Contains(t, o.errors, want)
	}
	r := readReport(t, o.out)
	assert.Len(t, r.Problems, 4, "the report has them, too")
	assert.Equal(t, report.Broken, r.Status)
	assert.Equal(t, map[harness.Verdict]int{harness.Pass: 5, harness.Fail: 2, harness.Inconclusive: 1}, verdictsOf(r), "the histories of b and c are good")

	for dir, want := range map[string]map[harness.Verdict]int{"runs/b": {harness.Pass: 2}, "runs/d": {harness.Pass: 1, harness.Inconclusive: 1}} {
		o = lwtest(t, "judge", dir, "--format", "json")
		assert.Equal(t, report.Broken, o.status, dir)
		assert.Equal(t, want, verdictsOf(readReport(t, o.out)), dir)
	}
	text := lwtest(t, "judge", "runs/d")
	assert.Contains(t, text.out, "exit status 3: lwtest could not run, or not to the end")
	assert.Contains(t, text.out, "its history could not be judged: "+spoilt)

	require.NoError(t, os.MkdirAll("none", 0o777))
	require.NoError(t, os.WriteFile("none/results.jsonl", []byte(`{"lwtest":"report/v9"}`+"\n"), 0o644))
	refuses(t, "nothing in none could be judged", "judge", "none")
	require.NoError(t, os.Remove(spoilt))
	refusesNothing := lwtest(t, "judge", "runs/d", "--format", "json")
	assert.Equal(t, report.Broken, refusesNothing.status, "a history that is gone")
	assert.Contains(t, refusesNothing.errors, "there is no file")
}

// Text from a trace does not reach a terminal unchanged.
func TestHostileHeader(t *testing.T) {
	chdir(t)
	aRun(t, "was", report.OK, "good")
	file := "was/" + report.History("good", "toy/map/reads")
	edit(t, file, `"toy/map/reads"`, `"toy/\u001b[2J\nexit status 0"`)
	edit(t, file, `"toy good"`, `"toy\u001b[2J\nexit status 0"`)
	for _, args := range [][]string{{"judge", file}, {"judge", file, "--format", "markdown"}, {"play", file}} {
		o := lwtest(t, args...)
		assert.NotContains(t, o.out+o.errors, "\x1b", "%q", args)
		assert.NotContains(t, o.out, "\nexit status 0\n", "%q", args)
	}
}
