package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/harness/runner"
	"github.com/lwtest/lwtest/plugins/targets"
)

// session is the work of one process on a run, from the plan to the report.
type session struct {
	app      app
	flags    *flags
	args     []string
	settings report.Settings
	dir      *report.Dir
	plan     *runner.Plan
	began    time.Time
	left     []string // what the targets could not clean up
}

// start begins a run in a directory of its own.
func (a app) start(ctx context.Context, f *flags, s report.Settings, args []string) (*session, error) {
	known, err := f.knownLines()
	if err != nil {
		return nil, err
	}
	if err := a.foresee(s); err != nil {
		return nil, err
	}
	a.logsTo(f.out)
	plan, err := runner.Select(ctx, a.targets.Open, s)
	if err != nil {
		return nil, err
	}
	notes, err := a.aimed(known, plan.Planned(), s.Targets)
	if err != nil {
		return nil, errors.Join(err, plan.Close())
	}
	plan.Notes = append(plan.Notes, notes...)
	se := &session{app: a, flags: f, args: args, settings: s, plan: plan, began: time.Now()}
	head := report.Header{Version: version().module, Args: args, Started: se.began.UTC(), RunID: runID(), Settings: s,
		Contract: contracts(plan), Plan: plan.Planned(), Known: append(plan.Known, known...)}
	if se.dir, err = create(f.out, head); err != nil {
		return nil, errors.Join(err, plan.Close())
	}
	se.printNotes(plan.Notes)
	return se, nil
}

// logsTo sets the run directory for logs of targets that cannot be opened.
func (a app) logsTo(run string) {
	if a.logs != nil {
		a.logs(run)
	}
}

// printNotes prints the notes of the targets.
func (se *session) printNotes(notes []string) {
	for _, n := range notes {
		fmt.Fprintln(se.app.stderr, n)
	}
}

// create creates the run directory: the one that the user named, or the next free name.
func create(out string, h report.Header) (*report.Dir, error) {
	if out != "" {
		return report.Create(out, h)
	}
	base := filepath.Join("runs", fmt.Sprintf("%s-%d", h.Started.Format("20060102T150405Z"), h.Settings.Seed))
	if err := os.MkdirAll(filepath.Dir(base), 0o777); err != nil {
		return nil, fmt.Errorf("the folder for run directories cannot be created: %w: give a directory with --out", err)
	}
	path := base
	for n := 2; ; n++ {
		err := os.Mkdir(path, 0o777)
		if err == nil {
			return report.Create(path, h)
		}
		if !errors.Is(err, os.ErrExist) {
			return nil, fmt.Errorf("the run directory cannot be created: %w: give another with --out", err)
		}
		path = fmt.Sprintf("%s-%d", base, n)
	}
}

// resume continues a run that was cut short. Flags must agree with those of the run.
func (a app) resume(ctx context.Context, f *flags, globs, args []string) (*session, error) {
	dir, err := report.Resume(f.resume)
	if err != nil {
		return nil, err
	}
	se := &session{app: a, flags: f, args: args, settings: dir.Header.Settings, dir: dir, began: time.Now()}
	if err = errors.Join(se.agree(globs), kept(dir)); err == nil {
		a.logsTo(f.resume)
		se.plan, err = runner.Select(ctx, a.targets.Open, se.settings)
	}
	if err == nil {
		err = same(dir.Header, se.plan)
	}
	if err != nil {
		return nil, errors.Join(err, se.close())
	}
	se.printNotes(se.plan.Notes)
	if err := se.sweep(ctx); err != nil {
		fmt.Fprintf(a.stderr, "lwtest: cleaning up after an earlier session: %v: trying again at the end\n", err)
	}
	return se, nil
}

// agree returns an error for a flag that differs from the run's.
func (se *session) agree(globs []string) error {
	was, f := se.settings, *se.flags
	if !f.set.Changed("target") { // they are those of the run
		f.targets, f.server, f.context, f.resource, f.etcd, f.restartCmd = was.Targets, "", "", "", "", ""
		f.kindImage, f.kindConfig, f.kindEtcd, f.keepCluster = "", "", false, false
	}
	if !f.set.Changed("gates") {
		f.gates = was.Gates
	}
	now, err := f.settings(se.app, globs)
	if err != nil {
		return err
	}
	differs := map[string]bool{
		"target": !equal(now.Targets, was.Targets),
		"suite":  !equal(now.Suites, was.Suites), "feature": !equal(now.Features, was.Features), "gates": !equal(now.Gates, was.Gates), "seed": now.Seed != was.Seed,
		"keep": now.Keep != was.Keep, "timeout": now.Timeout != was.Timeout, "span": now.Span != was.Span, "real-time": now.RealTime != was.RealTime,
		"server": !slices.ContainsFunc(was.Targets, func(connect string) bool { return strings.Contains(connect, ":"+se.flags.server) }),
		"level":  now.Level != was.Level, "known": true, "out": true,
	}
	for name, values := range se.flags.options() {
		differs[name] = differs["target"] || !slices.ContainsFunc(was.Targets, func(connect string) bool {
			_, has, err := targets.Split(connect)
			return err == nil && has.Get(name) == values[0]
		})
	}
	for name, d := range differs {
		if d && se.flags.set.Changed(name) {
			return usagef("--%s cannot be changed when a run is resumed: %s was started with `lwtest %s`", name, se.dir.Path, strings.Join(se.dir.Header.Args, " "))
		}
	}
	if len(globs) > 0 && !equal(globs, was.Globs) {
		return usagef("the checks of a run cannot be changed when it is resumed: %s was started with `lwtest %s`", se.dir.Path, strings.Join(se.dir.Header.Args, " "))
	}
	return nil
}

