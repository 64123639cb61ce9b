package storytest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
)

// Bench measures how long cases take, one after the other, judging included. They must not break a MUST. It also reports a rate: counted names
// something of the score, such as "disturbed" for disturbed runs of a controller, and the rate is how many of it there are in a second.
func Bench(b *testing.B, cases []harness.Case, counted string) {
	b.Helper()
	n := 0
	one := func(t *testing.T) { // virtual time needs a testing.T
		for _, c := range cases {
			r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1})
			if r.Verdict != harness.Pass && !r.OnlyShould() {
				t.Errorf("%s: %s %s", r.Check, r.Verdict, r.Reason)
			}
			n += r.Score[counted]
		}
	}
	all := func(string, string) (bool, error) { return true, nil }
	for b.Loop() {
		require.True(b, testing.RunTests(all, []testing.InternalTest{{Name: "cases", F: one}}))
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), counted+"/s")
}
