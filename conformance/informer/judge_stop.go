package informer

import (
	"fmt"
	"slices"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// promptly is how long a stop may take not counting the calls of handlers.
const promptly = time.Second

// judgeClean looks at what is there when Run has returned and everything had its time.
func judgeClean(h *history.History) harness.Judgement {
	j := perInformer((*observed).leavesNothing)(h)
	for i := range h.Events {
		if e := &h.Events[i]; e.Kind == history.Left {
			j.FailTested("nothing left behind", e.Err().Msg, e.Num)
		}
	}
	return j
}

func (v *observed) leavesNothing(j *harness.Judgement) {
	at := v.settledAfterStop()
	if v.returned == nil || at == 0 || v.outrun() {
		return
	}
	j.Tested++
	over := v.returned.Num
	if len(v.laterRuns) > 0 { // that goes on after the first has returned
		over = at
	}
	for _, l := range v.handlers {
		if i := slices.IndexFunc(l.notices, func(n *notice) bool { return n.call.Num > over }); i >= 0 {
			j.Fail("no notification after Run returned", l.notices[i].String(), v.returned.Num, l.notices[i].call.Num)
		}
	}
	for _, x := range v.exchanges {
		switch {
		case x.Call.Num > v.returned.Num && time.Duration(x.Call.At-v.returned.At) > promptly && len(v.laterRuns) == 0:
			j.Fail("no request after Run returned", x.Call.Kind, v.returned.Num, x.Call.Num)
		case x.IsWatch() && x.Answer != nil && x.Refused() == nil && x.Dead == nil && (x.Over == nil || x.Over.Num > at):
			j.Fail("every watch closed", "one is open", v.returned.Num, x.Call.Num, at)
		}
	}
}

// settledAfterStop returns the moment after the stop at which everything had its time; 0: none.
func (v *observed) settledAfterStop() int32 {
	if i := slices.IndexFunc(v.settled, v.stoppedBy); i >= 0 {
		return v.settled[i]
	}
	return 0
}

// judgePrompt looks at how long it took to stop. In real time, where a machine may be busy, a late stop is undecided.
var judgePrompt = perInformer(func(v *observed, j *harness.Judgement) {
	at := v.settledAfterStop()
	if v.run == nil || at == 0 {
		return
	}
	if v.returned == nil || v.returned.Num > at {
		if !slices.ContainsFunc(v.handlers, func(l *listener) bool { return l.callAt(at) != nil }) {
			j.FailTested("a return of Run", "none, although it had all its time", v.stopped.Num, at)
		}
		return
	}
	took := time.Duration(v.returned.At - max(v.stopped.At, v.lastReturn()))
	if took > promptly && !v.w.virtual {
		j.Undecided = fmt.Sprintf("it took %s to stop, in real time", took)
		return
	}
	if j.Tested++; took > promptly {
		j.Fail(fmt.Sprintf("a return of Run within %s of the stop and of the last handler's return", promptly), took.String(), v.stopped.Num, v.returned.Num)
	}
})

// lastReturn returns when the last call of a handler returned before Run did. If one had not returned, Run did not wait for
// calls, and the result is the time of its return.
func (v *observed) lastReturn() (at int64) {
	for _, l := range v.handlers {
		for _, n := range l.notices {
			switch {
			case n.call.Num > v.returned.Num:
			case n.done == nil || n.done.Num > v.returned.Num:
				return v.returned.At
			default:
				at = max(at, n.done.At)
			}
		}
	}
	return at
}

// outrun reports whether the informer was stopped, and started a second time, when the first run may not have begun: it has made
// no request and had no time. Then the second run is the first that begins, and was not stopped.
func (v *observed) outrun() bool {
	if len(v.laterRuns) == 0 || v.stopped == nil || v.laterRuns[0].Num < v.stopped.Num {
		return false
	}
	asked := slices.ContainsFunc(v.exchanges, func(x *rig.Exchange) bool { return x.Call.Num < v.laterRuns[0].Num })
	return !asked && time.Duration(v.laterRuns[0].At-v.run.At) < noPause
}

// judgeTwice counts the watches that are open when nothing moves after a second start, and after the stop.
var judgeTwice = perInformer(func(v *observed, j *harness.Judgement) {
	if len(v.laterRuns) == 0 || v.outrun() {
		return
	}
	for _, num := range v.settled {
		if num < v.laterRuns[0].Num {
			continue
		}
		j.Tested++
		open := v.openWatches(num)
		switch {
		case v.stoppedBy(num) && len(open) > 0:
			j.Fail("no watch after the stop", "one is open", v.stopped.Num, open[0], num)
		case len(open) > 1:
			j.Fail("one watch", fmt.Sprintf("%d are open", len(open)), v.laterRuns[0].Num, open[1], num)
		}
	}
})

// judgeStopped looks at handlers that were added after the stop.
var judgeStopped = perHandler(func(l *listener, j *harness.Judgement) {
	stop := l.v.returned
	if stop == nil || len(l.v.laterRuns) > 0 || l.call.Num < stop.Num || l.returned == nil {
		return
	}
	if j.Tested++; l.returned.Err() == nil {
		j.Fail("an error: the informer has stopped", "no error, for a handler that is never called", stop.Num, l.returned.Num)
	}
})
