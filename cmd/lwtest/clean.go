package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lwtest/lwtest/plugins/cri"
	kindplugin "github.com/lwtest/lwtest/plugins/kind"
)

// cleanVerb deletes what killed runs left on this machine.
func (a app) cleanVerb() *cobra.Command {
	var kept bool
	var clusters, runs []string
	var runtime string
	cmd := &cobra.Command{
		Use:   "clean",
		Short: "Delete the kind clusters, or the pods on a container runtime, that killed runs left",
		Long: "Delete the kind clusters that earlier runs on this machine created and could not delete, because they were\n" +
			"killed. The next run with --target kind does the same. Clusters of active runs stay, and so do clusters that\n" +
			"lwtest did not create. Clusters of another user's runs, or of runs with another XDG_CACHE_HOME, are only named,\n" +
			"because their run may be active. Delete them with --cluster.\n\n" +
			"If a run was killed while it started nodes, some of them may appear later. clean deletes the nodes that are\n" +
			"there and remembers the cluster for some minutes, so that the next clean or run finds late ones.\n\n" +
			"With --target it deletes pods of lwtest on a container runtime and their logs, and touches no clusters. Nothing\n" +
			"shows whether a run is still active: name those that are over with --run if others may be.\n\n" +
			"Exit status: 0 nothing is left, or what is left belongs to an active run or may still appear (see stdout);\n" +
			"3 something is left: stderr says why.",
		Example: `  lwtest clean
  lwtest clean --kept    # also clusters kept by --keep-cluster
  lwtest clean --cluster lwtest-3kqz7a5c    # only this one, whoever created it
  lwtest clean --target cri:unix:///run/containerd/containerd.sock                   # the pods of all runs there
  lwtest clean --target cri:unix:///run/containerd/containerd.sock --run k3vq7x2a    # only of this one`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if runtime == "" && len(runs) > 0 {
				return usagef("--run goes with --target: it names runs whose pods are on a container runtime")
			}
			return a.clean(cmd.Context(), func(ctx context.Context, say func(string)) error {
				switch {
				case runtime != "":
					return cleanRuntime(ctx, runtime, runs, say)
				case len(clusters) > 0:
					return kindplugin.Delete(ctx, clusters, say)
				}
				return kindplugin.Clean(ctx, kept, say)
			})
		},
	}
	cmd.Flags().BoolVar(&kept, "kept", false, "also clusters kept by --keep-cluster")
	cmd.Flags().StringSliceVar(&clusters, "cluster", nil, "only clusters with these `NAMES`, including other users'")
	cmd.Flags().StringVar(&runtime, "target", "", "delete pods on this container runtime instead: `cri:unix:///PATH`, as in lwtest run")
	cmd.Flags().StringSliceVar(&runs, "run", nil, "with --target: only pods of the runs with these `IDS`")
	cmd.MarkFlagsMutuallyExclusive("kept", "cluster", "target")
	return cmd
}

// clean deletes something, and says what.
func (a app) clean(ctx context.Context, remove func(ctx context.Context, say func(string)) error) error {
	ctx, stop := a.interruptible(ctx)
	defer stop()
	n := 0
	err := remove(ctx, func(line string) { n++; fmt.Fprintln(a.stdout, line) })
	if n == 0 && err == nil {
		fmt.Fprintln(a.stdout, "nothing is left of earlier runs")
	}
	return err
}

func cleanRuntime(ctx context.Context, connect string, runs []string, say func(string)) error {
	address, ok := strings.CutPrefix(connect, "cri:")
	if !ok || !strings.Contains(address, "://") {
		return usagef("--target %q: only a container runtime on a socket can be cleaned: say cri:unix:///PATH", connect)
	}
	return cri.Clean(ctx, address, runs, say)
}
