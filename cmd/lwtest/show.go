package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lwtest/lwtest/harness"
)

func (a app) showVerb() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show CHECK-or-RULE...",
		Short: "Show what a check does, step by step, or what a rule demands, with its source",
		Example: `  lwtest show watchcache/watch/reliable
  lwtest show watchcache/bookmark                          # everything below
  lwtest show subject/survives                             # the kind may be left out
  lwtest show --json informer/sync/initial-flag > my.json  # the steps, as a starting point for a story of your own`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("say which check or rule: `lwtest list` and `lwtest list --rules` show them all")
			}
			if slices.Contains(args, "") {
				return usagef("an address is empty: say which check or rule; `lwtest list` and `lwtest list --rules` show them all")
			}
			return checkGlobs(args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			for _, arg := range args { // check all of them before anything is printed
				if !a.knows(arg) {
					return usagef("there is no check or rule %q%s: `lwtest list` and `lwtest list --rules` show them all", arg, harness.SuggestAddress(arg, slices.Concat(a.checks(), a.rules())))
				}
			}
			if asJSON {
				return a.showJSON(args)
			}
			for _, arg := range args {
				a.show(arg)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the story of one check as JSON, which \"lwtest play\" reads")
	return cmd
}

// showJSON prints the story of the one check that is named.
func (a app) showJSON(args []string) error {
	if len(args) != 1 {
		return usagef("--json prints the story of one check: %d were named", len(args))
	}
	b, err := a.storyOf(args[0])
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, b, "", "  "); err != nil {
		return err
	}
	fmt.Fprintln(a.stdout, out.String())
	return nil
}

// storyOf returns the story of a check in JSON.
func (a app) storyOf(check string) ([]byte, error) {
	_, c, err := a.oneCheck(check)
	if err != nil {
		return nil, err
	}
	if c.Script == nil {
		return nil, fmt.Errorf("the drive of %s is Go code, not a story: only the checks of informers are stories yet", check)
	}
	return c.Script.JSON()
}

// oneCheck finds the check with an address, with or without its kind.
func (a app) oneCheck(address string) (*harness.Kind, harness.Info, error) {
	for _, k := range a.kinds() {
		for _, c := range k.about.Checks {
			if address == c.Name || address == k.about.Name+"/"+c.Name {
				return k.about, c, nil
			}
		}
	}
	if by := a.testing(address); by != nil {
		return nil, harness.Info{}, usagef("%s is a rule, not a check: it is tested by %s", address, strings.Join(by, ", "))
	}
	return nil, harness.Info{}, usagef("there is no check %q%s: `lwtest list` shows them all", address, harness.SuggestAddress(address, a.checks()))
}

// testing returns the first three checks that test the rule with an address, or nil if there is no such rule.
func (a app) testing(address string) (out []string) {
	for _, k := range a.kinds() {
		for _, c := range k.about.Checks {
			if slices.ContainsFunc(c.Rules, func(r harness.Rule) bool {
				return address == r.Address() || address == k.about.Name+"/"+r.Address()
			}) {
				out = append(out, k.about.Name+"/"+c.Name)
			}
		}
	}
	return out[:min(len(out), 3)]
}

// hidden makes a hidden verb under an old name.
func hidden(name string, cmd *cobra.Command) *cobra.Command {
	_, args, _ := strings.Cut(cmd.Use, " ")
	cmd.Use, cmd.Hidden = name+" "+args, true
	return cmd
}

// named returns the rules and checks of a kind that an address names.
func named(k *harness.Kind, address string) (rules []harness.Rule, checks []harness.Info) {
	matches := func(name string) bool {
		return harness.Match(address, k.Name+"/"+name) || harness.Match(address, name)
	}
	for _, r := range k.Rules {
		if matches(r.Address()) {
			rules = append(rules, r)
		}
	}
	for _, c := range k.Checks {
		if matches(c.Name) {
			checks = append(checks, c)
		}
	}
	return rules, checks
}

func (a app) knows(address string) bool {
	return slices.ContainsFunc(a.kinds(), func(k kind) bool {
		rules, checks := named(k.about, address)
		return len(rules)+len(checks) > 0
	})
}

// show prints everything that an address names.
func (a app) show(address string) {
	for _, k := range a.kinds() {
		rules, checks := named(k.about, address)
		for _, r := range rules {
			a.showRule(k.about, r)
		}
		for _, c := range checks {
			a.showCheck(k.about, c)
		}
	}
}

func (a app) showRule(k *harness.Kind, r harness.Rule) {
	fmt.Fprintf(a.stdout, "rule %s/%s  %s\n", k.Name, r.Address(), r.Clause.Level)
	a.field("clause", r.Clause.Text)
	for _, s := range r.Clause.Sources {
		a.field("source", strings.TrimSpace(s.Name+" "+s.URL))
	}
	a.field("why", r.Clause.Why)
	a.field("fix", r.Clause.Advice)
	if f := r.Clause.MustWith; f != "" {
		a.field("level", fmt.Sprintf("%s where %s is declared, %s elsewhere", r.Clause.Level, f, r.Clause.LevelFor(nil)))
	}
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

func (a app) showCheck(k *harness.Kind, c harness.Info) {
	fmt.Fprintf(a.stdout, "check %s/%s  %s\n", k.Name, c.Name, level(c))
	a.field("does", c.About)
	if n := needs(c); n != "" {
		a.field("needs", n)
	}
	for _, r := range c.Rules {
		a.field("tests", k.Name+"/"+r.Address())
	}
	a.field("also", "judges every other rule of "+k.Name+" that it happens to test")
	for _, r := range c.Rules {
		a.field("clause", r.Clause.Text)
	}
	if c.Span > 0 {
		a.field("span", c.Span.String())
	}
	for _, f := range slices.Sorted(maps.Keys(c.Spans)) {
		a.field("span", fmt.Sprintf("%s with the feature %s", c.Spans[f], f))
	}
	if c.Isolation != harness.Shared {
		a.field("beside", c.Isolation.Beside())
	}
	if c.Script != nil {
		fmt.Fprintf(a.stdout, "  steps\n%s", c.Script.Text())
	}
	fmt.Fprintln(a.stdout)
}

func (a app) field(name, text string) {
	if text != "" {
		fmt.Fprintf(a.stdout, "  %-7s %s\n", name, strings.Join(strings.Fields(text), " "))
	}
}
