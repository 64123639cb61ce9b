package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lwtest/lwtest/conformance/runtime"
	"github.com/lwtest/lwtest/fuzz"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
)

// fuzzDir is the default folder for what fuzzing has found.
const fuzzDir = "fuzz-found"

func (a app) fuzzVerb() *cobra.Command {
	f := &flags{}
	o := fuzz.Options{}
	shard, around, known, page := "", "", "", ""
	var reports []string
	cmd := &cobra.Command{
		Use:   "fuzz [KIND]",
		Short: "Play random stories on a target, and shrink those that break a rule",
		Long: "Play random stories on a target, judge each by every rule of its kind, and shrink those that break one to the few\n" +
			"steps that matter. Each shrunk story is played 20 times and written to a file, which `lwtest play` repeats.\n" +
			"Half of the stories are variations of those that reached something new. With one worker, --stories and no --corpus all are\n" +
			"drawn anew, so that the same seed plays the same stories.\n\n" + exitStatuses,
		Example: `  lwtest fuzz --target go:client-go/shared-informer --for 10m
  lwtest fuzz informer --target go:client-go/reflector-store --stories 20000 --seed 7
  lwtest fuzz --target "exec:./my-adapter" --for 1h --shard 2/4 --out found
  lwtest fuzz --target go:client-go/shared-informer --around informer/resume/expired/watch
  lwtest fuzz node --target node:reference --cross 2 --shard 1/10
  lwtest fuzz --report found-1 --report found-2`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.Kind = args[0]
			}
			o.RealTime, o.Seed = f.realTime, f.seed
			if len(reports) > 0 {
				if len(args) > 0 || len(f.targets) > 0 {
					return usagef("--report plays nothing, and %q is neither a report nor needed: say --report before each file", strings.Join(append(args, f.targets...), " "))
				}
				return a.mergeFuzz(reports, f.out, page, f.format)
			}
			if connect := a.onNode(f, o.Kind == runtime.Suite.Kind); connect != "" {
				ctx, stop := a.interruptible(cmd.Context())
				defer stop()
				return a.runInNode(ctx, f, connect, cmp.Or(f.out, fuzzDir), "fuzz", o.Kind)
			}
			if err := a.fuzzFiles(&o, around, known); err != nil {
				return err
			}
			return a.fuzz(cmd.Context(), f, o, shard, page)
		},
	}
	f.aiming(cmd)
	s := cmd.Flags()
	s.Lookup("target").Usage = "the `CONNECT` string of the one target (required)"
	s.DurationVar(&o.For, "for", 0, "stop after this `DURATION` (default 1m0s, unless --stories is given)")
	s.Lookup("for").DefValue = "0" // the help says what the default is
	s.IntVar(&o.Stories, "stories", 0, "the `COUNT` of stories to play (default as many as there is time for)")
	s.IntVar(&o.Steps, "steps", 20, "the `COUNT` of steps of a story, beside those that begin and end it")
	s.IntVar(&o.Workers, "parallel", 0, "the `COUNT` of worker processes (default one per core)")
	s.StringVar(&shard, "shard", "", "play only part `I/N` of the stories, so that N machines play all: 1/4 to 4/4; index/4 in a Kubernetes Job in Indexed mode")
	s.DurationVar(&o.Timeout, "timeout", fuzz.DefaultTimeout, "stop a story in real time that takes longer than this `DURATION`")
	s.Float64Var(&o.Rate, "rate", 0, "the `COUNT` of stories a second at most, so that a real server is not overloaded (default no limit)")
	s.StringVar(&around, "around", "", "play one `STORY`, of a file or a check, with a fault at each place, instead of random ones")
	s.BoolVar(&o.Pairs, "pairs", false, "with --around: with two faults at each two places")
	s.IntVar(&o.Cross, "cross", 0, "play a set of stories that has every combination of the values of `N` dimensions of the kind, 2 or 3, instead of random ones")
	s.StringVar(&o.Corpus, "corpus", "", "a `DIR` of stories to vary; those that reach something new are added to it")
	s.BoolVar(&o.Blind, "unguided", false, "draw each story anew, instead of varying those that reached something new")
	s.StringVar(&known, "known", "", "a `FILE` of failures that are expected")
	s.StringArrayVar(&reports, "report", nil, "merge this `REPORT` of an earlier run with the others, and play nothing: a file, or what --out named (repeatable)")
	s.BoolVar(&f.realTime, "real-time", false, "do not use virtual time, even if the target declares it")
	s.StringVar(&page, "html", "", "write a page to this `FILE` that shows, as a grid, which pairs of values the stories put together")
	s.StringVar(&f.out, "out", "", "write the report and the stories found to this `DIR` (default fuzz-found)")
	s.StringVar(&f.format, "format", "text", "print this `FORMAT`: text or json")
	return cmd
}

