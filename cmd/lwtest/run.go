package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lwtest/lwtest/conformance/runtime"
)

func (a app) runVerb() *cobra.Command {
	f := &flags{}
	cmd := &cobra.Command{
		Use:   "run [GLOB...]",
		Short: "Run checks against targets",
		Long: "Run checks against targets. A GLOB selects checks by address, as `lwtest list` prints them: a * matches one\n" +
			"part, and an address matches everything below it. The run directory keeps all results.\n\nTargets:\n" + a.targetHelp() + "\n" + exitStatuses,
		Example: `  lwtest run                                                   # all checks, built-in targets
  lwtest run 'watchcache/bookmark/*' --target fake             # some checks
  lwtest run --target kubeconfig:$KUBECONFIG --resource leases # a real API server
  lwtest run --feature=-bookmarks --format junit > junit.xml   # without what needs bookmarks
  lwtest run --suite informer --gates WatchListClient=false    # client-go with a feature gate off
  lwtest run --target exec:shared-informer --module k8s.io/client-go@v0.30.0   # another release of what interop/ has an adapter of
  lwtest run --resume runs/20260101T120000Z-1                  # finish a run that was cut short`,
		RunE: func(cmd *cobra.Command, globs []string) error {
			return a.runChecks(cmd.Context(), f, globs)
		},
	}
	f.selecting(cmd)
	f.running(cmd)
	cmd.Flags().StringVar(&f.release, "module", "", "with --target exec:ARGUMENTS: build this tree's adapter for `MODULE@VERSION` and run it with these arguments")
	wireFlag(cmd, &f.wire)
	cmd.Flags().StringVar(&f.resume, "resume", "", "finish the run in this `DIR`, with its own settings")
	return cmd
}

func (a app) runChecks(ctx context.Context, f *flags, globs []string) error {
	if err := f.logWire(); err != nil {
		return err
	}
	ctx, stop := a.interruptible(ctx)
	defer stop()
	if connect := a.onNode(f, slices.Contains(f.suites, runtime.Suite.Kind)); connect != "" {
		out := filepath.Join("runs", time.Now().UTC().Format("20060102T150405Z")+"-node")
		return a.runInNode(ctx, f, connect, cmp.Or(f.out, out), append([]string{"run"}, globs...)...)
	}
	se, err := a.newSession(ctx, f, globs)
	switch {
	case err != nil && errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("interrupted before a check was run: %w", err)
	case err != nil:
		return err
	}
	r, err := se.carryOut(ctx)
	if err != nil {
		return err
	}
	return a.print(r, f)
}

// newSession starts or resumes a run.
func (a app) newSession(ctx context.Context, f *flags, globs []string) (*session, error) {
	switch {
	case f.release != "" && f.resume != "":
		return nil, usagef("--module cannot be given with --resume: the run has its own")
	case f.release != "":
		if err := f.module(ctx, f.release, a.stderr); err != nil {
			return nil, err
		}
	case f.resume != "":
		return a.resume(ctx, f, globs, a.args)
	}
	s, err := f.settings(a, globs)
	if err != nil {
		return nil, err
	}
	return a.start(ctx, f, s, a.args)
}

func (a app) targetHelp() string {
	var b strings.Builder
	for _, s := range a.targets.Schemes {
		if !s.Hidden {
			b.WriteString("  " + pad(s.Form(), 20) + " " + s.Help + "\n")
		}
	}
	return b.String()
}

func pad(s string, n int) string { return s + strings.Repeat(" ", max(n-len(s), 0)) }
