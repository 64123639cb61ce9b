package watchcache_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/replay/handmade/model"
	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/internal/full"
)

// modelRuns is how many random histories of each sort are judged; LWTEST_MODEL_RUNS sets it.
func modelRuns() int {
	if n, err := strconv.Atoi(os.Getenv("LWTEST_MODEL_RUNS")); err == nil {
		return n
	}
	if full.Wanted() {
		return 40
	}
	return 3
}

// worlds are the sorts of histories.
var worlds = map[string]model.Options{
	"one writer":   {Ops: 60, Writers: 1, Watchers: 4, Listers: 1, Names: 2},
	"many writers": {Ops: 120, Writers: 6, Watchers: 6, Listers: 3, Names: 3},
	"one key":      {Ops: 100, Writers: 5, Watchers: 5, Listers: 2, Names: 1},
	"lost answers": {Ops: 100, Writers: 4, Watchers: 5, Listers: 2, Names: 2, Lost: 0.15},
	"much is lost": {Ops: 80, Writers: 3, Watchers: 4, Listers: 2, Names: 1, Lost: 0.5},
	"others write": {Ops: 100, Writers: 3, Watchers: 5, Listers: 2, Names: 2, Lost: 0.05, Foreign: true},
	"long":         {Ops: 60, Writers: 3, Watchers: 4, Listers: 2, Names: 2, Long: true},
	"no uids":      {Ops: 80, Writers: 3, Watchers: 4, Listers: 2, Names: 2, Lost: 0.1, NoUID: true},
	"finalizers":   {Ops: 100, Writers: 3, Watchers: 5, Listers: 2, Names: 2, Holds: true},
	"all at once":  {Ops: 100, Writers: 4, Watchers: 5, Listers: 2, Names: 2, Lost: 0.05, Holds: true, Sweeps: true, Foreign: true},
	"collections":  {Ops: 80, Writers: 2, Watchers: 4, Listers: 2, Names: 3, Sweeps: true},
	"in turn":      {Ops: 60, Writers: 1, Watchers: 4, Listers: 2, Names: 2, Holds: true, Sweeps: true},
	"by order":     {Ops: 80, Writers: 3, Watchers: 4, Listers: 2, Names: 2, ByOrder: true},

	"grace":              {Ops: 80, Writers: 3, Watchers: 4, Listers: 2, Names: 2, Features: graceKind},
	"grace, in turn":     {Ops: 60, Writers: 1, Watchers: 4, Listers: 2, Names: 2, Holds: true, Sweeps: true, Features: graceKind},
	"grace, one key":     {Ops: 60, Writers: 3, Watchers: 3, Listers: 2, Names: 1, Features: graceKind},
	"grace, one alone":   {Ops: 12, Writers: 1, Watchers: 3, Listers: 1, Names: 1, Lost: 0.2, Features: graceKind},
	"grace, lost":        {Ops: 80, Writers: 2, Watchers: 4, Listers: 2, Names: 2, Lost: 0.2, Features: graceKind},
	"grace, all at once": {Ops: 100, Writers: 4, Watchers: 5, Listers: 2, Names: 2, Lost: 0.05, Holds: true, Sweeps: true, Foreign: true, Features: graceKind},
	"grace, no uids":     {Ops: 80, Writers: 3, Watchers: 4, Listers: 2, Names: 2, Lost: 0.1, NoUID: true, Features: graceKind},

	"creating":              {Ops: 80, Writers: 3, Watchers: 4, Listers: 2, Names: 2, Features: leaseKind},
	"creating, in turn":     {Ops: 60, Writers: 1, Watchers: 4, Listers: 2, Names: 2, Holds: true, Sweeps: true, Features: leaseKind},
	"creating, lost":        {Ops: 80, Writers: 2, Watchers: 4, Listers: 2, Names: 1, Lost: 0.3, Features: leaseKind},
	"creating, no uids":     {Ops: 80, Writers: 3, Watchers: 4, Listers: 2, Names: 2, Lost: 0.1, NoUID: true, Features: leaseKind},
	"creating, all at once": {Ops: 100, Writers: 4, Watchers: 5, Listers: 2, Names: 2, Lost: 0.05, Holds: true, Sweeps: true, Foreign: true, Features: oddKind},

	"opaque":                {Ops: 80, Writers: 3, Watchers: 4, Listers: 2, Names: 2, Features: []string{"patch"}},
	"opaque, undeclared":    {Ops: 60, Writers: 2, Watchers: 4, Listers: 2, Names: 2, Features: []string{}},
	"opaque, in turn":       {Ops: 60, Writers: 1, Watchers: 4, Listers: 2, Names: 2, Features: opaque(plainKind)},
	"opaque, lost":          {Ops: 60, Writers: 2, Watchers: 4, Listers: 2, Names: 2, Lost: 0.2, Foreign: true, Features: opaque(plainKind)},
	"opaque, one lost":      {Ops: 20, Writers: 1, Watchers: 4, Listers: 2, Names: 1, Lost: 0.05, Features: opaque(plainKind)},
	"opaque, grace":         {Ops: 60, Writers: 1, Watchers: 4, Listers: 2, Names: 2, Features: opaque(graceKind)},
	"opaque, all at once":   {Ops: 80, Writers: 3, Watchers: 4, Listers: 2, Names: 2, Lost: 0.05, Holds: true, Sweeps: true, Foreign: true, Features: opaque(oddKind)},
	"opaque, creating":      {Ops: 60, Writers: 1, Watchers: 4, Listers: 2, Names: 2, Features: opaque(leaseKind)},
	"opaque, held, in turn": {Ops: 60, Writers: 1, Watchers: 4, Listers: 2, Names: 2, Holds: true, Sweeps: true, Features: opaque(plainKind)},
	"by order, creating":    {Ops: 60, Writers: 3, Watchers: 4, Listers: 2, Names: 2, ByOrder: true, Features: opaque(leaseKind)},
}

