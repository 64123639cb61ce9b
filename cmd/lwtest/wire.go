package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lwtest/lwtest/plugins/exec"
)

// wireFlag adds --wire to a verb that talks with adapters.
func wireFlag(cmd *cobra.Command, file *string) {
	cmd.Flags().StringVar(file, "wire", "", "log every message to and from an adapter in this `FILE`, one a line, with its time and direction")
}

// logWire starts the log of --wire, if it is set.
func (f *flags) logWire() error {
	if f.wire == "" {
		return nil
	}
	if f.resume == "" && !slices.ContainsFunc(f.targets, func(t string) bool { return strings.HasPrefix(t, "exec:") }) {
		return usagef("--wire logs the messages of an adapter: it needs a --target exec:COMMAND")
	}
	return exec.LogWire(f.wire)
}
