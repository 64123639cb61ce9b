package harness

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/lwtest/lwtest/harness/history"
)

// Info is what is known of a check before it runs.
type Info struct {
	Name      string        // clause ID, or clause ID/variant
	About     string        // what the drive does, in a sentence
	Needs     []Feature     // without them the check is skipped
	Either    []Feature     // of these one is enough: without any it is skipped, too; nil: it needs none
	Unless    []Feature     // with one of these it is skipped: what the drive waits for such a subject never does
	Rules     []Rule        // those it must put to the test; a check without is refused
	Isolation Isolation     // beside which others it may run on one server
	Span      time.Duration // how long the drive takes in real time, at most; 0: twenty seconds
	Grace     time.Duration // fake time that Settle lets pass; 0: ten minutes
	// Spans are how long it takes, at most, of a subject with one of these
	// features, where that is longer: one that does seldom what the drive waits for.
	Spans map[Feature]time.Duration
	// Script is the drive as data. Nil: the drive is Go code.
	Script Script
}

// Script is a drive as data: a story of harness/story.
type Script interface {
	// JSON returns it as `lwtest play` reads it.
	JSON() ([]byte, error)
	// Text returns it as numbered plain sentences, a line each.
	Text() string
}

// Isolation says what a check does to the others on its server, and what it
// bears of them. In virtual time each has a server of its own.
type Isolation int

const (
	Shared   Isolation = iota // does nothing to others; needs the history that it works on
	Quiet                     // lets watches be for minutes: once these are open it asks for nothing of the past
	Disturbs                  // lets history go, of others too, or goes behind the server's back: one at a time, once no Shared one is left
	Alone                     // ends what others have open: one at a time, after all others
)

// Exclusive says that no Shared check can run beside it.
func (i Isolation) Exclusive() bool { return i >= Disturbs }

func (i Isolation) String() string {
	return [...]string{Shared: "shared", Quiet: "quiet", Disturbs: "disturbs others", Alone: "alone"}[i]
}

// Beside is what a check of this sort may run beside, for people.
func (i Isolation) Beside() string {
	return [...]string{
		Shared:   "all that are shared or quiet",
		Quiet:    "all that are not to be alone",
		Disturbs: "quiet ones, after all that are shared",
		Alone:    "none: after all others",
	}[i]
}

// Check is a drive and the rules it must put to the test.
type Check[S any] struct {
	Info
	Drive func(*T, S) // records, never asserts
}

// Suite is all checks and all rules of a kind, in the order of the contract.
type Suite[S any] struct {
	Kind     string
	Version  string // of the contract
	Features []FeatureInfo
	Rules    []Rule
	Checks   []Check[S]
	// Score counts the classes of request and event that a history exercised.
	// It may be nil.
	Score func(*history.History) map[string]int
	// Play makes a check of a story in JSON. It is nil if the drives of the kind are no stories.
	Play func(story []byte) (Check[S], error)
	// Words describes the vocabulary of its stories; nil if it has none.
	Words []Word
}

// Word is a word of a kind's stories, as data.
type Word struct {
	Name, Help string
	Args       reflect.Type // of a step's arguments; nil: none
	GoldenOnly string       // why it cannot be drawn; empty: it can
}

// Plugin is a way to make subjects of one implementation.
type Plugin[S any] struct {
	Name     string    // implementation and version: "client-go kubernetes/fake v0.37.2"
	Features []Feature // what it declares
	// Open makes a fresh subject, inside the bubble where there is one. It
	// registers with T.Cleanup what must end with the case. An error costs one verdict.
	Open func(*T) (S, error)
}

// Kind is a suite without its type parameter: what reports, docs and judges need.
type Kind struct {
	Name     string
	Version  string
	Features []FeatureInfo
	Rules    []Rule // subject/survives first
	Checks   []Info
	Score    func(*history.History) map[string]int
	Words    []Word
	// CheckStory says what is wrong with a story in JSON. It is nil if the drives of the kind are no stories.
	CheckStory func(story []byte) error
}

// Addresses are those of its checks: the kind, a slash, the name.
func (k *Kind) Addresses() []string {
	var out []string
	for _, c := range k.Checks {
		out = append(out, k.Name+"/"+c.Name)
	}
	return out
}

// Case is one check on one plugin.
type Case struct {
	Kind   *Kind
	Plugin string
	Info
	Has   []Feature
	drive func(*T)
	play  func(story []byte) (Case, error)
}

// Play returns a case that plays a story, in JSON, on the same plugin.
func (c Case) Play(story []byte) (Case, error) {
	if c.play == nil {
		return Case{}, fmt.Errorf("the checks of the kind %s are not stories yet: only those of informers can be played", c.Kind.Name)
	}
	return c.play(story)
}

// Address is kind and check name.
func (c Case) Address() string { return join(c.Kind.Name, c.Name) }

