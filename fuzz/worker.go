package fuzz

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/runner"
	"github.com/lwtest/lwtest/harness/sim"
	"github.com/lwtest/lwtest/harness/story"
)

// batch is a job of a worker: the stories From to From+Count-1 of a seed.
type batch struct {
	Target      string          `json:"target"`
	Kind        string          `json:"kind"`
	Features    []string        `json:"features,omitempty"`
	Seed        int64           `json:"seed"`
	RunID       string          `json:"runID,omitempty"`
	From        int             `json:"from"`
	Count       int             `json:"count"`
	Steps       int             `json:"steps"`
	Tries       int             `json:"tries"`  // stories that shrinking may play
	Shrunk      map[string]int  `json:"shrunk"` // how many failures of a rule have been shrunk
	Shard       int             `json:"shard,omitempty"`
	Shards      int             `json:"shards,omitempty"` // story n of the batch is n*Shards+Shard of the seed
	RealTime    bool            `json:"realTime"`
	Wall        time.Duration   `json:"wall"`
	End         time.Time       `json:"end"` // no story begins after it; zero: none
	Corpus      corpus          `json:"corpus,omitzero"`
	Blind       bool            `json:"blind,omitempty"`
	Around      json.RawMessage `json:"around,omitempty"`
	Pairs       bool            `json:"pairs,omitempty"`
	Cross       int             `json:"cross,omitempty"`   // the stories of a covering set of this strength; 0: random ones
	Covered     *Pairs          `json:"covered,omitempty"` // what earlier batches covered
	Provisional bool            `json:"provisional,omitempty"`
	Known       json.RawMessage `json:"known,omitempty"` // a file of known failures
	Pause       time.Duration   `json:"pause,omitempty"` // after each story
	Timeout     time.Duration   `json:"timeout"`         // of a story in real time
	Stop        string          `json:"stop,omitempty"`  // a file: once it is there, no story begins
	Draw        bool            `json:"draw,omitempty"`  // the stories are drawn, and not played
}

// story returns the number of the ith story of the batch.
func (b batch) story(i int) int { return (b.From+i)*max(b.Shards, 1) + b.Shard }

// over reports whether no further story may begin.
func (b batch) over() bool {
	if over(b.End) {
		return true
	}
	_, err := os.Stat(b.Stop)
	return b.Stop != "" && err == nil
}

// outcome is what a worker tells of a batch.
type outcome struct {
	Played  int               `json:"played"` // fewer than asked for if the process must be replaced
	Unsure  map[string]int    `json:"unsure,omitempty"`
	Idle    int               `json:"idle,omitempty"` // stories that tested no rule, but that the subject survives
	Reached map[string]int    `json:"reached,omitempty"`
	Tested  map[string]int    `json:"tested,omitempty"` // stories that tested a rule
	Found   []found           `json:"found,omitempty"`
	Covered *Pairs            `json:"covered,omitempty"` // the pairs that were reached and judged
	Triples []string          `json:"triples,omitempty"` // that were not reached before
	Fresh   []json.RawMessage `json:"fresh,omitempty"`   // stories that reached them
	Last    bool              `json:"last,omitempty"`    // there are no more stories
	Err     string            `json:"err,omitempty"`
}

// found is a story that broke a rule, or of which something is left.
type found struct {
	Story int             `json:"story"` // its number
	Rule  string          `json:"rule"`
	Level harness.Level   `json:"level"`
	Known string          `json:"known,omitempty"`
	Want  string          `json:"want,omitempty"`
	Got   string          `json:"got,omitempty"`
	Seen  string          `json:"seen,omitempty"`
	Steps int             `json:"steps"`
	Text  string          `json:"text,omitempty"`
	JSON  json.RawMessage `json:"json,omitempty"` // shrunk; nil: the failure was only counted
	Tries int             `json:"tries,omitempty"`
	Took  time.Duration   `json:"took,omitempty"` // shrinking, ns
	Again int             `json:"again"`          // how often it failed when it was played again
	Tried int             `json:"tried"`          // that often: Repeats, or fewer if one takes long
}

// Repeats is how often a shrunk story is played again.
const Repeats = 20

// shrinkFor bounds the shrinking of one story.
const shrinkFor = 20 * time.Second

// proving bounds the search for the evidence of a finding.
const proving = time.Second

// shrunkPerRule is how many failures of one rule are shrunk; more are only counted.
const shrunkPerRule = 3

