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
