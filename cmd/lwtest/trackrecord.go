package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/lwtest/lwtest/harness/release"
	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/harness/trackrecord"
)

func (a app) trackRecordVerb() *cobra.Command {
	runs, list, changed := 1, false, false
	cmd := &cobra.Command{
		Use:   "track-record [CASE...]",
		Short: "Run the checks on releases with known bugs, and on releases without them",
		Long: "Each case in interop/trackrecord names a release that breaks a clause, and a control that keeps it. track-record\n" +
			"builds or installs both and runs the checks of the case on them. The release must break the clause, and the\n" +
			"control must be tested and keep it. A CASE is a number or a folder; the default is all. Results are written\n" +
			"beside the case and into " + trackrecord.PageFile + ". It needs a checkout of lwtest, Go, and for some cases npm.\n\n" +
			"Exit status: 0 all were reproduced, 1 some were not, 3 some could not be built or run.",
		Example: `  lwtest track-record             # all
  lwtest track-record 5           # one
  lwtest track-record 2 --runs 20 # in how many of 20 runs it shows
  lwtest track-record --changed   # cases that changed since they were reproduced`,
		RunE: func(cmd *cobra.Command, asked []string) error {
			if runs < 1 {
				return usagef("--runs is %d: say how often, 1 at least", runs)
			}
			return a.trackRecord(cmd.Context(), asked, runs, list, changed)
		},
	}
	cmd.Flags().IntVar(&runs, "runs", 1, "the `COUNT` of runs on each release")
	cmd.Flags().BoolVar(&changed, "changed", false, "only cases that changed since they were reproduced, or whose adapter or protocol did")
	cmd.Flags().BoolVar(&list, "list", false, "list the cases and run none")
	return cmd
}

func (a app) trackRecord(ctx context.Context, asked []string, runs int, list, changed bool) error {
	root, err := release.Root(".")
	if err != nil {
		return err
	}
	all, err := trackrecord.Load(root)
	if err != nil {
		return err
	}
	cases, err := trackrecord.Choose(all, asked)
	if err != nil {
		return usagef("%w", err)
	}
	if err := trackrecord.Wrong(cases); err != nil {
		return err
	}
	adapters, err := release.Adapters(root)
	if err != nil {
		return err
	}
	if changed {
		if cases, err = changedCases(cases, adapters); err != nil {
			return err
		}
	}
	if len(cases) == 0 {
		fmt.Fprintln(a.stdout, "no case, adapter or protocol has changed since the last reproduction")
		return nil
	}
	if list {
		for _, c := range cases {
			fmt.Fprintf(a.stdout, "%-32s %s %s: %s\n", c.Name, c.Module, c.Buggy, c.Title)
		}
		return nil
	}
	cache, err := release.Cache(root)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	return a.reproduceAll(ctx, bench{root, cache, adapters, runs}, cases, func() error { return a.writePage(root, all) })
}

// changedCases returns the cases that have changed since they were reproduced.
func changedCases(cases []trackrecord.Case, adapters []release.Adapter) (out []trackrecord.Case, err error) {
	for _, c := range cases {
		a, err := c.Adapter(adapters)
		if err != nil {
			return nil, err
		}
		is, err := c.Changed(a)
		if err != nil {
			return nil, err
		}
		if is {
			out = append(out, c)
		}
	}
	return out, nil
}

// bench holds what all cases of a run share.
type bench struct {
	root, cache string
	adapters    []release.Adapter
	runs        int
}

// reproduceAll runs cases one after the other and prints which were reproduced. It calls done at the end.
func (a app) reproduceAll(ctx context.Context, b bench, cases []trackrecord.Case, done func() error) error {
	began, reproduced := time.Now(), 0
	var not, broken []string
	for _, c := range cases {
		fmt.Fprintf(a.stdout, "%s  %s\n", c.Name, c.Title)
		r, err := a.reproduce(ctx, b, c)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("interrupted in the case %s", c.Name)
		case err != nil:
			fmt.Fprintf(a.stdout, "  could not be run: %s\n\n", report.Plain(err.Error()))
			broken = append(broken, c.Name)
			continue
		}
		if err := c.Reproduced(r); err != nil {
			fmt.Fprintf(a.stdout, "  NOT REPRODUCED  %s\n\n", report.Plain(err.Error()))
			not = append(not, c.Name)
			continue
		}
		if err := c.Keep(r); err != nil {
			return err
		}
		reproduced++
		fmt.Fprintf(a.stdout, "  reproduced  %s\n\n", c.Outcome(r))
	}
	fmt.Fprintf(a.stdout, "%d of %d cases reproduced (%s)\n", reproduced, len(cases), time.Since(began).Round(time.Second))
	if len(not) > 0 {
		fmt.Fprintf(a.stdout, "not reproduced: %s\n", strings.Join(not, ", "))
	}
	if len(broken) > 0 {
		fmt.Fprintf(a.stdout, "could not be run: %s\n", strings.Join(broken, ", "))
	}
	switch err := done(); {
	case err != nil:
		return err
	case len(broken) > 0:
		return status(report.Broken)
	case len(not) > 0:
		return status(report.Failed)
	}
	return nil
}

// reproduce runs one case.
func (a app) reproduce(ctx context.Context, b bench, c trackrecord.Case) (trackrecord.Result, error) {
	r := trackrecord.Result{Date: time.Now().UTC().Format(time.DateOnly), Commit: commit(ctx, b.root)}
	adapter, err := c.Adapter(b.adapters)
	if err != nil {
		return r, err
	}
	if r.Inputs, err = c.Inputs(adapter); err != nil {
		return r, err
	}
	if r.Buggy, err = a.side(ctx, b, c, adapter, "buggy", c.Buggy); err != nil || c.Control == "" {
		return r, err
	}
	control, err := a.side(ctx, b, c, adapter, "control", c.Control)
	r.Control = &control
	return r, err
}