// Describe gives the suite as data.
func (s Suite[S]) Describe() *Kind {
	k := &Kind{Name: s.Kind, Version: s.Version, Features: s.Features, Score: s.Score, Words: s.Words}
	k.Rules = append([]Rule{Survives}, s.Rules...)
	for _, c := range s.Checks {
		k.Checks = append(k.Checks, c.Info)
	}
	if s.Play != nil {
		k.CheckStory = func(story []byte) error {
			_, err := s.Play(story)
			return err
		}
	}
	return k
}

// Bind makes the cases of this suite on a plugin: the one place where S disappears.
func (s Suite[S]) Bind(p Plugin[S]) []Case {
	kind := s.Describe()
	var out []Case
	for _, c := range s.Checks {
		out = append(out, s.bind(kind, p, c))
	}
	return out
}

func (s Suite[S]) bind(kind *Kind, p Plugin[S], c Check[S]) Case {
	out := Case{Kind: kind, Plugin: p.Name, Info: c.Info, Has: p.Features, drive: func(t *T) {
		var subject S
		var err error
		t.Try(history.Engine, 0, func() { subject, err = p.Open(t) })
		switch {
		case err != nil:
			t.giveUp("the plugin could not be opened: " + err.Error())
		case any(subject) == nil:
			t.giveUp("the plugin could not be opened: it gave neither a subject nor an error")
		default:
			c.Drive(t, subject)
		}
	}}
	if s.Play != nil {
		out.play = func(story []byte) (Case, error) {
			c, err := s.Play(story)
			return s.bind(kind, p, c), err
		}
	}
	return out
}

// Target is what a connect string yields: cases, and how to let go of what they share.
type Target struct {
	Name  string
	Cases []Case
	Known []Known // known failures that the target brings with it
	// Notes are what whoever runs it should know, a line each: such as a
	// feature that the target withdrew because it found it switched off.
	Notes []string
	// Ready says why no check of this target would prove anything, which is asked
	// once before a run, as it may have to make something to find out. Processes
	// that share the target do not ask again. Nil: there is nothing to ask.
	Ready func(ctx context.Context) error
	// Sweep removes what checks of the run with this ID have left on a server
	// that others use, too, because they could not end themselves, and says in a
	// line what that was; empty: nothing. None of them may be under way. Nil:
	// checks leave nothing.
	Sweep func(ctx context.Context, runID string) (string, error)
	// Alive says why nothing can be found out of this target any more, such as that its
	// machine is gone, which is asked when a check did not pass; the run ends then. Nil: there is nothing to ask.
	Alive func(ctx context.Context) error
	// Logs writes into a folder that is not there yet what may tell why checks failed. Nil: there is nothing.
	Logs func(ctx context.Context, dir string) error
	// Close lets go of all that was used, and waits for what has to come after
	// that. It says in a line what has not come yet, and comes by itself; empty:
	// nothing. Nil: there is nothing to let go of.
	Close func() (string, error)
	// Release is Close for a process that shares what is used with one that
	// will Close: it waits for nothing. Nil: Close.
	Release func() error
}

// Validate says everything that is wrong with a kind as data; nil if nothing is.
func (k *Kind) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	rules, checks := map[string]bool{}, map[string]bool{}
	for _, r := range k.Rules {
		a := r.Address()
		if rules[a] {
			bad("rule %s: two have this address", a)
		}
		rules[a] = true
		if r.Judge == nil || r.Clause.Text == "" || r.Clause.Why == "" || len(r.Clause.Sources) == 0 {
			bad("rule %s: a rule needs a judge, and its clause a text, a reason and a source", a)
		}
		if !slices.Contains([]Level{Must, Should, Provisional}, r.Clause.Level) {
			bad("rule %s: level is %q", a, r.Clause.Level)
		}
		if f := r.Clause.MustWith; f != "" && (r.Clause.Level != Must || !known(f, k.Features)) {
			bad("rule %s: only a MUST can hang on a feature, and %s must be in the table of features", a, f)
		}
		for _, f := range r.Needs {
			if !known(f, k.Features) {
				bad("rule %s needs %s, which is not in the table of features", a, f)
			}
		}
	}
	for _, c := range k.Checks {
		if checks[c.Name] {
			bad("check %s: two have this name", c.Name)
		}
		checks[c.Name] = true
		if c.Isolation < Shared || c.Isolation > Alone {
			bad("check %s: there is no isolation %d", c.Name, c.Isolation)
		}
		if len(c.Rules) == 0 {
			bad("check %s: a check without rules tests nothing", c.Name)
		}
		for _, r := range c.Rules {
			if !rules[r.Address()] {
				bad("check %s: rule %s is not in the suite", c.Name, r.Address())
			}
		}
		for _, f := range slices.Concat(c.Needs, c.Either) {
			if !known(f, k.Features) {
				bad("check %s needs %s, which is not in the table of features", c.Name, f)
			}
		}
		for _, f := range c.Unless {
			if !known(f, k.Features) {
				bad("check %s is not for %s, which is not in the table of features", c.Name, f)
			}
		}
		for _, f := range slices.Sorted(maps.Keys(c.Spans)) {
			if !known(f, k.Features) {
				bad("check %s has a span of its own for %s, which is not in the table of features", c.Name, f)
			}
		}
	}
	return errors.Join(errs...)
}
