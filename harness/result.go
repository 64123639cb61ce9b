package harness

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/lwtest/lwtest/harness/history"
)

// Result is the outcome of one check on one target.
type Result struct {
	Check   string         `json:"check"` // address: kind/check
	Target  string         `json:"target"`
	Plugin  string         `json:"plugin,omitempty"`
	Verdict Verdict        `json:"verdict"`
	Cause   string         `json:"cause,omitempty"`  // CauseAdapter if an adapter made the check inconclusive, else empty
	Reason  string         `json:"reason,omitempty"` // why it was skipped or is inconclusive; for a failure, what kept the check from running to its end
	First   string         `json:"first,omitempty"`  // why it was inconclusive beside other checks, before it ran again alone
	Known   string         `json:"known,omitempty"`  // reasons of the known failures that cover all of it
	Rules   []RuleResult   `json:"rules,omitempty"`  // in the order of the contract
	Score   map[string]int `json:"score,omitempty"`  // how often each class of request was exercised
	Events  int            `json:"events"`
	History string         `json:"history,omitempty"` // file, relative to the run directory
	Judged  string         `json:"-"`                 // file of a saved history that was judged, even if nothing can repeat it
	Time    string         `json:"time"`              // virtual or real
	Seed    int64          `json:"seed"`
	Elapsed time.Duration  `json:"elapsed"` // real time, ns
	Stack   string         `json:"stack,omitempty"`
	Idle    []string       `json:"idle,omitempty"` // which steps did nothing, and why: notes, and of an inconclusive check all skipped steps of its story

	damaged bool
}

// Damaged reports whether the process must not run another case, because a bubble hangs or leaked.
func (r *Result) Damaged() bool { return r.damaged }

// CauseAdapter is the cause of a check that is inconclusive because an adapter broke the protocol between the engine
// and a subject in another process.
const CauseAdapter = "adapter"

// RuleResult is one rule's judgement of a check's history.
type RuleResult struct {
	Rule     string   `json:"rule"` // address without the kind
	Level    Level    `json:"level"`
	Verdict  Verdict  `json:"verdict"`
	Required bool     `json:"required,omitempty"` // the check must test it
	Tested   int      `json:"tested"`
	Failures int      `json:"failures,omitempty"` // the number of findings
	Bad      []Shown  `json:"bad,omitempty"`      // the first of them
	More     []string `json:"more,omitempty"`     // got of the next findings
	Reason   string   `json:"reason,omitempty"`   // why it was skipped or is undecided
	Known    string   `json:"known,omitempty"`    // reasons of the known failures that cover all of it
	// After are other rules that the check broke, which bind as much: before each finding of this rule, or at the same moment, one of
	// theirs is about the same object or request. So theirs may be the cause. All that comes after a crash is after it.
	After []string `json:"after,omitempty"`
	// With are other rules that the check broke at the same moment, which bind as much: each finding of this rule is about the same object
	// or request as one of theirs. So theirs may be the cause just as well.
	With []string `json:"with,omitempty"`

	findings []Finding // all of them, until After is set
}

// Shown is a finding with its timeline.
type Shown struct {
	Finding
	Timeline string `json:"timeline"`
	Evidence bool   `json:"evidence,omitempty"` // At is the smallest set of events that shows it: see Kind.Prove
}

// maxShown bounds the findings of one rule that a result shows. maxMore bounds how many more it keeps by their got.
// All findings are counted.
const (
	maxShown = 5
	maxMore  = 1000
)

func (c Case) result(o Options) Result {
	r := Result{Check: c.Address(), Target: o.Target, Plugin: c.Plugin, Seed: o.Seed, Time: history.RealTime}
	if o.Virtual(c) {
		r.Time = history.VirtualTime
	}
	return r
}

