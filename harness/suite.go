package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lwtest/lwtest/harness/history"
)

// Info describes a check before it runs.
type Info struct {
	Name      string        // clause ID, or clause ID/variant
	About     string        // what the drive does, in a sentence
	Needs     []Feature     // without all of them the check is skipped
	Either    []Feature     // without any of them the check is skipped; nil: needs none
	Unless    []Feature     // with any of them the check is skipped: such a subject never does what the drive waits for
	Rules     []Rule        // the rules that it must test; at least one
	Isolation Isolation     // beside which other checks it may run on one server
	Span      time.Duration // longest time that the drive takes in real time; 0: 20 s
	Grace     time.Duration // fake time that T.Idle lets pass; 0: 10 min
	// Spans holds a longer Span for subjects with one of these features, which do seldom what the drive waits for.
	Spans map[Feature]time.Duration
	// Script is the drive as data. It is nil if the drive is Go code.
	Script Script
}

// Isolation says how a check affects other checks on its server, and what it tolerates from them. In virtual time each
// check has its own server.
type Isolation int

const (
	Shared   Isolation = iota // does not affect others; needs the history that it works on
	Quiet                     // leaves watches open for minutes and then asks for nothing in the past
	Disturbs                  // makes the server forget history or writes behind its back: one at a time, after all Shared checks
	Alone                     // ends connections of others: one at a time, after all other checks
)

// Exclusive reports whether no Shared check can run beside it.
func (i Isolation) Exclusive() bool { return i >= Disturbs }

func (i Isolation) String() string {
	return [...]string{Shared: "shared", Quiet: "quiet", Disturbs: "disturbs others", Alone: "alone"}[i]
}

// Beside describes, for people, what a check of this isolation may run beside.
func (i Isolation) Beside() string {
	return [...]string{
		Shared:   "all that are shared or quiet",
		Quiet:    "all that are not to be alone",
		Disturbs: "quiet ones, after all that are shared",
		Alone:    "none: after all others",
	}[i]
}

// Check is a drive and the rules that it must test.
type Check[S any] struct {
	Info
	Drive func(*T, S) // records, never asserts
}

// Checks returns a function for Suite.Checks that returns these.
func Checks[S any](all ...Check[S]) func() []Check[S] { return func() []Check[S] { return all } }

// Suite holds all checks and rules of a kind, in the order of the contract.
type Suite[S any] struct {
	Kind     string
	Version  string // of the contract
	Features []FeatureInfo
	Rules    []Rule
	// Checks returns the checks, the same each time. It is called when they are first needed: a program that runs none should
	// not wait for them. It may be nil in a suite that is only described.
	Checks func() []Check[S]
	// Span is how long a check of the kind may take in real time, if it does not say. 0: 20 s.
	Span time.Duration
	// PerCore is how many checks of the kind share a core in real time, because they mostly wait. 0: 1.
	PerCore int
	// Score counts the classes of request and event that a history exercised. It may be nil.
	Score func(*history.History) map[string]int
	// Compare shows the part of a history that a finding is about beside another part, where nothing went wrong. It returns nil if there
	// is nothing to compare with. It may be nil.
	Compare func(*history.History, Finding) *Comparison
	// Language is that of its stories, and Play a drive that plays one. They are nil if the drives of the kind are not
	// stories.
	Language Language
	Play     func(*T, S, Script)
}

// Plugin makes subjects of one implementation.
type Plugin[S any] struct {
	Name     string    // implementation and version: "client-go kubernetes/fake v0.37.2"
	Features []Feature // the features that it declares
	// Open makes a fresh subject, inside the bubble in virtual time. It registers with T.Cleanup what must end with the
	// case. An error makes only this case inconclusive.
	Open func(*T) (S, error)
}

// Kind is a suite without its type parameter, for reports, docs and judges.
type Kind struct {
	Name     string
	Version  string
	Features []FeatureInfo
	Rules    []Rule // begins with subject/survives
	Checks   []Info
	Span     time.Duration // of a check that does not say; 0: 20 s
	PerCore  int           // checks that share a core in real time; 0: 1
	Score    func(*history.History) map[string]int
	Compare  func(*history.History, Finding) *Comparison // nil if findings have nothing to compare with
	Language Language                                    // nil if the drives of the kind are not stories
}

// Addresses returns the addresses of the kind's checks: kind, slash, name.
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
	play  func(Script) (Case, error)
}

// Play returns a case that plays a story on the same plugin, with the same features.
func (c Case) Play(s Script) (Case, error) {
	if c.play == nil {
		return Case{}, fmt.Errorf("the kind %s has no words for stories yet: docs/stories.md has the kinds that do", c.Kind.Name)
	}
	played, err := c.play(s)
	played.Has = c.Has // they may have been declared or withdrawn
	return played, err
}

// PlayJSON returns a case that plays a story in JSON on the same plugin.
func (c Case) PlayJSON(b []byte) (Case, error) {
	s, err := c.Kind.Story(b)
	if err != nil {
		return Case{}, err
	}
	return c.Play(s)
}

// Story reads a story in JSON.
func (k *Kind) Story(b []byte) (Script, error) {
	if k.Language == nil {
		return nil, fmt.Errorf("the kind %s has no words for stories yet: docs/stories.md has the kinds that do", k.Name)
	}
	s, err := k.Language.Parse(b)
	if err != nil {
		return nil, err
	}
	for _, f := range s.Conditions() {
		if err := k.condition(f); err != nil {
			return nil, err
		}
	}
	_, err = k.rulesOf(s)
	return s, err
}

