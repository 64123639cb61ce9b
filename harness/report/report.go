// Package report writes and reads what a run leaves: a run directory, which is written during the run so that a killed
// run can be read and resumed, and the report with its renderers. SCHEMA.md describes both formats.
package report

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/lwtest/lwtest/harness"
)

// Format is the version of results.jsonl and report.json. A new field does not change it. It changes when a field is
// removed or changes its meaning.
const Format = "report/v1"

// Settings are the choices of a run. --resume reads them from the run directory, and they must not change.
type Settings struct {
	Targets  []string      `json:"targets"`            // connect strings, in the order given
	Globs    []string      `json:"globs,omitempty"`    // patterns over check addresses; empty: all checks
	Suites   []string      `json:"suites,omitempty"`   // empty: all kinds
	Features []string      `json:"features,omitempty"` // "x": declared by the user, "-x": withdrawn
	Checks   []Planned     `json:"checks,omitempty"`   // exactly these checks, if a saved history is run again
	Gates    []string      `json:"gates,omitempty"`    // feature gates of client-go: NAME=false
	Seed     int64         `json:"seed"`
	RealTime bool          `json:"realTime,omitempty"`
	Timeout  time.Duration `json:"timeout,omitempty"` // time that a check may take beyond its span, in ns; 0: the default
	Span     time.Duration `json:"span,omitempty"`    // longest span to run in real time, in ns; 0: the default
	Keep     string        `json:"keep,omitempty"`    // KeepAll, or empty to keep histories of new failures and inconclusive checks
	Level    harness.Level `json:"level"`             // MUST, or SHOULD if a broken SHOULD fails the run
}

// KeepAll is the value of Settings.Keep that keeps the history of every check.
const KeepAll = "all"

// Planned is one selected check on one target.
type Planned struct {
	Target   string            `json:"target"`
	Check    string            `json:"check"` // address: kind/check
	Features []harness.Feature `json:"features,omitempty"`

	// The fields below are only for `lwtest play`, which plays a story or repeats a check under new addresses.
	Of    string          `json:"of,omitempty"`    // address of the check that is repeated
	Story json.RawMessage `json:"story,omitempty"` // the story that is played
	Seed  int64           `json:"seed,omitempty"`  // instead of the seed of the settings; 0: that seed
}

// Same reports whether p and q are the same check on the same target.
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
	Known    []harness.Known   `json:"known,omitempty"` // the known failures that results are compared with
}

// Footer is the last line of results.jsonl. A run without one was cut short.
type Footer struct {
	End     bool          `json:"end"`
	Counts  Counts        `json:"counts"`
	Status  int           `json:"status"`
	Elapsed time.Duration `json:"elapsed"` // in ns; all sessions of a resumed run, without the pauses
}

// Counts counts checks by verdict. Known counts those covered by a known-failures file; they also count under their
// verdict.
type Counts struct {
	Pass         int `json:"pass"`
	Fail         int `json:"fail"`
	Inconclusive int `json:"inconclusive"`
	Skip         int `json:"skip"`
	Known        int `json:"known"`
	Missing      int `json:"missing"` // planned checks without a result
}

// Report is a whole run as data: report.json.
type Report struct {
	Header
	Status    int              `json:"status"` // exit status
	Counts    Counts           `json:"counts"`
	Truncated bool             `json:"truncated,omitempty"` // the run did not finish
	Elapsed   time.Duration    `json:"elapsed"`
	Kinds     []Kind           `json:"kinds"`
	Results   []harness.Result `json:"results"`            // in the order of the plan
	Missing   []Planned        `json:"missing,omitempty"`  // planned checks without a result
	Stale     []string         `json:"stale,omitempty"`    // known failures that no longer hold
	Problems  []string         `json:"problems,omitempty"` // what kept the run from starting, or ended it
	Dir       string           `json:"-"`                  // run directory as the user wrote it; empty: none
	about     map[string]*harness.Kind
}

// Kind is a contract with the run's results, and how many of its classes of input the run reached.
type Kind struct {
	Name      string         `json:"name"`
	Contract  string         `json:"contract"` // version
	Rules     []Rule         `json:"rules"`
	Classes   []Class        `json:"classes,omitempty"`
	Exercised map[string]int `json:"exercised,omitempty"` // how often each class occurred, whether or not a clause names it
}

// Rule is a rule of the contract with the run's results.
type Rule struct {
	Rule         string           `json:"rule"`  // address without kind
	Level        harness.Level    `json:"level"` // the strictest level at which it binds one of the targets
	Text         string           `json:"text"`
	Sources      []harness.Source `json:"sources"`
	Tested       int              `json:"tested"` // how often, in all checks on all targets
	Pass         int              `json:"pass"`   // number of checks; so are the next three
	Fail         int              `json:"fail"`
	Inconclusive int              `json:"inconclusive"` // also counts checks that need not test the rule and did not
	Skip         int              `json:"skip"`
}

// Class is a class of request or event that a clause names. If the run never reached the class, the clause's rules
// prove little.
type Class struct {
	Class   string   `json:"class"`
	Clauses []string `json:"clauses"`
	Reached int      `json:"reached"` // how often
	// Undeclared says that all rules that name the class were skipped, because they need features that no target declares.
	Undeclared bool `json:"undeclared,omitempty"`
}

// unreached returns the classes that were not reached although a rule that names them could be tested. of counts all
// classes that could have been reached.
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

// undeclared returns text that says how many classes no target could reach, or "".
func (k *Kind) undeclared(of int) string {
	if n := len(k.Classes) - of; n > 0 {
		return fmt.Sprintf("; %d more need a feature that no target declares", n)
	}
	return ""
}

// Input is what New makes a report from.
type Input struct {
	Header    Header
	Results   []harness.Result
	Kinds     []*harness.Kind
	Elapsed   time.Duration
	Truncated bool
	Problems  []string
	Stale     []string // known failures already found stale
	Dir       string
}

// New makes a report: results in the order of the plan and covered by the known failures, with counts, scorecard and
// exit status.
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

// inOrder sorts results in the order of the plan. If a check has several, the last one counts.
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
