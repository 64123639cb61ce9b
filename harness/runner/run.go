package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/harness/sim"
)

// Runner runs the checks of a plan and writes a run directory.
type Runner struct {
	Command  func() *exec.Cmd // a process that calls Work with the same Opener
	Parallel int              // worker processes at a time; 0: one per CPU
	Settings report.Settings
	RunID    string          // names the run on shared servers; the same in each session of a resumed run
	Dir      string          // the run directory; histories go below it
	Known    []harness.Known // known failures: their histories are not kept, unless Settings say so
	// Started, if set, is called with each check that a worker gets.
	Started func(Item)
	// Noted, if set, is called with a line about each thing that a worker could not release.
	Noted func(string)
}

// margin is what a worker may need beyond a check's limit to open the target, to judge and to answer. The worker's own
// watchdog should fire first, because it can name the goroutine that hangs.
const margin = 30 * time.Second

// Run drives the items: first those in virtual time, then those in real time as their isolation allows, and last,
// alone, those of the latter that were inconclusive. It calls done with each result at once, never concurrently. It
// ends early if ctx ends or a history cannot be saved: the checks after it would fail for the same reason.
func (r Runner) Run(ctx context.Context, items []Item, done func(Item, harness.Result)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	for _, it := range items {
		os.Remove(r.file(it)) // from a killed run
		os.Remove(r.log(it))
	}
	defer func() {
		for _, it := range items {
			os.Remove(filepath.Dir(r.file(it))) // removes empty folders only
		}
	}()
	r, done = r.oneAtATime(done)
	s := r.schedule(items)
	more := &retries{r: r, done: done, all: len(items)}
	err := r.phase(ctx, cancel, s.virtual, done)
	if err == nil {
		err = r.beside(ctx, cancel, s, more.take)
	}
	if err == nil {
		err = r.phase(ctx, cancel, s.alone, done)
	}
	if err == nil {
		err = more.run(ctx, cancel)
	}
	if err != nil {
		return context.Cause(ctx)
	}
	return nil
}

// oneAtATime returns r and done with a lock around their callbacks, because two pools may call them.
func (r Runner) oneAtATime(done func(Item, harness.Result)) (Runner, func(Item, harness.Result)) {
	var mu sync.Mutex
	if f := r.Started; f != nil {
		r.Started = func(it Item) { mu.Lock(); defer mu.Unlock(); f(it) }
	}
	if f := r.Noted; f != nil {
		r.Noted = func(line string) { mu.Lock(); defer mu.Unlock(); f(line) }
	}
	return r, func(it Item, res harness.Result) { mu.Lock(); defer mu.Unlock(); done(it, res) }
}

func (r Runner) phase(ctx context.Context, cancel context.CancelCauseFunc, p phase, done func(Item, harness.Result)) error {
	var jobs []sim.Job
	for _, it := range p.items {
		jobs = append(jobs, sim.Job{Body: r.job(it), Wall: r.options(it).Limit(it.Case) + margin, Group: it.group, Begun: func() bool {
			_, err := readLog(r.log(it))
			return err == nil
		}})
	}
	pool := sim.Pool{Size: p.size, Patience: closingMax + 5*time.Second, Command: func() *exec.Cmd { return r.command(p.virtual) },
		Began: func(i int) {
			if r.Started != nil {
				r.Started(p.items[i])
			}
		},
		Parted: r.notices}
	return pool.Run(ctx, jobs, func(i int, rep sim.Reply) {
		res, err := r.result(p.items[i], rep)
		if err != nil {
			cancel(fmt.Errorf("the history of %s could not be saved: %w: free some disk space, then run again with --resume %s", p.items[i].Case.Address(), err, r.Dir))
			return
		}
		done(p.items[i], res)
	})
}