// Work is the main function of a worker process; it does not return.
func Work(open runner.Opener) {
	w := &worker{open: open, targets: map[string]subject{}}
	sim.Work(w.handle, func() {})
}

type worker struct {
	open    runner.Opener
	targets map[string]subject
}

// subject is a target on whose plugin stories are played.
type subject struct {
	harness.Case
	known    []harness.Known
	hopeless func(harness.Result) error // as of harness.Target
}

func (w *worker) handle(t *testing.T, body json.RawMessage) (any, bool) {
	var b batch
	if err := json.Unmarshal(body, &b); err != nil {
		return outcome{Err: err.Error()}, false
	}
	s, err := w.subject(b)
	if err != nil {
		return outcome{Err: err.Error()}, false
	}
	p := &player{t: t, batch: b, of: s, out: outcome{Unsure: map[string]int{}, Reached: map[string]int{}, Tested: map[string]int{}}}
	p.covered = newPairs(s.Kind.Language.Pairs(s.Has))
	p.covered.Merge(b.Covered)
	p.guide = newGuide(s.Kind.Language, b.Corpus)
	if b.Cross == 0 && b.Around == nil {
		covered := p.covered
		if b.Blind {
			covered = nil
		}
		p.guide.cross(s.Has, b.Seed, covered)
	}
	if p.known, err = b.knownFailures(s); err != nil {
		return outcome{Err: err.Error()}, false
	}
	ok := p.all()
	p.out.Triples, p.out.Fresh, p.out.Covered = p.guide.reached, p.guide.fresh, p.covered
	return p.out, !ok
}

// all plays the stories of the batch, and reports whether the process can go on.
func (p *player) all() bool {
	next, err := p.scripts()
	if err != nil {
		p.out.Err = err.Error()
		return true
	}
	for i := range p.Count {
		n := p.story(i)
		s, ok := next(n)
		if p.Draw && ok {
			f := found{Story: n, Steps: s.Len(), Text: s.Text()}
			f.JSON, _ = s.JSON() // the tests of a vocabulary show that this cannot fail
			p.out.Found = append(p.out.Found, f)
			continue
		}
		if p.over() || !ok {
			p.out.Last = !ok
			break
		}
		if !p.play(n, s) {
			return false
		}
		time.Sleep(p.Pause)
	}
	return true
}

// planned returns how many stories the batch's plan has, and the function that makes them: all around a story, or a covering set.
func (p *player) planned() (int, func(i int) harness.Script, error) {
	if p.Cross > 0 {
		count, ith := p.of.Kind.Language.Crossed(p.of.Has, p.Cross, p.Seed)
		return count, ith, nil
	}
	around, err := p.of.Kind.Story(p.Around)
	if err != nil {
		return 0, nil, err
	}
	count, ith := p.of.Kind.Language.Around(around, p.Pairs)
	return count, ith, nil
}

// scripts returns the function that makes the nth story: a random one, or one of a plan. ok is false behind the last.
func (p *player) scripts() (func(n int) (s harness.Script, ok bool), error) {
	if p.Around == nil && p.Cross == 0 {
		return func(n int) (harness.Script, bool) { return p.guide.draw(p.Seed, n, p.Steps), true }, nil
	}
	count, ith, err := p.planned()
	if err != nil {
		return nil, err
	}
	return func(n int) (s harness.Script, ok bool) {
		if n >= count {
			return nil, false
		}
		return ith(n), true
	}, nil
}

// knownFailures returns those of the target, and those that the options name.
func (b batch) knownFailures(s subject) ([]harness.Known, error) {
	if b.Known == nil {
		return s.known, nil
	}
	more, err := harness.ParseKnown("--known", b.Known)
	return slices.Concat(s.known, more), err
}

func (w *worker) subject(b batch) (subject, error) {
	if s, ok := w.targets[b.Target]; ok {
		return s, nil
	}
	t, err := w.open(context.Background(), b.Target)
	if err != nil {
		return subject{}, err
	}
	c, err := CaseOf(t, b.Kind)
	if err == nil {
		c.Has, err = harness.Adjust(c.Has, b.Features, c.Kind.Features)
	}
	if err == nil {
		w.targets[b.Target] = subject{c, t.Known, t.Hopeless}
	}
	return w.targets[b.Target], err
}

