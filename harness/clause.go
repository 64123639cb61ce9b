// Package harness drives implementations of a contract, records what they do as a history, and judges the history.
//
// A check drives an implementation and never asserts. A rule judges a history and never acts. The package does not
// know Kubernetes: kinds, clauses and checks live in the packages under conformance. It needs only the standard
// library.
package harness

import (
	"regexp"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness/history"
)

// Level says how binding a clause is.
type Level string

const (
	Must   Level = "MUST"
	Should Level = "SHOULD"
	// A Provisional clause is checked and shown, but cannot fail a check.
	Provisional Level = "PROVISIONAL"
)

// Source names where the public contract says what a clause says.
type Source struct {
	Name string `json:"name"`          // "Kubernetes API concepts, \"Watch bookmarks\"", or module@version/file#symbol
	URL  string `json:"url,omitempty"` // empty for a symbol, whose name says where it is: see Link
}

// symbol matches module@version/file#Symbol in modules whose releases GitHub has under the same tags.
var symbol = regexp.MustCompile(`^(k8s\.io|sigs\.k8s\.io|github\.com/[\w.-]+)/([\w.-]+)@(v\d+\.\d+\.\d+)/([^#?\s]+)(?:#.*)?$`)

// Link returns the address of a source: its URL, or that of a symbol's file on GitHub, or "" if the name says neither.
func (s Source) Link() string {
	m := symbol.FindStringSubmatch(s.Name)
	if s.URL != "" || m == nil {
		return s.URL
	}
	owner := strings.NewReplacer("sigs.k8s.io", "github.com/kubernetes-sigs", "k8s.io", "github.com/kubernetes").Replace(m[1])
	return "https://" + owner + "/" + m[2] + "/blob/" + m[3] + "/" + m[4]
}

// Clause is a sentence of the contract, in our own words.
type Clause struct {
	ID    string // "section/what-must-hold", never reused for another meaning
	Level Level
	// MustWith names the feature without which a MUST binds only as a SHOULD, for example because only the documentation
	// of one implementation supports the clause. Empty means that Level binds every plugin.
	MustWith Feature
	Text     string
	Sources  []Source
	Why      string   // what happens to a user when it is broken
	Advice   string   // what to do about a breach: where to look in one's own code, and what to change there
	Classes  []string // classes of request that a run must reach to test it: see Suite.Score
}

// LevelFor returns how binding the clause is for a plugin that declares the features has.
func (c Clause) LevelFor(has []Feature) Level {
	if c.Level == Must && c.MustWith != "" && !slices.Contains(has, c.MustWith) {
		return Should
	}
	return c.Level
}

// Finding is one place where a rule was broken.
type Finding struct {
	At   []int32 `json:"at"` // event numbers: the cause first, the violation last
	Want string  `json:"want"`
	Got  string  `json:"got"`
}

// Judgement is the answer of a rule about a history.
type Judgement struct {
	Tested    int // how often the history tested the rule
	Bad       []Finding
	Undecided string // why the rule cannot decide; empty if it can
	Spared    string // why this subject gives no occasion to test the rule; a check that must test it is then skipped, not inconclusive
}

// Fail adds a finding. at holds event numbers, the violation last.
func (j *Judgement) Fail(want, got string, at ...int32) {
	j.Bad = append(j.Bad, Finding{at, want, got})
}

// FailTested adds a finding, and counts it as a test.
func (j *Judgement) FailTested(want, got string, at ...int32) {
	j.Tested++
	j.Fail(want, got, at...)
}

// Rule judges a clause or one aspect of it. Judge is a pure function: it does not change the history and may be called
// concurrently.
type Rule struct {
	Clause Clause
	Aspect string    // empty if the clause has one rule
	Needs  []Feature // without them the rule is skipped
	Judge  func(*history.History) Judgement
}

// NewRule returns the rule of a clause that has only this one.
func NewRule(c Clause, judge func(*history.History) Judgement, needs ...Feature) Rule {
	return Rule{Clause: c, Needs: needs, Judge: judge}
}

// Address returns clause ID and aspect, without the kind.
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
