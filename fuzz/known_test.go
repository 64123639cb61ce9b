package fuzz

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
)

// What comes after a known failure of the same story is known. Without that failure it is new, and so is what comes after a failure that is
// new.
func TestKnownCauses(t *testing.T) {
	known, err := harness.ParseKnown("a test", []byte(`[{"check":"*/*","rule":"first","verdict":"fail","got":"^slow$","reason":"too slow"}]`))
	require.NoError(t, err)
	p := player{of: subject{Case: harness.Case{Kind: &harness.Kind{Name: "toy"}}}, known: known}
	rule := func(name, got string, after ...string) harness.RuleResult {
		return harness.RuleResult{Rule: name, Verdict: harness.Fail, After: after, Bad: []harness.Shown{{Finding: harness.Finding{Got: got}}}}
	}
	of := func(all ...harness.RuleResult) string {
		return p.knownAs(harness.Result{Rules: all}, &all[len(all)-1])
	}
	assert.Equal(t, "too slow", of(rule("first", "slow")))
	assert.Equal(t, "after first: too slow", of(rule("first", "slow"), rule("second", "old", "first")))
	assert.Empty(t, of(rule("first", "wrong"), rule("second", "old", "first")))
	assert.Empty(t, of(rule("first", "slow"), rule("second", "old")))
}
