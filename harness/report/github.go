package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness"
)

// mostAnnotations is how many errors of a step GitHub shows; it drops the next ones without a word.
// Source: GitHub's limits of annotations, 10 errors for each step.
const mostAnnotations = 10

// GitHub writes an annotation of a GitHub workflow for each cause of new failures, for each check that is open, and for each problem of the run. Of
// more than ten the last one counts the others.
func (r *Report) GitHub(w io.Writer) error {
	var all []string
	add := func(title, text string) {
		all = append(all, fmt.Sprintf("::error title=%s::%s\n", property(title), message(cut(text, 4*mostGist))))
	}
	for _, p := range append(r.Problems[:len(r.Problems):len(r.Problems)], r.Stale...) {
		add("lwtest", p)
	}
	for _, c := range r.newCauses() {
		add(fmt.Sprintf("lwtest: %s/%s on %s", c.Kind, c.Rule, r.name(c.Target)), c.gist(r.advice(c)))
	}
	for i := range r.Results {
		if res := &r.Results[i]; r.isOpen(res) {
			add(fmt.Sprintf("lwtest: %s on %s", res.Check, r.name(res.Target)), cut(cmp.Or(res.Reason, string(res.Verdict)), mostGist))
		}
	}
	if n := len(all); n > mostAnnotations {
		all = append(all[:mostAnnotations-1], fmt.Sprintf("::error title=lwtest::%d more, which the summary of this step names\n", n-mostAnnotations+1))
	}
	_, err := io.WriteString(w, strings.Join(all, ""))
	return err
}

// StepSummary writes a summary in Markdown, which GitHub shows below a workflow's run: the counts by target and suite, and what
// failed anew.
func (r *Report) StepSummary(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### lwtest: %s\n\n| target | suite | passed | known | skipped | failed | SHOULD | inconclusive |\n|---|---|---:|---:|---:|---:|---:|---:|\n", cell(r.meaning()))
	for _, l := range r.lines(nil) {
		fmt.Fprintf(&b, "| %s | %s |", cell(l.name), cell(l.suite))
		for _, n := range l.n {
			fmt.Fprintf(&b, " %d |", n)
		}
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	r.markdownCauses(&b, 20, r.newCauses()) // GitHub takes a megabyte
	r.markdownFailures(&b, 20, r.isOpen)
	_, err := io.WriteString(w, b.String())
	return err
}

// newCauses returns the causes that fail the run.
func (r *Report) newCauses() []*Cause {
	return slices.DeleteFunc(r.AllCauses(), func(c *Cause) bool { return !r.fails(c) })
}

// isOpen reports whether a check fails the run without a broken rule.
func (r *Report) isOpen(res *harness.Result) bool {
	o := r.outcomeOf(res)
	return o == inconclusive || o == failed && !broke(res)
}

// gist returns what is wrong, what to do, and the evidence.
func (c *Cause) gist(advice string) string {
	text := fmt.Sprintf("%s %s, broken by %s", c.Level, c.Rule, c.Checks[0].Check)
	if n := len(c.Checks) - 1; n > 0 {
		text += " and " + Many(n, "more check")
	}
	bad := c.Broken().Bad
	if len(bad) > 0 {
		text += fmt.Sprintf("\nwant %s\ngot %s", cut(bad[0].Want, mostGist), cut(bad[0].Got, mostGist))
	}
	if advice != "" {
		text += "\nfix " + advice
	}
	if len(bad) > 0 && bad[0].Timeline != "" {
		text += "\n" + strings.TrimSuffix(bad[0].Timeline, "\n")
	}
	return text
}

// advice returns the line of a rule that says what to do, or "".
func (r *Report) advice(c *Cause) string {
	if k := r.about[c.Kind]; k != nil {
		if rule, ok := k.Rule(c.Rule); ok {
			return rule.Clause.Advice
		}
	}
	return ""
}

// A subject may say as much as it likes: GitHub takes 64 KiB for an annotation, and a megabyte for the summary of a step.
const (
	mostGist    = 1000  // of one text of an annotation
	mostFailure = 30000 // of one failure, of which a summary has twenty
)

// cut returns the beginning of a text that has more bytes than n, and says that it goes on.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + fmt.Sprintf(" … and %d bytes more", len(s)-n)
}

// message and property escape a workflow command's text and the value of one of its properties.
func message(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(message(s))
}
