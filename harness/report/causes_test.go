package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
)

// Each format tells causes before what follows from them: within a check, and between checks.
func TestCausesComeFirst(t *testing.T) {
	in := anInput()
	in.Kinds[0].Rules[3] = in.Kinds[0].Rules[3].Causing("a")
	cause, effect, follows := mustFails, mustFails, mustFails
	cause.Rule = "b/must"
	effect.Bad, follows.Follows = []harness.Shown{{Finding: harness.Finding{Want: "w", Got: "g"}}}, "b/must"
	in.Header.Plan, in.Header.Known = in.Header.Plan[:2], nil
	in.Results = []harness.Result{
		{Check: "k/one", Target: "t:1", Verdict: harness.Fail, Rules: []harness.RuleResult{effect}},
		{Check: "k/two", Target: "t:1", Verdict: harness.Fail, Rules: []harness.RuleResult{follows, cause}},
	}
	r := New(in)
	out := text(t, r, TextOptions{})
	at := -1
	for _, want := range []string{"FAIL k/two", "MUST k/b/must\n", "MUST k/a/must  (follows from k/b/must)\n", "FAIL k/one", "clause  text of a/must", "perhaps it follows from k/b/must, which another check broke\n"} {
		require.Greater(t, strings.Index(out, want), at, "%s\n%s", want, out)
		at = strings.Index(out, want)
	}
	assert.Equal(t, 1, strings.Count(out, "perhaps"))
	var b bytes.Buffer
	require.NoError(t, r.JUnit(&b))
	assert.Contains(t, b.String(), `message="broke b/must, a/must"`)
	b.Reset()
	require.NoError(t, r.JSON(&b))
	assert.Contains(t, b.String(), `"follows": "b/must"`)
}

// What all failed checks broke is named as the place to begin, and follows from no rule that some of them broke.
func TestCommonRule(t *testing.T) {
	in := anInput()
	in.Kinds[0].Rules[3] = in.Kinds[0].Rules[3].Causing("a")
	other, common := mustFails, mustFails
	other.Rule = "b/must"
	common.Bad = []harness.Shown{{Finding: harness.Finding{Want: "w", Got: "g"}}}
	follows := common
	follows.Follows = "b/must"
	in.Header.Plan, in.Header.Known = in.Header.Plan[:4], nil
	in.Results = nil
	for i, rules := range [][]harness.RuleResult{{common}, {common}, {follows, other}, {mustPasses}} {
		verdict := harness.Fail
		if i == 3 {
			verdict = harness.Pass
		}
		in.Results = append(in.Results, harness.Result{Check: in.Header.Plan[i].Check, Target: "t:1", Verdict: verdict, Rules: rules})
	}
	const line = "common     all 3 checks of k that failed on t:1 broke a/must: begin there\n"
	out := text(t, New(in), TextOptions{})
	assert.Contains(t, out, line)
	assert.NotContains(t, out, "perhaps")
	in.Results[0].Rules[0].Known = "it is known" // of this check: two are left, and it broke no other
	in.Results[0].Known = "it is known"
	out = text(t, New(in), TextOptions{})
	assert.NotContains(t, out, "common")
	assert.Contains(t, out, "perhaps it follows from k/b/must, which another check broke\n")
	in.Results[0].Rules, in.Results[0].Known = []harness.RuleResult{other}, ""
	assert.NotContains(t, text(t, New(in), TextOptions{}), "common", "it is not broken in each")
}
