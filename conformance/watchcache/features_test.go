package watchcache_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/internal/full/cases"
)

// Whatever a correct server leaves undeclared, it fails nothing, and nothing is
// left open: one feature after the other, both sorts of selectors, and all but
// those that the other checks are driven by.
// One after the other they go through a sample of the checks, each through another.
func TestFeaturesWithdrawn(t *testing.T) {
	all := watchcache.Suite.Features
	for i, f := range all {
		t.Run("no "+string(f.Name), func(t *testing.T) {
			failNothing(t, full.Thin(t, undeclared(t, []string{"-" + string(f.Name)}), 50, 8, i))
		})
	}
	t.Run("no selectors", func(t *testing.T) {
		failNothing(t, full.Thin(t, undeclared(t, []string{"-" + string(watchcache.LabelWatch), "-" + string(watchcache.FieldWatch)}), 50, 8, 0))
	})
	none := make([]string, len(all))
	for i, f := range all {
		none[i] = "-" + string(f.Name)
	}
	t.Run("none", func(t *testing.T) { failNothing(t, cases.Part(t, undeclared(t, none), 4, 0)) })
}

// A server that keeps no states of the past passes when it says so, and is told how to say so when it does not.
func TestNoPastStates(t *testing.T) {
	for _, c := range openFake(t, "oddity/past-forgotten").Cases {
		if c.Name != "list/modes" {
			continue
		}
		r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1})
		assert.Equal(t, harness.Pass, r.Verdict, r.Reason)
		has, err := harness.Adjust(c.Has, []string{"-" + string(watchcache.NoPastStates)}, c.Kind.Features)
		require.NoError(t, err)
		c.Has = has
		r, _ = harness.Run(c, harness.Options{TB: t, Seed: 1})
		assert.Equal(t, harness.Inconclusive, r.Verdict)
		assert.Contains(t, r.Reason, "a server that keeps no states of the past declares the feature no-past-states")
		return
	}
	t.Fatal("there is no check list/modes")
}

// Where there are no streaming lists, what is gone is refused in the stream.
func TestErrorsWithoutStreamingLists(t *testing.T) {
	for _, c := range openFake(t, "mutant/error-goes-on").Cases {
		if c.Name != "watch/expired" && c.Name != "watch/error-ends" {
			continue
		}
		has, err := harness.Adjust(c.Has, []string{"-" + string(watchcache.WatchList)}, c.Kind.Features)
		require.NoError(t, err)
		c.Has = has
		r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1})
		if c.Name == "watch/error-ends" {
			assert.Equal(t, harness.Skip, r.Verdict)
			continue
		}
		assert.Contains(t, failedRules(r), "watch/error-ends")
	}
}

func failedRules(r harness.Result) []string {
	var out []string
	for _, rr := range r.Rules {
		if rr.Verdict == harness.Fail {
			out = append(out, rr.Rule)
		}
	}
	return out
}

// undeclared is the suite on the fake without some features.
func undeclared(t *testing.T, changes []string) []harness.Case {
	cases := openFake(t, "").Cases
	for i := range cases {
		has, err := harness.Adjust(cases[i].Has, changes, cases[i].Kind.Features)
		require.NoError(t, err)
		cases[i].Has = has
	}
	return cases
}

// failNothing runs cases, of which some must pass, and each other is skipped.
func failNothing(t *testing.T, cases []harness.Case) {
	passed := 0
	for _, c := range cases {
		r, h := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: "fake"})
		nothingFailed(t, c.Kind, r)
		if r.Verdict == harness.Pass {
			passed++
		}
		if h != nil && slices.Equal(c.Has, []harness.Feature{harness.VirtualTime}) { // as one of real time that declares nothing at all
			nothingFailed(t, c.Kind, c.Kind.Judge(c.Info, declaring(t, h, []string{})))
		}
	}
	assert.Positive(t, passed)
}

func nothingFailed(t *testing.T, k *harness.Kind, r harness.Result) {
	t.Helper()
	assert.NotEqual(t, harness.Inconclusive, r.Verdict, "%s: %s", r.Check, r.Reason)
	for _, rr := range r.Rules {
		if r.Verdict == harness.Fail && rr.Verdict == harness.Fail {
			t.Errorf("%s: %s", r.Check, k.Explain(rr))
		}
	}
}

// declaring is a history whose subject declares these features.
func declaring(t *testing.T, h *history.History, features []string) *history.History {
	t.Helper()
	head := h.Header
	head.Features = features
	again, err := history.New(head, h.Events)
	require.NoError(t, err)
	return again
}

// Deletions in two steps, and resourceVersions that nothing can be told by: much
// is not known then, but nothing is blamed.
func TestStepsWithoutOrder(t *testing.T) {
	for _, c := range cases.Part(t, openFake(t, "resource/pods").Cases, 6, 0) {
		has, err := harness.Adjust(c.Has, []string{"-" + string(watchcache.ComparableRV)}, c.Kind.Features)
		require.NoError(t, err)
		c.Has = has
		r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: "fake"})
		assert.NotEqual(t, harness.Fail, r.Verdict, "%s: %s", r.Check, r.Reason)
	}
}