// condition returns an error if f is no feature of the kind, or one with "!" before it.
func (k *Kind) condition(f Feature) error {
	name := strings.TrimPrefix(string(f), "!")
	names := []string{string(VirtualTime)}
	for _, i := range k.Features {
		names = append(names, string(i.Name))
	}
	if slices.Contains(names, name) {
		return nil
	}
	return fmt.Errorf("the kind %s has no feature %q%s: `lwtest list --features` lists them", k.Name, name, Suggest(name, names))
}

// rulesOf returns the rules that a story names.
func (k *Kind) rulesOf(s Script) (out []Rule, err error) {
	for _, address := range s.Rules() {
		r, ok := k.Rule(address)
		if !ok {
			return nil, fmt.Errorf("the story names the rule %q, which the kind %s does not have: `lwtest list --rules` lists its rules", address, k.Name)
		}
		out = append(out, r)
	}
	return out, nil
}

// Address returns the kind and the name of the check, with a slash between.
func (c Case) Address() string { return join(c.Kind.Name, c.Name) }

// Describe returns the suite without its type parameter.
func (s Suite[S]) Describe() *Kind {
	k := &Kind{Name: s.Kind, Version: s.Version, Features: s.Features, Span: s.Span, PerCore: s.PerCore, Score: s.Score, Compare: s.Compare, Language: s.Language}
	k.Rules = append([]Rule{Survives}, s.Rules...)
	if s.Checks != nil {
		for _, c := range s.Checks() {
			k.Checks = append(k.Checks, c.Info)
		}
	}
	return k
}

// Bind returns the cases of this suite on a plugin.
func (s Suite[S]) Bind(p Plugin[S]) []Case {
	kind := s.Describe()
	var out []Case
	for _, c := range s.Checks() {
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
			t.giveUp("the plugin could not be opened: Open returned neither a subject nor an error")
		default:
			c.Drive(t, subject)
		}
	}}
	if s.Play != nil {
		out.play = func(story Script) (Case, error) {
			rules, err := kind.rulesOf(story)
			info := Info{Name: "story", About: cmp.Or(story.About(), "a story"), Span: story.Span(), Rules: rules, Script: story}
			for _, f := range story.Needs() {
				if without, ok := strings.CutPrefix(string(f), "!"); ok {
					info.Unless = append(info.Unless, Feature(without))
				} else {
					info.Needs = append(info.Needs, f)
				}
			}
			return s.bind(kind, p, Check[S]{info, func(t *T, subject S) { s.Play(t, subject, story) }}), err
		}
	}
	return out
}

// Target is what a connect string opens: cases, and functions that manage what they share.
type Target struct {
	Name  string
	Cases []Case
	Known []Known // known failures that come with the target
	// Group names targets whose checks may share worker processes, because none of them is expected to break its process.
	// If it is empty, the target has processes of its own.
	Group string
	// Notes holds lines that the user should read, for example that the target withdrew a feature because it found it
	// switched off.
	Notes []string
	// Ready returns an error if no check of this target could prove anything. It is called once before a run, because it
	// may create something to find out. Processes that share the target do not call it again. It may be nil.
	Ready func(ctx context.Context) error
	// Sweep removes what checks of the run with this ID left on a shared server because they could not finish. It returns
	// a line that describes what it removed, or "". No check of the run may be under way. It is nil if checks leave
	// nothing behind.
	Sweep func(ctx context.Context, runID string) (string, error)
	// Alive returns an error if the target can no longer answer, for example because its machine is gone. It is called
	// when a check did not pass, and an error ends the run. It may be nil.
	Alive func(ctx context.Context) error
	// Hopeless returns an error if the result of a check shows that the target is set up wrongly, so that further checks
	// would prove nothing. The error ends the run. It may be nil.
	Hopeless func(Result) error
	// Logs writes logs that may explain failures into dir, which must not exist yet. It may be nil.
	Logs func(ctx context.Context, dir string) error
	// Close releases everything that was used and waits for what must follow. It returns a line about work that goes on by
	// itself after Close, or "". It may be nil.
	Close func() (string, error)
	// Release does what Close does in a process that shares the target with another one that calls Close: it waits for
	// nothing. If it is nil, Close is called.
	Release func() error
}

// Validate returns an error that lists everything that is wrong with the kind, or nil.
func (k *Kind) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	rules, checks := map[string]bool{}, map[string]bool{}
	for _, r := range k.Rules {
		a := r.Address()
		if rules[a] {
			bad("rule %s: defined twice", a)
		}
		rules[a] = true
		if r.Judge == nil || r.Clause.Text == "" || r.Clause.Why == "" || len(r.Clause.Sources) == 0 {
			bad("rule %s: a rule needs a judge, and its clause a text, a reason and a source", a)
		}
		if !slices.Contains([]Level{Must, Should, Provisional}, r.Clause.Level) {
			bad("rule %s: level is %q", a, r.Clause.Level)
		}
		if f := r.Clause.MustWith; f != "" && (r.Clause.Level != Must || !known(f, k.Features)) {
			bad("rule %s: only a MUST can depend on a feature, and %s must be in the table of features", a, f)
		}
		for _, f := range r.Needs {
			if !known(f, k.Features) {
				bad("rule %s needs %s, which is not in the table of features", a, f)
			}
		}
	}
	for _, c := range k.Checks {
		if checks[c.Name] {
			bad("check %s: defined twice", c.Name)
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
				bad("check %s excludes %s, which is not in the table of features", c.Name, f)
			}
		}
		for _, f := range slices.Sorted(maps.Keys(c.Spans)) {
			if !known(f, k.Features) {
				bad("check %s sets a span for %s, which is not in the table of features", c.Name, f)
			}
		}
	}
	return errors.Join(errs...)
}
