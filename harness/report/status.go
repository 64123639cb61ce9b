package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness"
)

// Exit statuses. If several apply, the order is 3, 1, 2, 0.
const (
	OK       = 0 // every selected check passed, was skipped while others were not, or is a known failure
	Failed   = 1 // a check failed and is not known to, or a known failure passed
	Unproven = 2 // a check was inconclusive, nothing was tested, or the report is truncated
	Broken   = 3 // the run could not start or finish: usage, connection, adapter
)

// Outcome holds everything that the exit status depends on.
type Outcome struct {
	Results   []harness.Result // covered by the known failures
	Level     harness.Level    // SHOULD: a broken SHOULD counts; anything else: only a MUST
	Stale     bool             // a known failure no longer holds
	Truncated bool             // results are missing
	Broken    bool             // the run could not start or finish
}

// Status returns the exit status for an outcome.
func Status(o Outcome) int {
	ends := map[int]bool{}
	tested := false
	for i := range o.Results {
		r := &o.Results[i]
		tested = tested || r.Verdict != harness.Skip
		ends[ending(r, o.Level)] = true
	}
	switch {
	case o.Broken, ends[Broken]:
		return Broken
	case o.Stale, ends[Failed]:
		return Failed
	case !tested, o.Truncated, ends[Unproven]:
		return Unproven
	}
	return OK
}

// ending returns the exit status that one check asks for. A failure that does not count (a broken SHOULD, or a known
// failure) must not hide that a required rule was never tested.
func ending(r *harness.Result, level harness.Level) int {
	switch {
	case r.Cause == harness.CauseAdapter:
		return Broken
	case r.Known != "", r.Verdict == harness.Pass, r.Verdict == harness.Skip:
		return OK
	case r.Verdict != harness.Fail:
		return Unproven
	}
	fails := func(rr harness.RuleResult) bool { return rr.Verdict == harness.Fail }
	switch {
	case !slices.ContainsFunc(r.Rules, fails), slices.ContainsFunc(r.Rules, func(rr harness.RuleResult) bool { return counts(rr, level) }):
		return Failed
	case unproven(r) != "":
		return Unproven
	}
	return OK
}

// counts reports whether a rule's failure makes the run fail.
func counts(rr harness.RuleResult, level harness.Level) bool {
	if rr.Verdict != harness.Fail || rr.Known != "" {
		return false
	}
	return rr.Level == harness.Must || rr.Level == harness.Should && level == harness.Should
}

func untested(rr harness.RuleResult) bool {
	return rr.Required && rr.Verdict == harness.Inconclusive && rr.Level != harness.Provisional && rr.Known == ""
}

// unproven returns why a check does not prove all that it must, apart from the rules that it broke. "" means that it
// does.
func unproven(r *harness.Result) string {
	if r.Stack != "" {
		return cmp.Or(r.Reason, firstLine(r.Stack))
	}
	var out []string
	for _, rr := range r.Rules {
		if untested(rr) {
			out = append(out, rr.Rule+": "+cmp.Or(firstLine(rr.Reason), "never put to the test"))
		}
	}
	return strings.Join(out, "; ")
}
