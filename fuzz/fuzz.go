// Package fuzz plays random stories on an implementation, judges each by every rule of its kind, and shrinks those that
// break one.
package fuzz

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/harness/sim"
)

// Options say what to play, how much of it and how.
type Options struct {
	Target      string   // connect string
	Kind        string   // of the stories
	Version     string   // of lwtest, for reports and stories
	Features    []string // declared, or withdrawn ("-x"), beside those of the target
	Seed        int64
	Stories     int           // how many; 0: as many as For allows
	For         time.Duration // how long; 0: until all Stories are played
	Steps       int           // of a story, beside those that begin and end it
	Workers     int           // processes; 0: one per CPU
	Shard       int           // this process plays the stories whose number is Shard modulo Shards
	Shards      int           // 0: all stories
	RealTime    bool
	Timeout     time.Duration // how long a story may take in real time; 0: DefaultTimeout
	Rate        float64       // stories a second at most, of all workers together; 0: as many as they can play
	Around      []byte        // a story in JSON: this one is played with a fault at each place, and nothing is drawn
	Pairs       bool          // with a pair of faults at each pair of places
	Cross       int           // a covering set of this strength is played, and nothing is drawn; 0: none
	Blind       bool          // each story is drawn anew: none is a variation of one that reached something new, and Corpus is empty
	RunID       string        // names what stories make on a shared server
	Provisional bool          // also report broken clauses that are provisional
	Known       []byte        // a file of failures that are expected, beside those of the target; nil: none
	Corpus      string        // a directory of stories to vary, and to write those that reached something new to; empty: none
	Dir         string        // where shrunk stories and the report are written; empty: nowhere
	Command     func() *exec.Cmd
	Told        func(*Report)               // called after each batch of stories
	Alive       func(context.Context) error // whether the target can answer; an error ends the run. It may be nil
}

// tries is how many stories the shrinking of one failure may play.
const tries = 400

// firstBatch is how many stories the first batches have: few, as what a batch found is known when it ends, and in real time a
// story takes seconds.
const firstBatch = 1

// DefaultTimeout is how long a story may take in real time.
const DefaultTimeout = time.Minute

// keepEvery is how often the report and the corpus are written while stories are played.
const keepEvery = 10 * time.Second

// lastCall is how long workers may go on after ctx has ended, or the time is over, to end the stories under way.
const lastCall = 5 * time.Second

// wall is the process's own time (see sim.Bubble) that one story may take in virtual time: a subject that asks in a tight loop would take for ever.
const wall = 30 * time.Second

// Run plays stories until there are enough, the time is over, or ctx ends. It returns what it has found in any case: after ctx ended
// also what the stories under way find within a few seconds. Meanwhile it writes the report and the corpus every ten seconds, and
// when something is found.
func Run(ctx context.Context, o Options) (*Report, error) {
	o.Workers, o.Timeout = cmp.Or(o.Workers, runtime.NumCPU()), cmp.Or(o.Timeout, DefaultTimeout)
	r := &Report{Format: Format, Version: o.Version, Target: o.Target, Kind: o.Kind, Seed: o.Seed, Steps: o.Steps, Cross: o.Cross, Began: time.Now().UTC(),
		Reached: map[string]int{}, Tested: map[string]int{}, Unsure: map[string]int{}}
	if o.Cross > 0 || o.Around != nil {
		r.Planned = o.Stories
	}
	run := &run{o: o, r: r, shrunk: map[string]int{}, size: firstBatch}
	if o.For > 0 {
		run.end = r.Began.Add(o.For)
	}
	if err := run.begin(); err != nil {
		return r, err
	}
	scratch, err := os.MkdirTemp("", "lwtest-fuzz-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(scratch)
	run.stop = filepath.Join(scratch, "stop")
	for err == nil && !run.last && ctx.Err() == nil && !over(run.end) && (o.Stories == 0 || run.next < o.Stories) {
		err = run.round(ctx)
		if err == nil && o.Alive != nil && ctx.Err() == nil {
			err = o.Alive(ctx)
		}
	}
	return r, errors.Join(err, run.keep())
}

// keep writes the corpus and the report.
func (r *run) keep() error {
	r.kept, r.keptNew = time.Now(), r.r.New()
	r.r.Took, r.r.Triples = time.Since(r.r.Began), len(r.corpus.Seen)
	r.r.sort()
	err := r.corpus.write(r.o.Corpus)
	if r.o.Dir != "" {
		err = errors.Join(err, r.r.Write(r.o.Dir))
	}
	return err
}

// Write writes the report as report.json into a directory.
func (r *Report) Write(dir string) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = os.MkdirAll(dir, 0o777)
	}
	if err != nil {
		return err
	}
	return write(filepath.Join(dir, "report.json"), append(b, '\n'))
}

