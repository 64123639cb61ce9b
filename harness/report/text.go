package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lwtest/lwtest/harness"
)

// TextOptions say what Text shows.
type TextOptions struct {
	Color   bool
	Width   int  // of the terminal, in columns, or 0
	Verbose bool // list every check and show every cause in full
	Show    Show // what else to list
	// Family returns the name of the summary line that counts a target. If it is nil or returns "", the target has its own
	// line.
	Family func(target string) string
}

// Show names what Text lists besides new failures.
type Show string

const (
	ShowNothing Show = ""
	ShowKnown   Show = "known"   // known failures
	ShowSkipped Show = "skipped" // skipped checks
)

// mostFailures bounds how many causes, and how many other checks, Text shows in full, unless Verbose is set.
const mostFailures = 5

// Text writes the report for people: a line for each target and suite, new failures in full, then the totals.
func (r *Report) Text(w io.Writer, o TextOptions) error {
	var b strings.Builder
	if o.Verbose {
		for _, t := range r.Settings.Targets {
			r.target(&b, t, style{o.Color})
		}
	}
	r.table(&b, o)
	r.failures(&b, o)
	r.idle(&b)
	r.lacking(&b)
	if o.Show == ShowSkipped {
		r.skips(&b)
	}
	if o.Verbose {
		r.scorecard(&b)
	} else {
		r.scoreLine(&b)
	}
	r.closing(&b, o)
	_, err := io.WriteString(w, Fold(b.String(), o.Width))
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
		return // no check of this target was selected: it is of another kind
	}
	fmt.Fprintf(b, "%s", s.bold(r.name(target)))
	if plugin != "" && plugin != target {
		fmt.Fprintf(b, "  (%s)", Line(plugin))
	}
	b.WriteByte('\n')
	for i := range r.Results {
		res := &r.Results[i]
		if res.Target == target {
			fmt.Fprintf(b, "  %s %-*s  %s\n", s.mark(res, r.Settings.Level), wide, Line(res.Check), details(res))
		}
	}
	for _, p := range r.Missing {
		if p.Target == target {
			fmt.Fprintf(b, "  %-12s  %s\n", "no result", Line(p.Check))
		}
	}
	b.WriteByte('\n')
}

