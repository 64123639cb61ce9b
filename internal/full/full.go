// Package full says how much of an exhaustive test runs.
//
// `go test ./...` runs a small part of each exhaustive test, the same part each time. LWTEST_FULL=1 runs them in full; CI
// sets it. The mutants and oddities of a server take longest: LWTEST_MUTANTS=K/N, beside LWTEST_FULL, runs one in N of
// them, from the K-th on, so that N processes run all. LWTEST_FULL=every also runs the few matrices that take hours.
//
// Only tests import this package.
package full

import (
	"fmt"
	"os"
	"testing"
)

// raceFactor is how much smaller a part is under the race detector, which slows the judges down by about that much.
const raceFactor = 4

// Wanted reports whether exhaustive tests run in full. Under the race detector they never do.
func Wanted() bool { return (os.Getenv("LWTEST_FULL") == "1" || Every()) && !Race }

// Every reports whether also those matrices run that take hours, which CI leaves out.
func Every() bool { return os.Getenv("LWTEST_FULL") == "every" && !Race }

// Need skips a test that runs in full or not at all.
func Need(t testing.TB, why string) {
	t.Helper()
	if !Wanted() {
		t.Skip(why + "; runs with LWTEST_FULL=1")
	}
}

// Part returns all if exhaustive tests run in full. Else it returns one in n of them, at least one, beginning with
// one that from chooses, and logs how many. Under the race detector the part is smaller.
func Part[T any](t testing.TB, all []T, n, from int) []T {
	t.Helper()
	switch {
	case Wanted():
		return all
	case Race:
		n *= raceFactor
	}
	return take(t, all, n, from, "LWTEST_FULL=1 runs all")
}

// Servers is Part for the mutants and oddities of a server. In full it returns those that LWTEST_MUTANTS chooses.
func Servers[T any](t testing.TB, all []T, n int) []T {
	t.Helper()
	share := os.Getenv("LWTEST_MUTANTS")
	if share == "" || !Wanted() {
		return Part(t, all, n, 0)
	}
	var k, of int
	if _, err := fmt.Sscanf(share, "%d/%d", &k, &of); err != nil || k < 0 || k >= of {
		t.Fatalf("LWTEST_MUTANTS is %q: say K/N, such as 0/3", share)
	}
	return take(t, all, of, k, "LWTEST_MUTANTS chose these")
}

// Thin is Part for a matrix that takes hours: in full it returns one in m, and all with LWTEST_FULL=every.
func Thin[T any](t testing.TB, all []T, n, m, from int) []T {
	t.Helper()
	if Wanted() && !Every() {
		return take(t, all, m, from, "LWTEST_FULL=every runs all")
	}
	return Part(t, all, n, from)
}

// take returns one in n, at least one, beginning with one that from chooses.
func take[T any](t testing.TB, all []T, n, from int, why string) []T {
	t.Helper()
	var out []T
	for i := from % max(1, min(n, len(all))); i < len(all); i += n {
		out = append(out, all[i])
	}
	t.Logf("runs %d of %d: %s", len(out), len(all), why)
	return out
}
