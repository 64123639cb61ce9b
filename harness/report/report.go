// Package report is what is left of a run: a directory that is written as the
// run goes, so that one that was killed is readable and can be resumed, and
// the versioned report with its renderers. SCHEMA.md describes both.
package report

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/lwtest/lwtest/harness"
)

// Format is the version of results.jsonl and report.json. Fields are added
// under the same version; it changes when one goes away or changes its meaning.
const Format = "report/v1"

// Settings are the choices that make two runs the same run: what --resume
// finds again, and must find unchanged.
type Settings struct {
	Targets  []string      `json:"targets"`            // connect strings, in the order given
	Globs    []string      `json:"globs,omitempty"`    // over addresses of checks; none: all
	Suites   []string      `json:"suites,omitempty"`   // kinds; none: all
	Features []string      `json:"features,omitempty"` // "x" was declared, "-x" withdrawn
	Checks   []Planned     `json:"checks,omitempty"`   // exactly these, where a saved history is run again
	Gates    []string      `json:"gates,omitempty"`    // feature gates of client-go: NAME=false
	Seed     int64         `json:"seed"`
	RealTime bool          `json:"realTime,omitempty"`
	Timeout  time.Duration `json:"timeout,omitempty"` // of a check beyond its span, ns; 0: the default
	Span     time.Duration `json:"span,omitempty"`    // longest span run in real time, ns; 0: the default
	Keep     string        `json:"keep,omitempty"`    // KeepAll; empty: histories of new failures and of inconclusive checks
	Level    harness.Level `json:"level"`             // MUST, or SHOULD where a broken SHOULD counts
}

// KeepAll keeps the history of every check that was driven.
const KeepAll = "all"

// Planned is one selected check on one target.
type Planned struct {
	Target   string            `json:"target"`
	Check    string            `json:"check"` // address: kind/check
	Features []harness.Feature `json:"features,omitempty"`

	// Of `lwtest play`, which plays a story, or repeats a check, under addresses of its own.
	Of    string          `json:"of,omitempty"`    // address of the check that is repeated
	Story json.RawMessage `json:"story,omitempty"` // the story that is played
	Seed  int64           `json:"seed,omitempty"`  // in place of that of the settings; 0: that
}

// Same reports whether two are the same check on the same target.
func (p Planned) Same(q Planned) bool { return p.Target == q.Target && p.Check == q.Check }

// Header is the first line of results.jsonl.
type Header struct {
	Format   string            `json:"lwtest"` // Format
	Version  string            `json:"version"`
	Args     []string          `json:"args"`
	Started  time.Time         `json:"started"`
	RunID    string            `json:"runID"` // names the run on shared servers
	Contract map[string]string `json:"contract"`
	Settings Settings          `json:"settings"`
	Plan     []Planned         `json:"plan"`
	Known    []harness.Known   `json:"known,omitempty"` // the known failures it is held against
}

// Footer is the last line of results.jsonl: a run without one was cut short.
type Footer struct {
	End     bool          `json:"end"`
	Counts  Counts        `json:"counts"`
	Status  int           `json:"status"`
	Elapsed time.Duration `json:"elapsed"` // ns; of all sessions of a resumed run, without the pauses
}

// Counts is how many checks ended how. Known are those that ended as a
// known-failure line says; they are counted under their verdict as well.
type Counts struct {
	Pass         int `json:"pass"`
	Fail         int `json:"fail"`
	Inconclusive int `json:"inconclusive"`
	Skip         int `json:"skip"`
	Known        int `json:"known"`
	Missing      int `json:"missing"` // planned, without a result
}

// Report is a whole run as data: report.json.
type Report struct {
	Header
	Status    int              `json:"status"` // exit status
	Counts    Counts           `json:"counts"`
	Truncated bool             `json:"truncated,omitempty"` // the run did not come to its end
	Elapsed   time.Duration    `json:"elapsed"`
	Kinds     []Kind           `json:"kinds"`
	Results   []harness.Result `json:"results"`            // in the order of the plan
	Missing   []Planned        `json:"missing,omitempty"`  // planned, without a result
	Stale     []string         `json:"stale,omitempty"`    // known-failure lines that no longer hold
	Problems  []string         `json:"problems,omitempty"` // what kept the run from being made, or ended
	Dir       string           `json:"-"`                  // of the run as the user calls it; empty: none
	about     map[string]*harness.Kind
}

