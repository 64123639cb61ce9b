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

// Result is what became of one check on one target.
type Result struct {
	Check   string         `json:"check"` // address: kind/check
	Target  string         `json:"target"`
	Plugin  string         `json:"plugin,omitempty"`
	Verdict Verdict        `json:"verdict"`
	Cause   string         `json:"cause,omitempty"`  // of inconclusive: CauseAdapter, or none
	Reason  string         `json:"reason,omitempty"` // of a skip or of inconclusive; of a failure: what else kept the check from being driven to its end
	First   string         `json:"first,omitempty"`  // why it was inconclusive beside others, before it ran alone
	Known   string         `json:"known,omitempty"`  // the reason of the known-failure lines that cover it all
	Rules   []RuleResult   `json:"rules,omitempty"`  // in the order of the contract
	Score   map[string]int `json:"score,omitempty"`  // classes of request exercised, how often
	Events  int            `json:"events"`
	History string         `json:"history,omitempty"` // file, relative to the run directory
	Time    string         `json:"time"`              // virtual or real
	Seed    int64          `json:"seed"`
	Elapsed time.Duration  `json:"elapsed"` // real time, ns
	Stack   string         `json:"stack,omitempty"`

	damaged bool
}

// Damaged says that the process should not run another case: a bubble hangs or leaked.
func (r *Result) Damaged() bool { return r.damaged }

// CauseAdapter says that a check is inconclusive as what stands between the engine and a subject of another process has
// broken their protocol: that could not be run.
const CauseAdapter = "adapter"

// RuleResult is one rule's judgement of a check's history.
type RuleResult struct {
	Rule     string   `json:"rule"` // address without kind
	Level    Level    `json:"level"`
	Verdict  Verdict  `json:"verdict"`
	Required bool     `json:"required,omitempty"` // the check must put it to the test
	Tested   int      `json:"tested"`
	Failures int      `json:"failures,omitempty"` // how many findings there were
	Bad      []Shown  `json:"bad,omitempty"`      // the first of them
	More     []string `json:"more,omitempty"`     // what the others got
	Reason   string   `json:"reason,omitempty"`   // why it was skipped, or is undecided
	Known    string   `json:"known,omitempty"`    // reasons of the known-failure lines that cover all of it
}

// Shown is a finding with its picture.
type Shown struct {
	Finding
	Timeline string `json:"timeline"`
}

// maxShown bounds the findings that a result shows of one rule, maxMore what
// it keeps of the others; all are counted.
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

// Judge judges a saved history of this kind as if the check had just run;
// info may have no name for a history that no check recorded: then nothing is
// required, and the verdict is pass when any rule was tested, none broken and
// none left undecided for another reason than that it had no occasion.
func (k *Kind) Judge(info Info, h *history.History) Result {
	c := Case{Kind: k, Info: info, Plugin: h.Header.Plugin}
	for _, f := range h.Header.Features {
		c.Has = append(c.Has, Feature(f))
	}
	r := Result{Check: h.Header.Check, Target: h.Header.Target, Plugin: h.Header.Plugin, Seed: h.Header.Seed, Time: h.Header.Time}
	r.judge(c, h)
	return r
}

// judge puts a history before all rules of the kind and merges what they say.
func (r *Result) judge(c Case, h *history.History) {
	r.Events = len(h.Events)
	if said := misspoke(h); said != "" {
		r.Verdict, r.Cause, r.Reason, r.Stack = Inconclusive, CauseAdapter, "the adapter: "+firstOf(said), said
		return
	}
	required := map[string]bool{}
	for _, rule := range c.Rules {
		required[rule.Address()] = true
	}
	for _, rule := range c.Kind.Rules {
		r.Rules = append(r.Rules, judgeRule(rule, c.Has, h, required[rule.Address()]))
	}
	r.merge(h)
	r.score(c.Kind, h)
}

