package trackrecord

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
)

// Result is the outcome of a case.
type Result struct {
	Date    string `json:"date"`   // UTC
	Commit  string `json:"commit"` // commit of the tree
	Inputs  string `json:"inputs"` // digest of the case, the adapter and the protocol at that time: see Case.Inputs
	Of      Of     `json:"of"`     // what the case asked for at that time
	Buggy   Side   `json:"buggy"`
	Control *Side  `json:"control,omitempty"`
	Most    *Most  `json:"most,omitempty"` // an earlier reproduction with more runs; nil: there is none
}

// Most is the reproduction with the most runs. It shows how often a bug is found that needs a particular order of
// events.
type Most struct {
	Date   string `json:"date"`
	Commit string `json:"commit"`
	Runs   int    `json:"runs"`
	Failed int    `json:"failed"`
	Of     Of     `json:"of"` // what the case asked for at that time
}

func (m Most) String() string { return fmt.Sprintf("%d of %d", m.Failed, m.Runs) }

// most returns the reproduction with the most runs: the result itself, or its Most if the case has not changed since.
func (r Result) most() Most {
	if r.Most != nil && r.Most.Runs > r.Buggy.Runs && r.Most.Of.same(r.Of) {
		return *r.Most
	}
	return Most{r.Date, r.Commit, r.Buggy.Runs, r.Buggy.Failed, r.Of}
}

// Side holds what was seen of one release.
type Side struct {
	Version string        `json:"version"`
	Runs    int           `json:"runs"`
	Failed  int           `json:"failed"`            // runs in which the clause was broken
	Left    int           `json:"left,omitempty"`    // runs in which only the known rest of the bug broke it
	Tested  int           `json:"tested"`            // how often the last run tested it
	Took    time.Duration `json:"took"`              // the longest run, ns
	Checks  []string      `json:"checks,omitempty"`  // checks that broke it
	First   []string      `json:"first,omitempty"`   // lines of the first failure
	Undone  string        `json:"undone,omitempty"`  // why a run proved nothing
	Missing int           `json:"missing,omitempty"` // runs that did not test it
}

// Add adds the results for the clause from the report of a run.
func (s *Side) Add(c Case, r *report.Report) {
	kind, clause, _ := strings.Cut(c.Clause, "/")
	s.Runs++
	s.Took = max(s.Took, r.Elapsed)
	tested, failed, left := 0, false, false
	for _, res := range r.Results {
		if res.Cause == harness.CauseAdapter || r.Truncated {
			s.Undone = cmp.Or(res.Reason, "it did not come to its end")
		}
		of, _, _ := strings.Cut(res.Check, "/")
		for _, rule := range res.Rules {
			if of != kind || rule.Rule != clause && !strings.HasPrefix(rule.Rule, clause+"/") {
				continue
			}
			tested += rule.Tested
			if rule.Verdict != harness.Fail {
				continue
			}
			if s.broken(c, res.Check, rule) {
				failed = true
			} else {
				left = true
			}
		}
	}
	s.Tested = tested
	switch {
	case failed:
		s.Failed++
	case left:
		s.Left++
	case tested == 0:
		s.Missing++
		s.Undone = cmp.Or(s.Undone, reason(r))
	}
}

// broken records a failure that is not the known rest of the bug, and reports whether there was one.
func (s *Side) broken(c Case, check string, rule harness.RuleResult) bool {
	for _, b := range rule.Bad {
		if c.Left.Known(b.Got) {
			continue
		}
		if len(s.First) == 0 {
			s.First = lines(b)
		}
		if !slices.Contains(s.Checks, check) {
			s.Checks = append(s.Checks, check)
		}
		return true
	}
	for _, got := range rule.More {
		if !c.Left.Known(got) {
			return true
		}
	}
	return false
}

// reason returns why nothing was tested.
func reason(r *report.Report) string {
	for _, res := range r.Results {
		if res.Reason != "" {
			return res.Check + ": " + res.Reason
		}
	}
	return "no check tested it"
}

// mostLines and mostWide bound what is shown of a failure.
const (
	mostLines = 12
	mostWide  = 160
)

// lines returns the first lines of a failure.
func lines(b harness.Shown) []string {
	out := []string{"want    " + b.Want, "got     " + b.Got, "seen"}
	for _, l := range strings.Split(strings.TrimRight(b.Timeline, "\n"), "\n") {
		out = append(out, "  "+l)
	}
	if n := len(out); n > mostLines { // the events just before the violation matter more than earlier ones
		out = append(append(out[:5:5], "  …"), out[n-mostLines+5:]...)
	}
	for i, l := range out {
		if r := []rune(l); len(r) > mostWide {
			out[i] = string(r[:mostWide]) + "…"
		}
	}
	return out
}

// Reproduced returns nil if the release breaks the clause and its control does not, and otherwise an error that says
// what is different.
func (c Case) Reproduced(r Result) error {
	switch b := r.Buggy; {
	case b.Failed > 0:
	case b.Missing == b.Runs:
		return fmt.Errorf("%s %s: %s was never tested: %s", c.Module, c.faulty(), c.Clause, b.Undone)
	default:
		return fmt.Errorf("%s %s: %s was tested and not broken", c.Module, c.faulty(), c.Clause)
	}
	if c.Control == "" {
		return nil
	}
	switch k := r.Control; {
	case k == nil:
		return fmt.Errorf("%s %s, its control, was not run", c.Module, c.Control)
	case k.Failed > 0:
		return fmt.Errorf("%s %s, its control, breaks %s too:\n%s", c.Module, c.Control, c.Clause, strings.Join(k.First, "\n"))
	case k.Missing > 0:
		return fmt.Errorf("%s %s, its control: %s was not tested in %d of %d runs: %s", c.Module, c.Control, c.Clause, k.Missing, k.Runs, k.Undone)
	}
	return nil
}

// Keep writes the result beside its case atomically. It keeps an earlier reproduction with more runs if the case asked
// for the same then.
func (c Case) Keep(r Result) error {
	r.Of = c.Of()
	if old, ok, err := c.Result(); err != nil {
		return err
	} else if m := old.most(); ok && m.Runs > r.Buggy.Runs && m.Of.same(r.Of) {
		r.Most = &m
	}
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return report.WriteFile(filepath.Join(c.Dir, resultFile), func(w io.Writer) error {
		_, err := w.Write(append(b, '\n'))
		return err
	})
}
