package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lwtest/lwtest/harness"
)

// outcome is how a check counts in the summary.
type outcome int

const (
	passed outcome = iota
	knownFailure
	skipped
	failed       // it broke a MUST, or a SHOULD where these count
	shouldFailed // it broke only SHOULDs, which do not count
	inconclusive
	outcomes // the number of outcomes
)

func (r *Report) outcomeOf(res *harness.Result) outcome {
	switch {
	case res.Verdict == harness.Pass:
		return passed
	case res.Verdict == harness.Skip:
		return skipped
	case res.Known != "":
		return knownFailure
	case res.Verdict != harness.Fail:
		return inconclusive
	case ending(res, r.Settings.Level) == Failed:
		return failed
	case !slices.ContainsFunc(res.Rules, func(rr harness.RuleResult) bool { return counts(rr, harness.Should) }):
		return inconclusive // what it broke is known, and it does not prove the rest
	}
	return shouldFailed
}

var outcomeNames = [outcomes]string{passed: "passed", knownFailure: "known", skipped: "skipped", failed: "failed", shouldFailed: "broke a SHOULD", inconclusive: "inconclusive"}

// line counts the checks of one suite on one target, or on a family of targets.
type line struct {
	name, suite string
	targets     map[string]bool
	n           [outcomes]int
	missing     int
	elapsed     time.Duration
	plugin      string // what was tested, with its version
}

// lines returns the lines of the summary, in the order of the plan.
func (r *Report) lines(family func(target string) string) []*line {
	var out []*line
	at := map[[2]string]*line{}
	names := Names(r.Settings.Targets)
	find := func(target, check string) *line {
		name := Line(cmp.Or(names[target], target))
		key := [2]string{name, Line(kindName(check))}
		if family != nil {
			key[0] = cmp.Or(family(target), name)
		}
		w := at[key]
		if w == nil {
			w = &line{name: name, suite: key[1], targets: map[string]bool{}}
			at[key], out = w, append(out, w)
		}
		if w.targets[target] = true; len(w.targets) > 1 {
			w.name = fmt.Sprintf("%s (%d)", key[0], len(w.targets))
		}
		return w
	}
	for _, p := range r.Plan {
		find(p.Target, p.Check)
	}
	for i := range r.Results {
		res := &r.Results[i]
		w := find(res.Target, res.Check)
		w.n[r.outcomeOf(res)]++
		w.elapsed += res.Elapsed
		w.plugin = cmp.Or(w.plugin, res.Plugin)
	}
	for _, p := range r.Missing {
		find(p.Target, p.Check).missing++
	}
	return out
}

