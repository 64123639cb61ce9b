package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness"
)

// Diff is what has changed from one report to another, in the order of the
// new one; what only the old one has comes last.
type Diff struct {
	Old, New Side     `json:"-"`
	Changes  []Change `json:"changes"`
	Same     int      `json:"same"` // checks that ended alike
	// Apart: each report has one target, and they are about different things.
	// What the new one alone skips for want of a feature is no change for the worse then.
	Apart bool `json:"apart,omitempty"`
}

// Side names one of the two reports.
type Side struct {
	Name string
	Of   string // what was tested, where two reports of the same can be held against each other; "": nobody knows
	*Report
}

// Change is one check, or one rule in a check, that did not end as before.
type Change struct {
	Target string `json:"target"` // of the new report, or of the old where the new has no such check
	Check  string `json:"check"`
	Rule   string `json:"rule,omitempty"` // empty: the verdict of the check itself
	Was    string `json:"was"`            // a verdict, "known", or "absent"
	Is     string `json:"is"`
	Why    string `json:"why,omitempty"` // what the new one got, or its reason
	Worse  bool   `json:"worse,omitempty"`
}

// absent is the verdict of what a report does not have.
const absent = "absent"

// Compare finds what changed. Checks are matched by target and address; where
// each report has one target only, by address, so that two releases of one
// server can be held against each other.
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
	for i := range from.Results { // in their order
		if r := &from.Results[i]; left[key(r)] == r {
			d.check(r, nil)
		}
	}
	return d
}

// check compares one check; was or is may be nil, not both.
func (d *Diff) check(was, is *harness.Result) {
	named := is
	if is == nil {
		named = was
	}
	c := Change{Target: named.Target, Check: named.Check, Was: told(was), Is: told(is)}
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

// rules compares what each rule said in a check that both reports have.
func (d *Diff) rules(c Change, was, is *harness.Result) {
	old := map[string]*harness.RuleResult{}
	for i := range was.Rules {
		old[was.Rules[i].Rule] = &was.Rules[i]
	}
	for i := range is.Rules {
		rr := &is.Rules[i]
		o := old[rr.Rule]
		if !rr.Required && rr.Verdict != harness.Fail && (o == nil || o.Verdict != harness.Fail) {
			continue // nobody asked this check for it
		}
		r := Change{Target: c.Target, Check: c.Check, Rule: rr.Rule, Was: toldRule(o), Is: toldRule(rr), Why: firstLine(rr.Reason)}
		if len(rr.Bad) > 0 {
			r.Why = "got " + firstLine(rr.Bad[0].Got)
		}
		d.add(r)
	}
	for i := range was.Rules { // what nobody judges there any more
		o := &was.Rules[i]
		gone := !slices.ContainsFunc(is.Rules, func(rr harness.RuleResult) bool { return rr.Rule == o.Rule })
		if gone && len(is.Rules) > 0 && (o.Required || o.Verdict == harness.Fail) {
			d.add(Change{Target: c.Target, Check: c.Check, Rule: o.Rule, Was: toldRule(o), Is: absent})
		}
	}
}

// add keeps what differs.
func (d *Diff) add(c Change) {
	if c.Was == c.Is {
		return
	}
	c.Worse = rank(c.Is) > rank(c.Was) && !(d.Apart && c.Is == string(harness.Skip) && harness.NotDeclared(c.Why))
	d.Changes = append(d.Changes, c)
}

// rank orders verdicts from good to bad: what is gone says less than a skip.
func rank(verdict string) int {
	for i, v := range []string{string(harness.Pass), "known", string(harness.Skip), absent, string(harness.Inconclusive), string(harness.Fail)} {
		if v == verdict {
			return i
		}
	}
	return 0
}

func told(r *harness.Result) string {
	switch {
	case r == nil:
		return absent
	case r.Known != "":
		return "known"
	}
	return string(r.Verdict)
}

func toldRule(r *harness.RuleResult) string {
	switch {
	case r == nil:
		return absent
	case r.Known != "":
		return "known"
	}
	return string(r.Verdict)
}

// Worse reports whether anything is worse than it was. A check that is new is
// worse only where it failed or could not be answered.
func (d *Diff) Worse() bool {
	for _, c := range d.Changes {
		if c.Worse {
			return true
		}
	}
	return false
}

// Text writes the changes, the worse ones first: each rule once, with the
// number of checks that say so, and then the checks.
func (d *Diff) Text(w io.Writer, color bool) error {
	var b strings.Builder
	s := style{color}
	fmt.Fprintf(&b, "old  %s\nnew  %s\n\n", d.Old.describe(), d.New.describe())
	if d.Apart {
		fmt.Fprintf(&b, "These are of different things, %s and %s: what the new one alone skips for want of a feature is no change for the worse.\n\n", Line(d.Old.Of), Line(d.New.Of))
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
	fmt.Fprintf(&b, "%d checks ended alike; %d changes, %d of them for the worse\n", d.Same, len(d.Changes), worse)
	_, err := io.WriteString(w, b.String())
	return err
}

// textRules writes a line for each rule that changed in one way on a target.
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

// name is what a target is called, of the new report or of the old.
func (d *Diff) name(target string) string {
	if slices.Contains(d.New.Settings.Targets, target) {
		return d.New.name(target)
	}
	return d.Old.name(target)
}

// describe names a report by what it ran on.
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
