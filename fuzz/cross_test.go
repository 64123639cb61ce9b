package fuzz_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/fuzz"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/plugins/mutants"
)

// TestCrossRaisesNoFalseAlarm plays a part of the covering set of each kind on its correct implementations and its oddities: no rule is
// broken that is not known to be. Each story is played as its file has it.
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
					b, err := json.Marshal(row(k))
					require.NoError(t, err)
					one, err := c.PlayJSON(b)
					require.NoError(t, err)
					r, _ := harness.Run(one, harness.Options{TB: t, Seed: 1, Span: time.Hour})
					for _, rr := range r.Broken() {
						for _, bad := range rr.Bad {
							known := slices.ContainsFunc(target.Known, func(k harness.Known) bool { return k.Expects(kind, rr.Rule, bad.Got) })
							assert.True(t, known || rr.Level == harness.Provisional || rr.After != nil || breaks[m.Name] == rr.Rule, "%s %s %s\n%s\nwant %s\ngot  %s\n%s", m.Name, rr.Level, rr.Rule, row(k).Text(), bad.Want, bad.Got, bad.Timeline)
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

// crossed names mutants that the suites find, too.
var crossed = []string{"runtime/stop-never-answers", "store/list-short", "listerwatcher/chunks-decoded", "listerwatcher/gzip-unread"}

// TestCrossFindsMutants plays the covering set on mutants whose fault shows only where two things meet, until their rule is broken. No
// check was written for them.
func TestCrossFindsMutants(t *testing.T) {
	for _, kind := range slices.Sorted(maps.Keys(families)) {
		f := families[kind]()
		all := slices.Concat(f.pairs, slices.DeleteFunc(f.faulty, func(m mutants.Target) bool { return !slices.Contains(crossed, kind+"/"+m.Name) }))
		if len(all) == 0 {
			continue // the server's
		}
		t.Run(kind, func(t *testing.T) {
			for _, m := range full.Part(t, all, 12, 0) {
				t.Run(m.Name, func(t *testing.T) { crossUntilFound(t, m) })
			}
		})
	}
}

// crossUntilFound plays covering sets until a story breaks the rule that is to catch a mutant. One whose fault shows only if a third
// thing is as usual, for example if the runtime is not killed as well, may need the set of another seed.
func crossUntilFound(t *testing.T, m mutants.Target) {
	others := map[string]int{}
	for seed := range int64(3) {
		if crossFinds(t, m, 1+seed, others) {
			return
		}
	}
	t.Errorf("no story of three sets breaks %s: %s; they break %v", m.Rule, m.About, others)
}

// crossFinds plays the covering set of a seed on a mutant, and counts the rules that stories break beside the mutant's own.
func crossFinds(t *testing.T, m mutants.Target, seed int64, others map[string]int) bool {
	c := m.Cases()[0]
	n, row := c.Kind.Language.Crossed(c.Has, 2, seed)
	for k := range n {
		one, err := c.Play(row(k))
		require.NoError(t, err)
		r, _ := harness.Run(one, harness.Options{TB: t, Seed: 1, Span: time.Hour})
		for _, rr := range r.Broken() {
			if m.Kind()+"/"+rr.Rule == m.Rule && slices.ContainsFunc(rr.Bad, func(bad harness.Shown) bool {
				return !slices.ContainsFunc(m.Target.Known, func(k harness.Known) bool { return k.Expects(m.Kind(), rr.Rule, bad.Got) })
			}) {
				t.Logf("story %d of %d, seed %d: %s", k+1, n, seed, row(k).Text())
				return true
			}
			others[rr.Rule]++
		}
	}
	return false
}

// The report of a covering set has the grid of pairs.
func TestCrossReport(t *testing.T) {
	o := options("store/list-short", 0)
	o.Cross, o.Seed, o.Stories = 2, 1, 400
	r, err := fuzz.Run(t.Context(), o)
	require.NoError(t, err)
	assert.True(t, slices.ContainsFunc(r.Failed, func(f fuzz.Failure) bool { return f.Rule == "basic/list" }), "%+v", r.Failed)
	require.NotNil(t, r.Covered)
	require.NoError(t, r.WritePage(t.TempDir()+"/pairs.html"))
}
