package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/lwtest/lwtest/cmd/internal/serveapi"
)

func (a app) serveVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve a fake that real clients can use",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			return usagef("say which fake: `lwtest serve apiserver`, `lwtest serve cri` or `lwtest serve cluster`")
		},
	}
	cmd.AddCommand(a.serveAPIServerVerb(), a.serveCRIVerb(), a.serveClusterVerb())
	return cmd
}

func (a app) serveAPIServerVerb() *cobra.Command {
	cmd := serveapi.Command(a.stdout, a.stderr, nil)
	run := cmd.RunE
	cmd.Args = noArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		err := run(cmd, args)
		if errors.As(err, &serveapi.UsageError{}) {
			return usagef("%w", err)
		}
		return err
	}
	return cmd
}
