package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
)

func TestMarkdown(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, New(anInput()).Markdown(&b))
	page := b.String()
	for _, want := range []string{
		"# lwtest: t:1\n",
		"| status | 1: a check failed that is not known to fail, or a known failure passed |\n",
		"| implementation | tee 1 |\n",
		"| a/must | MUST | fail | 1 | 1, 2, 0, 0 |\n",
		"| b/must | MUST | inconclusive | 0 |",
		"- never: `WATCH` (a/must, a/should)\n",
		"### FAIL MUST k/a/must on t:1 (1 check)\n",
		"### known: k/three on t:1\n\nKnown: it is known",
		"### inconclusive: k/four on t:1\n",
	} {
		assert.Contains(t, page, want)
	}
	assert.NotContains(t, page, "\x1b", "nothing that a terminal would obey")
	assert.Zero(t, strings.Count(page, "```")%2, "every fence is closed")
}

// Text from a subject cannot break out of a table or a fence.
func TestMarkdownKeepsItsShape(t *testing.T) {
	assert.Equal(t, `a \| b &lt;b> c \*d\* \`+"`e`"[:1]+`e\`+"`", cell("a | b\n<b> c *d* `e`"))
	bad := aRule("a/must", harness.Fail)
	bad.Bad = []harness.Shown{{Finding: harness.Finding{Got: "```\n# not a heading"}}}
	bad.Failures = 1
	var b bytes.Buffer
	require.NoError(t, aReport("t", aResult("k/x", harness.Fail, bad)).Markdown(&b))
	assert.Contains(t, b.String(), "````\n")
}

func TestRuleVerdict(t *testing.T) {
	for want, u := range map[harness.Verdict]Rule{
		harness.Fail:         {Fail: 1, Pass: 3, Tested: 3},
		harness.Pass:         {Pass: 1, Tested: 2, Inconclusive: 4},
		harness.Inconclusive: {Inconclusive: 1, Skip: 1},
		harness.Skip:         {Skip: 2},
	} {
		assert.Equal(t, want, u.Verdict())
	}
}

// GitHub drops a summary of more than a megabyte, and an annotation of more than 64 KiB.
func TestGitHubIsBounded(t *testing.T) {
	var all []harness.Result
	for i := range 577 {
		bad := aRule(fmt.Sprintf("a/%d", i), harness.Fail)
		bad.Bad = []harness.Shown{{Finding: harness.Finding{Want: "it", Got: strings.Repeat("ä", 200_000)}}}
		bad.Failures = 1
		all = append(all, aResult(fmt.Sprintf("k/x%d", i), harness.Fail, bad))
	}
	r := aReport("t", all...)
	var summary, annotations bytes.Buffer
	require.NoError(t, r.StepSummary(&summary))
	require.NoError(t, r.GitHub(&annotations))
	assert.Less(t, summary.Len(), 1<<20)
	assert.Contains(t, summary.String(), "- FAIL MUST k/a/576 on t (1 check)\n")
	assert.Less(t, annotations.Len(), 64<<10)
	assert.True(t, utf8.Valid(annotations.Bytes()))
}
