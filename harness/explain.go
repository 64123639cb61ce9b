package harness

import (
	"fmt"
	"slices"
	"strings"
)

// Rule finds a rule by its address.
func (k *Kind) Rule(address string) (Rule, bool) {
	i := slices.IndexFunc(k.Rules, func(r Rule) bool { return r.Address() == address })
	if i < 0 {
		return Rule{}, false
	}
	return k.Rules[i], true
}

// Explain shows a broken rule so that it teaches: clause and source, then what
// was wanted, got and seen, and why it matters.
func (k *Kind) Explain(rr RuleResult) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s/%s\n", rr.Level, k.Name, rr.Rule)
	rule, ok := k.Rule(rr.Rule)
	if ok {
		field(&b, "clause", rule.Clause.Text)
		for _, s := range rule.Clause.Sources {
			field(&b, "", strings.TrimSpace(s.Name+" "+s.URL))
		}
	}
	if len(rr.Bad) > 0 {
		f := rr.Bad[0]
		field(&b, "want", f.Want)
		field(&b, "got", f.Got)
		seen(&b, f.Timeline)
	}
	if ok {
		field(&b, "why", rule.Clause.Why)
	}
	if n := rr.Failures - 1; n > 0 {
		fmt.Fprintf(&b, "  and %d more like it\n", n)
	}
	return b.String()
}

// ExplainAgain shows a broken rule in short, where Explain has shown it before: what was wanted and got.
func (k *Kind) ExplainAgain(rr RuleResult) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s/%s  (clause and reason: above)\n", rr.Level, k.Name, rr.Rule)
	if len(rr.Bad) > 0 {
		field(&b, "want", rr.Bad[0].Want)
		field(&b, "got", rr.Bad[0].Got)
	}
	if n := rr.Failures - 1; n > 0 {
		fmt.Fprintf(&b, "  and %d more like it\n", n)
	}
	return b.String()
}

// field writes a name and its text, later lines under the first.
func field(b *strings.Builder, name, text string) {
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			name = ""
		}
		fmt.Fprintf(b, "  %-7s %s\n", name, line)
	}
}

// seen writes a timeline: its first two columns, for marks, lie left of the texts of the other fields.
func seen(b *strings.Builder, timeline string) {
	name := "seen"
	for line := range strings.Lines(timeline) {
		fmt.Fprintf(b, "  %-5s %s\n", name, strings.TrimRight(line, "\n"))
		name = ""
	}
}