// table writes a line for each target, or family of targets, and suite.
func (r *Report) table(b *strings.Builder, o TextOptions) {
	lines := r.lines(o.Family)
	wide, suite := len("target"), len("suite")
	for _, w := range lines {
		wide, suite = max(wide, len(w.name)), max(suite, len(w.suite))
	}
	s := style{o.Color}
	if o.Width > 0 && wide+suite+narrowest > o.Width {
		s.stack(b, lines)
		return
	}
	fmt.Fprintln(b, s.bold(fmt.Sprintf("%-*s  %-*s  %7s %7s %7s %7s %7s %12s %8s", wide, "target", suite, "suite",
		"passed", "known", "skipped", "failed", "SHOULD", "inconclusive", "time")))
	for _, w := range lines {
		fmt.Fprintf(b, "%-*s  %-*s ", wide, w.name, suite, w.suite)
		for i, n := range w.n {
			b.WriteString(" " + s.cell(outcome(i), n))
		}
		fmt.Fprintf(b, " %8s", brief(w.elapsed))
		if len(w.targets) == 1 && w.plugin != "" && w.plugin != w.name {
			b.WriteString("  " + Line(w.plugin))
		}
		if w.missing > 0 {
			fmt.Fprintf(b, "  %s without a result", Thousands(w.missing))
		}
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
}

// narrowest is how many columns the numbers of the table take.
const narrowest = 66

// stack writes the table for a narrow terminal: below each target what its suites counted, the worst first.
func (s style) stack(b *strings.Builder, lines []*line) {
	was := ""
	for _, w := range lines {
		if w.name != was {
			fmt.Fprintln(b, s.bold(w.name))
			was = w.name
		}
		var counts []string
		for _, o := range []outcome{failed, shouldFailed, inconclusive, knownFailure, passed, skipped} {
			if n := w.n[o]; n > 0 {
				counts = append(counts, s.outcome(o, Thousands(n)+" "+outcomeNames[o]))
			}
		}
		if w.missing > 0 {
			counts = append(counts, Thousands(w.missing)+" without a result")
		}
		fmt.Fprintf(b, "  %s: %s  %s\n", w.suite, strings.Join(counts, ", "), brief(w.elapsed))
	}
	b.WriteByte('\n')
}

// cell returns one number of the table, or a dot for 0.
func (s style) cell(o outcome, n int) string {
	wide := 7
	if o == inconclusive {
		wide = len("inconclusive")
	}
	if n == 0 {
		return fmt.Sprintf("%*s", wide, "·")
	}
	return s.outcome(o, fmt.Sprintf("%*s", wide, Thousands(n)))
}

func (s style) outcome(o outcome, text string) string {
	switch o {
	case failed:
		return s.red(text)
	case shouldFailed, inconclusive:
		return s.yellow(text)
	}
	return text
}

// brief rounds a duration for a table.
func brief(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// Thousands formats a number with commas between groups of three digits.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// scoreLine writes in one line how many classes of input the run reached.
func (r *Report) scoreLine(b *strings.Builder) {
	var each []string
	undeclared := 0
	for i := range r.Kinds {
		k := &r.Kinds[i]
		if len(k.Classes) == 0 {
			continue
		}
		never, of := k.unreached()
		undeclared += len(k.Classes) - of
		each = append(each, fmt.Sprintf("%s %d of %d", Line(k.Name), of-len(never), of))
	}
	if each == nil {
		return
	}
	fmt.Fprintf(b, "scorecard  classes of requests and events that the run reached: %s", strings.Join(each, ", "))
	if undeclared > 0 {
		fmt.Fprintf(b, " (%d more need a feature that no target declares)", undeclared)
	}
	b.WriteByte('\n')
}

// closing writes problems of the run, how to see more, and the totals.
func (r *Report) closing(b *strings.Builder, o TextOptions) {
	s := style{o.Color}
	if r.Truncated || r.Counts.Missing > 0 {
		fmt.Fprintf(b, "%s  %s without a result", s.red("truncated"), Many(r.Counts.Missing, "check"))
		if r.Dir != "" {
			fmt.Fprintf(b, "; finish the run with `lwtest run --resume %s`", quoted(r.Dir))
		}
		b.WriteByte('\n')
	}
	for _, p := range append(r.Problems[:len(r.Problems):len(r.Problems)], r.Stale...) {
		fmt.Fprintf(b, "%s\n", s.red(Line(p)))
	}
	r.unprovenLines(b)
	r.more(b, o)
	fmt.Fprintf(b, "\n%s  (%s, seed %d)\n", s.bold(r.sum()), r.Elapsed.Round(10*time.Millisecond), r.Settings.Seed)
	if r.Status != OK {
		fmt.Fprintf(b, "exit status %d: %s\n", r.Status, r.meaning())
	}
}

// more writes how to see what the summary omits.
func (r *Report) more(b *strings.Builder, o TextOptions) {
	var ways []string
	if !o.Verbose {
		ways = append(ways, "-v lists every check")
	}
	if r.Counts.Known > 0 && o.Show != ShowKnown {
		ways = append(ways, "--show known explains the known failures")
	}
	if r.Counts.Skip > 0 && o.Show != ShowSkipped {
		ways = append(ways, "--show skipped says why checks were skipped")
	}
	if len(ways) > 0 {
		again := ""
		if r.Dir != "" {
			again = fmt.Sprintf(" (also with `lwtest run --resume %s`)", quoted(r.Dir))
		}
		fmt.Fprintf(b, "more       %s%s\n", strings.Join(ways, ", "), again)
	}
	if r.Dir != "" {
		fmt.Fprintf(b, "report     %s\n", filepath.Join(r.Dir, reportFile))
	}
}

// sum returns the closing line with the totals.
func (r *Report) sum() string {
	var n [outcomes]int
	for i := range r.Results {
		n[r.outcomeOf(&r.Results[i])]++
	}
	parts := []string{Thousands(n[passed]) + " passed", Many(n[knownFailure], "known failure"), Many(n[failed], "new failure")}
	if n[shouldFailed] > 0 {
		parts = append(parts, Many(n[shouldFailed], "broken SHOULD"))
	}
	if n[inconclusive] > 0 {
		parts = append(parts, Thousands(n[inconclusive])+" inconclusive")
	}
	return strings.Join(append(parts, Thousands(n[skipped])+" skipped"), ", ")
}

// Many returns a number and a noun, in the plural unless n is 1.
func Many(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return Thousands(n) + " " + thing
}

// mostOpen bounds how many failed checks with an untested required rule the summary names.
const mostOpen = 3

// unprovenLines names the failed checks whose untested rules alone make the run not proven, and why.
func (r *Report) unprovenLines(b *strings.Builder) {
	n := 0
	for i := range r.Results {
		res := &r.Results[i]
		if res.Verdict != harness.Fail || ending(res, r.Settings.Level) != Unproven {
			continue
		}
		if n++; n <= mostOpen {
			fmt.Fprintf(b, "open       %s on %s: %s\n", Line(res.Check), r.name(res.Target), Line(unproven(res)))
		}
	}
	if n > mostOpen {
		fmt.Fprintf(b, "           … and %d more\n", n-mostOpen)
	}
}

// meaning describes the exit status.
func (r *Report) meaning() string {
	switch r.Status {
	case OK:
		return "nothing failed except known failures"
	case Failed:
		return "a check failed that is not known to fail, or a known failure passed"
	case Unproven:
		return "not proven: a check was inconclusive, or nothing was tested"
	}
	return "lwtest could not run, or not to the end"
}

// Ended says in a word how a check counts: passed, known, skipped, failed, should (it broke only SHOULDs, which do not
// count) or inconclusive.
func (r *Report) Ended(res *harness.Result) string {
	return [...]string{passed: "passed", knownFailure: "known", skipped: "skipped", failed: "failed", shouldFailed: "should", inconclusive: "inconclusive"}[r.outcomeOf(res)]
}