// side runs the checks of a case on one release.
func (a app) side(ctx context.Context, b bench, c trackrecord.Case, adapter release.Adapter, name, version string) (trackrecord.Side, error) {
	s := trackrecord.Side{Version: version}
	one := func(seed int64, out string) (*report.Report, error) {
		return served(ctx, b, c, strings.ReplaceAll(adapter.Serve, "{version}", version), seed, out)
	}
	if adapter.Serve == "" {
		command, err := adapter.Build(ctx, version, b.cache, a.stderr)
		if err != nil {
			return s, err
		}
		if name == "buggy" && c.Bug != "" {
			command = release.Chooses + "=" + c.Bug + " " + command
		}
		one = func(seed int64, out string) (*report.Report, error) {
			return a.adapted(ctx, c, strings.TrimSpace("exec:"+command+" "+c.Args), seed, out)
		}
	}
	for i := range b.runs {
		out := filepath.Join(b.cache, "track-record", c.Name, fmt.Sprintf("%s-%d", name, i+1))
		if err := os.RemoveAll(out); err != nil {
			return s, err
		}
		rep, err := one(int64(i+1), out)
		if err != nil {
			return s, err
		}
		s.Add(c, rep)
	}
	fmt.Fprintf(a.stdout, "  %-8s %s: %s broken in %d of %d runs, tested %d times, %s at most\n", name, version, c.Clause, s.Failed+s.Left, s.Runs, s.Tested, s.Took.Round(time.Millisecond))
	if name == "buggy" {
		for _, l := range s.First {
			fmt.Fprintln(a.stdout, "    "+report.Plain(l))
		}
	}
	return s, nil
}

// adapted runs the checks of a case on an adapter.
func (a app) adapted(ctx context.Context, c trackrecord.Case, target string, seed int64, out string) (_ *report.Report, err error) {
	f := &flags{targets: []string{target}, level: "should", format: "text", color: "never", keep: keepNew, timeout: time.Minute, span: time.Minute, seed: seed, out: out}
	if c.Span != "" {
		if f.span, err = time.ParseDuration(c.Span); err != nil {
			return nil, err
		}
	}
	settings, err := f.settings(a, c.Checks)
	if err != nil {
		return nil, err
	}
	a.stderr = io.Discard // hides progress; the adapter's log is in the report
	se, err := a.start(ctx, f, settings, a.args)
	if err != nil {
		return nil, err
	}
	return se.carryOut(ctx)
}

// served runs the checks of a case on a server that a command of the tree starts: the command runs this program.
func served(ctx context.Context, b bench, c trackrecord.Case, serve string, seed int64, out string) (*report.Report, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := append(strings.Fields(serve), "sh", "-c", `exec "$0" run --target "kubeconfig:$KUBECONFIG" "$@"`, self, "--seed", fmt.Sprint(seed), "--out", out, "--timeout", "1m", "--span", cmp.Or(c.Span, "1m"))
	args = slices.Concat(args, strings.Fields(c.Args), c.Checks)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = b.root
	said, failed := cmd.CombinedOutput() // that checks fail is in the report
	rep, err := report.ReadJSON(filepath.Join(out, "report.json"))
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", errors.Join(failed, err), said[max(0, len(said)-2000):])
	}
	return rep, nil
}

// commit returns the commit of the tree, or "unknown".
func commit(ctx context.Context, root string) string {
	out, err := exec.CommandContext(ctx, "git", "-C", root, "rev-parse", "--short=10", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	return cmp.Or(strings.TrimSpace(string(out)), "unknown")
}

// writePage writes the page of all cases. A faulty case that was not requested is not an error, but the page is not
// written then.
func (a app) writePage(root string, all []trackrecord.Case) error {
	if err := trackrecord.Wrong(all); err != nil {
		fmt.Fprintf(a.stderr, "lwtest: %s stays as it was: %s\n", trackrecord.PageFile, report.Plain(err.Error()))
		return nil
	}
	page, err := trackrecord.Page(all)
	if err != nil {
		return err
	}
	return report.WriteFile(filepath.Join(root, trackrecord.PageFile), func(w io.Writer) error {
		_, err := w.Write(page)
		return err
	})
}

// module replaces the exec targets of a run by this tree's adapter for a module, built with a version. The targets
// name its arguments.
func (f *flags) module(ctx context.Context, which string, log io.Writer) error {
	name, version, err := release.Split(which)
	if err != nil {
		return usagef("--module: %w", err)
	}
	for _, t := range f.targets {
		if t != "exec" && !strings.HasPrefix(t, "exec:") {
			return usagef("--module applies only to exec targets, which then give the adapter's arguments, as in exec:shared-informer: %q is not one", t)
		}
	}
	if len(f.targets) == 0 {
		return usagef("--module needs a --target: exec:ARGUMENTS, those of the adapter; exec alone if it takes none")
	}
	root, err := release.Root(".")
	if err != nil {
		return fmt.Errorf("--module: %w", err)
	}
	adapters, err := release.Adapters(root)
	if err != nil {
		return err
	}
	adapter, err := release.Find(adapters, name)
	if err != nil {
		return usagef("--module: %w", err)
	}
	cache, err := release.Cache(root)
	if err != nil {
		return err
	}
	command, err := adapter.Build(ctx, version, cache, log)
	if err != nil {
		return errors.Join(errors.New("--module: the adapter could not be built"), err)
	}
	for i, t := range f.targets {
		f.targets[i] = strings.TrimSpace("exec:" + command + " " + strings.TrimPrefix(strings.TrimPrefix(t, "exec"), ":"))
	}
	return nil
}
