package listerwatcher_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/listerwatcher"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/internal/storytest"
	"github.com/lwtest/lwtest/plugins/clientgo/listwatch"
	"github.com/lwtest/lwtest/plugins/fake"
)

func TestRandomStoriesAsJSON(t *testing.T) {
	storytest.RoundTrip(t, listerwatcher.Suite.Describe(), 200)
}

func way(t *testing.T, name string) harness.Case {
	t.Helper()
	target, err := listwatch.Target(name, fake.Server, append(fake.ServerFeatures, harness.VirtualTime)...)
	require.NoError(t, err)
	return target.Cases[0]
}

// Random stories play on each sort of client. Every word of this kind applies somewhere, and every history can be read.
func TestWords(t *testing.T) {
	var cases []harness.Case
	for _, name := range []string{"typed", "pager", "retry-watcher", "until-with-sync"} {
		cases = append(cases, way(t, name))
	}
	applied := storytest.Applied(t, cases, 40, func(c harness.Case, _ harness.Result, h *history.History) {
		require.NoError(t, listerwatcher.Readable(h), "%s\n%s", c.Plugin, c.Script.Text())
	})
	for _, op := range []string{"open", "list", "watch", "read", "stop", "cancel", "until", "settle"} {
		assert.True(t, applied[op], "%s never applies", op)
	}
}

func playJSON(t *testing.T, name, steps string) (harness.Result, *history.History) {
	t.Helper()
	c, err := way(t, name).PlayJSON([]byte(`{"lwtest":"story/v1","kind":"listerwatcher","steps":[` + steps + `]}`))
	require.NoError(t, err)
	return harness.Run(c, harness.Options{TB: t, Seed: 1, Target: name})
}

// A list names its answer, which later steps go on from; steps that do not apply say why.
func TestNamedLists(t *testing.T) {
	r, h := playJSON(t, "typed", `{"op":"fill","n":3},
		{"op":"list","actor":"c1","as":"l0","with":{"limit":2}},
		{"op":"list","actor":"c1","as":"l1","with":{"limit":2,"continue":"l0"}},
		{"op":"list","actor":"c1","with":{"continue":"l1"}},
		{"op":"watch","actor":"w1","with":{"resourceVersion":"l0"}},
		{"op":"watch","actor":"w1"},
		{"op":"watch","actor":"w2","with":{"resourceVersion":"l9"}},
		{"op":"put","obj":"o1"},{"op":"settle"},{"op":"stop","actor":"w1"},{"op":"settle"}`)
	assert.Equal(t, harness.Pass, r.Verdict, r.Reason)
	var skipped []string
	for _, s := range h.Steps {
		if s.Skipped != "" {
			skipped = append(skipped, s.Skipped)
		}
	}
	assert.Equal(t, []string{"the list l1 has no continue token", "w1 is busy", `nothing has the name "l9"`}, skipped)
	assert.True(t, slices.ContainsFunc(h.Events, func(e history.Event) bool { return e.Actor == "w1" && e.Kind == "MODIFIED" }))
}

// A call that hangs does not stop its story, and its context can be ended.
func TestCallsThatHang(t *testing.T) {
	r, h := playJSON(t, "typed", `{"op":"fault","as":"f","with":{"verbs":["list","watch"],"hang":"headers"}},
		{"op":"list","actor":"c1"},{"op":"watch","actor":"w1"},
		{"op":"settle"},{"op":"cancel","actor":"w1"},{"op":"cancel","actor":"c1"},{"op":"settle"}`)
	assert.Equal(t, harness.Pass, r.Verdict, r.Reason)
	returned := 0
	for _, e := range h.Events {
		if e.Phase == history.Return && e.Err() != nil && (e.Actor == "c1" || e.Actor == "w1") {
			returned++
		}
	}
	assert.Equal(t, 2, returned)
}

// An actor whose watch does not end when it should goes on without it, in real time. A watch without headers whose context has ended had all the
// time that it needs.
func TestLateInRealTime(t *testing.T) {
	c, err := way(t, "typed").PlayJSON([]byte(`{"lwtest":"story/v1","kind":"listerwatcher","steps":[
		{"op":"watch","actor":"w1"},{"op":"await","actor":"w1","for":"20ms"},{"op":"watch","actor":"w1"},{"op":"stop","actor":"w1"}]}`))
	require.NoError(t, err)
	r, h := harness.Run(c, harness.Options{TB: t, Seed: 1, RealTime: true, Span: time.Hour})
	assert.NotEqual(t, harness.Fail, r.Verdict, r.Reason)
	for _, s := range h.Steps {
		assert.Empty(t, s.Skipped)
	}
}

// Stories play in real time, too.
func TestStoryInRealTime(t *testing.T) {
	c, err := way(t, "typed").PlayJSON([]byte(`{"lwtest":"story/v1","kind":"listerwatcher","steps":[
		{"op":"fill","n":2},{"op":"watch","actor":"w1"},{"op":"put","obj":"o0"},{"op":"settle"},{"op":"stop","actor":"w1"}]}`))
	require.NoError(t, err)
	r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, RealTime: true, Span: time.Hour})
	assert.Equal(t, harness.Pass, r.Verdict, r.Reason)
}
