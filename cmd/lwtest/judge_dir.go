package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
)

// judging is one call of judge. A file that cannot be read costs only its own verdicts.
type judging struct {
	app
	known  []harness.Known // of --known
	unread []string        // what could not be judged, and why
}

// cannot reports a file that could not be judged.
func (j *judging) cannot(err error) {
	line := "could not be judged: " + err.Error()
	j.unread = append(j.unread, line)
	fmt.Fprintf(j.stderr, "lwtest: %s\n", report.Plain(line))
}

// path judges a history, a run, or everything below a directory.
func (j *judging) path(path string) (report.Input, error) {
	if !isDir(path) {
		r, k, err := j.judgeFile(path)
		if err != nil {
			return report.Input{}, err
		}
		in := j.empty()
		in.Header.Known = j.known
		add(&in, r, k, path)
		return in, nil
	}
	in, err := j.run(path)
	if err == nil {
		in.Header.Known = append(in.Header.Known, j.known...)
		return in, nil
	}
	if !errors.Is(err, errNoRun) {
		j.cannot(err)
	}
	return j.below(path)
}

// empty returns the input of a report about no run.
func (j *judging) empty() report.Input {
	return report.Input{Header: report.Header{Version: version().module, Args: j.args, Contract: map[string]string{}}}
}

var errNoRun = errors.New("no run")

// run judges each history of a run. A check without a history keeps its result.
func (j *judging) run(dir string) (report.Input, error) {
	in, err := report.Load(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return in, errNoRun
	case err != nil:
		return in, err
	}
	without := 0
	for i, r := range in.Results {
		if r.History == "" {
			if r.Verdict != harness.Skip {
				without++
			}
			continue
		}
		now, k, err := j.judgeFile(filepath.Join(dir, r.History))
		if err != nil {
			j.cannot(err)
			in.Results[i] = harness.Result{Check: r.Check, Target: r.Target, Plugin: r.Plugin, Seed: r.Seed, Time: r.Time, History: r.History,
				Verdict: harness.Inconclusive, Reason: "its history could not be judged: " + err.Error()}
			continue
		}
		now.History, now.Elapsed = r.History, r.Elapsed
		if now.Verdict != harness.Pass && now.Stack == "" {
			now.Stack = r.Stack
		}
		in.Results[i] = now
		in.Kinds = with(in.Kinds, k)
	}
	if without > 0 {
		fmt.Fprintf(j.stderr, "lwtest: %s kept no history of %s: the verdict is that of the run; `lwtest run --keep all` keeps every history\n", dir, report.Many(without, "check"))
	}
	for _, k := range j.kinds() { // of checks that have only a verdict
		if slices.ContainsFunc(in.Results, func(r harness.Result) bool { return strings.HasPrefix(r.Check, k.about.Name+"/") }) {
			in.Kinds = with(in.Kinds, k.about)
		}
	}
	return in, nil
}

// isHistory reports whether a file is a history, by its name.
func isHistory(path string) bool {
	return filepath.Ext(strings.TrimSuffix(path, ".gz")) == ".jsonl" && !report.IsRunFile(path)
}

// below judges all runs and all other histories below a directory.
func (j *judging) below(dir string) (report.Input, error) {
	in := j.empty()
	var loose []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && d == nil:
			return err
		case err != nil:
			j.cannot(err)
		case d.IsDir() && path != dir: // dir itself holds no run, or its error was reported
			return j.within(&in, path)
		case isHistory(path):
			loose = append(loose, path)
		}
		return nil
	})
	if err != nil {
		return in, err
	}
	j.loose(&in, loose)
	switch {
	case len(in.Results) > 0 || len(in.Header.Plan) > 0:
		return in, nil
	case len(j.unread) > 0:
		return in, fmt.Errorf("nothing in %s could be judged", dir)
	}
	return in, fmt.Errorf("there is nothing to judge in %s: a run directory holds results.jsonl, and a history is a .jsonl or .jsonl.gz file", dir)
}

// within adds the run in a directory, if there is one.
func (j *judging) within(in *report.Input, dir string) error {
	run, err := j.run(dir)
	switch {
	case errors.Is(err, errNoRun):
		return nil
	case err != nil: // its histories may still be readable
		j.cannot(err)
		return nil
	}
	in.Stale = append(in.Stale, j.covered(append(run.Header.Known, j.known...), run.Results)...)
	at := map[string]string{} // names of the run's targets in the report
	for _, p := range run.Header.Plan {
		as := p.Target
		if slices.ContainsFunc(in.Header.Plan, func(q report.Planned) bool { return q.Target == as }) {
			as = dir + " " + as
		}
		at[p.Target] = cmp.Or(at[p.Target], as)
	}
	for i := range run.Header.Plan {
		run.Header.Plan[i].Target = at[run.Header.Plan[i].Target]
	}
	for _, r := range run.Results {
		r.Target = at[r.Target]
		if r.History != "" {
			r.History = filepath.Join(dir, r.History)
		}
		in.Results = append(in.Results, r)
	}
	for _, t := range run.Header.Settings.Targets {
		in.Header.Settings.Targets = append(in.Header.Settings.Targets, at[t])
	}
	in.Header.Plan = append(in.Header.Plan, run.Header.Plan...)
	in.Header.Settings.Seed, in.Truncated = run.Header.Settings.Seed, in.Truncated || run.Truncated
	in.Elapsed += run.Elapsed
	for _, k := range run.Kinds {
		in.Kinds, in.Header.Contract[k.Name] = with(in.Kinds, k), k.Version
	}
	return fs.SkipDir
}

// loose adds histories that belong to no readable run.
func (j *judging) loose(in *report.Input, files []string) {
	from := len(in.Results)
	for _, file := range files {
		r, k, err := j.judgeFile(file)
		if err != nil {
			j.cannot(err)
			continue
		}
		add(in, r, k, file)
	}
	in.Stale = append(in.Stale, j.covered(j.known, in.Results[from:])...)
}

// covered marks known failures and returns the stale lines.
func (j *judging) covered(known []harness.Known, results []harness.Result) []string {
	if err := harness.Cover(known, results, j.checks()...); err != nil {
		return strings.Split(err.Error(), "\n")
	}
	return nil
}

// add adds one history to a report.
func add(in *report.Input, r harness.Result, k *harness.Kind, file string) {
	if r.Check != "" && r.Target != "" { // or else nothing can repeat it
		r.History = file
	}
	r.Check = cmp.Or(r.Check, k.Name)
	p := report.Planned{Target: r.Target, Check: r.Check}
	if p.Target == "" || slices.ContainsFunc(in.Header.Plan, p.Same) { // for example recordings of several versions
		r.Target, p.Target = file, file
	}
	s := &in.Header.Settings
	if !slices.Contains(s.Targets, p.Target) {
		s.Targets = append(s.Targets, p.Target)
	}
	s.Seed = r.Seed
	in.Header.Plan = append(in.Header.Plan, p)
	in.Header.Contract[k.Name] = k.Version
	in.Results = append(in.Results, r)
	in.Kinds = with(in.Kinds, k)
}
