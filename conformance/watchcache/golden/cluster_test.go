package golden_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/conformance/watchcache/golden"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// What a kind cluster answers is what a kube-apiserver without controllers does, but for what these write, and each
// difference has its reason.
func TestClustersAreLikeServers(t *testing.T) {
	bare, chance := load(t)[golden.Reference], golden.Chance()
	for from, hs := range clusters(t) {
		assert.Greater(t, len(hs), 70, from)
		for name, h := range hs {
			require.NotNil(t, bare[name], name)
			differs := golden.Compare(bare[name], golden.Bare(h))
			if golden.Differ[name] == "" && chance[name] == "" {
				assert.Empty(t, differs, "%s, %s", from, name)
			} else {
				assert.NotEmpty(t, differs, "%s, %s: it differs no longer", from, name)
			}
		}
		for _, names := range []map[string]string{golden.Differ, chance} {
			for name, reason := range names {
				assert.NotNil(t, hs[name], "%s has no %s", from, name)
				assert.NotEmpty(t, reason, name)
			}
		}
	}
}

// All rules pass on what a kind cluster answered, those that may differ from the reference, and those that are not
// compared with it, as well.
func TestClustersPass(t *testing.T) {
	kind := watchcache.Suite.Describe()
	broken := map[string]bool{}
	for from, hs := range clusters(t) {
		for name, h := range hs {
			i := slices.IndexFunc(kind.Checks, func(c harness.Info) bool { return c.Name == name })
			require.GreaterOrEqual(t, i, 0, "%s: there is no check %s any more", from, name)
			r := kind.Judge(kind.Checks[i], golden.Bare(h))
			for _, rr := range r.Rules {
				if rr.Verdict != harness.Fail {
					continue
				}
				broken[rr.Rule] = true
				assert.Contains(t, golden.Broken, rr.Rule, "%s, %s: %s", from, name, kind.Explain(rr))
			}
			if r.Verdict == harness.Inconclusive {
				assert.True(t, golden.ByTime[name], "%s, %s: %s", from, name, r.Reason)
			}
		}
	}
	assert.Len(t, broken, len(golden.Broken), "what is broken no more: %v", golden.Broken)
}

// A cluster that answers lists with what was never written, or with less, does not pass as one that differs.
func TestWrongClustersDoNotPass(t *testing.T) {
	kind := watchcache.Suite.Describe()
	wrong := map[string]func(items []history.Ref) []history.Ref{
		"content": func(items []history.Ref) []history.Ref {
			for i := range items {
				items[i].Body += "wrong"
			}
			return items
		},
		"less": func(items []history.Ref) []history.Ref { return items[:min(1, len(items))] },
	}
	for from, hs := range clusters(t) {
		for name, reason := range golden.Differ {
			for how, change := range wrong {
				i := slices.IndexFunc(kind.Checks, func(c harness.Info) bool { return c.Name == name })
				r := kind.Judge(kind.Checks[i], listing(t, golden.Bare(hs[name]), change))
				failed := slices.ContainsFunc(r.Rules, func(rr harness.RuleResult) bool { return rr.Verdict == harness.Fail && rr.Rule != "list/remaining" })
				assert.True(t, failed || lists(hs[name]) == 0, "%s, %s (%s), %s", from, name, reason, how)
			}
		}
	}
}

// listing is a history in which each list gives other items.
func listing(t *testing.T, h *history.History, change func([]history.Ref) []history.Ref) *history.History {
	t.Helper()
	events := slices.Clone(h.Events)
	for i := range events {
		if e := &events[i]; e.X != nil && e.Phase == history.Return && e.Kind == replay.List {
			x := *e.X
			x.Items = change(slices.Clone(x.Items))
			e.X = &x
		}
	}
	out, err := history.New(h.Header, events)
	require.NoError(t, err)
	return out
}

// lists counts the objects that lists give.
func lists(h *history.History) (n int) {
	for i := range h.Events {
		if e := &h.Events[i]; e.X != nil && e.Phase == history.Return && e.Kind == replay.List {
			n += len(e.X.Items)
		}
	}
	return n
}

// onceClusters reads the recordings of clusters, which no test changes.
var onceClusters = sync.OnceValues(golden.Clusters)

func clusters(t *testing.T) map[string]map[string]*history.History {
	t.Helper()
	all, err := onceClusters()
	require.NoError(t, err)
	require.NotEmpty(t, all)
	return all
}
