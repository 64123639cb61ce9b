package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/report"
)

func (a app) recordVerb() *cobra.Command {
	f := &flags{}
	cmd := &cobra.Command{
		Use:   "record --out DIR [GLOB...]",
		Short: "Run checks and save their histories in a form that can be compared",
		Long: "Run checks and save their histories in normal form: values that differ between servers and runs\n" +
			"(resourceVersions, uids, times, names of namespaces) are renumbered, and nothing else changes. Each history\n" +
			"goes to DIR/<kind>/<check>.jsonl. The history of a check that did not finish is not saved.\n\n" + exitStatuses,
		Example: `  lwtest record --target kubeconfig:$KUBECONFIG --out goldens
  lwtest record 'watchcache/list/*' --target fake --out goldens`,
		RunE: func(cmd *cobra.Command, globs []string) error {
			return a.record(cmd.Context(), f, globs)
		},
	}
	f.selecting(cmd)
	f.running(cmd)
	cmd.Flags().Lookup("target").Usage = "the `CONNECT` string of the one target (required)"
	cmd.Flags().Lookup("out").Usage = "write the histories to this `DIR` (required)"
	return cmd
}

func (a app) record(ctx context.Context, f *flags, globs []string) error {
	if f.out == "" {
		return usagef("give a directory for the histories: --out DIR")
	}
	s, err := f.settings(a, globs)
	if err != nil {
		return err
	}
	if len(s.Targets) != 1 {
		return usagef("record needs one target: give it with --target")
	}
	s.Keep = report.KeepAll
	out := f.out
	if err := writable(out); err != nil {
		return fmt.Errorf("histories cannot be saved in %s: %w: give another directory with --out", out, err)
	}
	f.out = "" // the run itself goes where runs go
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
	if err := a.saveAll(r, out); err != nil {
		return err
	}
	return a.print(r, f)
}

// writable returns an error if no file can be created in dir, which need not exist yet. It is called before the run.
func writable(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		parent := filepath.Dir(dir)
		if parent == dir {
			return err
		}
		return writable(parent)
	}
	f, err := os.CreateTemp(dir, ".lwtest-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func (a app) saveAll(r *report.Report, out string) error {
	for i := range r.Results {
		res := &r.Results[i]
		if res.History == "" || res.Stack != "" {
			fmt.Fprintf(a.stderr, "not recorded: %s: %s %s\n", res.Check, res.Verdict, res.Reason)
			continue
		}
		file, err := a.save(res, filepath.Join(r.Dir, res.History), out)
		if err != nil {
			return fmt.Errorf("the history of %s could not be saved: %w: a copy is in %s", res.Check, err, filepath.Join(r.Dir, res.History))
		}
		fmt.Fprintf(a.stderr, "recorded %s in %s\n", res.Check, file)
	}
	return nil
}

// save normalises a history and writes it below out.
func (a app) save(res *harness.Result, from, out string) (string, error) {
	h, err := history.ReadFile(from)
	if err != nil {
		return "", err
	}
	k, err := a.kind(h.Header.Kind)
	if err != nil {
		return "", err
	}
	if k.normalise != nil {
		h = k.normalise(h)
	}
	h.Header.Target, _, _ = strings.Cut(h.Header.Target, ":/") // the path of a kubeconfig belongs to this machine
	file := filepath.Join(out, k.about.Name, report.Safe(res.Check[len(k.about.Name)+1:])+".jsonl")
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return "", err
	}
	return file, report.WriteFile(file, h.Write)
}
