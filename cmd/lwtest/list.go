package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/kube"
)

func (a app) listVerb() *cobra.Command {
	var rules, features, targets, role bool
	var suites []string
	cmd := &cobra.Command{
		Use:   "list [GLOB...]",
		Short: "List checks, rules, features or targets",
		Example: `  lwtest list                         # all checks, in the order of the contract
  lwtest list 'watchcache/watch/*'
  lwtest list --rules                 # what they are judged by
  lwtest list --features              # what an implementation may declare
  lwtest list --targets               # what can be tested
  lwtest list --role | kubectl apply -f -   # the RBAC roles that a kubeconfig target needs`,
		RunE: func(_ *cobra.Command, globs []string) error {
			if (role || targets || features) && len(suites) > 0 {
				return usagef("--suite selects checks, or rules with --rules: leave it out, or the other flag")
			}
			if (role || targets || features) && len(globs) > 0 {
				return usagef("a glob selects checks, or rules with --rules: leave out %q, or the flag", globs[0])
			}
			switch {
			case role:
				fmt.Fprint(a.stdout, kube.Role())
				return nil
			case targets:
				fmt.Fprint(a.stdout, a.targetHelp())
				return nil
			case features:
				return a.listFeatures()
			case rules:
				return a.listAll(globs, suites, "rule", ruleLines)
			}
			return a.listAll(globs, suites, "check", checkLines)
		},
	}
	cmd.Flags().StringArrayVar(&suites, "suite", nil, "only checks or rules of this `KIND` (repeatable)")
	cmd.Flags().BoolVar(&rules, "rules", false, "list rules instead of checks")
	cmd.Flags().BoolVar(&features, "features", false, "list features, and what declaring them promises")
	cmd.Flags().BoolVar(&targets, "targets", false, "list targets")
	cmd.Flags().BoolVar(&role, "role", false, "print the RBAC roles that a kubeconfig target needs, as YAML")
	cmd.MarkFlagsMutuallyExclusive("rules", "features", "targets", "role")
	return cmd
}

// line is a row of a list.
type line struct{ address, level, about string }

func checkLines(k *harness.Kind) []line {
	var out []line
	for _, c := range k.Checks {
		about := c.About
		if n := needs(c); n != "" {
			about += " [needs " + n + "]"
		}
		if c.Isolation != harness.Shared {
			about += " [" + c.Isolation.String() + "]"
		}
		out = append(out, line{k.Name + "/" + c.Name, string(level(c)), about})
	}
	return out
}

// level returns the strictest level of the rules that a check must test.
func level(c harness.Info) harness.Level {
	for _, l := range []harness.Level{harness.Must, harness.Should} {
		if slices.ContainsFunc(c.Rules, func(r harness.Rule) bool { return r.Clause.Level == l }) {
			return l
		}
	}
	return harness.Provisional
}

func ruleLines(k *harness.Kind) []line {
	var out []line
	for _, r := range k.Rules {
		out = append(out, line{k.Name + "/" + r.Address(), string(r.Clause.Level), r.Clause.Text})
	}
	return out
}

// listAll prints the lines that a glob matches. A glob that matches none is an error.
func (a app) listAll(globs, suites []string, what string, of func(*harness.Kind) []line) error {
	if err := checkGlobs(globs); err != nil {
		return err
	}
	var out []line
	var all []string
	used := map[string]bool{}
	for _, s := range suites {
		if _, err := a.kind(s); err != nil {
			return usagef("--suite: %v", err)
		}
	}
	for _, k := range a.kinds() {
		if len(suites) > 0 && !slices.Contains(suites, k.about.Name) {
			continue
		}
		for _, l := range of(k.about) {
			all = append(all, l.address)
			hit := len(globs) == 0
			for _, g := range globs {
				if harness.Match(g, l.address) {
					hit, used[g] = true, true
				}
			}
			if hit {
				out = append(out, l)
			}
		}
	}
	for _, g := range globs {
		if !used[g] {
			return usagef("no %s matches %q%s: `lwtest list` shows all checks, `lwtest list --rules` all rules", what, g, harness.SuggestAddress(g, all))
		}
	}
	wide := 0
	for _, l := range out {
		wide = max(wide, len(l.address))
	}
	for _, l := range out {
		fmt.Fprintf(a.stdout, "%s  %-11s  %s\n", pad(l.address, wide), l.level, strings.Join(strings.Fields(l.about), " "))
	}
	return nil
}

func (a app) listFeatures() error {
	for _, k := range a.kinds() {
		fmt.Fprintln(a.stdout, k.about.Name)
		for _, f := range append([]harness.FeatureInfo{{Name: harness.VirtualTime, Help: "the subject lives in lwtest's process and works in fake time"}}, k.about.Features...) {
			fmt.Fprintf(a.stdout, "  %-22s %s\n", f.Name, f.Help)
			var gated []string
			for _, r := range k.about.Rules {
				if slices.Contains(r.Needs, f.Name) {
					gated = append(gated, r.Address())
				}
			}
			if len(gated) > 0 {
				fmt.Fprintf(a.stdout, "  %-22s gates %s\n", "", strings.Join(gated, ", "))
			}
		}
	}
	return nil
}

// needs returns the features without which a check is skipped.
func needs(c harness.Info) string {
	out := names(c.Needs)
	if len(c.Either) > 0 {
		out = strings.TrimPrefix(out+", ", ", ") + strings.ReplaceAll(names(c.Either), ", ", " or ")
	}
	if len(c.Unless) > 0 {
		out = strings.TrimPrefix(out+", ", ", ") + "not " + strings.ReplaceAll(names(c.Unless), ", ", ", not ")
	}
	return out
}

func names(fs []harness.Feature) string {
	var out []string
	for _, f := range fs {
		out = append(out, string(f))
	}
	return strings.Join(out, ", ")
}
