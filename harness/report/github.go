package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/lwtest/lwtest/harness"
)

// mostAnnotations is how many errors of a step GitHub shows; it drops the next ones without a word.
// Source: GitHub's limits of annotations, 10 errors for each step.
const mostAnnotations = 10

// GitHub writes an annotation of a GitHub workflow for each check that failed anew, and for each problem of the run. Of
// more than ten the last one counts the others.
func (r *Report) GitHub(w io.Writer) error {
	var all []string
	add := func(title, text string) {
		all = append(all, fmt.Sprintf("::error title=%s::%s\n", property(title), message(text)))
	}
	for _, p := range append(r.Problems[:len(r.Problems):len(r.Problems)], r.Stale...) {
		add("lwtest", p)
	}
	for i := range r.Results {
		if res := &r.Results[i]; r.isNew(res) {
			add(fmt.Sprintf("lwtest: %s on %s", res.Check, r.name(res.Target)), gist(res))
		}
	}
	if n := len(all); n > mostAnnotations {
		all = append(all[:mostAnnotations-1], fmt.Sprintf("::error title=lwtest::%d more, in the log and the summary of this step\n", n-mostAnnotations+1))
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
	r.markdownFailures(&b, 20, r.isNew) // GitHub takes a megabyte
	_, err := io.WriteString(w, b.String())
	return err
}

// isNew reports whether a check failed, or is open, in a way that fails the run.
func (r *Report) isNew(res *harness.Result) bool {
	o := r.outcomeOf(res)
	return o == failed || o == inconclusive
}

// gist returns what is wrong with a check, in a few lines.
func gist(res *harness.Result) string {
	for _, rr := range res.Broken() {
		if len(rr.Bad) > 0 {
			return fmt.Sprintf("%s %s\nwant %s\ngot %s", rr.Level, rr.Rule, rr.Bad[0].Want, rr.Bad[0].Got)
		}
	}
	return cmp.Or(res.Reason, string(res.Verdict))
}

// message and property escape a workflow command's text and the value of one of its properties.
func message(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(message(s))
}
