package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func (a app) versionVerb() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the versions of lwtest, of the contract, and of the libraries it tests",
		Example: "  lwtest version",
		Args:    noArgs,
		Run: func(*cobra.Command, []string) {
			v := version()
			fmt.Fprintf(a.stdout, "lwtest %s, %s %s/%s\n", v.module, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			for _, k := range a.kinds() {
				fmt.Fprintf(a.stdout, "contract of %s %s: %d rules, %d checks\n", k.about.Name, k.about.Version, len(k.about.Rules), len(k.about.Checks))
			}
			for _, d := range v.libraries {
				fmt.Fprintln(a.stdout, d)
			}
		},
	}
}

// build holds what the binary knows about itself.
type build struct {
	module    string
	libraries []string // of Kubernetes
}

func version() build {
	b := build{module: "unknown"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.module = info.Main.Version
	for _, d := range info.Deps {
		switch d.Path {
		case "k8s.io/client-go", "k8s.io/apimachinery":
			b.libraries = append(b.libraries, d.Path+" "+d.Version)
		}
	}
	return b
}

func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && cmd.HasSubCommands() {
		return usagef("unknown command %q of `%s`: there is %s", args[0], cmd.CommandPath(), cmd.Commands()[0].Name())
	}
	if len(args) > 0 {
		return usagef("`%s` takes no arguments, %q was given", cmd.CommandPath(), args[0])
	}
	return nil
}
