package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness"
)

// Markdown writes the report as a page: what ran, each rule with the verdict of all its checks, and what failed.
func (r *Report) Markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# lwtest: %s\n\n", cell(strings.Join(r.names(), ", ")))
	r.facts(&b)
	for i := range r.Kinds {
		r.Kinds[i].markdown(&b)
	}
	r.markdownCauses(&b, len(r.Results), r.AllCauses())
	r.markdownFailures(&b, len(r.Results), func(res *harness.Result) bool { return r.isOpen(res) || res.Known != "" })
	_, err := io.WriteString(w, b.String())
	return err
}

// facts writes what ran and how it ended.
func (r *Report) facts(b *strings.Builder) {
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(b, "| %s | %s |\n", name, cell(value))
		}
	}
	b.WriteString("| | |\n|---|---|\n")
	row("status", fmt.Sprintf("%d: %s", r.Status, r.meaning()))
	c := r.Counts
	row("checks", fmt.Sprintf("%d passed, %d failed, %d inconclusive, %d skipped; %d known failures; %d without a result", c.Pass, c.Fail, c.Inconclusive, c.Skip, c.Known, c.Missing))
	plugins := map[string]bool{}
	for i := range r.Results {
		if p := r.Results[i].Plugin; p != "" {
			plugins[p] = true
		}
	}
	row("implementation", strings.Join(slices.Sorted(maps.Keys(plugins)), ", "))
	row("lwtest", r.Version)
	for _, k := range slices.Sorted(maps.Keys(r.Contract)) {
		row("contract", k+" "+r.Contract[k])
	}
	if !r.Started.IsZero() {
		row("started", r.Started.UTC().Format("2006-01-02 15:04:05 MST"))
	}
	row("seed", fmt.Sprint(r.Settings.Seed))
	for _, p := range append(r.Problems[:len(r.Problems):len(r.Problems)], r.Stale...) {
		row("problem", p)
	}
	b.WriteByte('\n')
}

// markdown writes one kind: its rules with their numbers, and the classes that were not reached.
func (k *Kind) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "## %s, contract %s\n\n| rule | level | verdict | tested | checks: pass, fail, inconclusive, skip |\n|---|---|---|---|---|\n", k.Name, k.Contract)
	for i := range k.Rules {
		u := &k.Rules[i]
		fmt.Fprintf(b, "| %s | %s | %s | %d | %d, %d, %d, %d |\n", cell(u.Rule), u.Level, u.Verdict(), u.Tested, u.Pass, u.Fail, u.Inconclusive, u.Skip)
	}
	b.WriteByte('\n')
	never, of := k.unreached()
	if len(k.Classes) == 0 {
		return
	}
	fmt.Fprintf(b, "%d of %d classes of request and event were reached%s.\n\n", of-len(never), of, k.undeclared(of))
	for _, c := range never {
		fmt.Fprintf(b, "- never: `%s` (%s)\n", c.Class, strings.Join(c.Clauses, ", "))
	}
	if len(never) > 0 {
		b.WriteByte('\n')
	}
}

// Verdict returns the verdict of all checks of a run about a rule. The rule fails if any check broke it. It passes if
// a check tested it, even if others did not.
func (u *Rule) Verdict() harness.Verdict {
	switch {
	case u.Fail > 0:
		return harness.Fail
	case u.Pass > 0 && u.Tested > 0:
		return harness.Pass
	case u.Inconclusive > 0:
		return harness.Inconclusive
	}
	return harness.Skip
}

// markdownFailures writes the results that show selects, at most most of them.
func (r *Report) markdownFailures(b *strings.Builder, most int, show func(*harness.Result) bool) {
	for i := range r.Results {
		res := &r.Results[i]
		if !show(res) {
			continue
		}
		if most--; most == -1 {
			b.WriteString("### More failed\n\n")
		}
		if most < 0 { // a thousand names are enough
			if most >= -1000 {
				fmt.Fprintf(b, "- %s on %s\n", cell(cut(res.Check, 200)), cell(cut(r.name(res.Target), 200)))
			}
			continue
		}
		fmt.Fprintf(b, "### %s: %s on %s\n\n", strings.TrimSpace(style{}.mark(res, r.Settings.Level)), cell(res.Check), cell(r.name(res.Target)))
		if res.Known != "" {
			fmt.Fprintf(b, "Known: %s\n\n", cell(res.Known))
		}
		var t strings.Builder
		r.failure(&t, res, style{}, map[string]bool{})
		fenced(b, t.String())
	}
}

// markdownCauses writes causes of new failures: all, of which most in full.
func (r *Report) markdownCauses(b *strings.Builder, most int, causes []*Cause) {
	for _, c := range causes[:min(most, len(causes))] {
		fmt.Fprintf(b, "### %s\n\n", cell(r.causeLine(c, style{})))
		var t strings.Builder
		r.cause(&t, c, TextOptions{Verbose: true})
		fenced(b, t.String())
	}
	for _, c := range causes[min(most, len(causes)):min(most+1000, len(causes))] { // a thousand names are enough
		fmt.Fprintf(b, "- %s\n", cell(cut(r.causeLine(c, style{}), 200)))
	}
}

// fenced writes text as a block of code.
func fenced(b *strings.Builder, text string) {
	text = cut(text, mostFailure)
	fence := strings.Repeat("`", max(3, longestRun(text)+1))
	fmt.Fprintf(b, "%s\n%s\n%s\n\n", fence, strings.TrimSuffix(text, "\n"), fence)
}

// longestRun returns the length of the longest run of backquotes. A fence must be longer.
func longestRun(s string) int {
	longest, run := 0, 0
	for _, c := range s {
		if c == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return longest
}

// cell returns text for a table cell: in one line, with escapes for whatever would end the cell or begin markup.
func cell(s string) string {
	s = strings.Join(strings.Fields(Line(s)), " ")
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", "&", "&amp;", "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`).Replace(s)
}
