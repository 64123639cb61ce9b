package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	stores "github.com/lwtest/lwtest/conformance/store/golden"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/internal/full/cases"
	"github.com/lwtest/lwtest/plugins/clientgo/informers"
	"github.com/lwtest/lwtest/plugins/clientgo/listwatch"
	"github.com/lwtest/lwtest/plugins/targets"
)

// historiesOf runs checks of a target and returns the histories by check.
func historiesOf(t *testing.T, target string, args ...string) map[string]string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	o := lwtest(t, append([]string{"run", "--target", target, "--keep", "all", "--format", "json", "--out", dir}, args...)...)
	require.NotEqual(t, report.Broken, o.status, o.errors)
	out := map[string]string{}
	for _, res := range readReport(t, o.out).Results {
		if res.History == "" {
			continue
		}
		out[res.Check] = string(uncompressed(t, filepath.Join(dir, res.History)))
	}
	return out
}

// scheduled are checks whose order of events depends on the scheduler: those with a burst, with two informers that
// begin at once, or with something done without a pause. Actors take no turns there. The race detector makes the order
// random, and so does a busy machine.
var scheduled = []string{"toy/map/reads/many", "watchcache/watch/cluster-scoped", // in which six watches end at once
	"watchcache/write/conflict/contended", "watchcache/write/visible/many", "watchcache/write/exists/contended", "watchcache/write/response/contended",
	"watchcache/write/response/contended/json-patch", "watchcache/write/response/contended/strategic-merge-patch", "watchcache/write/response/contended/apply", "watchcache/write/finalizers/contended",
	"informer/converge/equal/two", "informer/converge/equal/wire-tls", "informer/sync/has-synced/at-once", "informer/stop/prompt/busy/stream", "informer/store/index/beside", "informer/store/snapshot/beside", "informer/notify/late-handler/beside",
	"runtime/container/echo", // in which a container ends when its status is asked for
	"runtime/error/no-answer", "runtime/event/order", "runtime/event/idle", "runtime/event/order/many", "runtime/stop/again", "runtime/restart/stop"}

// isScheduled reports whether the scheduler decides about the order of a check's events.
func isScheduled(check string) bool {
	name, ofStores := strings.CutPrefix(check, "store/")
	return slices.Contains(scheduled, check) || ofStores && slices.Contains(stores.Concurrent, name)
}

// differences returns differences of checks whose order does not depend on the scheduler.
func differences(want, got map[string]string) map[string]string {
	out := map[string]string{}
	for check := range got {
		if w, g := stackless(want[check]), stackless(got[check]); w != g && !isScheduled(check) {
			out[check] = firstDifference(w, g)
		}
	}
	return out
}

// stack matches a panic's message after its first line: addresses, which differ.
var stack = regexp.MustCompile(`("msg":"panic: [^"\\\\]*)[^\n]*`)

func stackless(h string) string { return stack.ReplaceAllString(h, "$1") }

func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return fmt.Sprintf("line %d\nwant %s\ngot  %s", i+1, w[i], g[i])
		}
	}
	return fmt.Sprintf("want %d lines, got %d", len(w), len(g))
}

// TestSameSeedSameHistory runs each check among all others, in one and in two workers, and one check in four first in
// a process of its own. Each actor has its own turns, so neither a load of ten nor the race detector changes a
// history, except for checks in scheduled. An informer has goroutines of its own, and four of its histories differed
// once at a load of ten. A difference of an informer therefore gets three more tries.
//
// Most targets of client-go are loose and belong to TestSameSeedSameVerdicts: HTTP has goroutines of its own on both
// sides, and client-go handles streamed lists and handlers in the order of a Go map.
func TestSameSeedSameHistory(t *testing.T) {
	chosen := append([]string{"ordered", "informer:correct/streams", "informer:correct/lists"}, targets.New(&targets.Clusters{}).BuiltIn...)
	chosen = slices.DeleteFunc(chosen, func(target string) bool { return slices.Contains(loose(), target) })
	for _, target := range full.Part(t, chosen, 3, 0) {
		t.Run(target, func(t *testing.T) {
			if full.Race && target != "ordered" {
				t.Skip("the race detector takes the processor from any goroutine at any time, which not all take turns by; and it takes minutes")
			}
			some := someChecks(t, target)
			one := historiesOf(t, target, append([]string{"--parallel", "1"}, some...)...)
			require.NotEmpty(t, one)
			sameAs(t, one, "once more", target, append([]string{"--parallel", "1"}, some...)...)
			sameAs(t, one, "in two workers", target, append([]string{"--parallel", "2"}, some...)...)
			checks, n := slices.Sorted(maps.Keys(one)), 4
			if !full.Wanted() {
				n = max(n, len(checks))
			}
			for i := 0; i < len(checks); i += n { // a process each
				sameAs(t, one, "alone, first in its process", target, checks[i])
			}
		})
	}
}

