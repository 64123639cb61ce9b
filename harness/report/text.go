package report

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lwtest/lwtest/harness"
)

// Text writes the report for people: the checks in a line each, what was
// learnt from each that failed, the scorecard in short and the sum.
func (r *Report) Text(w io.Writer, color bool) error {
	var b strings.Builder
	s := style{color}
	for _, t := range r.Settings.Targets {
		r.target(&b, t, s)
	}
	r.failures(&b, s)
	r.scorecard(&b)
	r.summary(&b, s)
	_, err := io.WriteString(w, b.String())
	return err
}

// target lists the checks of one target.
func (r *Report) target(b *strings.Builder, target string, s style) {
	plugin, wide := "", 0
	for _, res := range r.Results {
		if res.Target == target {
			plugin, wide = cmp.Or(plugin, res.Plugin), max(wide, len(res.Check))
		}
	}
	if wide == 0 && !slices.ContainsFunc(r.Missing, func(p Planned) bool { return p.Target == target }) {
		return // nothing of it was selected: it is of another kind
	}
	fmt.Fprintf(b, "%s", s.bold(r.name(target)))
	if plugin != "" && plugin != target {
		fmt.Fprintf(b, "  (%s)", Line(plugin))
	}
	b.WriteByte('\n')
	for i := range r.Results {
		res := &r.Results[i]
		if res.Target == target {
			fmt.Fprintf(b, "  %s %-*s  %s\n", s.mark(res, r.Settings.Level), wide, Line(res.Check), tellTail(res))
		}
	}
	for _, p := range r.Missing {
		if p.Target == target {
			fmt.Fprintf(b, "  %-12s  %s\n", "no result", Line(p.Check))
		}
	}
	b.WriteByte('\n')
}

func tellTail(res *harness.Result) string {
	tail := res.Elapsed.Round(100 * time.Microsecond).String()
	switch {
	case res.Known != "":
		tail += "  " + Line(res.Known)
	case res.Verdict == harness.Fail:
		tail += "  " + Line(headline(res))
	case res.Reason != "":
		tail += "  " + Line(firstLine(res.Reason))
	}
	if res.First != "" {
		tail += "  alone; beside others: " + Line(firstLine(res.First))
	}
	if rule := brokenProvisional(res); rule != "" && res.Verdict != harness.Fail {
		tail += "  broke " + Line(rule) + ", which is provisional"
	}
	return tail
}

// brokenProvisional is a rule that was broken and fails nobody; empty for none.
func brokenProvisional(res *harness.Result) string {
	for _, rr := range res.Rules {
		if rr.Verdict == harness.Fail && rr.Level == harness.Provisional {
			return rr.Rule
		}
	}
	return ""
}

// failures shows each check that did not pass; a crash comes first, known
// failures and what fails nobody last.
func (r *Report) failures(b *strings.Builder, s style) {
	group := func(res *harness.Result) int {
		switch {
		case res.Verdict == harness.Pass, res.Verdict == harness.Skip:
			if brokenProvisional(res) != "" {
				return 5
			}
			return 0
		case res.Known != "":
			return 4
		case crashed(res):
			return 1
		case res.Verdict == harness.Fail:
			return 2
		}
		return 3
	}
	told := map[string]bool{}
	for g := 1; g <= 5; g++ {
		alike := 0
		for i := range r.Results {
			switch res := &r.Results[i]; {
			case group(res) != g:
			case g == 4 && !news(res, told):
				alike++
			default:
				r.failure(b, res, s, told)
				b.WriteByte('\n')
			}
		}
		if alike > 0 {
			fmt.Fprintf(b, "and %d checks more that end as known failures say, by rules and for reasons shown above\n\n", alike)
		}
	}
}

// news says that a check broke a rule for a known reason that was not told of yet, on any target; from now on it was.
func news(res *harness.Result, told map[string]bool) bool {
	out := len(res.Rules) == 0 || res.Verdict != harness.Fail
	for _, rr := range res.Rules {
		why := "known " + rr.Rule + " " + rr.Known
		if rr.Verdict == harness.Fail && !told[why] {
			told[why], out = true, true
		}
	}
	return out
}

// crashed says that the subject did not survive the check.
func crashed(res *harness.Result) bool {
	return slices.ContainsFunc(res.Rules, func(rr harness.RuleResult) bool {
		return rr.Rule == harness.Survives.Address() && rr.Verdict == harness.Fail
	})
}

// failure shows one check that did not pass: each rule that it broke, as it
// teaches, or why nothing can be said. What was told of a rule on a target is
// not told again.
func (r *Report) failure(b *strings.Builder, res *harness.Result, s style, told map[string]bool) {
	fmt.Fprintf(b, "%s %s on %s\n", strings.TrimRight(s.mark(res, r.Settings.Level), " "), s.bold(Line(res.Check)), r.name(res.Target))
	if res.Reason != "" {
		fmt.Fprintf(b, "  reason  %s\n", Line(firstLine(res.Reason)))
	}
	for _, rr := range res.Rules {
		if rr.Verdict != harness.Fail {
			continue
		}
		name := res.Target + " " + rr.Rule
		r.rule(b, kindName(res.Check), rr, told[name])
		told[name] = true
	}
	if why := unproven(res); why != "" && res.Verdict == harness.Fail {
		fmt.Fprintf(b, "  open    %s\n", Line(why))
	}
	if res.Stack != "" {
		fmt.Fprintf(b, "  stack   %s\n", Plain(indented(res.Stack)))
	}
	if res.History != "" {
		fmt.Fprintf(b, "  again   lwtest replay %s\n", quoted(filepath.Join(r.Dir, Line(res.History))))
	}
}

