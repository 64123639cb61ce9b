// Package cases takes a part of a target's checks for a test. Only tests import it.
package cases

import (
	"slices"
	"testing"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/internal/full"
)

// Part is full.Part for the checks of a target. A part has no check that the target skips, so it always tests something.
func Part(t testing.TB, all []harness.Case, n, from int) []harness.Case {
	t.Helper()
	if full.Wanted() {
		return all
	}
	return full.Part(t, slices.DeleteFunc(slices.Clone(all), skipped), n, from)
}

// skipped reports whether c is skipped for what its target declares, or does not declare.
func skipped(c harness.Case) bool {
	has := func(f harness.Feature) bool { return slices.Contains(c.Has, f) }
	lacks := func(f harness.Feature) bool { return !has(f) }
	return slices.ContainsFunc(c.Needs, lacks) || slices.ContainsFunc(c.Unless, has) || len(c.Either) > 0 && !slices.ContainsFunc(c.Either, has)
}