// Kind is the contract that results are held against, and how much of its
// space of inputs the run reached.
type Kind struct {
	Name      string         `json:"name"`
	Contract  string         `json:"contract"` // version
	Rules     []Rule         `json:"rules"`
	Classes   []Class        `json:"classes,omitempty"`
	Exercised map[string]int `json:"exercised,omitempty"` // what the histories held, all classes, named by a clause or not
}

// Rule is a rule of the contract and how the run answered it.
type Rule struct {
	Rule         string           `json:"rule"`  // address without kind
	Level        harness.Level    `json:"level"` // how it binds the targets that were held to it, at most
	Text         string           `json:"text"`
	Sources      []harness.Source `json:"sources"`
	Tested       int              `json:"tested"` // how often, over all checks and targets
	Pass         int              `json:"pass"`   // in how many checks
	Fail         int              `json:"fail"`
	Inconclusive int              `json:"inconclusive"` // also where a check that need not test it did not
	Skip         int              `json:"skip"`
}

// Class is a class of request or event that a clause names: the rule means
// little where the run never reached it.
type Class struct {
	Class   string   `json:"class"`
	Clauses []string `json:"clauses"`
	Reached int      `json:"reached"` // how often
	// Undeclared says that all rules that name it were skipped: they need features that no target declared.
	Undeclared bool `json:"undeclared,omitempty"`
}

// unreached are the classes that were not reached though a rule that names them could be tested, and how many
// of them all could have been.
func (k *Kind) unreached() (never []Class, of int) {
	for _, c := range k.Classes {
		if c.Reached > 0 || !c.Undeclared {
			of++
		}
		if c.Reached == 0 && !c.Undeclared {
			never = append(never, c)
		}
	}
	return never, of
}

// undeclared says how many classes nobody could reach.
func (k *Kind) undeclared(of int) string {
	if n := len(k.Classes) - of; n > 0 {
		return fmt.Sprintf("; %d more need what no target declares", n)
	}
	return ""
}

// Input is what a report is made of.
type Input struct {
	Header    Header
	Results   []harness.Result
	Kinds     []*harness.Kind
	Elapsed   time.Duration
	Truncated bool
	Problems  []string
	Stale     []string // known-failure lines that were found stale before
	Dir       string
}

// New makes the report: results in the order of the plan, covered by the
// known failures, with counts, scorecard and exit status.
func New(in Input) *Report {
	r := &Report{Header: in.Header, Elapsed: in.Elapsed, Truncated: in.Truncated, Problems: in.Problems, Dir: in.Dir,
		about: map[string]*harness.Kind{}}
	r.Format = Format
	r.Results, r.Missing = inOrder(in.Header.Plan, in.Results)
	r.Stale = append(in.Stale, cover(in.Header.Known, r.Results, in.Kinds)...)
	r.Counts = count(r.Results)
	r.Counts.Missing = len(r.Missing)
	for _, k := range in.Kinds {
		r.about[k.Name] = k
		r.Kinds = append(r.Kinds, kindOf(k, r.Results))
	}
	r.Status = Status(Outcome{Results: r.Results, Level: in.Header.Settings.Level, Stale: len(r.Stale) > 0,
		Truncated: r.Truncated || len(r.Missing) > 0, Broken: len(r.Problems) > 0})
	return r
}

// inOrder sorts results as planned; of several for one check the last counts.
func inOrder(plan []Planned, results []harness.Result) (out []harness.Result, missing []Planned) {
	at := map[string]int{}
	key := func(p Planned) string { return p.Target + "\x00" + p.Check }
	for i, r := range results {
		at[key(Planned{Target: r.Target, Check: r.Check})] = i
	}
	for _, p := range plan {
		if i, ok := at[key(p)]; ok {
			out = append(out, results[i])
		} else {
			missing = append(missing, p)
		}
	}
	return out, missing
}

func count(results []harness.Result) Counts {
	var c Counts
	for _, r := range results {
		switch r.Verdict {
		case harness.Pass:
			c.Pass++
		case harness.Fail:
			c.Fail++
		case harness.Skip:
			c.Skip++
		default:
			c.Inconclusive++
		}
		if r.Known != "" {
			c.Known++
		}
	}
	return c
}