// What kinds of subjects declare, of all that the model knows.
var (
	plainKind = allBut(watchcache.Grace, watchcache.CreateOnUpdate)
	graceKind = allBut(watchcache.CreateOnUpdate)
	leaseKind = allBut(watchcache.Grace, watchcache.UpdateNeedsObject)
	oddKind   = allBut(watchcache.UpdateNeedsObject)
)

func allBut(but ...harness.Feature) (out []string) {
	but = append(but, watchcache.StatusSubresource, watchcache.Shards, watchcache.SoleWriter, watchcache.NoPastStates)
	for _, f := range watchcache.Suite.Features {
		if !slices.Contains(but, f.Name) {
			out = append(out, string(f.Name))
		}
	}
	return out
}

// opaque declares all that but that resourceVersions can be compared.
func opaque(features []string) []string {
	return slices.DeleteFunc(slices.Clone(features), func(f string) bool { return f == model.Comparable })
}

// asked says that a rule is put to a subject that declares so much; nil: it does not say.
func asked(r harness.Rule, features []string) bool {
	return features == nil || !slices.ContainsFunc(r.Needs, func(f harness.Feature) bool { return !slices.Contains(features, string(f)) })
}

// servers are those that a world may be of: in this process; one that others reach; one that nobody else writes to.
func servers(o model.Options) []history.Header {
	here, shared := o.Header(), o.Header()
	shared.Time = history.RealTime
	own := shared
	own.Features = append([]string{replay.SoleWriter}, o.Features...)
	switch {
	case o.Features == nil && o.ByOrder:
		own.Features = append(own.Features, opaque(plainKind)...)
	case o.Features == nil:
		own.Features = append(own.Features, plainKind...)
	}
	return []history.Header{here, shared, own}
}

func eachModel(t *testing.T, f func(t *testing.T, o model.Options)) {
	for name, o := range worlds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range modelRuns() {
				o.Seed = uint64(seed)
				f(t, o)
			}
		})
	}
}

// TestCorrectIsNeverBad: whatever a correct server does, no rule finds anything.
func TestCorrectIsNeverBad(t *testing.T) {
	eachModel(t, func(t *testing.T, o model.Options) {
		events := model.Events(o)
		for _, header := range servers(o) {
			h, err := history.New(header, events)
			require.NoError(t, err)
			neverBad(t, h, fmt.Sprintf("seed %d", o.Seed))
		}
	})
}

