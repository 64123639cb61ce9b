package exec

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/harness"
)

// A check whose adapter does not answer a read after its watch was stopped says which message that is. --wire shows it.
func TestUnansweredRead(t *testing.T) {
	t.Setenv(wireVar, "")
	file := filepath.Join(t.TempDir(), "wire.log")
	require.NoError(t, LogWire(file))
	check := watching(t, "waits-unstopped")
	check.Span = time.Second
	r := run(t, check)
	assert.Equal(t, harness.Inconclusive, r.Verdict)
	assert.Regexp(t, `^deadline: the drive was not finished after 1s: the adapter has not answered lw\.read of w\d+, id \d+ `+
		`\(sent .*s ago; lw\.stop of that watch was sent .*s ago: answer the read with {"ended":true}\)`, r.Reason)
	assert.NotContains(t, r.Reason, "--timeout")
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	assert.Regexp(t, `^\d\d:\d\d:\d\d\.\d{6} \d+ → {"id":1,"op":"hello","protocol":1}$`, lines[0])
	assert.Regexp(t, `^\d\d:\d\d:\d\d\.\d{6} \d+ ← {"id":1,"ok":{`, lines[1])
	assert.Regexp(t, regexp.MustCompile(`(?m) → {"id":\d+,"op":"lw.read","w":"w\d+"}$`), string(b))
}

// A watch that may still wait is not blamed for the end of the check's time.
func TestWaitingReadIsNotLate(t *testing.T) {
	c := &conn{waiting: map[int64]pending{
		3: {id: 3, op: "lw.read", line: []byte(`{"id":3,"op":"lw.read","w":"w2"}`), sent: time.Now()},
		4: {id: 4, op: "inf.run", sent: time.Now()},
		5: {id: 5, op: "lw.list", line: []byte(`{"id":5,"op":"lw.list","h":"c1"}`), sent: time.Now()},
	}}
	assert.Equal(t, "lw.list of c1, id 5 (sent 0s ago)", c.unanswered())
	c.cancelled = map[int64]time.Time{4: time.Now().Add(-3 * time.Second)}
	assert.Equal(t, "inf.run, id 4 (sent 0s ago; cancel of it was sent 3s ago), lw.list of c1, id 5 (sent 0s ago)", c.unanswered())
	for id := range int64(6) {
		c.waiting[id] = pending{id: id, op: "barrier", sent: time.Now()}
	}
	assert.Contains(t, c.unanswered(), ", and 3 more")
}

// A log that cannot be made is refused before anything runs.
func TestWireCannotBeMade(t *testing.T) {
	t.Setenv(wireVar, "")
	assert.ErrorContains(t, LogWire(filepath.Join(t.TempDir(), "no", "file")), "--wire: open ")
	t.Setenv(wireVar, filepath.Join(t.TempDir(), "no", "file"))
	_, err := Open(t.Context(), command(""))
	assert.ErrorContains(t, err, "--wire: open ")
}

// An error of lw.read that has a Status is the ERROR event that the library made it of; any other ends the watch.
func TestReadError(t *testing.T) {
	w := &watch{session: &session{conn: &conn{}}}
	e, ok := w.next(&Failure{Msg: "gone", Status: &metav1.Status{Code: 410, Reason: metav1.StatusReasonExpired}}, ReadReply{})
	assert.True(t, ok)
	assert.Equal(t, "ERROR", e.Type)
	assert.JSONEq(t, `{"metadata":{},"reason":"Expired","code":410}`, string(e.Object))
	_, ok = w.Next(t.Context())
	assert.False(t, ok, "it is the last")
	w = &watch{session: &session{conn: &conn{}}}
	_, ok = w.next(&Failure{Msg: "broken"}, ReadReply{})
	assert.False(t, ok)
}

// watching is a case that opens a watch of an adapter, reads it, stops it, and reads on.
func watching(t *testing.T, mode string) harness.Case {
	t.Helper()
	a := &adapter{command: command(mode), limit: 2 * time.Second}
	t.Cleanup(func() { _, _ = a.close() })
	return caseOf(func(ht *harness.T) {
		s, err := a.begin(ht)
		if !assert.NoError(t, err) {
			return
		}
		if !assert.NoError(t, s.call(ht.Context(), "lw.open", LWOpen{H: "c1"}, nil)) {
			return
		}
		w := &watch{session: s, w: s.handle("w"), read: "lw.read", stop: "lw.stop"}
		var called LWCalled
		if !assert.NoError(t, w.open(ht.Context(), "lw.watch", LWWatch{LWCall{"c1", metav1.ListOptions{}}, w.w}, &called)) {
			return
		}
		soon, cancel := context.WithTimeout(ht.Context(), 50*time.Millisecond)
		defer cancel()
		w.Next(soon)
		w.Stop()
		w.Next(ht.Context())
	})
}
