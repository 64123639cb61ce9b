package golden_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	goldens "github.com/lwtest/lwtest/conformance/golden"
	"github.com/lwtest/lwtest/conformance/listerwatcher/golden"
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
func TestGoldensPass(t *testing.T) { assert.Empty(t, golden.Wrong(load(t))) }

// Each perturbation of what client-go delivered is flagged by a rule, or
// excused by a line; each line excuses something. With LWTEST_PERTURB=some, as
// `make mutants` has it, or every, these are some of all, or all; else the first
// of each way and class in each recording; only of all does each line have its example.
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
		assert.True(t, sample != goldens.Every || used[i] > 0, "this line excuses nothing: delete it: %+v", x)
	}
	assert.LessOrEqual(t, len(golden.Excuses), 20)
	for _, l := range lines {
		assert.Empty(t, l.Example, "%s of %s: neither flagged nor excused", l.How, l.Class)
	}
}
