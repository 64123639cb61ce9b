// Package full says how much of an exhaustive test runs.
//
// `go test ./...` runs a small part of each exhaustive test, the same part each time. LWTEST_FULL=1 runs them in full.
// LWTEST_SHARE=K/N, beside it, runs one in N of each, from the K-th on, so that N processes run all; CI sets both, with a K
// that the commit chooses. LWTEST_FULL=every also runs the few matrices that take hours.
//
// Only tests import this package.
package full

import (
	"fmt"
	"os"
	"slices"
	"testing"
)

// raceFactor is how much smaller a part is under the race detector, which slows the judges down by about that much.
const raceFactor = 4

// Wanted reports whether exhaustive tests run in full. Under the race detector they never do, nor with LWTEST_SHARE.
func Wanted() bool { return long() && os.Getenv("LWTEST_SHARE") == "" }

// Every reports whether also those matrices run that take hours, which CI leaves out.
func Every() bool { return os.Getenv("LWTEST_FULL") == "every" && !Race }

// long reports whether what takes long runs, in full or as a share.
func long() bool { return (os.Getenv("LWTEST_FULL") == "1" || Every()) && !Race }

// share returns K and N of LWTEST_SHARE, which must be set.
func share(t testing.TB) (k, n int) {
	t.Helper()
	text := os.Getenv("LWTEST_SHARE")
	if _, err := fmt.Sscanf(text, "%d/%d", &k, &n); err != nil || k < 0 || k >= n {
		t.Fatalf("LWTEST_SHARE is %q: say K/N, such as 0/3", text)
	}
	return k, n
}

// Need skips a test that runs in full, or with a share, or not at all.
func Need(t testing.TB, why string) {
	t.Helper()
	if !long() {
		t.Skip(why + "; runs with LWTEST_FULL=1")
	}
}

// Part returns all if exhaustive tests run in full. Else it returns one in n of them, at least one, beginning with one that
// from chooses, and logs how many. With LWTEST_SHARE it also returns those that this chooses. Under the race detector the part
// is smaller.
func Part[T any](t testing.TB, all []T, n, from int) []T {
	t.Helper()
	switch {
	case Wanted():
		return all
	case long():
		k, of := share(t)
		return take(t, all, "LWTEST_SHARE chose these", every(n, from, len(all)), every(of, k, len(all)))
	case Race:
		n *= raceFactor
	}
	return take(t, all, "LWTEST_FULL=1 runs all", every(n, from, len(all)))
}

// Thin is Part for a matrix that takes hours: in full it returns one in m, and all with LWTEST_FULL=every.
func Thin[T any](t testing.TB, all []T, n, m, from int) []T {
	t.Helper()
	switch {
	case Wanted() && !Every():
		return take(t, all, "LWTEST_FULL=every runs all", every(m, from, len(all)))
	case long() && !Wanted():
		k, of := share(t)
		return take(t, all, "LWTEST_SHARE chose these", every(n, from, len(all)), every(m*of, k, len(all)))
	}
	return Part(t, all, n, from)
}

// every returns a function that chooses one in n of the numbers below length, at least one, beginning with one that from
// chooses.
func every(n, from, length int) func(i int) bool {
	from %= max(1, min(n, length))
	return func(i int) bool { return i >= from && (i-from)%n == 0 }
}

// take returns those that one of the functions chooses.
func take[T any](t testing.TB, all []T, why string, chosen ...func(i int) bool) (out []T) {
	t.Helper()
	for i := range all {
		if slices.ContainsFunc(chosen, func(f func(int) bool) bool { return f(i) }) {
			out = append(out, all[i])
		}
	}
	t.Logf("runs %d of %d: %s", len(out), len(all), why)
	return out
}