// write replaces a file: whoever reads it finds the old content or the new one.
func write(path string, b []byte) error {
	return report.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// over reports whether a moment has passed; the zero moment never does.
func over(end time.Time) bool { return !end.IsZero() && time.Now().After(end) }

// run is the work of one process.
type run struct {
	o      Options
	r      *Report
	end    time.Time // zero: none
	next   int       // the first story that no batch has
	size   int       // stories of a batch
	corpus corpus
	last   bool // there are no more stories
	shrunk map[string]int
	stop   string // a file: once it is there, workers begin no further story

	kept    time.Time // when the report and the corpus were written
	keptNew int       // how many failures the report had then
}

// round plays some batches on each worker. Batches get larger until each takes about two seconds.
func (r *run) round(ctx context.Context) error {
	var jobs []sim.Job
	var batches []batch
	for range 4 * r.o.Workers {
		n := r.size
		if r.o.Stories > 0 {
			n = min(n, r.o.Stories-r.next)
		}
		if n == 0 {
			break
		}
		batches = append(batches, r.batch(r.next, n))
		r.next += n
	}
	began := time.Now()
	for _, b := range batches {
		jobs = append(jobs, r.job(b))
	}
	again, err := r.play(ctx, jobs, batches)
	for len(again) > 0 && err == nil && !over(r.end) && ctx.Err() == nil { // one by one: a story that ends the process costs itself only
		jobs = nil
		for _, b := range again {
			jobs = append(jobs, r.job(b))
		}
		again, err = r.play(ctx, jobs, again)
	}
	if took := time.Since(began); took < 8*time.Second {
		r.size = min(2*r.size, 5000)
	}
	return err
}

// repeatable reports whether equal options must play equal stories. Then each is drawn anew: histories of one story may
// differ in the order of events, so what it reached may, too.
func (o Options) repeatable() bool { return o.Workers == 1 && o.Stories > 0 && o.Corpus == "" }

// begin decides whether stories are varied, and reads the corpus.
func (r *run) begin() (err error) {
	r.o.Blind = r.o.Blind || r.o.repeatable()
	r.corpus, err = readCorpus(r.o.Corpus)
	return err
}

// pause is how long a worker waits after each story.
func (r *run) pause() time.Duration {
	if r.o.Rate <= 0 {
		return 0
	}
	return time.Duration(float64(r.o.Workers) / r.o.Rate * float64(time.Second))
}

// batch makes a batch. It shares nothing with r, which changes while batches are sent.
func (r *run) batch(from, n int) batch {
	return batch{Target: r.o.Target, Kind: r.o.Kind, Features: r.o.Features, Seed: r.o.Seed, RunID: r.o.RunID, From: from, Count: n, Steps: r.o.Steps, Tries: tries, Shard: r.o.Shard, Shards: r.o.Shards,
		Shrunk: maps.Clone(r.shrunk), RealTime: r.o.RealTime, Wall: wall, End: r.end, Corpus: corpus{slices.Clone(r.corpus.Seen), r.corpus.Stories}, Blind: r.o.Blind, Around: r.o.Around, Pairs: r.o.Pairs, Cross: r.o.Cross, Covered: r.r.Covered.clone(), Provisional: r.o.Provisional,
		Known: r.o.Known, Pause: r.pause(), Timeout: r.o.Timeout, Stop: r.stop}
}

func (r *run) job(b batch) sim.Job {
	return sim.Job{Body: b, Wall: wall*time.Duration(1+b.Count/50) + 10*time.Minute, Group: b.Target}
}

// play does jobs and adds up their outcomes. It returns the batches to be played again because their process ended.
func (r *run) play(ctx context.Context, jobs []sim.Job, of []batch) (again []batch, err error) {
	var dead []batch
	var how []*sim.Death
	pool := sim.Pool{Size: r.o.Workers, Command: r.o.Command}
	work, cancel := r.outlast(ctx)
	defer cancel()
	ended := pool.Run(work, jobs, func(i int, rep sim.Reply) {
		b := of[i]
		if rep.Died != nil {
			if b.Count == 1 {
				dead, how = append(dead, b), append(how, rep.Died)
				return
			}
			for n := range b.Count {
				again = append(again, r.batch(b.From+n, 1))
			}
			return
		}
		var out outcome
		if e := json.Unmarshal(rep.Body, &out); e != nil {
			err = errors.Join(err, e)
		}
		if out.Err != "" {
			err = errors.New(out.Err)
			return
		}
		r.last = r.last || out.Last
		if out.Played < b.Count && !out.Last && !over(r.end) && ctx.Err() == nil { // the process was replaced after the last of them
			again = append(again, r.batch(b.From+out.Played, b.Count-out.Played))
		}
		err = errors.Join(err, r.add(out))
	})
	if ended != nil && ctx.Err() == nil {
		err = errors.Join(err, ended)
	}
	return again, errors.Join(err, r.died(ctx, dead, how))
}

// outlast returns a context for workers. When ctx ends, they are told to begin no further story, and the context ends a little later.
func (r *run) outlast(ctx context.Context) (context.Context, context.CancelFunc) {
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(ctx, func() {
		if os.WriteFile(r.stop, nil, 0o666) != nil {
			cancel()
		}
		select {
		case <-work.Done():
		case <-time.After(lastCall):
			cancel()
		}
	})
	return work, func() { unhook(); cancel() }
}

// died reports the stories that ended their processes. A further process draws them again, without playing them.
func (r *run) died(ctx context.Context, dead []batch, how []*sim.Death) error {
	var jobs []sim.Job
	for i := range dead {
		dead[i].Draw = true
		jobs = append(jobs, r.job(dead[i]))
	}
	drawn := make([]outcome, len(dead))
	pool := sim.Pool{Size: 1, Command: r.o.Command}
	if len(jobs) > 0 {
		_ = pool.Run(ctx, jobs, func(i int, rep sim.Reply) { _ = json.Unmarshal(rep.Body, &drawn[i]) }) // what cannot be drawn is reported without its steps
	}
	var errs []error
	for i, b := range dead {
		f := found{Story: b.story(0), Rule: harness.Survives.Address(), Level: harness.Must, Want: "the process lives on", Got: how[i].String()}
		if all := drawn[i].Found; len(all) == 1 {
			f.Steps, f.Text, f.JSON = all[0].Steps, all[0].Text, all[0].JSON
		}
		r.r.died(f, how[i])
		if r.o.Dir != "" && f.JSON != nil && !how[i].External {
			errs = append(errs, r.save(f))
		}
	}
	return errors.Join(errs...)
}

// add adds what a worker tells of a batch.
func (r *run) add(out outcome) error {
	r.r.add(out)
	if !r.o.Blind {
		r.corpus.add(out)
	}
	r.r.Took, r.r.Triples = time.Since(r.r.Began), len(r.corpus.Seen)
	r.r.mark()
	var errs []error
	for _, f := range out.Found {
		if f.JSON == nil {
			continue
		}
		r.shrunk[f.Rule]++
		if r.o.Dir != "" && f.Known == "" {
			errs = append(errs, r.save(f))
		}
	}
	if time.Since(r.kept) > keepEvery || r.r.New() > r.keptNew {
		errs = append(errs, r.keep())
	}
	if r.o.Told != nil {
		r.o.Told(r.r)
	}
	return errors.Join(errs...)
}

// save writes a shrunk story, which `lwtest play` repeats.
func (r *run) save(f found) error {
	var s map[string]any
	if err := json.Unmarshal(f.JSON, &s); err != nil {
		return err
	}
	s["about"] = fmt.Sprintf("Found by lwtest fuzz %s on %s: story %d of seed %d, %d of %d times.", r.o.Version, r.o.Target, f.Story, r.o.Seed, f.Again, f.Tried)
	if f.Level != Stopped { // that is no rule
		s["rules"] = []string{f.Rule}
	}
	b, err := json.MarshalIndent(s, "", "  ")
	if err == nil {
		err = os.MkdirAll(r.o.Dir, 0o777)
	}
	if err != nil {
		return err
	}
	return write(filepath.Join(r.o.Dir, f.file()), append(b, '\n'))
}

// file is the name of a story's file.
func (f found) file() string {
	return fmt.Sprintf("%s-%d.json", strings.ReplaceAll(f.Rule, "/", "."), f.Story)
}

// Format is the version of a report's JSON.
const Format = "fuzz/v1"

// Report is what fuzzing found.
type Report struct {
	Format  string         `json:"lwtest"`
	Version string         `json:"version,omitempty"` // of lwtest
	Target  string         `json:"target"`
	Kind    string         `json:"kind"`
	Seed    int64          `json:"seed"`
	Steps   int            `json:"steps"`
	Cross   int            `json:"cross,omitempty"` // the strength of the covering set that was played; 0: random stories
	Began   time.Time      `json:"began"`
	Took    time.Duration  `json:"took"` // ns
	Stories int            `json:"stories"`
	Planned int            `json:"planned,omitempty"` // how many stories a covering set or a sweep of faults has for this run; 0: random stories
	Reached map[string]int `json:"reached"`           // how often each class of request and event was exercised
	Covered *Pairs         `json:"pairs,omitempty"`   // of the values of the kind's dimensions; nil: it has none
	Triples int            `json:"triples"`           // of the state of an actor, what it saw next, and the step of the story, how many were reached
	Tested  map[string]int `json:"tested"`            // how many stories tested each rule
	Unsure  map[string]int `json:"unsure"`            // stories that proved nothing, by reason
	Idle    int            `json:"idle"`              // stories that tested no rule, but that the subject survives
	Failed  []Failure      `json:"failed"`
	// Progress is how far the run was, at moments each a tenth later than the one before, and at last. A merged report has none.
	Progress []Point `json:"progress,omitempty"`
}

// Point is how far a run was at a moment.
type Point struct {
	Took    time.Duration `json:"took"` // ns
	Stories int           `json:"stories"`
	Classes int           `json:"classes"` // of requests and events
	Triples int           `json:"triples"`
}

// mark adds how far the run is to its progress.
func (r *Report) mark() {
	if n := len(r.Progress); n > 1 && r.Progress[n-1].Took < r.Progress[n-2].Took*11/10 {
		r.Progress = r.Progress[:n-1]
	}
	r.Progress = append(r.Progress, Point{r.Took, r.Stories, len(r.Reached), r.Triples})
}

// Failure is a rule that stories broke in one way: Shape is the words of the shrunk story.
type Failure struct {
	Rule    string        `json:"rule"`
	Level   harness.Level `json:"level"`
	Known   string        `json:"known,omitempty"` // why that is expected
	Stories int           `json:"stories"`         // how many broke the rule, in whatever way
	Shapes  []Shape       `json:"shapes"`
}

// Shape is a shrunk story.
type Shape struct {
	found
	File string `json:"file"`
}

func (r *Report) add(out outcome) {
	r.Stories += out.Played
	r.Idle += out.Idle
	if r.Covered == nil {
		r.Covered = out.Covered
	} else {
		r.Covered.Merge(out.Covered)
	}
	for k, n := range out.Reached {
		r.Reached[k] += n
	}
	for k, n := range out.Tested {
		r.Tested[k] += n
	}
	for k, n := range out.Unsure {
		r.Unsure[k] += n
	}
	for _, f := range out.Found {
		r.found(f)
	}
}

// found adds a failure to those of its rule. Equal shapes are kept once: the shorter, or the first.
func (r *Report) found(f found) {
	i := slices.IndexFunc(r.Failed, func(x Failure) bool { return x.Rule == f.Rule && x.Known == f.Known })
	if i < 0 {
		i = len(r.Failed)
		r.Failed = append(r.Failed, Failure{Rule: f.Rule, Level: f.Level, Known: f.Known})
	}
	of := &r.Failed[i]
	of.Stories++
	if f.JSON == nil && f.Got == "" || slices.ContainsFunc(of.Shapes, func(s Shape) bool { return shape(s.JSON) == shape(f.JSON) }) {
		return
	}
	s := Shape{found: f}
	if f.JSON != nil {
		s.File = f.file()
	}
	of.Shapes = append(of.Shapes, s)
}

// shape is the words of a story.
func shape(b json.RawMessage) string {
	var s struct{ Steps []struct{ Op string } }
	_ = json.Unmarshal(b, &s) // it is ours
	var out []string
	for _, step := range s.Steps {
		out = append(out, step.Op)
	}
	return strings.Join(out, " ")
}

// died adds a story that ended its process. One that lwtest killed, perhaps because judging took too long, proves nothing.
func (r *Report) died(f found, d *sim.Death) {
	r.Stories++
	if d.External {
		r.Unsure[d.How]++
		return
	}
	r.found(f)
}

// sort puts failures that are not known first, those of MUST clauses before the others.
func (r *Report) sort() {
	slices.SortStableFunc(r.Failed, func(a, b Failure) int {
		return cmp.Or(cmp.Compare(a.Known, b.Known), cmp.Compare(a.Level, b.Level), cmp.Compare(a.Rule, b.Rule))
	})
}
