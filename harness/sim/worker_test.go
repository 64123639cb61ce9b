package sim

import (
	"bufio"
	"encoding/json"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// echo answers with the job, and retires if the job says so.
func echo(_ *testing.T, job json.RawMessage) (any, bool) {
	return job, string(job) == `"retire"`
}

func TestWorkAnswersInOrder(t *testing.T) {
	in, ask := io.Pipe()
	answers, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		retired, err := work(t, in, out, echo, func() { t.Error("not an orphan") })
		assert.False(t, retired)
		done <- err
	}()
	s := bufio.NewScanner(answers)
	for _, job := range []string{`{"n":1,"body":"a"}`, `{"n":2,"body":"b"}`} {
		_, err := io.WriteString(ask, job+"\n")
		require.NoError(t, err)
		require.True(t, s.Scan())
		assert.Equal(t, job, s.Text())
	}
	require.NoError(t, ask.Close())
	require.NoError(t, <-done)
}

func TestWorkRetires(t *testing.T) {
	in, ask := io.Pipe()
	defer ask.Close()
	answers, out := io.Pipe()
	go func() { _, _ = io.WriteString(ask, `{"n":1,"body":"retire"}`+"\n") }()
	go func() { _, _ = io.Copy(io.Discard, answers) }()
	retired, err := work(t, in, out, echo, func() {})
	assert.True(t, retired)
	assert.NoError(t, err)
	out.Close()
}

// A worker whose parent dies during a job ends at once.
func TestOrphan(t *testing.T) {
	in, ask := io.Pipe()
	orphaned := make(chan struct{})
	hang := func(*testing.T, json.RawMessage) (any, bool) { <-orphaned; return nil, false }
	go func() {
		_, _ = io.WriteString(ask, `{"n":1,"body":"x"}`+"\n")
		_ = ask.Close()
	}()
	_, err := work(t, in, io.Discard, hang, func() { close(orphaned) })
	assert.NoError(t, err)
}

func TestWorkRefusesNonsense(t *testing.T) {
	in, ask := io.Pipe()
	go func() { _, _ = io.WriteString(ask, "nonsense\n") }()
	_, err := work(t, in, io.Discard, echo, func() {})
	assert.ErrorContains(t, err, "not JSON")
}