// CaseOf returns a case of a target on whose plugin stories of a kind can be played; of any kind, if none is named.
func CaseOf(t harness.Target, kind string) (harness.Case, error) {
	var has []string
	for _, c := range t.Cases {
		if c.Kind.Language != nil && (kind == "" || c.Kind.Name == kind) {
			return c, nil
		}
		if !slices.Contains(has, c.Kind.Name) {
			has = append(has, c.Kind.Name)
		}
	}
	if kind != "" && len(has) > 0 {
		return harness.Case{}, fmt.Errorf("it has no checks of the kind %s, but of %s", kind, strings.Join(has, " and "))
	}
	return harness.Case{}, errors.New("it has no checks of a kind that can be fuzzed: docs/stories.md has the kinds that can")
}

// player plays the stories of a batch.
type player struct {
	t     *testing.T
	of    subject
	out   outcome
	guide *guide
	known []harness.Known
	// covered are the pairs that this batch and those before it have reached and judged.
	covered *Pairs
	batch
}

// play plays one story, and shrinks it if it breaks a rule. It reports whether the process can go on.
func (p *player) play(n int, s harness.Script) (ok bool) {
	if !p.virtual() {
		s = p.of.Kind.Language.Hasten(s, hasty)
	}
	r, h := p.runs(s)
	if h != nil {
		p.cover(s, h)
	}
	p.out.Played++
	for class, times := range r.Score {
		p.out.Reached[class] += times
	}
	failed, proved, tested := false, false, false
	for i := range r.Rules {
		rr := &r.Rules[i]
		if rr.Tested > 0 {
			p.out.Tested[rr.Rule]++
			other := rr.Rule != harness.Survives.Address()
			tested, proved = tested || other, proved || other && rr.Verdict == harness.Pass
		}
		if rr.Verdict == harness.Fail && (p.Provisional || rr.Level != harness.Provisional) {
			failed = true
			p.found(s, n, r, rr)
		}
	}
	switch {
	case !tested:
		p.out.Idle++ // and is not varied
	case !p.Blind && p.Around == nil && p.Cross == 0:
		p.guide.learn(s, h)
	}
	if p.of.hopeless != nil {
		if err := p.of.hopeless(r); err != nil {
			p.out.Err = err.Error()
			return false
		}
	}
	if r.Verdict == harness.Inconclusive && !failed {
		p.unproven(s, n, r, proved)
	}
	return !r.Damaged()
}

// unproven counts a story that is inconclusive. proved reports whether a rule passed all the same.
func (p *player) unproven(s harness.Script, n int, r harness.Result, proved bool) {
	if !p.virtual() && p.over() && r.Cause != harness.CauseAdapter {
		p.out.Unsure["the time was over before the story ended"]++
		return
	}
	if why, ofRule := unsure(r); !ofRule || !proved {
		p.out.Unsure[why]++
	}
	p.stopped(s, n, r)
}

// hasty is how much time a step may let pass in real time.
const hasty = time.Second

func (p *player) virtual() bool { return !p.RealTime && slices.Contains(p.of.Has, harness.VirtualTime) }

var (
	// numbers are those of events in a reason: stories that differ only in them are counted together.
	numbers = regexp.MustCompile(`#\d+`)
	// undecided is the reason of stories that left a rule undecided.
	undecided = regexp.MustCompile(`^(?:\d+ rules are undecided, the first is )?([a-z0-9-]+/[a-z0-9/-]+): `)
)

// unsure says why a story is inconclusive: the first rule that is undecided, or why the case was given up. ofRule tells them apart:
// other rules may have judged the story.
func unsure(r harness.Result) (why string, ofRule bool) {
	if m := undecided.FindStringSubmatch(r.Reason); m != nil {
		return m[1] + " is undecided", true
	}
	line, _, _ := strings.Cut(r.Reason, "\n")
	return numbers.ReplaceAllString(line, "#n"), false
}

func (p *player) run(s harness.Script) harness.Result {
	r, _ := p.runs(s)
	return r
}

func (p *player) runs(s harness.Script) (harness.Result, *history.History) {
	c, err := p.of.Play(s)
	if err != nil {
		return harness.Result{Verdict: harness.Inconclusive, Reason: err.Error()}, nil
	}
	o := harness.Options{TB: p.t, Seed: p.Seed, Target: p.Target, RealTime: p.RealTime, Wall: p.Wall, Span: time.Hour}
	if !o.Virtual(c) {
		o.RunID, c.Span = p.RunID, min(cmp.Or(c.Span, p.Timeout), p.left()) // a story may hang in each of its steps
	}
	return harness.Run(c, o)
}

