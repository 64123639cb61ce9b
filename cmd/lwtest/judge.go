package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/report"
)

func (a app) judgeVerb() *cobra.Command {
	f := &flags{}
	cmd := &cobra.Command{
		Use:   "judge FILE-or-RUNDIR",
		Short: "Judge saved histories again, without running anything",
		Long: "Judge a saved history, or all of a run, by the rules of this lwtest. A history may be a trace of your own:\n" +
			"harness/history/SCHEMA.md says how to write one.\n\n" + exitStatuses,
		Example: `  lwtest judge runs/20260101T120000Z-1
  lwtest judge trace.jsonl --format json`,
		Args: oneFile("which history or run directory to judge"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.judge(f, args[0])
		},
	}
	s := cmd.Flags()
	f.set = s
	s.StringVar(&f.level, "level", "must", "`level` of what counts: must, or should")
	s.StringVar(&f.known, "known", "", "`file` of known failures, besides those that the run was held against")
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
	var in report.Input
	if i, statErr := os.Stat(path); statErr == nil && i.IsDir() {
		in, err = a.judgeRun(path)
	} else {
		in, err = a.judgeFile(path)
	}
	if err != nil {
		return err
	}
	if f.set.Changed("level") || in.Header.Settings.Level == "" {
		in.Header.Settings.Level = level
	}
	in.Header.Known = append(in.Header.Known, known...)
	return a.print(report.New(in), f)
}

// judgeRun judges each history of a run; a check that left none keeps its result.
func (a app) judgeRun(dir string) (report.Input, error) {
	in, err := report.Load(dir)
	if err != nil {
		return in, fmt.Errorf("%w: a run directory holds results.jsonl", err)
	}
	for i, r := range in.Results {
		if r.History == "" {
			continue
		}
		h, err := readHistory(filepath.Join(dir, r.History))
		if err != nil {
			return in, err
		}
		now, k, err := a.judgeOne(h)
		if err != nil {
			return in, err
		}
		now.History, now.Elapsed = r.History, r.Elapsed
		if now.Verdict != harness.Pass && now.Stack == "" {
			now.Stack = r.Stack
		}
		in.Results[i] = now
		in.Kinds = with(in.Kinds, k)
	}
	return in, nil
}

func (a app) judgeFile(file string) (report.Input, error) {
	h, err := readHistory(file)
	if err != nil {
		return report.Input{}, err
	}
	r, k, err := a.judgeOne(h)
	if err != nil {
		return report.Input{}, fmt.Errorf("%s: %w", file, err)
	}
	if r.Check == "" {
		r.Check = k.Name
	}
	if r.Target == "" {
		r.Target = file
	}
	head := report.Header{Version: version().module, Args: a.args, Contract: map[string]string{k.Name: k.Version},
		Settings: report.Settings{Targets: []string{r.Target}, Seed: r.Seed}, Plan: []report.Planned{{Target: r.Target, Check: r.Check}}}
	return report.Input{Header: head, Results: []harness.Result{r}, Kinds: []*harness.Kind{k}}, nil
}

// judgeOne judges a history as its check would have; one that no check of this
// lwtest recorded is judged without anything being required.
func (a app) judgeOne(h *history.History) (harness.Result, *harness.Kind, error) {
	k, err := a.kind(h.Header.Kind)
	if err != nil {
		return harness.Result{}, nil, err
	}
	info, ok := check(k.about, h.Header.Check)
	if !ok && h.Header.Check != "" {
		fmt.Fprintf(a.stderr, "lwtest: there is no check %s any more: all rules judge its history, none is required\n", h.Header.Check)
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