// neverBad demands that no rule that is put to a history finds anything.
func neverBad(t *testing.T, h *history.History, of string) {
	t.Helper()
	for _, r := range watchcache.Suite.Rules {
		if !asked(r, h.Header.Features) {
			continue
		}
		if j := r.Judge(h); len(j.Bad) > 0 {
			t.Fatalf("%s of %s, %s %q: %s", r.Address(), of, h.Header.Time, h.Header.Features, explain(h, j))
		}
	}
}

// Nor where watches end and go on, in the history of the benchmarks.
func TestEndingIsNeverBad(t *testing.T) {
	h, err := model.New(model.BusyEnding(10_000))
	require.NoError(t, err)
	for _, r := range watchcache.Suite.Rules {
		j := r.Judge(h)
		require.Empty(t, j.Bad, r.Address())
		if a := r.Address(); a == "watch/from-list" || a == "watch/resumable" {
			require.Positive(t, j.Tested, a)
		}
	}
}

// reached are the rules that the model puts to the test; it knows neither
// refusals, nor troubles of a server, nor what ends a watch.
var reached = []string{
	"get/most-recent", "get/not-older-than", "get/answered",
	"list/snapshot", "list/monotonic", "list/answered", "list/scope", "list/most-recent", "list/any", "list/not-older-than", "list/exact", "list/exact-legacy", "list/empty-version",
	"version/comparable",
	"list/future", "list/pages", "list/page-size", "list/pages-with-selector", "list/remaining", "list/remaining-absent",
	"watch/ordered", "watch/unique", "watch/reliable", "watch/from-list", "watch/types", "watch/scope/namespace", "watch/scope/name", "watch/scope/label", "watch/scope/field",
	"watch/resumable", "watch/atomic", "watch/unset", "watch/unset-fresh", "watch/zero", "watch/selector-exit", "watch/delete-version", "watch/same-for-all", "watch/answered", "watch/future",
	"bookmark/complete/none-missing", "bookmark/complete/none-follows", "bookmark/asked", "bookmark/monotonic", "bookmark/shape", "bookmark/idle",
	"watchlist/initial", "watchlist/only-added", "watchlist/end-version", "watchlist/once", "watchlist/off",
	"write/conflict/update", "write/conflict/patch", "write/conflict/delete", "write/conflict/uid", "write/no-false-conflict",
	"write/response", "write/uid-kept", "write/exists", "write/missing/delete", "write/missing/update", "write/missing/create", "write/version-grows", "write/no-op", "write/visible", "write/dry-run",
	"write/grace", "write/grace/stays", "write/grace/shorter", "write/grace/end",
	"write/finalizers", "write/finalizers-raced", "write/collection", "write/answered", "write/contended",
}

// TestModelTests: over all those histories the rules that the model can reach
// are tested, and no others: whoever teaches the model a thing says so here.
func TestModelTests(t *testing.T) {
	if full.Race {
		t.Skip("takes a minute, and has one goroutine")
	}
	tested := map[string]int{}
	for _, o := range worlds {
		for seed := range uint64(5) {
			o.Seed = seed
			h, err := model.New(o)
			require.NoError(t, err)
			for _, r := range watchcache.Suite.Rules {
				if asked(r, o.Features) {
					tested[r.Address()] += r.Judge(h).Tested
				}
			}
		}
	}
	var got []string
	for _, r := range watchcache.Suite.Rules {
		if tested[r.Address()] > 0 {
			got = append(got, r.Address())
		}
	}
	assert.Equal(t, reached, got)
}

// explain shows what a rule found, and everything about its object.
func explain(h *history.History, j harness.Judgement) string {
	b := j.Bad[0]
	out := fmt.Sprintf("%d findings, at %v\nwant %s\ngot  %s\n", len(j.Bad), b.At, b.Want, b.Got)
	about := map[int32]bool{}
	for _, n := range b.At {
		about[n] = true
	}
	key := ""
	for _, w := range strings.Fields(b.Got + " " + b.Want) { // what is wanted is named last
		if strings.Contains(w, "/") && len(w) > 2 {
			key = w
		}
	}
	for i := range h.Events {
		e := &h.Events[i]
		if about[e.Num] || about[e.Call] && e.Call != 0 && e.Phase == history.Return || e.Obj.Key == key {
			out += fmt.Sprintf("#%d %s %s %s\n", e.Num, e.Actor, h.Describe(e), e.Obj.Body)
		}
	}
	return out
}