func equal(a, b []string) bool { return strings.Join(a, "\x00") == strings.Join(b, "\x00") }

// same returns an error if targets or lwtest differ from those that the run was started with.
func same(h report.Header, p *runner.Plan) error {
	if v := version().module; h.Version != v {
		return fmt.Errorf("the run was started by lwtest %s, this is lwtest %s: finish it with that version, or start a new run", h.Version, v)
	}
	now := p.Planned()
	for k, v := range contracts(p) {
		if h.Contract[k] != v {
			return fmt.Errorf("the run was started with version %q of the contract of %s, this lwtest has %q: start a new run", h.Contract[k], k, v)
		}
	}
	if len(now) != len(h.Plan) {
		return fmt.Errorf("the run was started with %d checks, its targets now offer %d: start a new run", len(h.Plan), len(now))
	}
	for i := range now {
		if !now[i].Same(h.Plan[i]) || fmt.Sprint(now[i].Features) != fmt.Sprint(h.Plan[i].Features) {
			return fmt.Errorf("check %d of the run was %s on %s with features %v, now it is %s on %s with %v: start a new run", i+1,
				h.Plan[i].Check, h.Plan[i].Target, h.Plan[i].Features, now[i].Check, now[i].Target, now[i].Features)
		}
	}
	return nil
}

// kept returns an error if histories of the run are gone: nobody could look into its results or judge them again.
func kept(d *report.Dir) error {
	for _, r := range d.Finished {
		if r.History == "" {
			continue
		}
		if _, err := os.Stat(filepath.Join(d.Path, r.History)); err != nil {
			return fmt.Errorf("the history of %s on %s is gone: %w: start a new run", r.Check, r.Target, err)
		}
	}
	return nil
}

// carryOut runs the checks without a result and writes the report.
func (se *session) carryOut(ctx context.Context) (r *report.Report, err error) {
	defer func() { err = errors.Join(err, se.close()) }()
	results, err := se.drive(ctx)
	if ctx.Err() == nil && (err != nil || se.report(results, nil).Status != report.OK) {
		se.keepLogs(ctx)
	}
	problems := se.release(ctx)
	if err != nil {
		return nil, err
	}
	r = proven(se.report(results, problems))
	return r, se.dir.Finish(r)
}

func (se *session) report(results []harness.Result, problems []string) *report.Report {
	results = slices.Clone(results)
	for i := range results { // report.New marks known failures in them
		results[i].Rules = slices.Clone(results[i].Rules)
	}
	return report.New(report.Input{Header: se.dir.Header, Results: results, Kinds: runner.Kinds(se.plan.Items), Problems: problems,
		Elapsed: se.dir.Earlier() + time.Since(se.began), Dir: se.dir.Path})
}

// keepLogs makes the targets write their logs into the run directory. An error does not change verdicts.
func (se *session) keepLogs(ctx context.Context) {
	written, err := se.plan.Logs(ctx, filepath.Join(se.dir.Path, report.Logs))
	for _, dir := range written {
		fmt.Fprintf(se.app.stderr, "lwtest: the target's logs are in %s\n", dir)
	}
	if err != nil {
		fmt.Fprintf(se.app.stderr, "lwtest: %s\n", report.Plain(err.Error()))
	}
}

// release cleans up and closes the targets, after an interrupted run too. It returns what is left behind, which the
// report names: the verdicts are valid, but somebody must clean up.
func (se *session) release(ctx context.Context) []string {
	if ctx.Err() != nil && se.plan.Sweeps() {
		fmt.Fprintln(se.app.stderr, "lwtest: interrupted: removing what the checks created; after a second Ctrl-C only --resume removes it")
	}
	if err := se.sweep(context.WithoutCancel(ctx)); err != nil {
		se.left = append(se.left, err.Error())
	}
	told := len(se.plan.Notes)
	if err := se.plan.Close(); err != nil {
		se.left = append(se.left, err.Error())
	}
	se.printNotes(se.plan.Notes[told:])
	for _, l := range se.left {
		fmt.Fprintf(se.app.stderr, "lwtest: %s\n", report.Plain(l))
	}
	return se.left
}

