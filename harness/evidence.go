package harness

import (
	"regexp"
	"slices"
	"time"

	"github.com/lwtest/lwtest/harness/history"
)

// Prove replaces the events of the first finding that is shown by its evidence: the smallest set of events that shows it. A history of
// these alone breaks the rule in the same way, and without any of them it does not. It gives up after a time, and then leaves the finding
// as it was. It reports whether it found the evidence.
func (k *Kind) Prove(rr *RuleResult, h *history.History, within time.Duration) bool {
	rule, ok := k.Rule(rr.Rule)
	if !ok || len(rr.Bad) == 0 {
		return false
	}
	if rr.Bad[0].Evidence {
		return true
	}
	p := proof{rule: rule, h: h, finding: rr.Bad[0].Finding, until: time.Now().Add(within)}
	at := p.smallest()
	if at == nil {
		return false
	}
	rr.Bad = slices.Clone(rr.Bad)
	rr.Bad[0].At, rr.Bad[0].Timeline, rr.Bad[0].Evidence = at, h.Evidence(at), true
	return true
}

// proof looks for the evidence of a finding.
type proof struct {
	rule    Rule
	h       *history.History
	finding Finding
	until   time.Time
}

// smallest returns the evidence, with the violation last, or nil. It leaves out halves of the history, then quarters, down to single
// events, as long as the rest shows the finding.
func (p *proof) smallest() []int32 {
	in := make([]int32, len(p.h.Events))
	for i := range in {
		in[i] = int32(i + 1)
	}
	if !p.shows(in) {
		return nil // the judge needs what Only leaves out
	}
	for size := max(len(in)/2, 1); ; size = max(size/2, 1) {
		before := len(in)
		for at := len(in); at > 0; at -= size { // from the end: what came after the violation goes first
			if !time.Now().Before(p.until) {
				return nil
			}
			if rest := slices.Delete(slices.Clone(in), max(at-size, 0), min(at, len(in))); len(rest) < len(in) && p.shows(rest) {
				in = rest
			}
		}
		if size == 1 && len(in) == before {
			break
		}
	}
	in = p.whole(in)
	bad := p.finding.violation()
	if i := slices.Index(in, bad); i >= 0 {
		in = append(slices.Delete(in, i, i+1), bad)
	}
	return in
}

// whole returns the numbers without events whose call is left out: Only leaves them out, too.
func (p *proof) whole(in []int32) []int32 {
	return slices.DeleteFunc(in, func(n int32) bool {
		call := p.h.Event(n).Call
		return call != 0 && !slices.Contains(in, call)
	})
}

// number is that of an event in a text.
var number = regexp.MustCompile(`#[0-9]+`)

// shows reports whether a history of these events alone shows the finding: the rule is broken by the same event, and says the same.
func (p *proof) shows(in []int32) (shows bool) {
	kept := make([]bool, len(p.h.Events)+1)
	for _, n := range in {
		kept[n] = true
	}
	part, nums, err := p.h.Only(func(n int32) bool { return kept[n] })
	if err != nil {
		return false
	}
	defer func() {
		if recover() != nil { // a judge need not understand part of a history
			shows = false
		}
	}()
	text := func(f Finding) string { return number.ReplaceAllString(f.Want+"\n"+f.Got, "#") }
	return slices.ContainsFunc(p.rule.Judge(part).Bad, func(f Finding) bool {
		v := f.violation()
		return v > 0 && int(v) <= len(nums) && nums[v-1] == p.finding.violation() && text(f) == text(p.finding)
	})
}
