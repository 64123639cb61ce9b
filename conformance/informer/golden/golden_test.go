package golden_test

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	goldens "github.com/lwtest/lwtest/conformance/golden"
	"github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/conformance/informer/golden"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

func load(t *testing.T) map[string]map[string]*history.History {
	t.Helper()
	all, err := golden.Load()
	require.NoError(t, err)
	require.NotEmpty(t, all, "no goldens: make goldens-clients")
	return all
}

// All rules pass on what client-go did, and each check's own rules were put to the test by it. Each check that it does
// not skip has a recording, or is left out for a reason.
func TestGoldensPass(t *testing.T) {
	kind := informer.Suite.Describe()
	leftOut := golden.LeftOut()
	for from, hs := range load(t) {
		var has []string
		for _, h := range hs {
			has = h.Header.Features
		}
		for _, c := range kind.Checks {
			h := hs[c.Name]
			skipped := slices.ContainsFunc(c.Needs, func(f harness.Feature) bool { return !slices.Contains(has, string(f)) })
			if h == nil || skipped || leftOut[c.Name] != "" {
				assert.Equal(t, skipped || leftOut[c.Name] != "", h == nil, "%s, %s: skipped: %v, left out: %q", from, c.Name, skipped, leftOut[c.Name])
				continue
			}
			r := kind.Judge(c, h)
			assert.Equal(t, harness.Pass, r.Verdict, "%s, %s: %s", from, c.Name, r.Reason)
		}
	}
}

// Each perturbation of what client-go delivered is flagged by a rule, or
// excused by a line; each line excuses something. With LWTEST_PERTURB=some, as
// `make mutants` has it, or every, these are some of all, or all; else the first
// of each way and class in each recording, where not each line has its example.
func TestPerturbations(t *testing.T) {
	if raceEnabled {
		t.Skip("takes minutes, and has nothing that the race detector does not see elsewhere")
	}
	sample, err := goldens.SampleOf(os.Getenv("LWTEST_PERTURB"))
	require.NoError(t, err)
	lines, used := golden.Table(load(t), golden.Excuses, sample)
	var text bytes.Buffer
	require.NoError(t, goldens.Print(&text, lines))
	t.Log("\n" + text.String() + goldens.Sum(lines))
	for i, x := range golden.Excuses {
		assert.True(t, sample == goldens.First || used[i] > 0, "this line excuses nothing: delete it: %+v", x)
	}
	assert.LessOrEqual(t, len(golden.Excuses), 20)
	for _, l := range lines {
		assert.Empty(t, l.Example, "%s of %s: neither flagged nor excused", l.How, l.Class)
	}
}
