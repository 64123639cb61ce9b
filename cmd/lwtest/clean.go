package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	kindplugin "github.com/lwtest/lwtest/plugins/kind"
)

// cleanVerb deletes what runs have left on this machine that could not end themselves.
func (a app) cleanVerb() *cobra.Command {
	var kept bool
	cmd := &cobra.Command{
		Use:   "clean",
		Short: "Delete the kind clusters that killed runs have left",
		Long: "Delete the kind clusters that earlier runs have made on this machine and could not delete, because they were\n" +
			"killed. The next run with --target kind does the same. Clusters of runs that are under way stay, and so does\n" +
			"what lwtest did not make.\n\nExit status: 0 nothing is left, 3 something is: stderr says why.",
		Example: `  lwtest clean
  lwtest clean --kept    # those, too, that --keep let stay`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.clean(cmd.Context(), kept) },
	}
	cmd.Flags().BoolVar(&kept, "kept", false, "also those that --keep let stay")
	return cmd
}

func (a app) clean(ctx context.Context, kept bool) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	n := 0
	err := kindplugin.Clean(ctx, kept, func(line string) { n++; fmt.Fprintln(a.stdout, line) })
	if n == 0 && err == nil {
		fmt.Fprintln(a.stdout, "nothing is left of earlier runs")
	}
	return err
}
