package report

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
)

// aReport returns a report with one target and these results.
func aReport(target string, results ...harness.Result) *Report {
	in := Input{Header: Header{Settings: Settings{Targets: []string{target}, Level: harness.Must}}, Kinds: []*harness.Kind{aKind()}}
	for _, r := range results {
		r.Target = target
		in.Results = append(in.Results, r)
		in.Header.Plan = append(in.Header.Plan, Planned{Target: target, Check: r.Check})
	}
	return New(in)
}

func aResult(check string, v harness.Verdict, rules ...harness.RuleResult) harness.Result {
	return harness.Result{Check: check, Verdict: v, Rules: rules}
}

func aRule(name string, v harness.Verdict) harness.RuleResult {
	return harness.RuleResult{Rule: name, Level: harness.Must, Verdict: v, Required: true, Tested: 1}
}

// A rule that a check no longer tests is reported if it was required or had failed.
func TestCompareRulesThatAreGone(t *testing.T) {
	aside := aRule("b/must", harness.Pass)
	aside.Required = false
	from := aReport("t", aResult("k/one", harness.Pass, aRule("a/must", harness.Pass), aside, aRule("c/must", harness.Pass)))
	to := aReport("t", aResult("k/one", harness.Pass, aRule("c/must", harness.Pass)))
	d := Compare(Side{Name: "old", Report: from}, Side{Name: "new", Report: to})
	assert.Equal(t, []Change{{Target: "t", Check: "k/one", Rule: "a/must", Was: "pass", Is: "absent", Worse: true}}, d.Changes)
	assert.True(t, d.Worse())
}

// Only the verdict of a check that could not be judged is reported, not each rule that it had.
func TestCompareWhatWasNotJudged(t *testing.T) {
	from := aReport("t", aResult("k/one", harness.Pass, aRule("a/must", harness.Pass), aRule("b/must", harness.Pass)))
	to := aReport("t", aResult("k/one", harness.Inconclusive))
	d := Compare(Side{Name: "old", Report: from}, Side{Name: "new", Report: to})
	assert.Equal(t, []Change{{Target: "t", Check: "k/one", Was: "pass", Is: "inconclusive", Worse: true}}, d.Changes)
}

func TestCompare(t *testing.T) {
	from := aReport("old:1",
		aResult("k/same", harness.Pass, aRule("a/must", harness.Pass)),
		aResult("k/breaks", harness.Pass, aRule("a/must", harness.Pass)),
		aResult("k/mended", harness.Fail, aRule("a/must", harness.Fail)),
		aResult("k/gone", harness.Pass),
		aResult("k/other-rule", harness.Fail, aRule("a/must", harness.Fail), aRule("b/must", harness.Pass)),
	)
	broken := aRule("a/must", harness.Fail)
	broken.Bad = []harness.Shown{{Finding: harness.Finding{Got: "nothing"}}}
	to := aReport("new:2",
		aResult("k/same", harness.Pass, aRule("a/must", harness.Pass)),
		aResult("k/breaks", harness.Fail, broken),
		aResult("k/mended", harness.Pass, aRule("a/must", harness.Pass)),
		aResult("k/other-rule", harness.Fail, aRule("a/must", harness.Pass), aRule("b/must", harness.Fail)),
		aResult("k/fresh", harness.Inconclusive),
	)
	d := Compare(Side{Name: "old", Report: from}, Side{Name: "new", Report: to})
	assert.Equal(t, 1, d.Same)
	assert.Equal(t, []Change{
		{Target: "new:2", Check: "k/breaks", Was: "pass", Is: "fail", Worse: true},
		{Target: "new:2", Check: "k/breaks", Rule: "a/must", Was: "pass", Is: "fail", Why: "got nothing", Worse: true},
		{Target: "new:2", Check: "k/mended", Was: "fail", Is: "pass"},
		{Target: "new:2", Check: "k/mended", Rule: "a/must", Was: "fail", Is: "pass"},
		{Target: "new:2", Check: "k/other-rule", Rule: "a/must", Was: "fail", Is: "pass"},
		{Target: "new:2", Check: "k/other-rule", Rule: "b/must", Was: "pass", Is: "fail", Worse: true},
		{Target: "new:2", Check: "k/fresh", Was: "absent", Is: "inconclusive", Worse: true},
		{Target: "old:1", Check: "k/gone", Was: "pass", Is: "absent", Worse: true},
	}, d.Changes)
	assert.True(t, d.Worse())

	var b bytes.Buffer
	require.NoError(t, d.Text(&b, false))
	assert.Contains(t, b.String(), "WORSE   rule a/must on new:2: fail, was pass, in k/breaks: got nothing\n")
	assert.Contains(t, b.String(), "1 checks unchanged, 8 changes, 5 of them worse\n")
}

