package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/plugins/exec"
)

func (a app) smokeVerb() *cobra.Command {
	var target, wire string
	cmd := &cobra.Command{
		Use:   "smoke --target exec:COMMAND",
		Short: "Test an adapter itself, whatever it adapts",
		Long: "Start an adapter and check that it keeps the exec protocol (docs/protocol.md), as far as that does not depend on\n" +
			"the implementation. Run it first when you write an adapter, and when a run ends with the cause adapter.\n\n" +
			"Exit status: 0 it is right, 1 it is wrong, 2 it or its implementation may be wrong, 3 it could not be started,\n" +
			"does not answer hello, or offers something that no suite can test (then run refuses it, too).",
		Example: `  lwtest smoke --target 'exec:node informer.mjs'`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			command, ok := strings.CutPrefix(target, "exec:")
			if !ok || command == "" {
				return usagef("smoke tests an adapter: give --target exec:COMMAND")
			}
			if wire != "" {
				if err := exec.LogWire(wire); err != nil {
					return err
				}
			}
			return a.smoke(cmd.Context(), command)
		},
	}
	cmd.Flags().StringVar(&target, "target", "", "the adapter's command line, as `exec:COMMAND`")
	wireFlag(cmd, &wire)
	return cmd
}

func (a app) smoke(ctx context.Context, command string) error {
	right, wrong, unsure := 0, 0, 0
	hello, proposals, err := exec.Smoke(ctx, command, func(s exec.Step, err error) {
		if err == nil {
			right++
			fmt.Fprintf(a.stdout, "  ok     %-16s %s\n", s.Name, s.Want)
			return
		}
		is := "wrong"
		if errors.As(err, new(*exec.Unsure)) {
			is = "unsure"
			unsure++
		} else {
			wrong++
		}
		fmt.Fprintf(a.stdout, "  %-6s %-16s %s\n         got: %s\n", is, s.Name, s.Want, report.Plain(strings.ReplaceAll(err.Error(), "\n", "\n         ")))
	})
	if err != nil {
		return err
	}
	var kinds []string
	for _, o := range hello.Offers {
		kinds = append(kinds, fmt.Sprintf("%s (%s)", o.Kind, strings.Join(o.Features, ", ")))
	}
	fmt.Fprintln(a.stdout, report.Line(fmt.Sprintf("%s %s: %s", hello.Implementation, hello.Version, strings.Join(kinds, "; "))))
	for _, p := range proposals {
		fmt.Fprintln(a.stdout, report.Line(fmt.Sprintf("declare %s for %s? %s", p.Feature, p.Kind, p.Seen)))
	}
	switch {
	case right == len(exec.Steps()):
	case right+unsure == len(exec.Steps()):
		fmt.Fprintf(a.stdout, "no step shows a fault of the adapter, but in %s either the adapter or its implementation is wrong\n", report.Many(unsure, "step"))
		return status(report.Unproven)
	default:
		fmt.Fprintf(a.stdout, "the adapter is wrong in %s: docs/protocol.md describes each message\n", report.Many(wrong, "step"))
		return status(report.Failed)
	}
	fmt.Fprintln(a.stdout, "the adapter is right: test its implementation with `lwtest run --target`")
	return nil
}
