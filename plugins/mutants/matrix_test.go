package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/mutants"
)

// What a mutant is known to fail without its fault catches it not; anything more does.
func TestKnownCatchesNothing(t *testing.T) {
	const target, rule = "listwatch:mutant/late", "until/returns"
	m := mutants.Target{Name: "late", Rule: "listerwatcher/" + rule, Target: harness.Target{Name: target, Known: []harness.Known{
		{Target: target, Check: "listerwatcher/" + rule + "/expired", Rule: rule, Verdict: harness.Fail, Got: "^silence$", Reason: "so does what it is made of", Sometimes: true}}}}
	failed := func(check string, gots ...string) harness.Result {
		rr := harness.RuleResult{Rule: rule, Verdict: harness.Fail, Failures: len(gots)}
		for _, got := range gots {
			rr.Bad = append(rr.Bad, harness.Shown{Finding: harness.Finding{Got: got}})
		}
		return harness.Result{Check: "listerwatcher/" + check, Target: target, Verdict: harness.Fail, Rules: []harness.RuleResult{rr}}
	}
	for _, c := range []struct {
		name   string
		result harness.Result
		caught bool
	}{
		{"nothing but what is known", failed(rule+"/expired", "silence", "silence"), false},
		{"something else beside it", failed(rule+"/expired", "silence", "an hour"), true},
		{"something else", failed(rule+"/expired", "an hour"), true},
		{"the same, of another check", failed(rule, "silence"), true},
	} {
		row := mutants.NewRow(m, []harness.Result{c.result})
		assert.Equal(t, c.caught, row.Caught(), c.name)
		assert.Empty(t, c.result.Rules[0].Known, "%s: the caller's results are as they were", c.name)
	}
	m.Target.Known = nil
	assert.True(t, mutants.NewRow(m, []harness.Result{failed(rule+"/expired", "silence")}).Caught(), "nothing is known of it")
}