// A skip that only a report about something else has is not worse, and the text says that the reports are about
// different things.
func TestCompareDifferentThings(t *testing.T) {
	from := aReport("c?resource=a", aResult("k/lacks", harness.Pass, aRule("a/must", harness.Pass)), aResult("k/breaks", harness.Pass), aResult("k/mended", harness.Fail))
	skipped := aResult("k/lacks", harness.Skip, aRule("a/must", harness.Skip))
	skipped.Reason = "needs the feature x, which is not declared"
	skipped.Rules[0].Reason = skipped.Reason
	to := aReport("c?resource=b", skipped, aResult("k/breaks", harness.Fail), aResult("k/mended", harness.Pass))
	d := Compare(Side{"old", "a", from}, Side{"new", "b", to})
	assert.True(t, d.Apart)
	assert.True(t, d.Worse(), "what fails is worse of whatever")
	var b bytes.Buffer
	require.NoError(t, d.Text(&b, false))
	assert.Contains(t, b.String(), "The reports are about different things, a and b. ")
	assert.Contains(t, b.String(), "other   k/lacks on c: skip, was pass: needs the feature x, which is not declared\n")
	assert.Contains(t, b.String(), "WORSE   k/breaks on c: fail, was pass\n")
	assert.Contains(t, b.String(), "better  k/mended on c: pass, was fail\n")
	assert.Contains(t, b.String(), "4 changes, 1 of them worse\n")

	to.Results = to.Results[:1]
	from.Results = from.Results[:1]
	assert.False(t, Compare(Side{"old", "a", from}, Side{"new", "b", to}).Worse())
	assert.True(t, Compare(Side{"old", "a", from}, Side{"new", "a", to}).Worse(), "of the same it is")
	to.Results[0].Reason = "takes 5m of real time"
	assert.True(t, Compare(Side{"old", "a", from}, Side{"new", "b", to}).Worse(), "that does not come of it")
	assert.True(t, Compare(Side{"old", "a", from}, Side{"new", "", to}).Worse(), "nobody knows of what")
}

// The same run is no change. Of several targets each is compared with itself.
func TestCompareNothingChanged(t *testing.T) {
	r := New(anInput())
	d := Compare(Side{Name: "a", Report: r}, Side{Name: "b", Report: r})
	assert.Empty(t, d.Changes)
	assert.False(t, d.Worse())
	assert.Equal(t, len(r.Results), d.Same)

	two, one := aReport("t", aResult("k/x", harness.Pass)), aReport("t", aResult("k/x", harness.Fail))
	two.Settings.Targets = append(two.Settings.Targets, "u")
	two.Results = append(two.Results, harness.Result{Target: "u", Check: "k/x", Verdict: harness.Fail})
	d = Compare(Side{Name: "a", Report: two}, Side{Name: "b", Report: one})
	assert.Equal(t, []Change{{Target: "t", Check: "k/x", Was: "pass", Is: "fail", Worse: true}, {Target: "u", Check: "k/x", Was: "fail", Is: "absent"}}, d.Changes)
}

// A better verdict is not worse, and a skip proves less than a pass.
func TestRank(t *testing.T) {
	order := []string{"pass", "known", "skip", "absent", "inconclusive", "fail"}
	for i := range order[1:] {
		assert.Less(t, rank(order[i]), rank(order[i+1]), order[i])
	}
}