// sameAs runs checks of a target and expects these histories.
func sameAs(t *testing.T, one map[string]string, msg, target string, args ...string) {
	t.Helper()
	got := historiesOf(t, target, args...)
	d := differences(one, got)
	if target == repeats { // hours of failures, in one of which it ends a watch at the very moment at which the server does
		delete(d, "informer/resume/pace")
	}
	seen := []map[string]string{one, got}
	for tries := 3; tries > 0 && len(d) > 0 && (strings.HasPrefix(target, "informer:") || target == repeats); tries-- {
		again := historiesOf(t, target, args...)
		for _, before := range seen {
			odd := differences(before, again)
			maps.DeleteFunc(d, func(check, _ string) bool { return odd[check] == "" })
		}
		seen = append(seen, again)
	}
	for check, diff := range d {
		assert.Fail(t, check+": "+msg, diff)
	}
}

// someChecks returns the checks of a target to run if tests do not run in full. nil means all.
func someChecks(t *testing.T, connect string) (names []string) {
	t.Helper()
	if full.Wanted() {
		return nil
	}
	s, arg, err := toyApp().targets.Find(connect)
	require.NoError(t, err)
	target, err := s.Open(t.Context(), arg)
	require.NoError(t, err)
	for _, c := range cases.Part(t, target.Cases, max(1, len(target.Cases)/8), 0) {
		names = append(names, c.Address())
	}
	return names
}

// repeats is the one target of client-go whose histories do not depend on the order of a map: lists in pages by
// functions, without handlers.
const repeats = "go:client-go/reflector-pages"

// loose are targets whose histories need not repeat exactly.
func loose() (out []string) {
	for _, name := range slices.Concat(listwatch.Names(), informers.Names()) {
		if target := "go:client-go/" + name; target != repeats {
			out = append(out, target)
		}
	}
	return append(out, "node:reference") // an agent has many goroutines of its own
}

// TestSameSeedSameVerdicts checks that these targets have the same verdicts each time, also of the rules that a check
// requires. Other rules may pass or stay untested over HTTP. In full it runs one target in eight, with
// LWTEST_FULL=every all of them.
func TestSameSeedSameVerdicts(t *testing.T) {
	if full.Race {
		t.Skip("with the race detector a check may take longer than its limit of real time, and is inconclusive then")
	}
	for _, target := range full.Thin(t, loose(), 40, 8, 0) {
		some := someChecks(t, target)
		var first map[string]string
		for _, parallel := range []string{"1", "2"} {
			args := []string{"run", "--target", target, "--format", "json", "--parallel", parallel, "--out", filepath.Join(t.TempDir(), "run")}
			got := requiredVerdicts(readReport(t, lwtest(t, append(args, some...)...).out))
			require.NotEmpty(t, got)
			if first == nil {
				first = got
			}
			assert.Equal(t, first, got, target)
		}
	}
}

// requiredVerdicts returns the verdicts of the required rules and of failed ones.
func requiredVerdicts(r report.Report) map[string]string {
	out := map[string]string{}
	for _, res := range r.Results {
		for _, rr := range res.Rules {
			if rr.Required || rr.Verdict == harness.Fail {
				out[res.Check+" "+rr.Rule] = fmt.Sprint(res.Verdict, rr.Verdict, rr.Tested > 0)
			}
		}
	}
	return out
}

func TestOtherSeedOtherHistory(t *testing.T) {
	a, b := historiesOf(t, "ordered", "--seed", "1"), historiesOf(t, "ordered", "--seed", "2")
	assert.NotEqual(t, a["toy/map/reads"], b["toy/map/reads"])
}
