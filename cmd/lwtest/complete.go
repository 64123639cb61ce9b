package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/lwtest/lwtest/plugins/targets"
)

// completions adds to a verb and those below it what a shell offers for the values of flags and for names of checks. What
// begins a name, such as kubeconfig: or exec:, is followed by more, so no space comes after it.
func (a app) completions(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		a.completions(cmd)
	}
	for name, values := range map[string]func() []string{
		"suite":  a.kindNames,
		"target": a.targetNames,
		"format": func() []string { return []string{"text", "json", "junit", "markdown", "github"} },
		"color":  func() []string { return []string{"auto", "always", "never"} },
		"level":  func() []string { return []string{"must", "should"} },
		"show":   func() []string { return []string{"known", "skipped"} },
		"keep":   func() []string { return []string{keepNew, keepAll} },
	} {
		if root.Flags().Lookup(name) != nil {
			_ = root.RegisterFlagCompletionFunc(name, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
				if name == "target" {
					return values(), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
				}
				return values(), cobra.ShellCompDirectiveNoFileComp
			})
		}
	}
	if root.Name() == "completion" {
		root.Args = cobra.ArbitraryArgs
		root.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("there is no completion for %q: say bash, zsh, fish or powershell", args[0])
			}
			return cmd.Help()
		}
	}
	if slices.Contains([]string{"run", "list", "show"}, root.Name()) {
		root.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return a.addresses(), cobra.ShellCompDirectiveNoFileComp
		}
	}
}

func (a app) kindNames() (out []string) {
	for _, k := range a.kinds() {
		out = append(out, k.about.Name)
	}
	return out
}

func (a app) targetNames() []string {
	out := append([]string{targets.All}, a.targets.BuiltIn...)
	for _, s := range a.targets.Schemes {
		switch {
		case s.Hidden || slices.Contains(out, s.Name):
		case s.Arg == "" || s.Arg[0] == '[':
			out = append(out, s.Name)
		default:
			out = append(out, s.Name+":")
		}
	}
	return out
}

func (a app) addresses() (out []string) {
	for _, k := range a.kinds() {
		out = append(out, k.about.Addresses()...)
	}
	return out
}
