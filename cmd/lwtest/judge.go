package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

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
		Long: "Judge a saved history, all of a run, or all .jsonl files below a directory (such as `lwtest record` writes),\n" +
			"by the rules of this lwtest. A history may be a trace of your own: harness/history/SCHEMA.md says how to\n" +
			"write one.\n\n" + exitStatuses,
		Example: `  lwtest judge runs/20260101T120000Z-1
  lwtest judge goldens                    # what lwtest record wrote
  lwtest judge trace.jsonl --format json`,
		Args: oneFile("which history or directory to judge"),
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
		in, err = a.judgeDir(path)
	} else {
		in, err = a.judgeFiles([]string{path})
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

// judgeDir judges a run, or all histories below a directory that holds none.
func (a app) judgeDir(dir string) (report.Input, error) {
	in, err := a.judgeRun(dir)
	if !errors.Is(err, errNoRun) {
		return in, err
	}
	var files []string
	err = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(file) == ".jsonl" {
			files = append(files, file)
		}
		return err
	})
	if err != nil {
		return in, err
	}
	if len(files) == 0 {
		return in, fmt.Errorf("there is nothing to judge in %s: a run directory holds results.jsonl, and a history is a .jsonl file", dir)
	}
	return a.judgeFiles(files)
}

var errNoRun = errors.New("no run")

// judgeRun judges each history of a run; a check that left none keeps its result.
func (a app) judgeRun(dir string) (report.Input, error) {
	in, err := report.Load(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return in, errNoRun
	case err != nil:
		return in, err
	}
	for i, r := range in.Results {
		if r.History == "" {
			continue
		}
		now, k, err := a.judgeFile(filepath.Join(dir, r.History))
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

// judgeFiles judges histories that are of no run.
func (a app) judgeFiles(files []string) (report.Input, error) {
	in := report.Input{Header: report.Header{Version: version().module, Args: a.args, Contract: map[string]string{}}}
	s := &in.Header.Settings
	for _, file := range files {
		r, k, err := a.judgeFile(file)
		if err != nil {
			return report.Input{}, err
		}
		if r.Check == "" {
			r.Check = k.Name
		}
		p := report.Planned{Target: r.Target, Check: r.Check}
		if p.Target == "" || slices.ContainsFunc(in.Header.Plan, p.Same) { // such as recordings of several versions
			r.Target, p.Target = file, file
		}
		if !slices.Contains(s.Targets, p.Target) {
			s.Targets = append(s.Targets, p.Target)
		}
		s.Seed = r.Seed
		in.Header.Plan = append(in.Header.Plan, p)
		in.Header.Contract[k.Name] = k.Version
		in.Results = append(in.Results, r)
		in.Kinds = with(in.Kinds, k)
	}
	return in, nil
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
	return r, k, nil
}

// judgeOne judges a history as its check would have; one that no check of this
// lwtest recorded is judged without anything being required.
func (a app) judgeOne(h *history.History) (harness.Result, *harness.Kind, error) {
	k, err := a.kindOf(h.Header)
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