// notices finds the notices of a worker in its last output. All other output is the subject's.
func (r Runner) notices(log string) {
	for line := range strings.Lines(log) {
		if line, ok := strings.CutPrefix(line, noticePrefix); ok && r.Noted != nil {
			r.Noted(strings.TrimSpace(line))
		}
	}
}

// command returns the command of a worker. In virtual time a run can be repeated only if goroutines take turns (one
// thread of Go at a time) and the garbage collector does not interrupt them (it runs between checks, see
// worker.handle).
func (r Runner) command(virtual bool) *exec.Cmd {
	cmd := r.Command()
	if virtual {
		if cmd.Env == nil {
			cmd.Env = os.Environ()
		}
		cmd.Env = append(cmd.Env, "GOMAXPROCS=1", "GOGC=off", "GOMEMLIMIT=1GiB")
	}
	return cmd
}

func (r Runner) job(it Item) job {
	o := r.options(it)
	var known []harness.Known
	for _, k := range r.Known {
		if k.OnTarget(it.Target) && harness.Match(k.Check, it.Case.Address()) {
			known = append(known, k)
		}
	}
	return job{Target: it.Target, Check: it.Case.Address(), Of: it.of, Story: it.story, Has: it.Case.Has, Seed: o.Seed, RunID: o.RunID,
		RealTime: o.RealTime, Wall: o.Wall, Span: o.Span, Log: absolute(r.log(it)), File: absolute(r.file(it)), Keep: r.Settings.Keep, Known: known}
}

// options returns the options of a case, except those that only a worker has. A case in virtual time has its own
// server and gets no run ID, which would make two runs of one seed differ.
func (r Runner) options(it Item) harness.Options {
	s := r.Settings
	o := harness.Options{RealTime: s.RealTime, Seed: cmp.Or(it.seed, s.Seed), Target: it.Target, Wall: s.Timeout, Span: s.Span}
	if !o.Virtual(it.Case) {
		o.RunID = r.RunID
	}
	return o
}

func (r Runner) file(it Item) string {
	return filepath.Join(r.Dir, report.History(it.Target, it.Case.Address()))
}

// log returns the file that a worker writes while it drives the item.
func (r Runner) log(it Item) string { return r.file(it) + ".log" }

// absolute returns a path that stays valid when a subject changes the working directory.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// result makes a result from what a worker left. The error says why the history could not be saved.
func (r Runner) result(it Item, rep sim.Reply) (harness.Result, error) {
	res, kept, err := r.judged(it, rep)
	if err != nil {
		return res, err
	}
	if res.Elapsed == 0 && rep.Died != nil {
		res.Elapsed = rep.Took
	}
	err = os.Remove(r.log(it))
	if err == nil && kept {
		_, err = os.Stat(r.file(it))
	}
	if err != nil && res.Events > 0 { // the subject deleted files of lwtest
		return r.undriven(it, "its history is gone from the run directory: "+err.Error()), nil
	}
	if !kept {
		return res, nil
	}
	res.History = report.History(it.Target, it.Case.Address())
	return res, nil
}

func (r Runner) judged(it Item, rep sim.Reply) (res harness.Result, kept bool, err error) {
	if rep.Died != nil {
		return r.died(it, rep.Died)
	}
	var answer reply
	if err := json.Unmarshal(rep.Body, &answer); err != nil {
		return r.undriven(it, "the worker's answer is not JSON: "+err.Error()), false, nil
	}
	switch {
	case answer.Unsaved != "":
		return harness.Result{}, false, errors.New(answer.Unsaved)
	case answer.Result == nil:
		return r.undriven(it, answer.Err), false, nil
	}
	return *answer.Result, answer.Kept, nil
}

// undriven returns the result of a check about which nothing is known.
func (r Runner) undriven(it Item, why string) harness.Result {
	h := it.Case.Header(r.options(it))
	return harness.Result{Check: h.Check, Target: h.Target, Plugin: h.Plugin, Seed: h.Seed, Time: h.Time,
		Verdict: harness.Inconclusive, Reason: why}
}
