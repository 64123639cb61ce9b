package main

import (
	"github.com/spf13/cobra"

	"github.com/lwtest/lwtest/harness/runner"
)

// workerVerb is the hidden verb with which lwtest starts itself as a worker. It runs checks on descriptors that the
// parent sets up.
func (a app) workerVerb() *cobra.Command {
	return &cobra.Command{Use: "worker", Hidden: true, Args: noArgs, Run: func(*cobra.Command, []string) { runner.Work(a.targets.Open) }}
}
