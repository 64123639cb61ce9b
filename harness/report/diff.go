package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness"
)

// Diff lists what changed from one report to another, in the order of the new one. Checks that only the old one has
// come last.
type Diff struct {
	Old, New Side     `json:"-"`
	Changes  []Change `json:"changes"`
	Same     int      `json:"same"` // checks that ended the same in both
	// Apart says that the two reports are about different things, each on one target. A check that only the new one skips
	// because a feature is not declared is not worse then.
	Apart bool `json:"apart,omitempty"`
}

// Side is one of the two reports.
type Side struct {
	Name string
	Of   string // what was tested, if a report of the same can be compared with it; empty: not known
	*Report
}

// Change is a check, or a rule in a check, that did not end as before.
type Change struct {
	Target string `json:"target"` // of the new report, or of the old one if the new one lacks the check
	Check  string `json:"check"`
	Rule   string `json:"rule,omitempty"` // empty: the verdict of the check itself
	Was    string `json:"was"`            // a verdict, "known", or absent
	Is     string `json:"is"`
	Why    string `json:"why,omitempty"` // the got or the reason in the new report
	Worse  bool   `json:"worse,omitempty"`
}

// Absent stands for the verdict of a check or rule that a report does not have.
const Absent = "absent"

// Compare returns what changed. It matches checks by target and address, or by address only if each report has one
// target, so that two releases of a server can be compared.
func Compare(from, to Side) *Diff {
	d := &Diff{Old: from, New: to}
	alone := len(from.Settings.Targets) == 1 && len(to.Settings.Targets) == 1
	d.Apart = alone && from.Of != to.Of && from.Of != "" && to.Of != ""
	type place struct{ target, check string }
	key := func(r *harness.Result) place {
		if alone {
			return place{check: r.Check}
		}
		return place{r.Target, r.Check}
	}
	left := map[place]*harness.Result{}
	for i := range from.Results {
		r := &from.Results[i]
		left[key(r)] = r
	}
	for i := range to.Results {
		r := &to.Results[i]
		d.check(left[key(r)], r)
		delete(left, key(r))
	}
	for i := range from.Results { // in the old order
		if r := &from.Results[i]; left[key(r)] == r {
			d.check(r, nil)
		}
	}
	return d
}

// check compares one check. was or is may be nil, but not both.
func (d *Diff) check(was, is *harness.Result) {
	named := is
	if is == nil {
		named = was
	}
	c := Change{Target: named.Target, Check: named.Check, Was: verdictOf(was), Is: verdictOf(is)}
	if is != nil {
		c.Why = firstLine(is.Reason)
	}
	before := len(d.Changes)
	d.add(c)
	if was != nil && is != nil {
		d.rules(c, was, is)
	}
	if len(d.Changes) == before {
		d.Same++
	}
}

// rules compares the rules of a check that both reports have.
func (d *Diff) rules(c Change, was, is *harness.Result) {
	old := map[string]*harness.RuleResult{}
	for i := range was.Rules {
		old[was.Rules[i].Rule] = &was.Rules[i]
	}
	for i := range is.Rules {
		rr := &is.Rules[i]
		o := old[rr.Rule]
		if !rr.Required && rr.Verdict != harness.Fail && (o == nil || o.Verdict != harness.Fail) {
			continue // the check does not require it
		}
		r := Change{Target: c.Target, Check: c.Check, Rule: rr.Rule, Was: ruleVerdict(o), Is: ruleVerdict(rr), Why: firstLine(rr.Reason)}
		if len(rr.Bad) > 0 {
			r.Why = "got " + firstLine(rr.Bad[0].Got)
		}
		d.add(r)
	}
	for i := range was.Rules { // rules that the new report no longer has
		o := &was.Rules[i]
		gone := !slices.ContainsFunc(is.Rules, func(rr harness.RuleResult) bool { return rr.Rule == o.Rule })
		if gone && len(is.Rules) > 0 && (o.Required || o.Verdict == harness.Fail) {
			d.add(Change{Target: c.Target, Check: c.Check, Rule: o.Rule, Was: ruleVerdict(o), Is: Absent})
		}
	}
}

// add appends c if it is a change.
func (d *Diff) add(c Change) {
	if c.Was == c.Is {
		return
	}
	c.Worse = rank(c.Is) > rank(c.Was) && !(d.Apart && c.Is == string(harness.Skip) && harness.NotDeclared(c.Why))
	d.Changes = append(d.Changes, c)
}

