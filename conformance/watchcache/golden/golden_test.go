package golden_test

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	goldens "github.com/lwtest/lwtest/conformance/golden"
	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/conformance/watchcache/golden"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/plugins/fake"
)

// once reads the recordings, which no test changes.
var once = sync.OnceValues(golden.Load)

func load(t *testing.T) map[string]map[string]*history.History {
	t.Helper()
	all, err := once()
	require.NoError(t, err)
	require.NotEmpty(t, all, "no goldens: make goldens")
	return all
}

// All rules pass on what real Kubernetes did, and each check's own rules were
// put to the test by it. A golden has no times, so what is judged by these is not.
func TestGoldensPass(t *testing.T) {
	kind := watchcache.Suite.Describe()
	all := load(t)
	some, _ := goldens.Choose(all, 8, full.Wanted(), full.Every())
	for from, hs := range all {
		for name, h := range some[from] {
			i := slices.IndexFunc(kind.Checks, func(c harness.Info) bool { return c.Name == name })
			require.GreaterOrEqual(t, i, 0, "%s: there is no check %s any more", from, name)
			r := kind.Judge(kind.Checks[i], h)
			if golden.ByTime[name] && r.Verdict == harness.Inconclusive {
				continue
			}
			assert.True(t, r.Verdict == harness.Pass || r.OnlyShould(), "%s, %s: %s: %s", from, name, r.Verdict, r.Reason)
			for _, rr := range r.Rules {
				if rr.Verdict == harness.Fail {
					assert.Contains(t, golden.Deviations[from], rr.Rule, "%s, %s: %s", from, name, kind.Explain(rr))
				}
			}
		}
		for _, c := range kind.Checks {
			if offered(hs, c) && recorded(from, c.Name) {
				assert.NotNil(t, hs[c.Name], "%[1]s has no golden of %[2]s: make goldens CHECKS=watchcache/%[2]s records it", from, c.Name)
			}
		}
	}
}

// Nobody else wrote what the goldens show, so that they pass where another
// client excuses nothing, too: as histories of virtual time. Thus what is
// flagged there alone (see TestPerturbations) is the perturbation, not the golden.
func TestGoldensPassAlone(t *testing.T) {
	kind := watchcache.Suite.Describe()
	judged := 0
	some, _ := goldens.Choose(load(t), 20, full.Wanted(), full.Every())
	for from, hs := range some {
		for name, h := range hs {
			head := h.Header
			require.NotEqual(t, history.VirtualTime, head.Time, "%s, %s", from, name)
			head.Time = history.VirtualTime
			alone, err := history.New(head, slices.Clone(h.Events))
			require.NoError(t, err)
			for _, rr := range kind.Judge(harness.Info{}, alone).Rules {
				judged++
				if rr.Verdict == harness.Fail {
					assert.Contains(t, golden.Deviations[from], rr.Rule, "%s, %s: %s", from, name, kind.Explain(rr))
				}
			}
		}
	}
	t.Logf("%d judgements", judged)
}

// recorded says that a recording is to have a check.
func recorded(from, check string) bool {
	some := golden.Partial[from]
	if slices.Contains(golden.Newer, check) {
		return false
	}
	return some == nil || slices.ContainsFunc(some, func(begin string) bool { return strings.HasPrefix(check, begin) })
}

// offered says that the server of a recording declared what a check needs, in
// most of its histories. One that was recorded again later declares what the
// suite has learnt to ask for since.
func offered(hs map[string]*history.History, c harness.Info) bool {
	return !slices.ContainsFunc(c.Needs, func(f harness.Feature) bool {
		declare := 0
		for _, h := range hs {
			if slices.Contains(h.Header.Features, string(f)) {
				declare++
			}
		}
		return declare <= len(hs)/2
	})
}

// The fake, driven the same way, gives the same history, actor by actor.
func TestFakeIsLikeReal(t *testing.T) {
	some, _ := goldens.Choose(load(t), 5, full.Wanted(), full.Every())
	for from, hs := range some {
		target, err := fake.Open(t.Context(), golden.Fakes[from])
		require.NoError(t, err)
		for _, c := range target.Cases {
			want := hs[c.Name]
			if want == nil || slices.Contains(golden.Concurrent, c.Name) || golden.Timed[c.Name] != "" || golden.ByUID(want) {
				continue
			}
			c.Has = declared(want)
			t.Run(from+"/"+c.Name, func(t *testing.T) {
				_, h := harness.Run(c, harness.Options{TB: t, Seed: 1})
				for _, d := range golden.Compare(want, replay.Normalise(h)) {
					t.Error(d)
				}
			})
		}
	}
}

// declared are the features that a recording's server declared, in virtual time.
func declared(h *history.History) []harness.Feature {
	out := []harness.Feature{harness.VirtualTime}
	for _, f := range h.Header.Features {
		out = append(out, harness.Feature(f))
	}
	return out
}

// A fake with a fault is not like the real one: the comparison can fail.
func TestMutantsAreNotLikeReal(t *testing.T) {
	hs := load(t)[golden.Reference]
	for _, name := range full.Part(t, []string{"lost-deleted", "list-item-missing", "modified-for-left", "stale-update", "name-is-prefix"}, 3, 0) {
		target, err := fake.Open(t.Context(), "mutant/"+name)
		require.NoError(t, err)
		assert.True(t, slices.ContainsFunc(target.Cases, func(c harness.Case) bool {
			want := hs[c.Name]
			if want == nil || slices.Contains(golden.Concurrent, c.Name) || golden.Timed[c.Name] != "" {
				return false
			}
			c.Has = declared(want)
			_, h := harness.Run(c, harness.Options{TB: t, Seed: 1})
			return len(golden.Compare(want, replay.Normalise(h))) > 0
		}), name)
	}
}

// Each perturbation of what the real server delivered is flagged by a rule, or
// excused by a line; each line excuses something. What no rule flags because
// another client may have done it, one flags where there is none.
//
// In full these are some of all recordings of the reference, with LWTEST_FULL=every all of all recordings; else the first of
// each way in one recording in twenty.
func TestPerturbations(t *testing.T) {
	all := load(t)
	if !full.Wanted() {
		all = goldens.Recordings{golden.Reference: all[golden.Reference]}
	}
	all, sample := goldens.Choose(all, 40, full.Wanted(), full.Every())
	lines, used := golden.Table(all, golden.Excuses, sample)
	var text bytes.Buffer
	require.NoError(t, goldens.Print(&text, lines))
	t.Log("\n" + text.String() + goldens.Sum(lines))
	for i, x := range golden.Excuses {
		assert.True(t, !full.Wanted() || used[i] > 0, "this line excuses nothing: delete it: %+v", x)
	}
	assert.LessOrEqual(t, len(golden.Excuses), 20)
	alone := 0
	for _, l := range lines {
		assert.Empty(t, l.Example, "%s of %s: neither flagged nor excused", l.How, l.Class)
		alone += l.Alone
	}
	assert.Positive(t, alone, "virtual time makes no rule any stricter: then TestGoldensPassAlone says nothing")
}
