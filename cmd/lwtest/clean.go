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
	var clusters []string
	cmd := &cobra.Command{
		Use:   "clean",
		Short: "Delete the kind clusters that killed runs have left",
		Long: "Delete the kind clusters that earlier runs have made on this machine and could not delete, because they were\n" +
			"killed. The next run with --target kind does the same. Clusters of runs that are under way stay, and so does\n" +
			"what lwtest did not make. What another user's runs have made, or runs with another XDG_CACHE_HOME, is told: such\n" +
			"a run may be under way; --cluster deletes it.\n\n" +
			"A run that was killed while it started nodes may have asked for some that are not there yet: what is there is\n" +
			"deleted, and the claim of the cluster is kept for some minutes, by which the next clean or run finds late ones.\n\n" +
			"Exit status: 0 nothing is there that killed runs have left, though some may still come, or a run is under way:\n" +
			"stdout says so; 3 something is left: stderr says why.",
		Example: `  lwtest clean
  lwtest clean --kept    # those, too, that --keep-cluster let stay
  lwtest clean --cluster lwtest-3kqz7a5c    # only this one, whoever made it`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.clean(cmd.Context(), kept, clusters) },
	}
	cmd.Flags().BoolVar(&kept, "kept", false, "also those that --keep-cluster let stay")
	cmd.Flags().StringSliceVar(&clusters, "cluster", nil, "only clusters of these names, another user's too")
	cmd.MarkFlagsMutuallyExclusive("kept", "cluster")
	return cmd
}

func (a app) clean(ctx context.Context, kept bool, clusters []string) error {
	ctx, stop := a.interruptible(ctx)
	defer stop()
	n := 0
	say := func(line string) { n++; fmt.Fprintln(a.stdout, line) }
	if len(clusters) > 0 {
		return kindplugin.Delete(ctx, clusters, say)
	}
	err := kindplugin.Clean(ctx, kept, say)
	if n == 0 && err == nil {
		fmt.Fprintln(a.stdout, "nothing is left of earlier runs")
	}
	return err
}