// rank orders verdicts from good to bad. An absent check proves less than a skipped one.
func rank(verdict string) int {
	for i, v := range []string{string(harness.Pass), "known", string(harness.Skip), Absent, string(harness.Inconclusive), string(harness.Fail)} {
		if v == verdict {
			return i
		}
	}
	return 0
}

func verdictOf(r *harness.Result) string {
	switch {
	case r == nil:
		return Absent
	case r.Known != "":
		return "known"
	}
	return string(r.Verdict)
}

func ruleVerdict(r *harness.RuleResult) string {
	switch {
	case r == nil:
		return Absent
	case r.Known != "":
		return "known"
	}
	return string(r.Verdict)
}

// Worse reports whether anything is worse than before. A check that only the new report has is worse only if it failed
// or is inconclusive.
func (d *Diff) Worse() bool {
	for _, c := range d.Changes {
		if c.Worse {
			return true
		}
	}
	return false
}

// Text writes the changes, the worse ones first: each rule once, with the number of checks that it changed in, and
// then the checks.
func (d *Diff) Text(w io.Writer, color bool) error {
	var b strings.Builder
	s := style{color}
	fmt.Fprintf(&b, "old  %s\nnew  %s\n\n", d.Old.describe(), d.New.describe())
	if d.Apart {
		fmt.Fprintf(&b, "The reports are about different things, %s and %s. A check that only the new one skips because a feature is not declared does not count as worse.\n\n", Line(d.Old.Of), Line(d.New.Of))
	}
	worse := 0
	for _, is := range []bool{true, false} {
		d.textRules(&b, s, is)
		for _, c := range d.Changes {
			if c.Worse == is && c.Rule == "" {
				fmt.Fprintf(&b, "%s  %s on %s: %s, was %s%s\n", s.change(c), s.bold(Line(c.Check)), d.name(c.Target), c.Is, c.Was, because(c.Why))
			}
			if c.Worse && is {
				worse++
			}
		}
	}
	if len(d.Changes) > 0 {
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%d checks unchanged, %d changes, %d of them worse\n", d.Same, len(d.Changes), worse)
	_, err := io.WriteString(w, b.String())
	return err
}

// textRules writes a line for each rule that changed in the same way on a target.
func (d *Diff) textRules(b *strings.Builder, s style, worse bool) {
	type alike struct{ target, rule, was, is string }
	count := map[alike]int{}
	for _, c := range d.Changes {
		count[alike{c.Target, c.Rule, c.Was, c.Is}]++
	}
	for _, c := range d.Changes {
		at := alike{c.Target, c.Rule, c.Was, c.Is}
		if c.Rule == "" || c.Worse != worse || count[at] == 0 {
			continue
		}
		in := "in " + Line(c.Check)
		if n := count[at]; n > 1 {
			in += fmt.Sprintf(" and %d more", n-1)
		}
		fmt.Fprintf(b, "%s  rule %s on %s: %s, was %s, %s%s\n", s.change(c), s.bold(Line(c.Rule)), d.name(c.Target), c.Is, c.Was, in, because(c.Why))
		count[at] = 0
	}
}

func (s style) change(c Change) string {
	switch {
	case c.Worse:
		return s.red("WORSE ")
	case rank(c.Is) > rank(c.Was):
		return "other "
	}
	return s.green("better")
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + Line(why)
}

// name returns the short name of a target of either report.
func (d *Diff) name(target string) string {
	if slices.Contains(d.New.Settings.Targets, target) {
		return d.New.name(target)
	}
	return d.Old.name(target)
}

// describe returns the report's name and what it ran on.
func (s Side) describe() string {
	t := s.Name + "  " + strings.Join(s.names(), ", ")
	seen := map[string]bool{}
	for i := range s.Results {
		if p := s.Results[i].Plugin; p != "" && !seen[p] && p != s.Results[i].Target {
			seen[p] = true
			t += "  (" + p + ")"
		}
	}
	for _, k := range slices.Sorted(maps.Keys(s.Contract)) {
		t += fmt.Sprintf("  %s contract %s", k, s.Contract[k])
	}
	if !s.Started.IsZero() {
		t += "  " + s.Started.UTC().Format("2006-01-02 15:04")
	}
	return Line(t)
}
