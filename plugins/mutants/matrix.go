// Package mutants is what all kinds of mutants have in common: a row of the
// matrix of mutants and rules.
package mutants

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness"
)

// Target is a subject with one fault or oddity, as a target.
type Target struct {
	Name  string
	Rule  string // address with kind: the rule that must catch it, or that it only seems to break
	About string
	// Target is named SCHEME:mutant/NAME, SCHEME:null/NAME or SCHEME:oddity/NAME. What it is known to fail is what
	// the implementation that it is made of fails without the fault: it shows nothing of the mutant.
	// It has no cases yet.
	Target harness.Target
	// Cases returns the checks of the kind on it. They are made when they are wanted: there are more than a thousand
	// mutants, and a kind has up to 400 checks.
	Cases func() []harness.Case
	// Withholds are beginnings of addresses of rules that must not pass on it.
	Withholds []string
}

// Right returns a target without a fault, which is bound already.
func Right(name string, t harness.Target) Target {
	return Target{Name: name, Target: t, Cases: func() []harness.Case { return t.Cases }}
}

// Open returns the target with its cases.
func (t Target) Open() harness.Target {
	t.Target.Cases = t.Cases()
	return t.Target
}

// Find returns the target that a connect string names.
func Find(connect string, all []Target) (harness.Target, error) {
	var names []string
	for _, t := range all {
		if t.Target.Name == connect {
			return t.Open(), nil
		}
		names = append(names, t.Target.Name)
	}
	scheme, name, _ := strings.Cut(connect, ":")
	return harness.Target{}, fmt.Errorf("there is no %s %q%s: say %s:mutant/NAME with a name that `lwtest mutants --list` prints", scheme, name, harness.Suggest(path.Base(name), names), scheme)
}

// Kind is what it is a mutant of.
func (t Target) Kind() string {
	address := t.Rule
	if address == "" && len(t.Withholds) > 0 {
		address = t.Withholds[0]
	}
	kind, _, _ := strings.Cut(address, "/")
	return kind
}

// Cell is what one rule said of one mutant, over all checks.
type Cell struct {
	Tested int  // how often it was put to the test
	Failed int  // findings, but for those that are known of what it is made of
	Passed bool // it passed in some check
	Level  harness.Level
}

// Row is one mutant of the matrix.
type Row struct {
	Mutant  Target
	Cells   map[string]Cell // by address of the rule, with kind
	Results []harness.Result
}

// NewRow merges the results of all checks of a mutant.
func NewRow(m Target, results []harness.Result) Row {
	results = covered(m, results)
	row := Row{Mutant: m, Cells: map[string]Cell{}, Results: results}
	for _, r := range results {
		kind, _, _ := strings.Cut(r.Check, "/")
		for _, rr := range r.Rules {
			a := kind + "/" + rr.Rule
			c := row.Cells[a]
			c.Tested += rr.Tested
			if rr.Known == "" {
				c.Failed += rr.Failures
			}
			c.Level = rr.Level
			c.Passed = c.Passed || rr.Verdict == harness.Pass
			row.Cells[a] = c
		}
	}
	return row
}

// covered are the results with what the mutant is known to fail laid on them. A line that is stale says nothing here:
// a fault may well hide another.
func covered(m Target, results []harness.Result) []harness.Result {
	out := slices.Clone(results)
	for i := range out {
		out[i].Rules = slices.Clone(out[i].Rules)
	}
	_ = harness.Cover(slices.Clone(m.Target.Known), out)
	return out
}

// Caught says that the rule that must flag the mutant did, and not only for what is known of what it is made of.
func (r Row) Caught() bool { return r.Cells[r.Mutant.Rule].Failed > 0 }

// Should says that the mutant is about a SHOULD.
func (r Row) Should() bool { return r.Cells[r.Mutant.Rule].Level == harness.Should }

// Wrong are the rules that passed on a server that withholds what they are about.
func (r Row) Wrong() []string {
	var out []string
	for rule, c := range r.Cells {
		if c.Passed && slices.ContainsFunc(r.Mutant.Withholds, func(p string) bool { return strings.HasPrefix(rule, p) }) {
			out = append(out, rule)
		}
	}
	slices.Sort(out)
	return out
}
