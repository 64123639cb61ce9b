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

// TextOptions say how much Text shows, and how.
type TextOptions struct {
	Color   bool
	Verbose bool // every check in a line, and every new failure in full
	Show    Show // what to list besides
	// Family names the line of the summary in which a target is counted; nil, or "": its own.
	Family func(target string) string
}

// Show is what Text lists besides new failures.
type Show string

const (
	ShowNothing Show = ""
	ShowKnown   Show = "known"   // known failures
	ShowSkipped Show = "skipped" // skipped checks
)

// mostFailures bounds what Text shows in full of what is new, unless asked for all.
const mostFailures = 5

// Text writes the report for people: a line for each target and suite, what is new in full, then the sum.
func (r *Report) Text(w io.Writer, o TextOptions) error {
	var b strings.Builder
	if o.Verbose {
		for _, t := range r.Settings.Targets {
			r.target(&b, t, style{o.Color})
		}
	}
	r.table(&b, o)
	r.failures(&b, o)
	if o.Show == ShowSkipped {
		r.skips(&b)
	}
	if o.Verbose {
		r.scorecard(&b)
	} else {
		r.scoreLine(&b)
	}
	r.closing(&b, o)
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

// failures shows what is new in full: crashes first, then broken MUSTs, broken SHOULDs, and what is inconclusive. Checks that
// break nothing but rules that another has shown come last, so that the first few show the most.
func (r *Report) failures(b *strings.Builder, o TextOptions) {
	told := map[string]bool{}
	var bad []*harness.Result
	for _, of := range []func(*harness.Result) bool{
		crashed,
		func(res *harness.Result) bool { return !crashed(res) && r.outcomeOf(res) == failed },
		func(res *harness.Result) bool { return !crashed(res) && r.outcomeOf(res) == shouldFailed },
		func(res *harness.Result) bool { return r.outcomeOf(res) == inconclusive },
	} {
		bad = append(bad, r.firstOfEachRule(of)...)
	}
	most := len(bad)
	if !o.Verbose {
		most = min(most, mostFailures)
	}
	for _, res := range bad[:most] {
		r.failure(b, res, style{o.Color}, told)
		b.WriteByte('\n')
	}
	if n := len(bad) - most; n > 0 {
		fmt.Fprintf(b, "and %s that did not pass: -v shows each\n\n", many(n, "more check"))
	}
	if o.Verbose {
		r.list(b, o, told, func(res *harness.Result) bool {
			return brokenProvisional(res) != "" && (res.Verdict == harness.Pass || res.Verdict == harness.Skip)
		})
	}
	if o.Show == ShowKnown {
		r.list(b, o, told, func(res *harness.Result) bool { return r.outcomeOf(res) == knownFailure })
	}
}

// firstOfEachRule returns the results that of selects: first those that break a rule that none before them broke.
func (r *Report) firstOfEachRule(of func(*harness.Result) bool) []*harness.Result {
	var first, others []*harness.Result
	seen := map[string]bool{}
	for i := range r.Results {
		res := &r.Results[i]
		switch {
		case res.Known != "" || !of(res):
		case news(res, seen):
			first = append(first, res)
		default:
			others = append(others, res)
		}
	}
	return append(first, others...)
}

// list shows the results that of selects; those with nothing new to tell are only counted.
func (r *Report) list(b *strings.Builder, o TextOptions, told map[string]bool, of func(*harness.Result) bool) {
	alike := 0
	for i := range r.Results {
		switch res := &r.Results[i]; {
		case !of(res):
		case !news(res, told):
			alike++
		default:
			r.failure(b, res, style{o.Color}, told)
			b.WriteByte('\n')
		}
	}
	if alike > 0 {
		fmt.Fprintf(b, "and %s that end so by the same rules and for the same reasons\n\n", many(alike, "more check"))
	}
}

// skips lists the skipped checks, each reason once.
func (r *Report) skips(b *strings.Builder) {
	var reasons []string
	checks := map[string][]string{}
	for i := range r.Results {
		res := &r.Results[i]
		if res.Verdict != harness.Skip {
			continue
		}
		why := Line(firstLine(res.Reason))
		if checks[why] == nil {
			reasons = append(reasons, why)
		}
		checks[why] = append(checks[why], fmt.Sprintf("%s on %s", Line(res.Check), r.name(res.Target)))
	}
	for _, why := range reasons {
		fmt.Fprintf(b, "skipped: %s (%s)\n", why, many(len(checks[why]), "check"))
		for _, check := range checks[why] {
			fmt.Fprintf(b, "  %s\n", check)
		}
	}
	if reasons != nil {
		b.WriteByte('\n')
	}
}

// news reports whether a check did not end yet, on any target, by one of its rules and for the same known reason, and
// remembers that it did.
func news(res *harness.Result, told map[string]bool) bool {
	out := len(res.Rules) == 0 || res.Verdict == harness.Inconclusive
	for _, rr := range res.Rules {
		why := "news " + kindName(res.Check) + "/" + rr.Rule + " " + rr.Known
		if rr.Verdict == harness.Fail && !told[why] {
			told[why], out = true, true
		}
	}
	return out
}

// crashed reports whether the subject did not survive the check.
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
	for _, rr := range res.Broken() {
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
	r.again(b, res)
}

// again is the command that repeats a check: from its history, where the run kept it.
func (r *Report) again(b *strings.Builder, res *harness.Result) {
	switch {
	case res.History != "":
		fmt.Fprintf(b, "  again   lwtest play %s\n", quoted(filepath.Join(r.Dir, Line(res.History))))
	case res.Events > 0 && r.name(res.Target) == res.Target: // a longer connect string may hold what nobody else should see
		fmt.Fprintf(b, "  again   lwtest run %s --target %s --seed %d\n", quoted(Line(res.Check)), quoted(res.Target), res.Seed)
	}
}

func (r *Report) rule(b *strings.Builder, kind string, rr harness.RuleResult, told bool) {
	k := r.about[kind]
	if k == nil { // a report of a kind that this lwtest does not know
		k = &harness.Kind{Name: Line(kind)}
	}
	rr.Rule, rr.Level = Line(rr.Rule), harness.Level(Line(string(rr.Level)))
	explain := k.Explain
	if told && len(rr.Bad) > 0 {
		explain = k.ExplainAgain
	}
	b.WriteString(Plain(explain(rr)))
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
