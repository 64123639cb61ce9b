package report

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/harness"
)

// The rules of made-up results, by how they ended.
var (
	mustFails       = harness.RuleResult{Rule: "a/must", Level: harness.Must, Verdict: harness.Fail, Failures: 1}
	mustKnown       = harness.RuleResult{Rule: "a/must", Level: harness.Must, Verdict: harness.Fail, Failures: 1, Known: "excused"}
	mustPasses      = harness.RuleResult{Rule: "a/must", Level: harness.Must, Verdict: harness.Pass, Required: true, Tested: 1}
	mustUntested    = harness.RuleResult{Rule: "b/must", Level: harness.Must, Verdict: harness.Inconclusive, Required: true}
	otherUntested   = harness.RuleResult{Rule: "b/must", Level: harness.Must, Verdict: harness.Inconclusive}
	shouldFails     = harness.RuleResult{Rule: "a/should", Level: harness.Should, Verdict: harness.Fail, Failures: 1}
	provisionalOpen = harness.RuleResult{Rule: "b/new", Level: harness.Provisional, Verdict: harness.Inconclusive, Required: true}
	provisionalBad  = harness.RuleResult{Rule: "a/new", Level: harness.Provisional, Verdict: harness.Fail, Failures: 1}
)

func ended(v harness.Verdict, rules ...harness.RuleResult) harness.Result {
	return harness.Result{Check: "k/a", Target: "t", Verdict: v, Rules: rules}
}

func TestStatus(t *testing.T) {
	pass, skip := ended(harness.Pass, mustPasses), ended(harness.Skip)
	fail, open := ended(harness.Fail, mustFails), ended(harness.Inconclusive, mustUntested)
	known := ended(harness.Fail, mustKnown)
	known.Known = "excused"
	knownOpen := ended(harness.Inconclusive, mustUntested)
	knownOpen.Known = "excused"
	misspoke := ended(harness.Inconclusive)
	misspoke.Cause = harness.CauseAdapter
	should := ended(harness.Fail, mustPasses, shouldFails)
	cases := []struct {
		name string
		in   Outcome
		want int
	}{
		{"all pass", Outcome{Results: []harness.Result{pass, pass}}, OK},
		{"a skip beside a pass", Outcome{Results: []harness.Result{pass, skip}}, OK},
		{"a known failure", Outcome{Results: []harness.Result{known}}, OK},
		{"a known failure beside a skip", Outcome{Results: []harness.Result{known, skip}}, OK},
		{"known to be inconclusive", Outcome{Results: []harness.Result{knownOpen}}, OK},
		{"a failure", Outcome{Results: []harness.Result{pass, fail}}, Failed},
		{"a failure of no rule", Outcome{Results: []harness.Result{ended(harness.Fail)}}, Failed},
		{"a failure only in part known", Outcome{Results: []harness.Result{ended(harness.Fail, mustKnown, mustFails)}}, Failed},
		{"a stale line", Outcome{Results: []harness.Result{pass}, Stale: true}, Failed},
		{"inconclusive", Outcome{Results: []harness.Result{pass, open}}, Unproven},
		{"no results", Outcome{}, Unproven},
		{"all skipped", Outcome{Results: []harness.Result{skip, skip}}, Unproven},
		{"truncated", Outcome{Results: []harness.Result{pass}, Truncated: true}, Unproven},
		{"broken", Outcome{Results: []harness.Result{pass}, Broken: true}, Broken},

		{"a SHOULD", Outcome{Results: []harness.Result{should}}, OK},
		{"a SHOULD where only MUST counts", Outcome{Results: []harness.Result{should}, Level: harness.Must}, OK},
		{"a SHOULD that counts", Outcome{Results: []harness.Result{should}, Level: harness.Should}, Failed},
		{"a SHOULD beside a MUST", Outcome{Results: []harness.Result{ended(harness.Fail, mustFails, shouldFails)}}, Failed},
		{"a SHOULD beside a known MUST", Outcome{Results: []harness.Result{ended(harness.Fail, mustKnown, shouldFails)}}, OK},
		{"a SHOULD hides no untested MUST", Outcome{Results: []harness.Result{ended(harness.Fail, mustUntested, shouldFails)}}, Unproven},
		{"a SHOULD beside what need not be tested", Outcome{Results: []harness.Result{ended(harness.Fail, otherUntested, shouldFails)}}, OK},
		{"a SHOULD beside a provisional rule that was not tested", Outcome{Results: []harness.Result{ended(harness.Fail, provisionalOpen, shouldFails)}}, OK},
		{"a SHOULD hides no drive that was given up", Outcome{Results: []harness.Result{{Verdict: harness.Fail, Stack: "hang", Rules: []harness.RuleResult{shouldFails}}}}, Unproven},
		{"provisional never fails anyone", Outcome{Results: []harness.Result{ended(harness.Pass, mustPasses, provisionalBad)}, Level: harness.Should}, OK},

		{"an adapter that could not be understood", Outcome{Results: []harness.Result{pass, misspoke}}, Broken},
		{"an adapter before a failure", Outcome{Results: []harness.Result{misspoke, fail}}, Broken},
		{"3 before 1", Outcome{Results: []harness.Result{fail}, Broken: true}, Broken},
		{"3 before 2", Outcome{Broken: true}, Broken},
		{"1 before 2", Outcome{Results: []harness.Result{open, fail, pass}}, Failed},
		{"1 before 2, truncated", Outcome{Results: []harness.Result{fail}, Truncated: true}, Failed},
		{"a stale line before inconclusive", Outcome{Results: []harness.Result{open}, Stale: true}, Failed},
		{"2 before 0", Outcome{Results: []harness.Result{known, open, pass, skip}}, Unproven},
	}
	for _, c := range cases {
		assert.Equal(t, c.want, Status(c.in), c.name)
	}
}

// A check whose broken rule is known, and which leaves a rule open, is inconclusive: it broke no SHOULD.
func TestKnownAndOpen(t *testing.T) {
	known := aRule("a/must", harness.Fail)
	known.Known = "it is known"
	open := aRule("b/must", harness.Inconclusive)
	open.Required = true
	r := aReport("t", aResult("k/x", harness.Fail, known, open))
	assert.Equal(t, "inconclusive", r.Ended(&r.Results[0]))
	assert.Contains(t, text(t, r, TextOptions{Verbose: true}), "inconclusive k/x")
	r.Results[0].Rules[1].Verdict, r.Results[0].Rules[1].Level = harness.Fail, harness.Should
	assert.Equal(t, "should", r.Ended(&r.Results[0]))
}