// fuzzWorkerVerb is the hidden verb with which lwtest starts itself as a worker that plays stories.
func (a app) fuzzWorkerVerb() *cobra.Command {
	return &cobra.Command{Use: "fuzz-worker", Hidden: true, Args: noArgs, Run: func(*cobra.Command, []string) { fuzz.Work(a.targets.Open) }}
}

func (a app) fuzz(ctx context.Context, f *flags, o fuzz.Options, shard, page string) error {
	if err := fuzzable(&o, shard, f.format); err != nil {
		return err
	}
	targets, err := a.targets.Connects(f.targets, f.server, f.options())
	if err != nil {
		return err
	}
	if len(f.targets) != 1 || len(targets) != 1 {
		return usagef("fuzzing needs one --target, and there are %d", len(f.targets))
	}
	if err := f.setGates(); err != nil {
		return err
	}
	o.Target, o.Features = targets[0], f.features
	t, err := a.targets.Open(ctx, o.Target)
	if err != nil {
		return err
	}
	for _, note := range t.Notes {
		fmt.Fprintf(a.stderr, "target %s: %s\n", t.Name, note)
	}
	c, err := fuzz.CaseOf(t, o.Kind)
	if t.Close != nil {
		defer t.Close()
	}
	if err == nil {
		_, err = harness.Adjust(c.Has, o.Features, c.Kind.Features)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", o.Target, err)
	}
	if o.Around != nil || o.Cross > 0 {
		has, err := harness.Adjust(c.Has, o.Features, c.Kind.Features)
		if err == nil {
			err = a.announce(&o, c.Kind, has)
		}
		if err != nil {
			return err
		}
	}
	o.Kind, o.Dir, o.Command, o.Alive, o.RunID, o.Version = c.Kind.Name, f.out, a.fuzzWorker, t.Alive, runID(), version().module
	if restarts(c, o) && o.Workers != 1 {
		o.Workers = 1
		fmt.Fprintln(a.stderr, "one worker plays the stories, because some of them kill the runtime")
	}
	if o.Dir == "" {
		o.Dir = fuzzDir
	}
	if err := os.MkdirAll(o.Dir, 0o777); err != nil { // before an hour of stories
		return usagef("--out: %v", err)
	}
	if o.Corpus != "" {
		if err := os.MkdirAll(o.Corpus, 0o777); err != nil {
			return usagef("--corpus: %v", err)
		}
	}
	ctx, stop := a.interruptible(ctx)
	defer stop()
	r, err := a.fuzzShown(ctx, o)
	err = errors.Join(err, a.sweepStories(ctx, t, o.RunID))
	if err != nil && r.Stories == 0 {
		return err
	}
	if err = errors.Join(err, a.fuzzed(r, o.Dir, page, f.format)); err != nil && ctx.Err() == nil {
		return err
	}
	if ctx.Err() != nil && !errors.Is(err, status(report.Failed)) {
		fmt.Fprintf(a.stderr, "lwtest: interrupted after %d stories\n", r.Stories)
		return status(report.Broken) // it is not complete
	}
	return err
}