// left returns how long a story in real time may take: the time-out, or less if the time of the run is over soon.
func (p *player) left() time.Duration {
	if p.End.IsZero() {
		return p.Timeout
	}
	return max(min(p.Timeout, time.Until(p.End)+lastCall), time.Millisecond)
}

// Stopped is the level of stories that could not be played to their end: it is no clause that they break.
const Stopped harness.Level = "STOPPED"

// stops is how reasons say that a story did not end as stories do.
var stops = regexp.MustCompile(`^(hang|deadlock|leak|a flood|flood)`)

// stopped notes a story that hung, deadlocked, leaked or flooded, or whose adapter broke the protocol, with all its steps.
func (p *player) stopped(s harness.Script, n int, r harness.Result) {
	cause := stops.FindString(r.Reason)
	if r.Cause == harness.CauseAdapter {
		cause = harness.CauseAdapter
	}
	if cause == "" {
		return
	}
	f := found{Story: n, Rule: "story/" + strings.TrimPrefix(cause, "a "), Level: Stopped, Steps: s.Len()}
	if p.Shrunk[f.Rule] == 0 { // one is enough
		p.Shrunk[f.Rule]++
		f.Text, f.Want, f.Got = s.Text(), "a story that can be played to its end", r.Reason
		f.JSON, _ = s.JSON()
	}
	p.out.Found = append(p.out.Found, f)
}

// found notes a failure, and shrinks the story of the first failures of a rule.
func (p *player) found(s harness.Script, n int, r harness.Result, rr *harness.RuleResult) {
	f := found{Story: n, Rule: rr.Rule, Level: rr.Level, Known: p.knownAs(r, rr), Steps: s.Len()}
	if f.Known == "" && p.Shrunk[f.Rule] < shrunkPerRule {
		p.Shrunk[f.Rule]++
		p.shrink(&f, s, rr)
	}
	p.out.Found = append(p.out.Found, f)
}

func (p *player) shrink(f *found, s harness.Script, last *harness.RuleResult) {
	began := time.Now()
	more := func(tried int) bool { return tried < p.Tries && time.Since(began) < shrinkFor && !p.over() }
	small, tries := story.Shrink(p.of.Kind.Language, s, more, func(s harness.Script) bool {
		r := p.run(s)
		rr := broken(r, f.Rule)
		if rr == nil || p.knownAs(r, rr) != "" {
			return false
		}
		last = rr
		return true
	})
	f.Took, f.Tries, f.Steps, f.Text = time.Since(began), tries, small.Len(), small.Text()
	f.JSON, _ = small.JSON() // the tests of a vocabulary show that this cannot fail
	var h *history.History
	for f.Tried < Repeats && time.Since(began) < 2*shrinkFor && !p.over() {
		f.Tried++
		r, played := p.runs(small)
		if rr := broken(r, f.Rule); rr != nil {
			f.Again++
			last, h = rr, played
		}
	}
	if h != nil {
		p.of.Kind.Prove(last, h, proving)
	}
	if len(last.Bad) > 0 {
		bad := last.Bad[0]
		f.Want, f.Got, f.Seen = bad.Want, bad.Got, bad.Timeline
	}
}

// broken returns the result of a rule that is broken, or nil.
func broken(r harness.Result, rule string) *harness.RuleResult {
	for i := range r.Rules {
		if r.Rules[i].Rule == rule && r.Rules[i].Verdict == harness.Fail {
			return &r.Rules[i]
		}
	}
	return nil
}

// knownAs returns the reason of the known failures that cover all findings of a rule, or "". What comes after a known failure of the same
// story, on the same object or request, is known, too.
func (p *player) knownAs(r harness.Result, rr *harness.RuleResult) string {
	reason := ""
	for _, bad := range rr.Bad {
		if reason = p.knownGot(rr.Rule, bad.Got); reason == "" {
			break
		}
	}
	for _, before := range rr.After {
		if why := p.knownAs(r, broken(r, before)); reason == "" && why != "" {
			reason = "after " + before + ": " + why
		}
	}
	return reason
}

func (p *player) knownGot(rule, got string) string {
	for i := range p.known {
		if k := &p.known[i]; k.OnTarget(p.Target) && k.Expects(p.of.Kind.Name, rule, got) {
			return k.Reason
		}
	}
	return ""
}
