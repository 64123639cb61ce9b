package listerwatcher_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/listerwatcher"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/plugins/clientgo/listwatch"
	"github.com/lwtest/lwtest/plugins/fake"
)

func drawn(n int) harness.Script {
	return listerwatcher.Suite.Language.Draw(rand.New(rand.NewPCG(1, uint64(n))), 20)
}

// ops returns the words of a story's steps.
func ops(t *testing.T, s harness.Script) (out []string) {
	t.Helper()
	b, err := s.JSON()
	require.NoError(t, err)
	var read struct{ Steps []struct{ Op string } }
	require.NoError(t, json.Unmarshal(b, &read))
	for _, step := range read.Steps {
		out = append(out, step.Op)
	}
	return out
}

// Random stories can be written as JSON, and read again; together they have every word.
func TestRandomStoriesAreJSON(t *testing.T) {
	kind, used := listerwatcher.Suite.Describe(), map[string]bool{}
	for n := range 200 {
		s := drawn(n)
		b, err := s.JSON()
		require.NoError(t, err)
		again, err := kind.Story(b)
		require.NoError(t, err, "%s", b)
		b2, err := again.JSON()
		require.NoError(t, err)
		assert.Equal(t, string(b), string(b2))
		assert.Equal(t, s.Text(), again.Text())
		for _, op := range ops(t, s) {
			used[op] = true
		}
	}
	for _, w := range kind.Language.Words() {
		if w.Name == "join" {
			continue
		}
		assert.True(t, strings.HasSuffix(w.Help, "."), w.Name)
		assert.True(t, used[w.Name] || w.Weight == 0, w.Name)
	}
}

func way(t *testing.T, name string) harness.Case {
	t.Helper()
	target, err := listwatch.Target(name, fake.Server, append(fake.ServerFeatures, harness.VirtualTime)...)
	require.NoError(t, err)
	return target.Cases[0]
}

// Random stories play on each sort of client. Every word of this kind is done somewhere, and every history can be read.
func TestRandomStoriesPlay(t *testing.T) {
	done := map[string]bool{}
	for _, name := range []string{"typed", "pager", "retry-watcher", "until-with-sync"} {
		for n := range 40 {
			s := drawn(n)
			c, err := way(t, name).Play(s)
			require.NoError(t, err)
			r, h := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: name})
			assert.NotEqual(t, harness.Skip, r.Verdict, r.Reason)
			require.NoError(t, listerwatcher.Readable(h), "story %d on %s", n, name)
			skipped := map[int32]bool{}
			for _, step := range h.Steps {
				skipped[step.Num] = skipped[step.Num] || step.Skipped != ""
			}
			for i, op := range ops(t, s) {
				if no, came := skipped[int32(i+1)]; came && !no {
					done[op] = true
				}
			}
		}
	}
	for _, op := range []string{"open", "list", "watch", "read", "stop", "cancel", "until", "settle"} {
		assert.True(t, done[op], "no step with the word %s was done", op)
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

// Stories play in real time, too.
func TestStoryInRealTime(t *testing.T) {
	c, err := way(t, "typed").PlayJSON([]byte(`{"lwtest":"story/v1","kind":"listerwatcher","steps":[
		{"op":"fill","n":2},{"op":"watch","actor":"w1"},{"op":"put","obj":"o0"},{"op":"settle"},{"op":"stop","actor":"w1"}]}`))
	require.NoError(t, err)
	r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, RealTime: true, Span: time.Hour})
	assert.Equal(t, harness.Pass, r.Verdict, r.Reason)
}