// score counts the classes; a count that panics leaves the verdict alone, but
// nobody may take it for complete.
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

// neverTested is the reason of a rule that nothing was there for.
const neverTested = "never put to the test"

// judgeRule is one judge on one history; a judge that panics is undecided.
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
	for _, f := range j.Bad[:min(len(j.Bad), maxShown)] {
		out.Bad = append(out.Bad, Shown{f, h.Timeline(f.At)})
	}
	for i := maxShown; i < min(len(j.Bad), maxShown+maxMore); i++ {
		out.More = append(out.More, j.Bad[i].Got)
	}
	switch {
	case len(j.Bad) > 0:
		out.Verdict = Fail
	case j.Undecided != "":
		out.Verdict = Inconclusive
	case j.Tested == 0:
		out.Verdict, out.Reason = Inconclusive, neverTested
	default:
		out.Verdict = Pass
	}
	return out
}

// merge gives the verdict of the check: any broken rule, then what kept it
// from being driven, then a required rule without an answer.
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

// mergeFree is the verdict on a history that no check recorded and that broke no
// rule: every rule may have had no occasion, but none of all, and what had one
// and could not be decided is no pass.
func mergeFree(rules []RuleResult, tested int) (Verdict, string) {
	reason, undecided := "", 0
	for i := range rules {
		if rr := &rules[i]; rr.Verdict == Inconclusive && rr.Reason != neverTested && rr.Level != Provisional {
			reason = cmp.Or(reason, rr.told())
			undecided++
		}
	}
	switch {
	case undecided > 1:
		return Inconclusive, fmt.Sprintf("%d rules are undecided, the first is %s", undecided, reason)
	case undecided == 1:
		return Inconclusive, reason
	case tested == 0:
		return Inconclusive, "no rule was put to the test"
	}
	return Pass, ""
}

// mergeRequired is the verdict of a check that broke no rule. One of which no
// required rule said anything is no pass; each that is open is named.
func mergeRequired(required []RuleResult) (Verdict, string) {
	reason, answered := "", false
	var open []string
	for i := range required {
		rr := &required[i]
		switch {
		case rr.open():
			open = append(open, rr.told())
		case rr.Verdict == Skip || rr.Verdict == Inconclusive:
			reason = cmp.Or(reason, rr.told())
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

// open says that the check must put the rule to the test and did not.
func (rr *RuleResult) open() bool {
	return rr.Required && rr.Verdict == Inconclusive && rr.Level != Provisional
}

// Broken returns the rules that the check broke: those that it is made for first, the others in the order of the contract.
func (r *Result) Broken() []RuleResult {
	var own, others []RuleResult
	for _, rr := range r.Rules {
		switch {
		case rr.Verdict != Fail:
		case rr.Required:
			own = append(own, rr)
		default:
			others = append(others, rr)
		}
	}
	return append(own, others...)
}

// told is the reason of a rule as the reason of its check.
func (rr *RuleResult) told() string {
	if rr.Verdict == Skip {
		return rr.Reason
	}
	return rr.Rule + ": " + firstOf(rr.Reason)
}

// misspoke is how an adapter broke the protocol; empty: it did not.
func misspoke(h *history.History) string {
	if i := slices.IndexFunc(h.Events, func(e history.Event) bool { return e.Kind == history.ProtocolError }); i >= 0 && h.Events[i].Err() != nil {
		return h.Events[i].Err().Msg
	}
	return ""
}

// whyStopped is the engine's own word that the case did not run as it should.
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

// crash is the stack or the last words of a subject that did not survive.
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

// OnlyShould says that a failed check broke nothing but SHOULD clauses, and
// that nothing else is open.
func (r *Result) OnlyShould() bool {
	if r.Verdict != Fail {
		return false
	}
	for _, rr := range r.Rules {
		if rr.Verdict == Fail && rr.Level == Must || rr.open() && rr.Known == "" {
			return false
		}
	}
	return r.Reason == ""
}