// fuzzShown plays stories with a panel.
func (a app) fuzzShown(ctx context.Context, o fuzz.Options) (*fuzz.Report, error) {
	shown := figures{what: "stories", badly: "broken", total: o.Stories}
	if o.For > 0 {
		shown.end = time.Now().Add(o.For)
	}
	p := newPanel(a.stderr, "", shown)
	defer p.close()
	broken := map[string]int{} // stories, by rule
	o.Told = func(r *fuzz.Report) {
		p.update(func(f *figures) {
			f.done, f.bad = r.Stories, r.New()
			f.more = fmt.Sprintf(", %d classes, %d rules tested", len(r.Reached), len(r.Tested))
			for _, x := range r.Failed {
				if x.Known != "" || x.Stories == broken[x.Rule] {
					continue
				}
				broken[x.Rule], f.failed = x.Stories, x.Rule
				if n := len(x.Shapes); n > 0 {
					f.failed += ": " + x.Shapes[n-1].Got
				}
			}
		})
	}
	return fuzz.Run(ctx, o)
}

// restarts reports whether stories kill a runtime that they share.
func restarts(c harness.Case, o fuzz.Options) bool {
	has, _ := harness.Adjust(c.Has, o.Features, c.Kind.Features)
	return c.Kind.Name == runtime.Suite.Kind && slices.Contains(has, runtime.Restart) && (o.RealTime || !slices.Contains(has, harness.VirtualTime))
}

// sweepStories removes what stories have left on a server that outlives them.
func (a app) sweepStories(ctx context.Context, t harness.Target, runID string) error {
	if t.Sweep == nil {
		return nil
	}
	line, err := t.Sweep(context.WithoutCancel(ctx), runID)
	if line != "" {
		fmt.Fprintln(a.stderr, line)
	}
	return err
}

// fuzzFiles reads the files that options name: the story to play faults around, and the failures that are expected.
func (a app) fuzzFiles(o *fuzz.Options, around, known string) (err error) {
	if known != "" {
		if o.Known, err = os.ReadFile(known); err == nil {
			_, err = harness.ParseKnown(known, o.Known)
		}
		if err != nil {
			return usagef("--known: %v", err)
		}
	}
	if around == "" {
		if o.Pairs {
			return usagef("--pairs needs --around")
		}
		return nil
	}
	if o.Around, err = os.ReadFile(around); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	o.Around, err = a.storyOf(around)
	return err
}

// announce says how many stories a plan has, and plays no more.
func (a app) announce(o *fuzz.Options, k *harness.Kind, has []harness.Feature) error {
	n, what := 0, fmt.Sprintf("each combination of the values of %d dimensions", o.Cross)
	if o.Cross > 0 {
		if n, _ = k.Language.Crossed(has, o.Cross, o.Seed); n == 0 {
			return usagef("--cross: the kind %s has no dimensions", k.Name)
		}
	} else {
		s, err := k.Story(o.Around)
		if err != nil {
			return usagef("--around: %v", err)
		}
		if n, _ = k.Language.Around(s, o.Pairs); n == 0 {
			return usagef("--around: the kind %s has no faults that can be placed", k.Name)
		}
		what = "a fault at each place"
		if o.Pairs {
			what = "two faults at each two places"
		}
	}
	shards := max(o.Shards, 1)
	if mine := (n + shards - 1 - o.Shard) / shards; o.Stories == 0 || o.Stories > mine {
		o.Stories = mine
	}
	fmt.Fprintf(a.stderr, "%d stories have %s; this run plays %d\n", n, what, o.Stories)
	return nil
}

// mergeFuzz merges the reports of earlier runs: files, or the directories that --out named.
func (a app) mergeFuzz(files []string, dir, page, format string) error {
	var all []*fuzz.Report
	for _, file := range files {
		if i, err := os.Stat(file); err == nil && i.IsDir() {
			file = filepath.Join(file, "report.json")
		}
		b, err := os.ReadFile(file)
		if err != nil {
			return usagef("--report: %v", err)
		}
		r, err := fuzz.ReadReport(b)
		if err != nil {
			return usagef("%s: %v", file, err)
		}
		all = append(all, r)
	}
	sum, err := fuzz.Merge(all[0], all[1:]...)
	if err != nil {
		return usagef("%v", err)
	}
	return a.fuzzed(sum, dir, page, format)
}

