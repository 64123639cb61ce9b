package node

import (
	"fmt"
	"strings"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// promise makes a rule also judge what steps waited for on its behalf. What has not come in time breaks it, if the agent was alive
// meanwhile: a busy machine is no fault of the agent's. What came says nothing if an earlier wait was in vain: what never ran is
// gone, too.
func promise(clause string, judge func(*trace, *harness.Judgement)) func(*history.History) harness.Judgement {
	return func(h *history.History) (j harness.Judgement) {
		t := traceOf(h)
		if judge != nil {
			judge(t, &j)
		}
		before, inVain := int32(0), false
		for _, w := range t.waits {
			if w.Clause == clause && (w.Expired || !inVain) {
				switch j.Tested++; {
				case !w.Expired:
				case h.Header.Time == history.VirtualTime || t.alive(before, w.Num):
					j.Fail(w.What, strings.TrimSuffix(fmt.Sprintf("not within %s: %s", w.For, w.Why), ": "), w.Num)
				default:
					j.Undecided = fmt.Sprintf("the agent did nothing while a step waited: %s", w.What)
				}
			}
			before, inVain = w.Num, inVain || w.Expired
		}
		return j
	}
}

// judged makes a judge of a function of a trace.
func judged(judge func(*trace, *harness.Judgement)) func(*history.History) harness.Judgement {
	return func(h *history.History) (j harness.Judgement) {
		judge(traceOf(h), &j)
		return j
	}
}