func (r *Report) rule(b *strings.Builder, kind string, rr harness.RuleResult, told bool) {
	k := r.about[kind]
	if k == nil { // a report of a kind that this lwtest does not know
		k = &harness.Kind{Name: Line(kind)}
	}
	rr.Rule, rr.Level = Line(rr.Rule), harness.Level(Line(string(rr.Level)))
	if !told || len(rr.Bad) == 0 {
		b.WriteString(Plain(k.Explain(rr)))
	} else {
		fmt.Fprintf(b, "%s %s/%s  (clause and reason: above)\n", rr.Level, k.Name, rr.Rule)
		fmt.Fprintf(b, "  want    %s\n  got     %s\n", Line(rr.Bad[0].Want), Line(rr.Bad[0].Got))
		if n := rr.Failures - 1; n > 0 {
			fmt.Fprintf(b, "  and %d more like it\n", n)
		}
	}
	if rr.Known != "" {
		fmt.Fprintf(b, "  known   %s\n", Line(rr.Known))
	}
}

// stackLines is how much of a log or of stacks the text shows; report.json has all of it.
const stackLines = 40

func indented(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	if n := len(lines) - stackLines; n > 0 {
		lines = append(lines[:stackLines:stackLines], fmt.Sprintf("… %d more lines", n))
	}
	return strings.Join(lines, "\n          ")
}

// quoted is a file name as a shell wants it.
func quoted(s string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+=", r)
	}
	if strings.IndexFunc(s, func(r rune) bool { return !safe(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// neverLines bounds what the text says of classes that were not reached: a run
// of few checks reaches few.
const neverLines = 8

// scorecard tells what no check reached, and how much was: the whole is in report.json.
func (r *Report) scorecard(b *strings.Builder) {
	for _, k := range r.Kinds {
		if len(k.Classes) == 0 {
			continue
		}
		never, of := k.unreached()
		fmt.Fprintf(b, "scorecard %s %s: %d of %d classes that clauses name were reached%s\n", k.Name, k.Contract, of-len(never), of, k.undeclared(of))
		for _, c := range never[:min(len(never), neverLines)] {
			fmt.Fprintf(b, "  never     %-40s %s\n", c.Class, strings.Join(c.Clauses, ", "))
		}
		if more := len(never) - neverLines; more > 0 {
			fmt.Fprintf(b, "  … and %d more\n", more)
		}
	}
}

func (r *Report) summary(b *strings.Builder, s style) {
	c := r.Counts
	fmt.Fprintf(b, "%d checks: %d passed, %d failed%s, %d inconclusive, %d skipped", len(r.Results), c.Pass, c.Fail, r.onlyShould(), c.Inconclusive, c.Skip)
	if c.Known > 0 {
		fmt.Fprintf(b, "; %d ended as known failures say", c.Known)
	}
	fmt.Fprintf(b, "  (%s, seed %d)\n", r.Elapsed.Round(10*time.Millisecond), r.Settings.Seed)
	if r.Truncated || c.Missing > 0 {
		fmt.Fprintf(b, "%s: %d checks have no result", s.red("truncated"), c.Missing)
		if r.Dir != "" {
			fmt.Fprintf(b, "; lwtest run --resume %s", quoted(r.Dir))
		}
		b.WriteByte('\n')
	}
	for _, p := range append(r.Problems[:len(r.Problems):len(r.Problems)], r.Stale...) {
		fmt.Fprintf(b, "%s\n", s.red(Line(p)))
	}
	r.open(b)
	if r.Dir != "" {
		fmt.Fprintf(b, "report    %s\n", filepath.Join(r.Dir, reportFile))
	}
	fmt.Fprintf(b, "status    %d: %s\n", r.Status, r.meaning())
}

// onlyShould says of how many of the failed checks the failure leaves the status alone.
func (r *Report) onlyShould() string {
	n := 0
	for i := range r.Results {
		if res := &r.Results[i]; res.Verdict == harness.Fail && res.Known == "" && ending(res, r.Settings.Level) != Failed {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d of a SHOULD alone)", n)
}

// openLines bounds what the sum says of failed checks that prove not all that they must: each says so itself.
const openLines = 3

// open names the failed checks that alone would leave the run not proven, and why.
func (r *Report) open(b *strings.Builder) {
	n := 0
	for i := range r.Results {
		res := &r.Results[i]
		if res.Verdict != harness.Fail || ending(res, r.Settings.Level) != Unproven {
			continue
		}
		if n++; n <= openLines {
			fmt.Fprintf(b, "open      %s on %s: %s\n", Line(res.Check), r.name(res.Target), Line(unproven(res)))
		}
	}
	if n > openLines {
		fmt.Fprintf(b, "  … and %d more\n", n-openLines)
	}
}

// meaning says an exit status in words.
func (r *Report) meaning() string {
	switch r.Status {
	case OK:
		if r.Counts.Known > 0 {
			return "nothing failed but what is known to"
		}
		return "nothing failed"
	case Failed:
		return "something failed, or a known failure passed"
	case Unproven:
		return "not proven: something was inconclusive, or nothing was tested"
	}
	return "could not run, or not all of it"
}