// fuzzable completes the options and returns what is wrong with them.
func fuzzable(o *fuzz.Options, shard, format string) error {
	if o.For == 0 && o.Stories == 0 && o.Around == nil && o.Cross == 0 {
		o.For = time.Minute
	}
	switch {
	case o.Stories < 0 || o.For < 0 || o.Steps < 1 || o.Workers < 0 || o.Rate < 0 || o.Timeout <= 0:
		return usagef("--stories, --for, --steps, --parallel, --rate and --timeout must be positive")
	case o.Cross < 0 || o.Cross == 1 || o.Cross > 3:
		return usagef("--cross is %d: say 2 for pairs, or 3", o.Cross)
	case o.Cross > 0 && o.Around != nil:
		return usagef("--cross and --around are two plans: say one of them")
	case o.Blind && o.Corpus != "":
		return usagef("--unguided varies no stories: leave out --corpus")
	case format != "text" && format != "json":
		return usagef("--format is %q: say text or json", format)
	case shard == "":
		return nil
	}
	i, n, _ := strings.Cut(shard, "/")
	at, err1 := strconv.Atoi(i)
	if i == "index" { // of a Kubernetes Job in Indexed mode, from 0
		at, err1 = strconv.Atoi(os.Getenv("JOB_COMPLETION_INDEX"))
		at++
	}
	of, err2 := strconv.Atoi(n)
	if err1 != nil || err2 != nil || at < 1 || at > of {
		return usagef("--shard is %q: say 1/4 for the first of four parts, or index/4 in a Kubernetes Job in Indexed mode", shard)
	}
	o.Shard, o.Shards = at-1, of
	return nil
}

// fuzzWorker returns the command of a worker. It has one thread of Go at a time, so that a seed gives the same histories. Stories leave
// little behind, so it collects garbage less often than Go does by itself. Seldom is no better: fresh memory costs a page fault for each
// 4 KiB, and with GOGC=1600 stories over HTTP took twice as long as with 400 (docs/fuzzing.md).
func (a app) fuzzWorker() *exec.Cmd {
	cmd := a.self()
	cmd.Args[len(cmd.Args)-1] = "fuzz-worker"
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, "GOMAXPROCS=1", "GOGC=400", "GOMEMLIMIT=1GiB")
	return cmd
}

// fuzzed writes and prints the report. The status is 1 if a MUST clause was broken in a way that is not known, 3 if an adapter broke
// the protocol, and 2 if a story did not end or nothing was tested.
func (a app) fuzzed(r *fuzz.Report, dir, page, format string) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err == nil && dir != "" {
		err = r.Write(dir)
	}
	if err != nil {
		return fmt.Errorf("the report could not be written: %w: give another directory with --out", err)
	}
	if page != "" {
		if err := r.WritePage(page); err != nil {
			return fmt.Errorf("--html: %w", err)
		}
	}
	if format == "json" {
		fmt.Fprintln(a.stdout, string(b))
	} else {
		var text strings.Builder
		_ = r.Text(&text) // a Builder takes all
		if _, err := io.WriteString(a.stdout, report.Fold(text.String(), width(a.stdout))); err != nil {
			return err
		}
	}
	has := func(matches func(fuzz.Failure) bool) bool {
		return slices.ContainsFunc(r.Failed, func(f fuzz.Failure) bool { return f.Known == "" && matches(f) })
	}
	switch {
	case has(func(f fuzz.Failure) bool { return f.Level == harness.Must }):
		return status(report.Failed)
	case has(func(f fuzz.Failure) bool { return f.Rule == "story/"+harness.CauseAdapter }):
		return status(report.Broken)
	case r.Idle == r.Stories, has(func(f fuzz.Failure) bool { return f.Level == fuzz.Stopped }):
		return status(report.Unproven)
	}
	return nil
}
