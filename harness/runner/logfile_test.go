package runner

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/sim"
)

// A file is created with the first write, with its directories. Close returns the first error.
func TestLogFile(t *testing.T) {
	s := &logFile{path: filepath.Join(t.TempDir(), "a", "b.jsonl")}
	require.NoError(t, s.Close())
	assert.NoFileExists(t, s.path)
	for _, line := range []string{"one\n", "two\n"} {
		_, err := s.Write([]byte(line))
		require.NoError(t, err)
	}
	require.NoError(t, s.Close())
	got, err := os.ReadFile(s.path)
	require.NoError(t, err)
	assert.Equal(t, "one\ntwo\n", string(got))

	inTheWay := &logFile{path: filepath.Join(s.path, "c.jsonl")}
	_, first := inTheWay.Write([]byte("x"))
	require.Error(t, first)
	assert.Equal(t, first, inTheWay.Close())
}

// A worker opens each target once, and runs a check with the features that the run decided on.
func TestResolve(t *testing.T) {
	var closed []string
	w := &worker{open: opener(&closed), targets: map[string]harness.Target{}}
	j := job{Target: "one", Check: "k/x/a", Has: []harness.Feature{"extra"}}
	c, err := w.resolve(j)
	require.NoError(t, err)
	assert.Equal(t, j.Has, c.Has)
	w.open = nil
	_, err = w.resolve(j)
	require.NoError(t, err, "it is open already")
	_, err = w.resolve(job{Target: "one", Check: "k/nosuch"})
	assert.ErrorContains(t, err, "target one has no check k/nosuch in a worker")
}

// A check whose worker died took the time of the worker. A deleted history makes the check inconclusive.
func TestResultOfADeadWorker(t *testing.T) {
	target, err := opener(new([]string))(t.Context(), "two")
	require.NoError(t, err)
	r := Runner{Dir: t.TempDir()}
	it := Item{Target: "two", Case: target.Cases[0]}
	res, err := r.result(it, sim.Reply{Died: &sim.Death{How: "exit status 1"}, Took: 7})
	require.NoError(t, err)
	assert.EqualValues(t, 7, res.Elapsed)
	assert.Equal(t, "the worker ended before the check began: exit status 1", res.Reason)
	assert.Empty(t, res.History, "there is none")
}
