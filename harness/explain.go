package harness

import (
	"fmt"
	"slices"
	"strings"
)

// Rule returns the rule with this address, and whether the kind has it.
func (k *Kind) Rule(address string) (Rule, bool) {
	i := slices.IndexFunc(k.Rules, func(r Rule) bool { return r.Address() == address })
	if i < 0 {
		return Rule{}, false
	}
	return k.Rules[i], true
}

// Explain describes a broken rule in full: clause and sources, what was wanted, what came, the timeline, and why it
// matters. One that comes after others (see RuleResult.After) is described briefly.
func (k *Kind) Explain(rr RuleResult) string {
	if rr.After != nil {
		return k.brief(rr, "after "+k.Name+"/"+rr.After[0])
	}
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
		if rule.Clause.Advice != "" {
			field(&b, "fix", rule.Clause.Advice)
		}
	}
	if n := rr.Failures - 1; n > 0 {
		fmt.Fprintf(&b, "  and %d more like it\n", n)
	}
	return b.String()
}

// ExplainAgain describes a broken rule that Explain has shown before: only what was wanted and what came.
func (k *Kind) ExplainAgain(rr RuleResult) string {
	if rr.After != nil {
		return k.Explain(rr)
	}
	return k.brief(rr, "clause and reason: above")
}

func (k *Kind) brief(rr RuleResult, note string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s/%s  (%s)\n", rr.Level, k.Name, rr.Rule, note)
	if len(rr.Bad) > 0 {
		field(&b, "want", rr.Bad[0].Want)
		field(&b, "got", rr.Bad[0].Got)
	}
	if n := rr.Failures - 1; n > 0 {
		fmt.Fprintf(&b, "  and %d more like it\n", n)
	}
	return b.String()
}

// field writes a name and its text. Later lines of the text are indented to stand below the first.
func field(b *strings.Builder, name, text string) {
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			name = ""
		}
		fmt.Fprintf(b, "  %-7s %s\n", name, line)
	}
}

// seen writes a timeline. Its first two columns hold marks and stand left of the texts of the other fields.
func seen(b *strings.Builder, timeline string) {
	name := "seen"
	for line := range strings.Lines(timeline) {
		fmt.Fprintf(b, "  %-5s %s\n", name, strings.TrimRight(line, "\n"))
		name = ""
	}
}
