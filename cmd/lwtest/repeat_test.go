package main

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness/report"
)

// historiesOf runs checks of a target and gives the histories, by check.
func historiesOf(t *testing.T, target string, args ...string) map[string]string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	o := lwtest(t, append([]string{"run", "--target", target, "--format", "json", "--out", dir}, args...)...)
	require.NotEqual(t, report.Broken, o.status, o.errors)
	out := map[string]string{}
	for _, res := range readReport(t, o.out).Results {
		if res.History == "" {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, res.History))
		require.NoError(t, err)
		out[res.Check] = string(b)
	}
	return out
}

// attempts are allowed because Go takes the processor from goroutines that have
// had it for 10 ms of real time, running or not. Measured on two cores: left
// alone, no check differs in 100 runs, with one worker or with two; at a load
// of ten four do in 37 runs: list/snapshot/busy in 9, watch/ordered in 8,
// bookmark/complete in 4, watch/reliable in 1.
const attempts = 4

// usual gives the history that two runs of each check agree on.
func usual(t *testing.T, run func() map[string]string) map[string]string {
	t.Helper()
	seen, out := map[string]bool{}, map[string]string{}
	for range attempts {
		for check, h := range run() {
			if seen[check+h] {
				out[check] = h
			}
			seen[check+h] = true
		}
	}
	return out
}

// repeats runs something until it gives what is wanted, a few times at most.
func repeats(t *testing.T, want map[string]string, run func() map[string]string, msg string) {
	t.Helper()
	want = maps.Clone(want)
	var got map[string]string
	for range attempts {
		got = run()
		maps.DeleteFunc(want, func(check, h string) bool { return got[check] == h }) // each check once
		if len(want) == 0 {
			return
		}
	}
	for check := range want {
		assert.Equal(t, want[check], got[check], "%s: %s", check, msg)
	}
}

// TestSameSeedSameHistory runs each check first in a process of its own, then
// among all others, last, and in one and in two workers.
func TestSameSeedSameHistory(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes Go's scheduler random on purpose")
	}
	for _, target := range []string{"ordered", "fake", "go:fakeclientset"} {
		t.Run(target, func(t *testing.T) {
			one := usual(t, func() map[string]string { return historiesOf(t, target, "--parallel", "1") })
			require.Len(t, one, len(historiesOf(t, target)), "a check never gives the same twice")
			repeats(t, one, func() map[string]string { return historiesOf(t, target, "--parallel", "2") }, "in two workers")
			for check, h := range one {
				repeats(t, map[string]string{check: h}, func() map[string]string {
					return map[string]string{check: historiesOf(t, target, check)[check]}
				}, "alone, first in its process")
			}
		})
	}
}

func TestOtherSeedOtherHistory(t *testing.T) {
	a, b := historiesOf(t, "ordered", "--seed", "1"), historiesOf(t, "ordered", "--seed", "2")
	assert.NotEqual(t, a["toy/map/reads"], b["toy/map/reads"])
}
