package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lwtest/lwtest/harness"
)

func (a app) explainVerb() *cobra.Command {
	return &cobra.Command{
		Use:   "explain CHECK-or-RULE...",
		Short: "Say what a check does, or what a rule demands, where that is written, and why it matters",
		Example: `  lwtest explain watchcache/watch/reliable
  lwtest explain watchcache/bookmark      # everything below
  lwtest explain subject/survives         # the kind may be left out`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("say which check or rule: `lwtest list` and `lwtest list --rules` show them all")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			for _, arg := range args {
				if !a.explain(arg) {
					return usagef("there is no check or rule %q%s: `lwtest list` and `lwtest list --rules` show them all", arg, a.like(arg))
				}
			}
			return nil
		},
	}
}

// explain prints all that an address names; false: nothing.
func (a app) explain(address string) bool {
	found := false
	for _, k := range a.kinds {
		matches := func(name string) bool {
			return harness.Match(address, k.about.Name+"/"+name) || harness.Match(address, name)
		}
		for _, r := range k.about.Rules {
			if matches(r.Address()) {
				a.explainRule(k.about, r)
				found = true
			}
		}
		for _, c := range k.about.Checks {
			if matches(c.Name) {
				a.explainCheck(k.about, c)
				found = true
			}
		}
	}
	return found
}

func (a app) explainRule(k *harness.Kind, r harness.Rule) {
	fmt.Fprintf(a.stdout, "rule %s/%s  %s\n", k.Name, r.Address(), r.Clause.Level)
	a.field("clause", r.Clause.Text)
	for _, s := range r.Clause.Sources {
		a.field("source", strings.TrimSpace(s.Name+" "+s.URL))
	}
	a.field("why", r.Clause.Why)
	if len(r.Needs) > 0 {
		a.field("needs", names(r.Needs))
	}
	for _, c := range r.Clause.Classes {
		a.field("class", c)
	}
	for _, c := range k.Checks {
		if slices.ContainsFunc(c.Rules, func(o harness.Rule) bool { return o.Address() == r.Address() }) {
			a.field("tested", "by "+k.Name+"/"+c.Name)
		}
	}
	fmt.Fprintln(a.stdout)
}

func (a app) explainCheck(k *harness.Kind, c harness.Info) {
	fmt.Fprintf(a.stdout, "check %s/%s  %s\n", k.Name, c.Name, level(c))
	a.field("does", c.About)
	if len(c.Needs) > 0 {
		a.field("needs", names(c.Needs))
	}
	for _, r := range c.Rules {
		a.field("tests", k.Name+"/"+r.Address())
	}
	if c.Span > 0 {
		a.field("span", c.Span.String())
	}
	if c.Exclusive {
		a.field("alone", "runs after all others")
	}
	fmt.Fprintln(a.stdout)
}

func (a app) field(name, text string) {
	if text != "" {
		fmt.Fprintf(a.stdout, "  %-7s %s\n", name, strings.Join(strings.Fields(text), " "))
	}
}

// like names addresses that share a word with what was asked for.
func (a app) like(address string) string {
	var out []string
	for _, k := range a.kinds {
		for _, l := range append(checkLines(k.about), ruleLines(k.about)...) {
			for _, word := range strings.FieldsFunc(address, func(r rune) bool { return r == '/' || r == '-' || r == '*' }) {
				if word != k.about.Name && strings.Contains(l.address, word) && !slices.Contains(out, l.address) {
					out = append(out, l.address)
				}
			}
		}
	}
	if len(out) == 0 {
		return ""
	}
	return " (there is " + strings.Join(out[:min(len(out), 4)], ", ") + ")"
}
