// Package harness drives implementations of a contract, records what they do
// as a history, and judges it.
//
// A check drives and never asserts; a rule judges a history and never acts.
// The package knows no Kubernetes: kinds, clauses and checks live in the
// packages under conformance. It needs only the standard library.
package harness

import (
	"slices"

	"github.com/lwtest/lwtest/harness/history"
)

// Level is how binding a clause is.
type Level string

const (
	Must   Level = "MUST"
	Should Level = "SHOULD"
	// Provisional clauses run and are shown, but cannot fail anyone.
	Provisional Level = "PROVISIONAL"
)

// Source is where the public contract says what a clause says.
type Source struct {
	Name string `json:"name"`          // "Kubernetes API concepts, \"Watch bookmarks\"", or module@version/file#symbol
	URL  string `json:"url,omitempty"` // empty for a symbol: it says itself where it is
}

// Clause is a sentence of the contract, in our own words.
type Clause struct {
	ID    string // "section/what-must-hold", never reused for another meaning
	Level Level
	// MustWith is the feature without which a MUST binds as a SHOULD only: such
	// as one that nothing but the documentation of one implementation supports.
	// Empty: the level is that for all.
	MustWith Feature
	Text     string
	Sources  []Source
	Why      string   // what happens to a user where it is broken
	Classes  []string // classes of request that must have been reached for it: see Suite.Score
}

// LevelFor is how binding the clause is for who declares these features.
func (c Clause) LevelFor(has []Feature) Level {
	if c.Level == Must && c.MustWith != "" && !slices.Contains(has, c.MustWith) {
		return Should
	}
	return c.Level
}

// Finding is one place where a rule was broken.
type Finding struct {
	At   []int32 `json:"at"` // numbers of events: the cause first, the violation last
	Want string  `json:"want"`
	Got  string  `json:"got"`
}

// Judgement is what a rule has to say of a history.
type Judgement struct {
	Tested    int // how often what the rule says was put to the test
	Bad       []Finding
	Undecided string // why nothing can be said; empty if something can
}

// Fail adds a finding; at are event numbers, the violation last.
func (j *Judgement) Fail(want, got string, at ...int32) {
	j.Bad = append(j.Bad, Finding{at, want, got})
}

// Rule is the judge of a clause, or of one aspect of it. Judge is a pure
// function; it is safe for concurrent use and does not change the history.
type Rule struct {
	Clause Clause
	Aspect string    // "" if the clause has one rule
	Needs  []Feature // without them the rule is skipped
	Judge  func(*history.History) Judgement
}

// Address is clause ID and aspect, without the kind.
func (r Rule) Address() string { return join(r.Clause.ID, r.Aspect) }

func join(parts ...string) string {
	s := ""
	for _, p := range parts {
		switch {
		case p == "":
		case s == "":
			s = p
		default:
			s += "/" + p
		}
	}
	return s
}
