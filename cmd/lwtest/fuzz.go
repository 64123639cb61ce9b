package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lwtest/lwtest/fuzz"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
)

func (a app) fuzzVerb() *cobra.Command {
	f := &flags{}
	o := fuzz.Options{}
	shard := ""
	cmd := &cobra.Command{
		Use:   "fuzz [KIND]",
		Short: "Play random stories on a target, and shrink those that break a rule",
		Long: "Play random stories on a target, judge each by every rule of its kind, and shrink those that break one to the few\n" +
			"steps that matter. Each shrunk story is played 20 times and written to a file, which `lwtest play` repeats.\n" +
			"With one worker and --stories, the same seed plays the same stories.\n\n" + exitStatuses,
		Example: `  lwtest fuzz --target go:client-go/shared-informer --for 10m
  lwtest fuzz informer --target go:client-go/reflector-store --stories 20000 --seed 7
  lwtest fuzz --target "exec:./my-adapter" --for 1h --shard 2/4 --out found`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.Kind = args[0]
			}
			o.RealTime, o.Seed = f.realTime, f.seed
			return a.fuzz(cmd.Context(), f, o, shard)
		},
	}
	f.aiming(cmd)
	s := cmd.Flags()
	s.Lookup("target").Usage = "`connect` string of the one target (required)"
	s.DurationVar(&o.For, "for", 0, "how `long` to play stories (default one minute, unless --stories is given)")
	s.IntVar(&o.Stories, "stories", 0, "how `many` stories to play")
	s.IntVar(&o.Steps, "steps", 20, "steps of a story, beside those that begin and end it")
	s.IntVar(&o.Workers, "workers", 0, "worker `processes` at a time (default one per core)")
	s.StringVar(&shard, "shard", "", "play only part `I/N` of the stories, so that N machines play all: 1/4 to 4/4")
	s.BoolVar(&f.realTime, "real-time", false, "do not use virtual time, even if the target declares it")
	s.StringVar(&f.out, "out", "", "`directory` for the report and the stories found (default fuzz-found)")
	s.StringVar(&f.format, "format", "text", "format of stdout: text or json")
	return cmd
}

// fuzzWorkerVerb is the hidden verb with which lwtest starts itself as a worker that plays stories.
func (a app) fuzzWorkerVerb() *cobra.Command {
	return &cobra.Command{Use: "fuzz-worker", Hidden: true, Args: noArgs, Run: func(*cobra.Command, []string) { fuzz.Work(a.open) }}
}

func (a app) fuzz(ctx context.Context, f *flags, o fuzz.Options, shard string) error {
	if err := fuzzable(&o, shard, f.format); err != nil {
		return err
	}
	targets, err := a.connects(f.targets, f.server, f.options())
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
	t, err := a.open(ctx, o.Target)
	if err != nil {
		return err
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
	o.Kind, o.Dir, o.Command = c.Kind.Name, f.out, a.fuzzWorker
	if o.Dir == "" {
		o.Dir = "fuzz-found"
	}
	ctx, stop := a.interruptible(ctx)
	defer stop()
	told := time.Now()
	o.Told = func(r *fuzz.Report) {
		if time.Since(told) > 10*time.Second {
			told = time.Now()
			fmt.Fprintln(a.stderr, r.Line())
		}
	}
	r, err := fuzz.Run(ctx, o)
	if err != nil {
		return err
	}
	return a.fuzzed(r, o.Dir, f.format)
}

// fuzzable completes the options and returns what is wrong with them.
func fuzzable(o *fuzz.Options, shard, format string) error {
	if o.For == 0 && o.Stories == 0 {
		o.For = time.Minute
	}
	switch {
	case o.Stories < 0 || o.For < 0 || o.Steps < 1 || o.Workers < 0:
		return usagef("--stories, --for, --steps and --workers must be positive")
	case format != "text" && format != "json":
		return usagef("--format is %q: say text or json", format)
	case shard == "":
		return nil
	}
	i, n, _ := strings.Cut(shard, "/")
	at, err1 := strconv.Atoi(i)
	of, err2 := strconv.Atoi(n)
	if err1 != nil || err2 != nil || at < 1 || at > of {
		return usagef("--shard is %q: say 1/4 for the first of four parts", shard)
	}
	o.Shard, o.Shards = at-1, of
	return nil
}

// fuzzWorker returns the command of a worker. One thread of Go at a time, so that a seed gives the same histories.
func (a app) fuzzWorker() *exec.Cmd {
	cmd := a.self()
	cmd.Args[len(cmd.Args)-1] = "fuzz-worker"
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, "GOMAXPROCS=1", "GOGC=1600")
	return cmd
}

// fuzzed writes and prints the report. The status is 1 if a MUST clause was broken in a way that is not known.
func (a app) fuzzed(r *fuzz.Report, dir, format string) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = os.MkdirAll(dir, 0o777)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "report.json"), append(b, '\n'), 0o666)
	}
	if err != nil {
		return fmt.Errorf("the report could not be written: %w: give another directory with --out", err)
	}
	if format == "json" {
		fmt.Fprintln(a.stdout, string(b))
	} else if err := r.Text(a.stdout); err != nil {
		return err
	}
	for _, f := range r.Failed {
		if f.Known == "" && f.Level == harness.Must {
			return status(report.Failed)
		}
	}
	if len(r.Tested) == 0 {
		return status(report.Unproven)
	}
	return nil
}
