package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/report"
)

func (a app) replayVerb() *cobra.Command {
	f := &flags{}
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "Run again the check that a history was recorded by, on the same target with the same seed",
		Long: "Run again the check that a history was recorded by: the file's header names check, target, features and\n" +
			"seed. What the file itself holds is judged again by `lwtest judge`.\n\n" + exitStatuses,
		Example: `  lwtest replay runs/20260101T120000Z-1/histories/fake/watchcache.list.snapshot.jsonl.gz`,
		Args:    oneFile("which history to replay"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.replay(cmd.Context(), f, args[0])
		},
	}
	f.gating(cmd)
	f.running(cmd)
	return cmd
}

func (a app) replay(ctx context.Context, f *flags, file string) error {
	level, err := f.check()
	if err != nil {
		return err
	}
	h, err := readHistory(file)
	if err != nil {
		return err
	}
	s, err := a.again(file, h.Header)
	if err != nil {
		return err
	}
	if err := f.setGates(); err != nil {
		return err
	}
	s.Gates = f.gates
	s.Timeout, s.Span, s.Level, s.Keep = f.timeout, f.span, level, f.kept()
	s.RealTime = s.RealTime || f.realTime
	ctx, stop := a.interruptible(ctx)
	defer stop()
	se, err := a.start(ctx, f, s, a.args)
	if err != nil {
		return err
	}
	r, err := se.carryOut(ctx)
	if err != nil {
		return err
	}
	return a.print(r, f)
}

// again makes of a history's header the run of that one check.
func (a app) again(file string, h history.Header) (report.Settings, error) {
	switch {
	case h.Check == "" || h.Target == "":
		return report.Settings{}, fmt.Errorf("%s was not recorded by a check of lwtest: its header names no check or no target; `lwtest judge %s` judges it as it is", file, file)
	case h.Target == "go test":
		return report.Settings{}, fmt.Errorf("%s was recorded in a test of Go: run that test again, LWTEST_SEED=%d go test -run '%s'", file, h.Seed, h.Plugin)
	}
	if _, _, err := a.find(h.Target); err != nil {
		return report.Settings{}, fmt.Errorf("%s: %w", file, err)
	}
	if _, err := a.kindOf(h); err != nil {
		return report.Settings{}, fmt.Errorf("%s: %w", file, err)
	}
	p := report.Planned{Target: h.Target, Check: h.Check}
	for _, name := range h.Features {
		p.Features = append(p.Features, harness.Feature(name))
	}
	return report.Settings{Targets: []string{h.Target}, Checks: []report.Planned{p}, Seed: h.Seed, RealTime: h.Time == history.RealTime}, nil
}

// readHistory reads a file for a verb: where it is no history, it says what is.
func readHistory(file string) (*history.History, error) {
	h, err := history.ReadFile(file)
	switch {
	case err == nil:
		return h, nil
	case isDir(file):
		err = fmt.Errorf("%s is a directory", file)
	case report.IsRunFile(file):
		return nil, fmt.Errorf("%s tells of a run and is no history: `lwtest judge %s` judges those of the run", file, filepath.Dir(file))
	}
	return nil, fmt.Errorf("%w: a history is a file of JSON Lines, compressed or not, such as those below histories/ in a run directory", err)
}

func oneFile(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		use := strings.TrimSuffix(cmd.UseLine(), " [flags]")
		switch {
		case len(args) != 1:
			return usagef("say %s: `%s`, %d were given", what, use, len(args))
		case args[0] == "":
			return usagef("say %s: `%s`, an empty name was given; is a variable not set?", what, use)
		}
		return nil
	}
}
