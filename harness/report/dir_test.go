package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
)

// begun is a run with two results and no footer.
func begun(t *testing.T) *Dir {
	t.Helper()
	in := anInput()
	d, err := Create(filepath.Join(t.TempDir(), "deep", "run"), in.Header)
	require.NoError(t, err)
	t.Cleanup(func() { _ = d.Release() })
	for _, r := range in.Results[:2] {
		require.NoError(t, d.Add(r))
	}
	return d
}

func TestRunIsReadableAsItIsWritten(t *testing.T) {
	d := begun(t)
	in, err := Load(d.Path)
	require.NoError(t, err)
	assert.True(t, in.Truncated)
	assert.Len(t, in.Results, 2)
	assert.Equal(t, d.Header.Plan, in.Header.Plan)
	require.Len(t, New(in).Stale, 1, "known failures are held against it again")

	r := New(in)
	r.Elapsed = time.Minute
	require.NoError(t, d.Finish(r))
	require.NoError(t, d.Release())
	in, err = Load(d.Path)
	require.NoError(t, err)
	assert.False(t, in.Truncated)
	assert.Equal(t, time.Minute, in.Elapsed)
	assert.FileExists(t, filepath.Join(d.Path, "report.json"))
	left, err := filepath.Glob(filepath.Join(d.Path, ".*"))
	require.NoError(t, err)
	assert.Empty(t, left, "files are put in place whole")
}

// TestEveryCut resumes a run that was cut at every byte.
func TestEveryCut(t *testing.T) {
	d := begun(t)
	require.NoError(t, d.Release())
	file := filepath.Join(d.Path, "results.jsonl")
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	head := strings.IndexByte(string(b), '\n') + 1
	first := head + strings.IndexByte(string(b[head:]), '\n') + 1
	for cut := range len(b) + 1 {
		require.NoError(t, os.WriteFile(file, b[:cut], 0o644))
		in, err := Load(d.Path)
		if cut < head {
			assert.Error(t, err, "cut at %d", cut)
			continue
		}
		require.NoError(t, err, "cut at %d", cut)
		want := 0
		if cut >= first {
			want = 1
		}
		if cut == len(b) {
			want = 2
		}
		assert.Len(t, in.Results, want, "cut at %d", cut)
		if cut%97 != 0 && cut != len(b) { // the rest is slow, and the same
			continue
		}
		again, err := Resume(d.Path)
		require.NoError(t, err)
		assert.Len(t, again.Finished, want)
		require.NoError(t, again.Add(harness.Result{Check: "k/two", Target: "t:1", Verdict: harness.Pass}))
		require.NoError(t, again.Release())
		in, err = Load(d.Path)
		require.NoError(t, err)
		assert.Len(t, in.Results, want+1)
	}
}

func TestResumeOfAFinishedRunWritesNoSecondFooter(t *testing.T) {
	d := begun(t)
	in, err := Load(d.Path)
	require.NoError(t, err)
	require.NoError(t, d.Finish(New(in)))
	require.NoError(t, d.Release())
	again, err := Resume(d.Path)
	require.NoError(t, err)
	require.NoError(t, again.Finish(New(in)))
	require.NoError(t, again.Release())
	b, err := os.ReadFile(filepath.Join(d.Path, "results.jsonl"))
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(b), `"end":true`))
}

func TestDirRefuses(t *testing.T) {
	d := begun(t)
	_, err := Resume(d.Path)
	assert.ErrorContains(t, err, "another lwtest is at work")
	_, err = Create(d.Path, d.Header)
	assert.ErrorContains(t, err, "another lwtest is at work")
	require.NoError(t, d.Release())
	_, err = Create(d.Path, d.Header)
	assert.ErrorContains(t, err, "holds a run already")
	_, err = Resume(t.TempDir())
	assert.ErrorContains(t, err, "nothing to resume")
	_, err = Load(t.TempDir())
	assert.Error(t, err)
}

func TestBadResultsFiles(t *testing.T) {
	head := `{"lwtest":"report/v1"}` + "\n"
	for content, want := range map[string]string{
		"":                              "line 1: no header",
		"x\n":                           "line 1: not a header",
		"{}\n":                          `line 1: format is ""`,
		`{"lwtest":"report/v9"}` + "\n": `this lwtest reads "report/v1"`,
		head + "nonsense\n":             "line 2: not a result",
		head + "{}\n":                   "line 2: a result without check or target",
		head + `{"end":true}` + "\n" + `{"check":"a","target":"b"}` + "\n": "line 3: something follows the footer",
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "results.jsonl"), []byte(content), 0o644))
		_, err := Load(dir)
		assert.ErrorContains(t, err, want, fmt.Sprintf("%q", content))
	}
}