func details(res *harness.Result) string {
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

// brokenProvisional returns a broken rule that is provisional and so fails no check, or "".
func brokenProvisional(res *harness.Result) string {
	for _, rr := range res.Rules {
		if rr.Verdict == harness.Fail && rr.Level == harness.Provisional {
			return rr.Rule
		}
	}
	return ""
}

// failures shows what is wrong: new failures by their causes, then checks that failed for another reason or are inconclusive.
func (r *Report) failures(b *strings.Builder, o TextOptions) {
	s, shown := style{o.Color}, map[string]bool{}
	causes, most := r.AllCauses(), mostFailures
	if o.Verbose {
		most = math.MaxInt
	}
	for i, c := range causes {
		if i < most {
			r.cause(b, c, o)
			shown[c.Target+" "+c.Rule] = true
		} else {
			if i == most {
				fmt.Fprintf(b, "and %s: -v shows each in full\n", Many(len(causes)-most, "more cause"))
			}
			fmt.Fprintf(b, "  %s%s\n", r.causeLine(c, s), aside(got(c.Broken())))
		}
	}
	if len(causes) > most {
		b.WriteByte('\n')
	}
	r.open(b, o, shown, most)
	if o.Verbose {
		r.list(b, o, shown, func(res *harness.Result) bool {
			return brokenProvisional(res) != "" && (res.Verdict == harness.Pass || res.Verdict == harness.Skip)
		})
	}
	if o.Show == ShowKnown {
		r.list(b, o, shown, func(res *harness.Result) bool { return r.outcomeOf(res) == knownFailure })
	}
}

// causeLine says in one line what was broken, where, and by how many checks.
func (r *Report) causeLine(c *Cause, s style) string {
	mark := s.red("FAIL " + Line(string(c.Level)))
	if !r.fails(c) {
		mark = s.yellow(Line(string(c.Level)))
	}
	return fmt.Sprintf("%s %s on %s  (%s)", mark, s.bold(Line(c.Kind+"/"+c.Rule)), r.name(c.Target), Many(len(c.Checks), "check"))
}

// cause shows a cause: the rule as the first check broke it, what else broke with it, and the checks.
func (r *Report) cause(b *strings.Builder, c *Cause, o TextOptions) {
	res, rr := c.Checks[0], c.Broken()
	fmt.Fprintf(b, "%s\n", r.causeLine(c, style{o.Color}))
	rr.After = nil
	var rule strings.Builder
	r.rule(&rule, c.Kind, rr, false)
	_, text, _ := strings.Cut(rule.String(), "\n") // the line above names it
	b.WriteString(text)
	var also, checks []string
	for _, a := range c.Also {
		also = append(also, fmt.Sprintf("%s %s (%s)%s", Line(string(a.Level)), Line(a.Rule), Many(a.Checks, "check"), aside(a.Got)))
	}
	for _, res := range c.Checks {
		checks = append(checks, Line(res.Check))
	}
	some(b, "also", also, o.Verbose)
	some(b, "checks", checks, o.Verbose)
	r.rest(b, res)
	b.WriteByte('\n')
}

// mostAside bounds the characters of a finding in a line with others.
const mostAside = 100

// aside returns a colon and the beginning of what a finding got, for the end of a line; "" if it got nothing.
func aside(got string) string {
	if got == "" {
		return ""
	}
	return ": " + Cut(Line(firstLine(got)), mostAside)
}

// mostNames bounds how many rules and checks of a cause the text names, unless Verbose is set.
const mostNames = 3

// some writes names, each in its line, and counts those that it leaves out.
func some(b *strings.Builder, field string, names []string, all bool) {
	for i, name := range names {
		if i == mostNames && !all && len(names) > mostNames+1 {
			fmt.Fprintf(b, "  %-7s and %d more\n", "", len(names)-i)
			return
		}
		fmt.Fprintf(b, "  %-7s %s\n", field, name)
		field = ""
	}
}

// open shows checks without a broken rule that failed or are inconclusive, and failed ones that leave open what they must test.
func (r *Report) open(b *strings.Builder, o TextOptions, shown map[string]bool, most int) {
	var open []*harness.Result
	for i := range r.Results {
		if res := &r.Results[i]; r.isOpen(res) {
			open = append(open, res)
		}
	}
	for i, res := range open {
		switch {
		case i < most:
			r.failure(b, res, style{o.Color}, shown)
			b.WriteByte('\n')
		case i == most:
			fmt.Fprintf(b, "and %s that did not pass: -v shows each in full\n", Many(len(open)-most, "more check"))
			fallthrough
		default:
			fmt.Fprintf(b, "  %s %s on %s  %s\n", style{o.Color}.mark(res, r.Settings.Level), Line(res.Check), r.name(res.Target), details(res))
		}
	}
	if len(open) > most {
		b.WriteByte('\n')
	}
}

// broke reports whether a check broke a rule.
func broke(res *harness.Result) bool {
	return slices.ContainsFunc(res.Rules, func(rr harness.RuleResult) bool { return rr.Verdict == harness.Fail })
}

// list shows the results that pick selects. Those that repeat earlier ones are only counted.
func (r *Report) list(b *strings.Builder, o TextOptions, shown map[string]bool, pick func(*harness.Result) bool) {
	alike := 0
	for i := range r.Results {
		switch res := &r.Results[i]; {
		case !pick(res):
		case !news(res, shown):
			alike++
		default:
			r.failure(b, res, style{o.Color}, shown)
			b.WriteByte('\n')
		}
	}
	if alike > 0 {
		fmt.Fprintf(b, "and %s with the same rules and reasons\n\n", Many(alike, "more check"))
	}
}

// idle lists the notes of checks that passed: each once, with the number of checks.
func (r *Report) idle(b *strings.Builder) {
	counts := map[string]int{}
	var all []string
	for i := range r.Results {
		res := &r.Results[i]
		if res.Verdict != harness.Pass {
			continue
		}
		for _, text := range res.Idle {
			if text = fmt.Sprintf("%s on %s", Line(text), r.name(res.Target)); counts[text] == 0 {
				all = append(all, text)
			}
			counts[text]++
		}
	}
	for _, text := range all {
		fmt.Fprintf(b, "note       %s (%s that passed)\n", text, Many(counts[text], "check"))
	}
}

// mostLacking bounds how many features the text names that would let skipped checks run.
const mostLacking = 4

// lacking says for each target and kind how many checks were skipped, and how many of them need only one feature more. Of many targets it says
// nothing.
func (r *Report) lacking(b *strings.Builder) {
	if len(r.Settings.Targets) > mostLacking {
		return
	}
	for _, target := range r.Settings.Targets {
		for _, kind := range r.kindNames() {
			skipped, only := 0, map[string]int{}
			for i := range r.Results {
				res := &r.Results[i]
				if res.Target != target || kindName(res.Check) != kind || res.Verdict != harness.Skip {
					continue
				}
				skipped++
				if lacks, any := harness.Lacks(res.Reason); any || len(lacks) == 1 {
					for _, f := range lacks {
						only[f]++
					}
				}
			}
			names := slices.SortedFunc(maps.Keys(only), func(x, y string) int { return cmp.Or(cmp.Compare(only[y], only[x]), cmp.Compare(x, y)) })
			if len(names) == 0 {
				continue
			}
			var each []string
			for _, f := range names[:min(len(names), mostLacking)] {
				each = append(each, fmt.Sprintf("%s (%d)", Line(f), only[f]))
			}
			fmt.Fprintf(b, "skipped    %s of %s on %s; declared, each of these features alone adds some: %s\n", Many(skipped, "check"), Line(kind), r.name(target), strings.Join(each, ", "))
		}
	}
}

// skips lists the skipped checks under their reasons.
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
		fmt.Fprintf(b, "skipped: %s (%s)\n", why, Many(len(checks[why]), "check"))
		for _, check := range checks[why] {
			fmt.Fprintf(b, "  %s\n", check)
		}
	}
	if reasons != nil {
		b.WriteByte('\n')
	}
}

