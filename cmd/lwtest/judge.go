package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/report"
)

func (a app) judgeVerb() *cobra.Command {
	f := &flags{}
	cmd := &cobra.Command{
		Use:   "judge FILE-or-DIR",
		Short: "Judge saved histories again, without running anything",
		Long: "Judge a saved history, all histories of a run, or all .jsonl files below a directory (as `lwtest record` writes\n" +
			"them) by the rules of this lwtest. A history may be a trace of your own: harness/history/SCHEMA.md describes the\n" +
			"format. If a file cannot be read, judge names it, judges the others, and ends with exit status 3.\n\n" + exitStatuses,
		Example: `  lwtest judge runs/20260101T120000Z-1
  lwtest judge runs                       # all of them, in one report
  lwtest judge goldens                    # what lwtest record wrote
  lwtest judge trace.jsonl --format json`,
		Args: oneFile("which history or directory to judge"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.judge(f, args[0])
		},
	}
	s := cmd.Flags()
	f.set = s
	s.StringVar(&f.level, "level", "must", "clauses whose failures count; `LEVEL` is must or should")
	s.StringVar(&f.known, "known", "", "a `FILE` of known failures, in addition to those of the run")
	f.printing(cmd)
	return cmd
}

func (a app) judge(f *flags, path string) error {
	level, err := f.checkJudging()
	if err != nil {
		return err
	}
	known, err := f.knownLines()
	if err != nil {
		return err
	}
	j := &judging{app: a, known: known}
	in, err := j.path(path)
	if err != nil {
		return err
	}
	notes, err := a.aimed(known, in.Header.Plan, in.Header.Settings.Targets)
	if err != nil {
		return err
	}
	for _, n := range notes {
		fmt.Fprintln(a.stderr, n)
	}
	in.Problems = append(in.Problems, j.unread...)
	if f.set.Changed("level") || in.Header.Settings.Level == "" {
		in.Header.Settings.Level = level
	}
	return a.print(proven(report.New(in)), f)
}

func (a app) judgeFile(file string) (harness.Result, *harness.Kind, error) {
	h, err := readHistory(file)
	if err != nil {
		return harness.Result{}, nil, err
	}
	r, k, err := a.judgeOne(h)
	if err != nil {
		return harness.Result{}, nil, fmt.Errorf("%s: %w", file, err)
	}
	r.Judged = file
	return r, k, nil
}

// judgeOne judges a history as its check would have. If no check of this lwtest recorded it, no rule is required.
func (a app) judgeOne(h *history.History) (harness.Result, *harness.Kind, error) {
	k, err := a.kindOf(h.Header)
	if err != nil {
		return harness.Result{}, nil, err
	}
	if k.readable != nil {
		if err := k.readable(h); err != nil {
			return harness.Result{}, nil, fmt.Errorf("%w: harness/history/SCHEMA.md says how it is written", err)
		}
	}
	if note := injected(h); note != "" {
		fmt.Fprintln(a.stderr, "lwtest: "+report.Line(note))
	}
	info, ok := check(k.about, h.Header.Check)
	if !ok && h.Header.Check != "" && h.Header.Story == nil {
		fmt.Fprintf(a.stderr, "lwtest: there is no check %s any more: all rules judge its history, none is required\n", report.Line(h.Header.Check))
	}
	return k.about.Judge(info, h), k.about, nil
}

func with(ks []*harness.Kind, k *harness.Kind) []*harness.Kind {
	for _, o := range ks {
		if o.Name == k.Name {
			return ks
		}
	}
	return append(ks, k)
}
