package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/runner"
	"github.com/lwtest/lwtest/plugins/controller"
)

// workerVerb is the hidden verb with which lwtest starts itself as a worker. It runs checks on descriptors that the
// parent sets up.
func (a app) workerVerb() *cobra.Command {
	open := func(ctx context.Context, connect string) (harness.Target, error) {
		return a.targets.Open(controller.Tried(ctx), connect) // the parent has opened it
	}
	return &cobra.Command{Use: "worker", Hidden: true, Args: noArgs, Run: func(*cobra.Command, []string) { runner.Work(open) }}
}
