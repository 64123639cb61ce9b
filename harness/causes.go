package harness

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness/history"
)

// explain sets RuleResult.After and With of each broken rule.
func (r *Result) explain(h *history.History) {
	broken := r.ordered()
	for i, rr := range broken {
		for _, before := range broken[:i] {
			if before.Level == Provisional {
				continue
			}
			if before.explains(rr, h) {
				rr.After = append(rr.After, before.Rule)
			}
			if before.Rank() == rr.Rank() && before.Violation() == rr.Violation() && rr.explains(before, h) {
				before.With = append(before.With, rr.Rule)
			}
		}
	}
	for _, rr := range broken {
		rr.findings = nil // there may be thousands
	}
}

// About reports whether the check bears the name of a rule: it was made to test it.
func (r *Result) About(rule string) bool {
	_, check, _ := strings.Cut(r.Check, "/")
	return check == rule || strings.HasPrefix(check, rule+"/")
}

// ordered returns the broken rules in the order in which to read them: a crash first, then MUSTs before SHOULDs, and what was broken
// earlier before what was broken later. At the same moment the rule comes first that the check is about, and then what it must test.
func (r *Result) ordered() (out []*RuleResult) {
	for i := range r.Rules {
		if r.Rules[i].Verdict == Fail {
			out = append(out, &r.Rules[i])
		}
	}
	slices.SortStableFunc(out, func(a, b *RuleResult) int {
		return cmp.Or(cmp.Compare(a.Rank(), b.Rank()), cmp.Compare(a.Violation(), b.Violation()),
			first(r.About(a.Rule), r.About(b.Rule)), first(a.Required, b.Required))
	})
	return out
}

// first compares: what is true comes first.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// Rank is 0 for a crash, and larger the less a rule binds.
func (rr *RuleResult) Rank() int {
	if rr.Rule == Survives.Address() {
		return 0
	}
	return 1 + slices.Index([]Level{Must, Should, Provisional}, rr.Level)
}

// Violation returns the number of the first event that breaks the rule, of the findings that are shown; 0: there is none.
func (rr *RuleResult) Violation() (first int32) {
	for i, f := range rr.Bad {
		if v := f.violation(); i == 0 || v < first {
			first = v
		}
	}
	return first
}

// explains reports whether a breach of rr may be why another rule, which binds no more, was broken: each finding of the other is about
// an object or a request that an earlier finding of rr, or one of the same moment, is about. A crash explains all that comes after it.
func (rr *RuleResult) explains(other *RuleResult, h *history.History) bool {
	crashed := rr.Rule == Survives.Address()
	return !slices.ContainsFunc(other.findings, func(f Finding) bool {
		return !slices.ContainsFunc(rr.findings, func(before Finding) bool {
			return before.violation() <= f.violation() && (crashed || sameThing(h, before, f))
		})
	})
}

// violation is the event that breaks the rule.
func (f Finding) violation() int32 {
	if len(f.At) == 0 {
		return 0
	}
	return f.At[len(f.At)-1]
}

// sameThing reports whether two findings have an object or a request in common.
func sameThing(h *history.History, a, b Finding) bool {
	has := func(n int32) bool { return n > 0 && int(n) <= len(h.Events) } // a judge may be wrong
	for _, n := range a.At {
		for _, m := range b.At {
			if !has(n) || !has(m) {
				continue
			}
			x, y := h.Event(n), h.Event(m)
			if n == m || x.Obj.K > 0 && x.Obj.K == y.Obj.K || requestOf(x) > 0 && requestOf(x) == requestOf(y) {
				return true
			}
		}
	}
	return false
}

// requestOf is the call that an event belongs to, or is; 0: none.
func requestOf(e *history.Event) int32 {
	if e.Phase == history.Call {
		return e.Num
	}
	return e.Call
}
