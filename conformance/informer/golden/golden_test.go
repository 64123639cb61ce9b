package golden_test

import (
	"bytes"
	_ "embed"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	goldens "github.com/lwtest/lwtest/conformance/golden"
	"github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/conformance/informer/golden"
	"github.com/lwtest/lwtest/internal/full"
)

func load(t *testing.T) goldens.Recordings {
	t.Helper()
	all, err := golden.Load()
	require.NoError(t, err)
	require.NotEmpty(t, all, "no goldens: make goldens-clients")
	return all
}

// All rules pass on what client-go did, and each check's own rules were put to the test by it. Each check that it does
// not skip has a recording, or is left out for a reason.
func TestGoldensPass(t *testing.T) {
	assert.Empty(t, goldens.Wrong(informer.Suite.Describe(), load(t), goldens.LeftOut(leftOut), informer.Readable))
}

//go:embed leftout.txt
var leftOut string

// Each perturbation of what client-go delivered is flagged by a rule, or
// excused by a line. Each line excuses something, which shows only if every perturbation is there (LWTEST_FULL=every).
func TestPerturbations(t *testing.T) {
	all, sample := goldens.Choose(load(t), 24, full.Wanted(), full.Every())
	lines, used := golden.Table(all, golden.Excuses, sample)
	var text bytes.Buffer
	require.NoError(t, goldens.Print(&text, lines))
	t.Log("\n" + text.String() + goldens.Sum(lines))
	for i, x := range golden.Excuses {
		assert.True(t, !full.Every() || used[i] > 0, "this line excuses nothing: delete it: %+v", x)
	}
	assert.LessOrEqual(t, len(golden.Excuses), 20)
	for _, l := range lines {
		assert.Empty(t, l.Example, "%s of %s: neither flagged nor excused", l.How, l.Class)
	}
}
