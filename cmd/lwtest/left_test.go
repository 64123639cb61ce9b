package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
)

// leaving is a target that cannot let go of what it has made, and that has
// something to say of itself.
func leaving(context.Context, string) (harness.Target, error) {
	t, err := toyTarget("leaving", nil, func(*harness.T) toy { return newToy(false) }, harness.VirtualTime)
	t.Notes = []string{"the feature wings is withdrawn: clipped"}
	t.Close = func() error { return errors.New("what the parent looks at stays:\nforbidden") }
	t.Release = func() error {
		return errors.Join(errors.New("a namespace of a worker stays:\nforbidden"), errors.New("another of it stays"))
	}
	return t, err
}

// TestWhatIsLeftIsSaid: the verdicts hold, but a run that leaves something on a
// server must not end as if all were well, whichever process made it.
func TestWhatIsLeftIsSaid(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	o := lwtest(t, "run", "toy/map/reads", "--target", "leaving", "--parallel", "1", "--format", "json", "--out", dir)
	assert.Equal(t, report.Broken, o.status)
	for _, want := range []string{"lwtest: a namespace of a worker stays: forbidden\n", "lwtest: another of it stays\n", "lwtest: what the parent looks at stays:\nforbidden\n"} {
		assert.Contains(t, o.errors, want)
	}
	assert.Equal(t, 1, strings.Count(o.errors, "the parent looks"), "once, at the end")
	r := readReport(t, o.out)
	assert.Equal(t, 2, r.Counts.Pass, "the verdicts are there all the same")
	assert.Len(t, r.Problems, 3)
	in, err := report.Load(dir)
	require.NoError(t, err)
	assert.False(t, in.Truncated)
	assert.FileExists(t, filepath.Join(dir, "report.json"))
}

// What a target found out is said once, before the run.
func TestNotesAreSaid(t *testing.T) {
	o := lwtest(t, "run", "toy/map/reads", "--target", "leaving", "--out", filepath.Join(t.TempDir(), "run"))
	assert.Regexp(t, `^target leaving: the feature wings is withdrawn: clipped\n1/2`, o.errors)
}
