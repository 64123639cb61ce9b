// Package storytest tests the vocabularies of stories. Only tests import it.
package storytest

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// Draw makes the nth random story of a kind, with 20 steps.
func Draw(k *harness.Kind, n int) harness.Script {
	return k.Language.Draw(rand.New(rand.NewPCG(1, uint64(n))), 20)
}

// RoundTrip checks that n random stories of a kind can be written as JSON and read again, and that each word that they use
// has a sentence of help.
func RoundTrip(t *testing.T, k *harness.Kind, n int) {
	t.Helper()
	used := map[string]bool{}
	for i := range n {
		s := Draw(k, i)
		b, err := s.JSON()
		require.NoError(t, err)
		again, err := k.Story(b)
		require.NoError(t, err, "%s", b)
		b2, err := again.JSON()
		require.NoError(t, err)
		require.JSONEq(t, string(b), string(b2))
		require.Equal(t, s.Text(), again.Text())
		for _, word := range s.Words() {
			used[word] = true
		}
	}
	for _, w := range k.Language.Words() {
		assert.True(t, used[w.Name] || w.Weight == 0, "no random story uses %s", w.Name)
		assert.True(t, strings.HasSuffix(w.Help, ".") || w.Name == "join", "the help of %s is no sentence", w.Name)
	}
}

// Applied plays n random stories on each case, calls check with each result, and returns the words whose steps applied.
func Applied(t *testing.T, cases []harness.Case, n int, check func(harness.Case, harness.Result, *history.History)) map[string]bool {
	t.Helper()
	applied := map[string]bool{}
	for _, of := range cases {
		for i := range n {
			c, err := of.Play(Draw(of.Kind, i))
			require.NoError(t, err)
			r, h := harness.Run(c, harness.Options{TB: t, Seed: 1})
			require.NotNil(t, h, r.Reason)
			check(c, r, h)
			note(applied, c.Script.Words(), h)
		}
	}
	return applied
}

// note adds the words of the steps that applied.
func note(applied map[string]bool, words []string, h *history.History) {
	came, skipped := map[int32]bool{}, map[int32]bool{}
	for _, step := range h.Steps {
		came[step.Num] = true
		skipped[step.Num] = skipped[step.Num] || step.Skipped != ""
	}
	for i, word := range words {
		if num := int32(i + 1); came[num] && !skipped[num] {
			applied[word] = true
		}
	}
}
