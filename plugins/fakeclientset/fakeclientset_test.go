package fakeclientset_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/internal/full/cases"
	"github.com/lwtest/lwtest/plugins/fakeclientset"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func run(t *testing.T, cases []harness.Case) []harness.Result {
	t.Helper()
	var out []harness.Result
	for _, c := range cases {
		r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: fakeclientset.Name, Wall: 10 * time.Minute}) // -race, on a busy machine
		out = append(out, r)
	}
	return out
}

// broken are deviations that must be found, each at its clause: by the check
// that is about it, whatever else finds them, too.
var broken = map[string]string{
	"watchcache/watch/from-list":       "watch/from-list",  // a delete between list and watch
	"watchcache/watch/scope/name":      "watch/scope/name", // selectors on watch
	"watchcache/watch/scope/label":     "watch/scope/label",
	"watchcache/watch/scope/field":     "watch/scope/field",
	"watchcache/list/scope":            "list/scope",            // field selectors on list
	"watchcache/write/conflict/update": "write/conflict/update", // stale writes
	"watchcache/write/conflict/patch":  "write/conflict/patch",
	"watchcache/write/conflict/delete": "write/conflict/delete",
	"watchcache/write/conflict/uid":    "write/conflict/uid",
	"watchcache/write/collection":      "write/collection", // deletecollection deletes nothing
	"watchcache/write/dry-run":         "write/dry-run",
	"watchcache/watch/timeout":         "watch/timeout",    // watches never end
	"watchcache/watch/slow":            "subject/survives", // 100 unread events
	"watchcache/list/snapshot/large":   "subject/survives",
}

// Every deviation is a failure at its clause and known, nothing else fails, and
// no line is stale, which shows only in full: with both ways to make a clientset.
func TestDeviationsAreKnown(t *testing.T) {
	target, err := fakeclientset.Open(t.Context(), "")
	require.NoError(t, err)
	for name, all := range map[string][]harness.Case{
		"NewSimpleClientset": target.Cases,
		"NewClientset":       fakeclientset.Cases(func() kubernetes.Interface { return fake.NewClientset() }, watchcache.Apply),
	} {
		t.Run(name, func(t *testing.T) {
			if name != "NewClientset" {
				full.Need(t, "one of the two")
			}
			results := run(t, cases.Part(t, all, 3, 0))
			if err := harness.Cover(target.Known, results); full.Wanted() {
				require.NoError(t, err, "stale lines")
			}
			passed := 0
			for _, r := range results {
				if r.Verdict == harness.Pass {
					passed++
				}
				expect(t, &r)
			}
			require.Positive(t, passed)
		})
	}
}

// In real time, too, whose clock is a bubble's here.
func TestDeviationsAreKnownInRealTime(t *testing.T) {
	target, err := fakeclientset.Open(t.Context(), "")
	require.NoError(t, err)
	var results []harness.Result
	for _, c := range target.Cases {
		synctest.Test(t, func(t *testing.T) {
			r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: fakeclientset.Name, RealTime: true})
			results = append(results, r)
		})
	}
	require.NoError(t, harness.Cover(target.Known, results), "stale lines")
	for _, r := range results {
		if r.Verdict != harness.Pass && r.Verdict != harness.Skip {
			require.NotEmpty(t, r.Known, "%s: %s: %s", r.Check, r.Verdict, r.Reason)
		}
	}
}

func expect(t *testing.T, r *harness.Result) {
	t.Helper()
	var got []string
	for _, rr := range r.Rules {
		if rr.Verdict == harness.Fail {
			require.NotEmpty(t, rr.Known, "%s: %s: a failure that no line covers", r.Check, rr.Rule)
			got = append(got, rr.Rule)
		}
	}
	if want := broken[r.Check]; want != "" {
		require.Contains(t, got, want, r.Check)
		return
	}
	require.NotContains(t, r.Known, "a matter of luck", "%s: virtual time waits for every reader", r.Check)
	switch r.Verdict {
	case harness.Pass:
	case harness.Skip:
		require.Contains(t, r.Reason, "not declared", r.Check)
	default:
		require.NotEmpty(t, r.Known, "%s: %s: %s", r.Check, r.Verdict, r.Reason)
	}
}

// The most expensive one is explained so that it teaches.
func TestTheLostDeleteIsExplained(t *testing.T) {
	target, err := fakeclientset.Open(t.Context(), "")
	require.NoError(t, err)
	i := slices.IndexFunc(target.Cases, func(c harness.Case) bool { return c.Name == "watch/from-list" })
	for _, rr := range run(t, target.Cases[i:i+1])[0].Rules {
		if rr.Rule != "watch/from-list" {
			continue
		}
		text := target.Cases[i].Kind.Explain(rr)
		for _, want := range []string{"MUST watchcache/watch/from-list", "clause", "want    DELETED for the deletion of a/y", "got     no DELETED", "DELETE    a/y", "why"} {
			require.Contains(t, text, want)
		}
		return
	}
	t.Fatal("the rule is not in the result")
}

func TestLinesAreNarrow(t *testing.T) {
	lines, err := fakeclientset.Known()
	require.NoError(t, err)
	for _, l := range lines {
		require.NotContains(t, l.Check+l.Rule, "*", "one check, one rule")
		require.True(t, strings.HasPrefix(l.Got, "^"), l.Got)
		require.Contains(t, l.Link, "https://github.com/kubernetes/")
		require.Equal(t, fakeclientset.Name, l.Target)
	}
}

func TestOpenTakesNoArgument(t *testing.T) {
	_, err := fakeclientset.Open(t.Context(), "x")
	require.ErrorContains(t, err, "takes no argument")
}
