package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	kindplugin "github.com/lwtest/lwtest/plugins/kind"
)

// cleanVerb deletes what killed runs left on this machine.
func (a app) cleanVerb() *cobra.Command {
	var kept bool
	var clusters []string
	cmd := &cobra.Command{
		Use:   "clean",
		Short: "Delete the kind clusters that killed runs left",
		Long: "Delete the kind clusters that earlier runs on this machine created and could not delete, because they were\n" +
			"killed. The next run with --target kind does the same. Clusters of active runs stay, and so do clusters that\n" +
			"lwtest did not create. Clusters of another user's runs, or of runs with another XDG_CACHE_HOME, are only named,\n" +
			"because their run may be active. Delete them with --cluster.\n\n" +
			"If a run was killed while it started nodes, some of them may appear later. clean deletes the nodes that are\n" +
			"there and remembers the cluster for some minutes, so that the next clean or run finds late ones.\n\n" +
			"Exit status: 0 nothing is left, or what is left belongs to an active run or may still appear (see stdout);\n" +
			"3 something is left: stderr says why.",
		Example: `  lwtest clean
  lwtest clean --kept    # also clusters kept by --keep-cluster
  lwtest clean --cluster lwtest-3kqz7a5c    # only this one, whoever created it`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.clean(cmd.Context(), kept, clusters) },
	}
	cmd.Flags().BoolVar(&kept, "kept", false, "also clusters kept by --keep-cluster")
	cmd.Flags().StringSliceVar(&clusters, "cluster", nil, "only clusters with these names, including other users'")
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