// news reports whether the check has something that is not in shown: a broken rule that comes after no other, or a reason. It adds what
// it finds to shown.
func news(res *harness.Result, shown map[string]bool) bool {
	out := len(res.Rules) == 0 || res.Verdict == harness.Inconclusive
	for _, rr := range res.Rules {
		why := "news " + kindName(res.Check) + "/" + rr.Rule + " " + rr.Known
		if rr.Verdict == harness.Fail && !shown[why] && (rr.After == nil || rr.Known != "") {
			shown[why], out = true, true
		}
	}
	return out
}

// failure shows one check that did not pass: each rule that it broke in full, or why the check is inconclusive. Rules
// in shown are explained only briefly, and new ones are added there.
func (r *Report) failure(b *strings.Builder, res *harness.Result, s style, shown map[string]bool) {
	fmt.Fprintf(b, "%s %s on %s\n", strings.TrimRight(s.mark(res, r.Settings.Level), " "), s.bold(Line(res.Check)), r.name(res.Target))
	if res.Reason != "" {
		fmt.Fprintf(b, "  reason  %s\n", Line(firstLine(res.Reason)))
	}
	for _, rr := range res.Broken() {
		name := res.Target + " " + rr.Rule
		r.rule(b, kindName(res.Check), rr, shown[name])
		shown[name] = shown[name] || rr.After == nil
	}
	r.rest(b, res)
}

// rest writes what a check that did not pass says besides the rules that it broke, and how to repeat it.
func (r *Report) rest(b *strings.Builder, res *harness.Result) {
	if why := unproven(res); why != "" && res.Verdict == harness.Fail {
		fmt.Fprintf(b, "  open    %s\n", Line(why))
	}
	r.untested(b, res)
	if len(res.Idle) > 0 {
		fmt.Fprintf(b, "  steps   %s\n", Plain(indented(strings.Join(res.Idle, "\n"))))
	}
	if res.Stack != "" && res.Stack != res.Reason {
		fmt.Fprintf(b, "  stack   %s\n", Plain(indented(res.Stack)))
	}
	r.again(b, res)
}

