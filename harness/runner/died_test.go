package runner

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/sim"
)

// partial is a history with two calls open.
func partial(t *testing.T) *history.History {
	t.Helper()
	h, err := history.New(history.Header{Kind: "k"}, []history.Event{
		{Phase: history.Call, Actor: "a", Kind: "GET"},
		{Phase: history.Call, Actor: "b", Kind: "GET"},
		{Phase: history.Call, Actor: "c", Kind: "GET"},
		{Phase: history.Return, Call: 3, Actor: "c", Kind: "GET", At: 7},
	})
	require.NoError(t, err)
	return h
}

func TestLastEvent(t *testing.T) {
	stack := "panic: boom\n\ngoroutine 7 [running]:"
	cases := []struct {
		name       string
		death      sim.Death
		kind, says string
		call       int32
	}{
		{"a panic", sim.Death{How: "exit status 2", Log: "noise\n" + stack}, history.Panic, stack, 2},
		{"a fatal error", sim.Death{How: "exit status 2", Log: "fatal error: stack overflow\n"}, history.Panic, "fatal error: stack overflow\n", 2},
		{"an exit", sim.Death{How: "exit status 7", Log: stack}, history.Exited, "the process of the subject ended: exit status 7\n" + stack, 2},
		{"an exit with Go's own status", sim.Death{How: "exit status 2", Log: "no panic: here"}, history.Exited, "the process of the subject ended: exit status 2\nno panic: here", 2},
		{"a signal", sim.Death{How: "signal: segmentation fault"}, history.Exited, "the process of the subject ended: signal: segmentation fault", 2},
		{"our own limit", sim.Death{How: "killed: no answer within 1s", External: true, Late: true, Log: stack}, history.GaveUp, "killed: no answer within 1s\n" + stack, 0},
		{"someone else's kill", sim.Death{How: "signal: killed", External: true}, history.GaveUp, "signal: killed", 0},
	}
	for _, c := range cases {
		e := lastEvent(partial(t), &c.death)
		assert.Equal(t, c.kind, e.Kind, c.name)
		assert.Equal(t, c.says, e.Err().Msg, c.name)
		assert.Equal(t, c.call, e.Call, c.name)
		assert.EqualValues(t, 7, e.At, "the clock stands still")
	}
}

func TestPanicText(t *testing.T) {
	for log, want := range map[string]string{
		"":                                      "",
		"panic: a":                              "panic: a",
		"x\npanic: a\ny":                        "panic: a\ny",
		"x panic: a":                            "",
		"x\nfatal error: b\npanic: a":           "fatal error: b\npanic: a",
		"x\npanic: a\nfatal error: b":           "panic: a\nfatal error: b",
		"x\npanic: first\n\tpanic: again\nmore": "panic: first\n\tpanic: again\nmore",
	} {
		assert.Equal(t, want, panicText(log))
	}
}

func TestLastOpenOfNone(t *testing.T) {
	h, err := history.New(history.Header{Kind: "k"}, nil)
	require.NoError(t, err)
	assert.Zero(t, lastOpen(h))
}

// leaveLog writes the log of a worker that recorded all of a check.
func leaveLog(t *testing.T, file string, h *history.History) {
	t.Helper()
	f := &logFile{path: file}
	l, err := history.NewLog(f, h.Header)
	require.NoError(t, err)
	for i := range h.Events {
		require.NoError(t, l.Write(&h.Events[i]))
	}
	require.NoError(t, l.Close())
	require.NoError(t, f.Close())
}

// If a worker ends after it recorded everything, its judge crashed: the check is inconclusive, and the history stays
// complete. If somebody killed it while it judged, the history is judged again.
func TestDiedWhileItJudged(t *testing.T) {
	target, err := opener(new([]string))(t.Context(), "two")
	require.NoError(t, err)
	r := Runner{Dir: t.TempDir()}
	it := Item{Target: "two", Case: target.Cases[0]}
	whole, err := history.New(it.Case.Header(harness.Options{}), nil)
	require.NoError(t, err)
	for _, c := range []struct {
		name   string
		death  sim.Death
		reason string
		events int
	}{
		{"late", sim.Death{How: "killed: no answer within 1s", External: true, Late: true}, "all was recorded, but the worker ended while it was judged: killed: no answer within 1s", 0},
		{"out of stack", sim.Death{How: "exit status 2", Log: "fatal error: stack overflow\n"}, "all was recorded, but the worker ended while it was judged: exit status 2", 0},
		{"someone else's kill", sim.Death{How: "signal: killed", External: true}, "signal: killed", 1},
	} {
		leaveLog(t, r.log(it), whole)
		res, kept, err := r.died(it, &c.death)
		require.NoError(t, err, c.name)
		assert.True(t, kept, c.name)
		assert.Contains(t, res.Reason, c.reason, c.name)
		h, err := history.ReadFile(r.file(it))
		require.NoError(t, err, c.name)
		assert.Len(t, h.Events, c.events, c.name)
	}
}

// In virtual time goroutines take turns, and no garbage collector interrupts them.
func TestWorkersOfVirtualTimeTakeTurns(t *testing.T) {
	r := Runner{Command: func() *exec.Cmd { return exec.Command("worker") }}
	assert.Subset(t, r.command(true).Env, []string{"GOMAXPROCS=1", "GOGC=off"})
	assert.Empty(t, r.command(false).Env)
}
