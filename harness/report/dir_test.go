package report

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
)

// Resume removes the temporary files of a killed run, and nothing else.
func TestResumeTidies(t *testing.T) {
	d := begun(t)
	require.NoError(t, d.Release())
	left, own := filepath.Join(d.Path, "."+reportFile+"-123"), filepath.Join(d.Path, "notes.txt")
	for _, f := range []string{left, own} {
		require.NoError(t, os.WriteFile(f, nil, 0o600))
	}
	again, err := Resume(d.Path)
	require.NoError(t, err)
	require.NoError(t, again.Release())
	assert.NoFileExists(t, left)
	assert.FileExists(t, own)
}

// begun is a run with two results and no footer.
func begun(t *testing.T) *Dir {
	t.Helper()
	in := anInput()
	d, err := Create(filepath.Join(t.TempDir(), "deep", "run"), in.Header)
	require.NoError(t, err)
	t.Cleanup(func() { _ = d.Release() })
	for _, r := range in.Results[:2] {
		r.Elapsed = time.Second
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
	assert.Equal(t, 2*time.Second, in.Elapsed, "what its checks took so far")
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

// TestFullDevice uses a disk that takes nothing more once the run has begun.
func TestFullDevice(t *testing.T) {
	d := begun(t)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	require.NoError(t, d.file.Close())
	d.file = full
	const want = "no space left on device: free some disk space, then run again with --resume "
	assert.ErrorContains(t, d.Add(harness.Result{Check: "k/three", Target: "t:1"}), want+d.Path)
	assert.ErrorContains(t, d.Finish(New(anInput())), want+d.Path)
	assert.NoFileExists(t, filepath.Join(d.Path, "report.json"), "a run without a footer has no report")
	in, err := Load(d.Path)
	require.NoError(t, err)
	assert.True(t, in.Truncated)
	assert.Len(t, in.Results, 2)
}

// TestWriteFileIsAllOrNothing checks that a write that fails leaves the old file and no other.
func TestWriteFileIsAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "report.json")
	require.NoError(t, WriteFile(file, whole([]byte("old"))))
	err := WriteFile(file, func(w io.Writer) error {
		_, _ = io.WriteString(w, "ne")
		return errors.New("full")
	})
	assert.ErrorContains(t, err, "full")
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "old", string(b))
	all, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, all, 1)
	assert.Error(t, WriteFile(filepath.Join(file, "x"), whole(nil)), "where there is no directory")
}

// A run may begin in a directory that holds only logs of a target that could not be opened.
func TestLogsAreThere(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, Logs, "of a cluster"), 0o777))
	d, err := Create(dir, anInput().Header)
	require.NoError(t, err)
	require.NoError(t, d.Release())
}

// TestNoRunDirectory checks that the error says what to do next.
func TestNoRunDirectory(t *testing.T) {
	dir := t.TempDir()
	held, file := filepath.Join(dir, "held"), filepath.Join(dir, "file")
	require.NoError(t, os.MkdirAll(filepath.Join(held, "lock"), 0o777))
	require.NoError(t, os.WriteFile(file, nil, 0o666))
	_, err := Create(held, anInput().Header)
	assert.ErrorContains(t, err, "make it writable, or give another with --out")
	_, err = Create(file, anInput().Header)
	assert.ErrorContains(t, err, "give another with --out")
	_, err = Create(dir, anInput().Header)
	assert.ErrorContains(t, err, "is not a run directory: it contains file;")
	_, err = Resume(file)
	assert.ErrorContains(t, err, "is a file: give --resume a run directory")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "results.jsonl"), []byte(`{"lwtest":"report/v9"}`+"\n"), 0o666))
	_, err = Resume(dir)
	assert.ErrorContains(t, err, "start a new one")
}

func TestDirRefuses(t *testing.T) {
	d := begun(t)
	_, err := Resume(d.Path)
	assert.ErrorContains(t, err, "another lwtest is using")
	_, err = Create(d.Path, d.Header)
	assert.ErrorContains(t, err, "another lwtest is using")
	require.NoError(t, d.Release())
	_, err = Create(d.Path, d.Header)
	assert.ErrorContains(t, err, "already holds a run")
	_, err = Resume(t.TempDir())
	assert.ErrorContains(t, err, "holds no run to resume")
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
		head + `{"check":"a","verdict":"pass"}` + "\n":                                                      "line 2: a result without check or target",
		head + `{"target":"b","verdict":"pass"}` + "\n":                                                     "line 2: a result without check or target",
		head + `{"check":"a","target":"b"}` + "\n":                                                          `line 2: the verdict of a is "": want pass, fail, inconclusive or skip`,
		head + `{"check":"a","target":"b","verdict":"great"}` + "\n":                                        `line 2: the verdict of a is "great"`,
		head + `{"check":"a","target":"b","verdict":"pass","rules":[{"rule":"r","verdict":"good"}]}` + "\n": `line 2: the verdict of r in a is "good"`,
		head + `{"end":true}` + "\n" + `{"check":"a","target":"b"}` + "\n":                                  "line 3: unexpected line after the footer",
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "results.jsonl"), []byte(content), 0o644))
		_, err := Load(dir)
		assert.ErrorContains(t, err, want, fmt.Sprintf("%q", content))
	}
}