// untested says of a story of the user's own, which is inconclusive, what it tested, and why not the rules that it names.
func (r *Report) untested(b *strings.Builder, res *harness.Result) {
	k := r.about[kindName(res.Check)]
	if k == nil || res.Verdict != harness.Inconclusive || r.offered(res.Check) {
		return
	}
	var tested []string
	for _, rr := range res.Rules {
		if rr.Verdict == harness.Pass && rr.Rule != harness.Survives.Address() {
			tested = append(tested, Line(rr.Rule))
		}
	}
	if len(tested) > 0 {
		fmt.Fprintf(b, "  tested  %s: kept\n", strings.Join(tested, ", "))
	}
	for _, rr := range res.Rules {
		i := slices.IndexFunc(k.Rules, func(o harness.Rule) bool { return o.Address() == rr.Rule })
		if !rr.Required || rr.Verdict != harness.Inconclusive || rr.Tested > 0 || i < 0 {
			continue
		}
		why := "nothing that happened is something that it judges"
		if never := slices.DeleteFunc(slices.Clone(k.Rules[i].Clause.Classes), func(c string) bool { return reached(c, res.Score) > 0 }); len(never) > 0 {
			why = "the story never came to " + strings.Join(never, ", nor to ")
		}
		fmt.Fprintf(b, "  untested %s: %s\n", Line(rr.Rule), why)
	}
}

// again writes the command that repeats a check, from its history if the run kept it.
func (r *Report) again(b *strings.Builder, res *harness.Result) {
	switch {
	case res.Target == harness.GoTest && res.Plugin != "":
		_, name, _ := strings.Cut(res.Check, "/")
		fmt.Fprintf(b, "  again   LWTEST_SEED=%d go test -run %s\n", res.Seed, quoted(Line(res.Plugin+"/"+name)))
	case res.History != "":
		fmt.Fprintf(b, "  again   lwtest play %s\n", quoted(filepath.Join(r.Dir, Line(res.History))))
	case res.Events > 0 && r.offered(res.Check) && r.name(res.Target) == res.Target: // a longer connect string may hold secrets
		fmt.Fprintf(b, "  again   lwtest run %s --target %s --seed %d\n", quoted(Line(res.Check)), quoted(res.Target), res.Seed)
	}
}

// offered reports whether an address is that of a check, and not that of a story, a repetition or a trace.
func (r *Report) offered(address string) bool {
	k := r.about[kindName(address)]
	return k == nil || slices.Contains(k.Addresses(), address)
}

func (r *Report) rule(b *strings.Builder, kind string, rr harness.RuleResult, shown bool) {
	k := r.about[kind]
	if k == nil { // this lwtest does not know the kind
		k = &harness.Kind{Name: Line(kind)}
	}
	rr.Rule, rr.Level = Line(rr.Rule), harness.Level(Line(string(rr.Level)))
	explain := k.Explain
	if shown && len(rr.Bad) > 0 {
		explain = k.ExplainAgain
	}
	b.WriteString(Plain(explain(rr)))
	if rr.Known != "" {
		fmt.Fprintf(b, "  known   %s\n", Line(rr.Known))
	}
}

// stackLines bounds how many lines of a log or stack the text shows. report.json has all of it.
const stackLines = 40

func indented(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	if n := len(lines) - stackLines; n > 0 {
		lines = append(lines[:stackLines:stackLines], fmt.Sprintf("… %d more lines", n))
	}
	return strings.Join(lines, "\n          ")
}

// quoted returns a file name quoted for a shell.
func quoted(s string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+=", r)
	}
	if strings.IndexFunc(s, func(r rune) bool { return !safe(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// neverLines bounds how many unreached classes the text lists. A run of few checks reaches few.
const neverLines = 8

// scorecard writes how many classes were reached, and the first that were not. report.json has all of them.
func (r *Report) scorecard(b *strings.Builder) {
	for _, k := range r.Kinds {
		if len(k.Classes) == 0 {
			continue
		}
		never, of := k.unreached()
		fmt.Fprintf(b, "scorecard %s %s: %d of %d classes were reached%s\n", k.Name, k.Contract, of-len(never), of, k.undeclared(of))
		for _, c := range never[:min(len(never), neverLines)] {
			fmt.Fprintf(b, "  never     %-40s %s\n", c.Class, strings.Join(c.Clauses, ", "))
		}
		if more := len(never) - neverLines; more > 0 {
			fmt.Fprintf(b, "  … and %d more\n", more)
		}
	}
}