// Judge judges a saved history of this kind as if the check had just run. info has no name if no check recorded the
// history. Then the rules that its story names are required. If it has none, no rule is required, and the verdict is Pass
// if a rule was tested, none was broken, and every undecided rule had no occasion.
func (k *Kind) Judge(info Info, h *history.History) Result {
	if info.Name == "" && h.Header.Story != nil {
		if s, err := k.Story(h.Header.Story); err == nil { // else it is of another version
			info.Rules, _ = k.rulesOf(s)
		}
	}
	c := Case{Kind: k, Info: info, Plugin: h.Header.Plugin}
	for _, f := range h.Header.Features {
		c.Has = append(c.Has, Feature(f))
	}
	r := Result{Check: h.Header.Check, Target: h.Header.Target, Plugin: h.Header.Plugin, Seed: h.Header.Seed, Time: h.Header.Time}
	r.judge(c, h)
	return r
}

// judge applies all rules of the kind to a history and merges their verdicts.
func (r *Result) judge(c Case, h *history.History) {
	r.Events = len(h.Events)
	if msg := protocolError(h); msg != "" {
		r.Verdict, r.Cause, r.Reason, r.Stack = Inconclusive, CauseAdapter, "the adapter: "+firstOf(msg), msg
		return
	}
	required := map[string]bool{}
	for _, rule := range c.Rules {
		required[rule.Address()] = true
	}
	for _, rule := range c.Kind.Rules {
		r.Rules = append(r.Rules, judgeRule(rule, c.Has, h, required[rule.Address()]))
	}
	r.explain(h)
	r.merge(h)
	r.score(c.Kind, h)
}

// score counts the classes that the history exercised. If the count panics, a failure stays a failure, and any other
// verdict becomes Inconclusive.
func (r *Result) score(k *Kind, h *history.History) {
	if k.Score == nil {
		return
	}
	defer func() {
		if p := recover(); p != nil && r.Verdict != Fail {
			r.Verdict, r.Reason = Inconclusive, fmt.Sprintf("the scorecard panicked: %v", p)
			r.Stack = fmt.Sprintf("%s\n\n%s", r.Reason, debug.Stack())
		}
	}()
	r.Score = k.Score(h)
}

// neverTested is the reason of a rule that the history gave no occasion to test.
const neverTested = "never put to the test"

// judgeRule applies one rule to one history. A judge that panics leaves the rule Inconclusive.
func judgeRule(rule Rule, has []Feature, h *history.History, required bool) (out RuleResult) {
	out = RuleResult{Rule: rule.Address(), Level: rule.Clause.LevelFor(has), Required: required}
	if why := skipReason(rule.Needs, has); why != "" {
		out.Verdict, out.Reason = Skip, why
		return out
	}
	defer func() {
		if p := recover(); p != nil {
			out.Verdict, out.Reason = Inconclusive, fmt.Sprintf("the judge panicked: %v\n\n%s", p, debug.Stack())
		}
	}()
	j := rule.Judge(h)
	out.Tested, out.Failures, out.Reason = j.Tested, len(j.Bad), j.Undecided
	out.findings = j.Bad
	for _, f := range j.Bad[:min(len(j.Bad), maxShown)] {
		out.Bad = append(out.Bad, Shown{Finding: f, Timeline: h.Timeline(f.At)})
	}
	for i := maxShown; i < min(len(j.Bad), maxShown+maxMore); i++ {
		out.More = append(out.More, j.Bad[i].Got)
	}
	switch {
	case len(j.Bad) > 0:
		out.Verdict = Fail
	case j.Undecided != "":
		out.Verdict = Inconclusive
	case j.Tested == 0 && j.Spared != "":
		out.Verdict, out.Reason = Skip, j.Spared
	case j.Tested == 0:
		out.Verdict, out.Reason = Inconclusive, neverTested
	default:
		out.Verdict = Pass
	}
	return out
}

// merge sets the verdict of the check. A broken rule comes first, then what stopped the check, then a required rule
// without an answer.
func (r *Result) merge(h *history.History) {
	stopped := whyStopped(h)
	var required []RuleResult
	tested := 0
	for _, rr := range r.Rules {
		if rr.Verdict == Fail && rr.Level != Provisional {
			r.Verdict = Fail
		}
		if rr.Required {
			required = append(required, rr)
		}
		if rr.Verdict == Pass && rr.Rule != Survives.Address() {
			tested++
		}
	}
	r.Reason, r.Stack = firstOf(stopped), cmp.Or(crash(h), stopped)
	switch {
	case r.Verdict == Fail:
		return
	case stopped != "":
		r.Verdict = Inconclusive
		return
	}
	if len(required) == 0 {
		r.Verdict, r.Reason = mergeFree(r.Rules, tested)
		return
	}
	r.Verdict, r.Reason = mergeRequired(required)
}

