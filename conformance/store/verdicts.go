package store

import (
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// verdicts are what one pass over a history says of several rules, by address.
type verdicts map[string]*harness.Judgement

func (v verdicts) of(rule string) *harness.Judgement {
	j := v[rule]
	if j == nil {
		j = &harness.Judgement{}
		v[rule] = j
	}
	return j
}

func (v verdicts) tested(rule string) { v.of(rule).Tested++ }

func (v verdicts) fail(rule, want, got string, at ...int32) {
	v.of(rule).FailTested(want, got, at...)
}

// Passes over a history, each made once.
type (
	mapVerdicts   struct{ verdicts }
	queueVerdicts struct{ verdicts }
	pushVerdicts  struct{ verdicts }
)

// said is what a pass says of a rule. Where it had to stop, finding nothing
// wrong before is no pass.
func (v verdicts) said(h *history.History, rule string) harness.Judgement {
	j := v.alone(rule)
	if len(j.Bad) == 0 && j.Undecided == "" {
		j.Undecided = runOf(h).undecided()
	}
	return decided(j)
}

// decided takes away what was tested before a pass had to stop.
func decided(j harness.Judgement) harness.Judgement {
	if len(j.Bad) == 0 && j.Undecided != "" {
		j.Tested = 0
	}
	return j
}

func byMap(rule string) func(*history.History) harness.Judgement {
	return func(h *history.History) harness.Judgement { return history.Derive(h, judgeMap).said(h, rule) }
}

// byQueue judges call by call where they come one after the other, else, where
// it can be told, by what was put and what popped.
func byQueue(rule string) func(*history.History) harness.Judgement {
	return func(h *history.History) harness.Judgement {
		v := history.Derive(h, judgeQueue)
		j := v.said(h, rule)
		if blurred := v.said(h, ruleOrder).Undecided != ""; len(j.Bad) > 0 || !has(h, IsQueue) || !blurred {
			return j
		}
		b := history.Derive(h, judgeQueueBeside)
		if b.undecided != "" {
			return j
		}
		return b.alone(rule)
	}
}

// alone is what a pass says of a rule, whatever else of the history is open.
func (v verdicts) alone(rule string) harness.Judgement {
	if p := v[rule]; p != nil {
		return *p
	}
	return harness.Judgement{}
}

// byPush needs no order of all calls: its pass says itself what is undecided.
func byPush(rule string) func(*history.History) harness.Judgement {
	return func(h *history.History) harness.Judgement { return decided(history.Derive(h, judgePush).alone(rule)) }
}
