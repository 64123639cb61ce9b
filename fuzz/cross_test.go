package fuzz_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/fuzz"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/internal/full"
)

// TestCrossRaisesNoFalseAlarm plays a part of the covering set of each kind on its correct implementations and its oddities: no rule is
// broken that is not known to be.
func TestCrossRaisesNoFalseAlarm(t *testing.T) {
	for kind, of := range families {
		t.Run(kind, func(t *testing.T) {
			f := of()
			for i, m := range slices.Concat(f.correct, f.odd) {
				target, err := open(t.Context(), kind+"/"+m.Name)
				require.NoError(t, err)
				c := target.Cases[0]
				n, row := c.Kind.Language.Crossed(c.Has, 2, int64(i))
				require.Positive(t, n)
				for _, k := range full.Part(t, numbersBelow(n), n, i*31) {
					one, err := c.Play(row(k))
					require.NoError(t, err)
					r, _ := harness.Run(one, harness.Options{TB: t, Seed: 1, Span: time.Hour})
					for _, rr := range r.Broken() {
						for _, bad := range rr.Bad {
							known := slices.ContainsFunc(target.Known, func(k harness.Known) bool { return k.Expects(kind, rr.Rule, bad.Got) })
							assert.True(t, known || rr.Level == harness.Provisional || rr.Follows != "" || breaks[m.Name] == rr.Rule, "%s %s %s\n%s\nwant %s\ngot  %s\n%s", m.Name, rr.Level, rr.Rule, row(k).Text(), bad.Want, bad.Got, bad.Timeline)
						}
					}
				}
			}
		})
	}
}

func numbersBelow(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

// crossed names mutants by their targets here, and the rule that is to catch each.
var crossed = []struct{ target, rule string }{
	{"runtime/stop-never-answers", "stop/in-time"},
	{"store/list-short", "basic/list"},
	{"listerwatcher/chunks-decoded", "watch/faithful"},
	{"listerwatcher/gzip-unread", "list/faithful"},
}

// A covering set finds mutants without a check for them, and its report has the grid.
func TestCrossFindsMutants(t *testing.T) {
	for _, c := range crossed {
		t.Run(c.target, func(t *testing.T) {
			o := options(c.target, 0)
			o.Cross, o.Seed, o.Stories = 2, 1, 400
			r, err := fuzz.Run(t.Context(), o)
			require.NoError(t, err)
			assert.True(t, slices.ContainsFunc(r.Failed, func(f fuzz.Failure) bool { return f.Rule == c.rule }), "%+v", r.Failed)
			require.NotNil(t, r.Covered)
			page := t.TempDir() + "/pairs.html"
			require.NoError(t, r.WritePage(page))
		})
	}
}