// mergeFree returns the verdict on a history that no check recorded and that broke no rule. A rule may have had no
// occasion, but not all of them. A rule that had one and is undecided makes the verdict Inconclusive.
func mergeFree(rules []RuleResult, tested int) (Verdict, string) {
	reason, undecided := "", 0
	for i := range rules {
		if rr := &rules[i]; rr.Verdict == Inconclusive && rr.Reason != neverTested && rr.Level != Provisional {
			reason = cmp.Or(reason, rr.summary())
			undecided++
		}
	}
	switch {
	case undecided > 1:
		return Inconclusive, fmt.Sprintf("%d rules are undecided, the first is %s", undecided, reason)
	case undecided == 1:
		return Inconclusive, reason
	case tested == 0:
		return Inconclusive, "no rule was tested"
	}
	return Pass, ""
}

// mergeRequired returns the verdict of a check that broke no rule. The check passes only if a required rule gave an
// answer. The reason names each required rule that was not tested.
func mergeRequired(required []RuleResult) (Verdict, string) {
	reason, answered := "", false
	var open []string
	for i := range required {
		rr := &required[i]
		switch {
		case rr.open():
			open = append(open, rr.summary())
		case rr.Verdict == Skip || rr.Verdict == Inconclusive:
			reason = cmp.Or(reason, rr.summary())
		default:
			answered = true
		}
	}
	if open != nil {
		return Inconclusive, strings.Join(open, "; ")
	}
	if !answered {
		return Skip, reason
	}
	return Pass, ""
}

// open reports whether the check had to test the rule and did not.
func (rr *RuleResult) open() bool {
	return rr.Required && rr.Verdict == Inconclusive && rr.Level != Provisional
}

// Broken returns the broken rules of the check in the order in which to read them: a crash first, then MUSTs before SHOULDs, and what
// was broken earlier before what was broken later.
func (r *Result) Broken() (out []RuleResult) {
	for _, rr := range r.ordered() {
		out = append(out, *rr)
	}
	return out
}

// summary returns the rule's reason as part of the reason of its check.
func (rr *RuleResult) summary() string {
	if rr.Verdict == Skip {
		return rr.Reason
	}
	return rr.Rule + ": " + firstOf(rr.Reason)
}

// protocolError returns how an adapter broke the protocol, or "" if it did not.
func protocolError(h *history.History) string {
	if i := slices.IndexFunc(h.Events, func(e history.Event) bool { return e.Kind == history.ProtocolError }); i >= 0 && h.Events[i].Err() != nil {
		return h.Events[i].Err().Msg
	}
	return ""
}

// whyStopped returns why the engine stopped the case, or "" if the case ran to its end.
func whyStopped(h *history.History) string {
	if h.Truncated {
		return "the history is truncated"
	}
	for i := range h.Events {
		e := &h.Events[i]
		if e.Kind == history.GaveUp || e.Kind == history.Left {
			if e.Err() == nil || e.Err().Msg == "" {
				return fmt.Sprintf("%s at #%d", e.Kind, e.Num)
			}
			return e.Err().Msg
		}
	}
	return ""
}

// crash returns the stack or the last output of a subject that crashed, or "".
func crash(h *history.History) string {
	for i := range h.Events {
		if e := &h.Events[i]; e.Err() != nil && (e.Kind == history.Panic || e.Kind == history.Exited) {
			return e.Err().Msg
		}
	}
	return ""
}

func firstOf(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// OnlyShould reports whether a failed check broke only SHOULD clauses, and MUSTs that are known to fail, and left no required rule open.
func (r *Result) OnlyShould() bool {
	if r.Verdict != Fail {
		return false
	}
	for _, rr := range r.Rules {
		if rr.Known == "" && (rr.Verdict == Fail && rr.Level == Must || rr.open()) {
			return false
		}
	}
	return r.Reason == ""
}