// sweep removes and prints what checks of this run left on servers, if their process was killed in this session or an
// earlier one.
func (se *session) sweep(ctx context.Context) error {
	removed, err := se.plan.Sweep(ctx, se.dir.Header.RunID)
	for _, line := range removed {
		fmt.Fprintln(se.app.stderr, line)
	}
	return err
}

func (se *session) drive(ctx context.Context) ([]harness.Result, error) {
	results := se.dir.Finished
	var todo []runner.Item
	for _, it := range se.plan.Items {
		if !finished(results, it) {
			todo = append(todo, it)
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var attending sync.WaitGroup
	attending.Go(func() { se.attend(ctx, cancel) })
	defer attending.Wait()
	defer cancel(nil)
	fmt.Fprintf(se.app.stderr, "%s; the run directory is %s\n", report.Many(len(se.plan.Items), "check"), se.dir.Path)
	if len(results) > 0 {
		fmt.Fprintf(se.app.stderr, "%d of %d checks have a result already\n", len(results), len(se.plan.Items))
	}
	pr := newPanel(se.app.stderr, se.flags.color, figures{what: "checks", badly: "did not pass", done: len(results), before: len(results), total: len(se.plan.Items)})
	names := report.Names(se.settings.Targets)
	run := runner.Runner{Command: se.app.self, Parallel: se.flags.parallel, Settings: se.settings, Known: se.dir.Header.Known, RunID: se.dir.Header.RunID, Dir: se.dir.Path, Started: func(it runner.Item) { pr.started(it.Case.Address() + " on " + names[it.Target]) },
		Noted: func(line string) { se.left = append(se.left, line) }}
	err := run.Run(ctx, todo, func(it runner.Item, res harness.Result) {
		if err := cmp.Or(se.plan.Hopeless(res), se.gone(ctx, res)); err != nil {
			cancel(err)
			return
		}
		if err := se.dir.Add(res); err != nil {
			cancel(err)
			return
		}
		results = append(results, res)
		pr.ended(res.Check+" on "+names[res.Target], se.covered(res))
	})
	pr.close()
	if err == nil {
		return results, nil
	}
	if !errors.Is(err, context.Canceled) {
		return nil, err
	}
	return nil, fmt.Errorf("interrupted: %d of %d checks have a result; continue with `lwtest run --resume %s`", len(results), len(se.plan.Items), se.dir.Path)
}

// attendEvery is how often a run checks that its targets are still there. A check may wait for minutes for one that is
// gone.
const attendEvery = 5 * time.Second

// attend ends a run whose target is gone.
func (se *session) attend(ctx context.Context, cancel context.CancelCauseFunc) {
	for tick := time.NewTicker(attendEvery); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
		if err := se.gone(ctx, harness.Result{}); err != nil {
			cancel(err)
		}
	}
}

// lost is the error that ends a run whose target is gone.
type lost struct{ error }

// gone returns an error if the target of a verdict is gone, so that the verdict proves nothing. Other workers may
// notice the same after the first.
func (se *session) gone(ctx context.Context, res harness.Result) error {
	if res.Verdict == harness.Pass || res.Verdict == harness.Skip {
		return nil
	}
	if ctx.Err() != nil {
		if cause := (lost{}); errors.As(context.Cause(ctx), &cause) {
			return cause
		}
		return nil
	}
	for look := range looks {
		if err := se.plan.Alive(ctx); err != nil {
			return lost{fmt.Errorf("%w: when that is fixed, continue with `lwtest run --resume %s`", err, se.dir.Path)}
		}
		if res.Verdict == "" || !se.plan.Mortal() || look == looks-1 {
			break
		}
		select { // a target that has just died may still answer
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	return nil
}

// looks is how often a target is checked after a verdict that may come from its end.
const looks = 3

// covered returns a result with its known failures marked. Stale lines are known only at the end.
func (se *session) covered(res harness.Result) *harness.Result {
	res.Rules = slices.Clone(res.Rules)
	one := []harness.Result{res}
	_ = harness.Cover(se.dir.Header.Known, one)
	return &one[0]
}

func finished(results []harness.Result, it runner.Item) bool {
	for i := range results {
		if results[i].Target == it.Target && results[i].Check == it.Case.Address() {
			return true
		}
	}
	return false
}

func (se *session) close() error {
	err := se.dir.Release()
	if se.plan != nil {
		err = errors.Join(err, se.plan.Close())
	}
	return err
}

func contracts(p *runner.Plan) map[string]string {
	out := map[string]string{}
	for _, k := range runner.Kinds(p.Items) {
		out[k.Name] = k.Version
	}
	return out
}

// runID returns a name for a run on shared servers.
func runID() string { return strings.ToLower(rand.Text()[:8]) }
