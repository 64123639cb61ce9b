package informer

import (
	"fmt"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeClean looks at what is there when the run has returned and all had its time.
func judgeClean(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, v := range worldOf(h).informers {
		at, ok := v.after()
		if v.stopped == nil || v.returned == nil || !ok {
			continue
		}
		j.Tested++
		for _, l := range v.handlers {
			for _, n := range l.notices {
				if n.call.Num > v.returned.Num {
					j.Fail("no call of a handler", n.kind+" "+n.now.String(), v.returned.Num, n.call.Num)
					break
				}
			}
		}
		for _, x := range v.exchanges {
			switch {
			case x.Call.Num > v.returned.Num && time.Duration(x.Call.At-v.returned.At) > promptly && len(v.again) == 0:
				j.Fail("no request", x.Call.Kind, v.returned.Num, x.Call.Num)
			case x.IsWatch() && x.Answer != nil && x.Refused() == nil && (x.Over == nil || x.Over.Num > at):
				j.Fail("every watch stopped", "one is open", v.returned.Num, x.Call.Num, at)
			}
		}
	}
	for i := range h.Events {
		if e := &h.Events[i]; e.Kind == history.Left {
			j.Tested++
			j.Fail("nothing left behind", e.Err().Msg, e.Num)
		}
	}
	return j
}

// after is the moment, after the stop, at which all had its time.
func (v *observed) after() (int32, bool) {
	for _, num := range v.rests {
		if v.stopped != nil && num > v.stopped.Num {
			return num, true
		}
	}
	return 0, false
}

// promptly is how long a stop may take beside the calls of handlers.
const promptly = time.Second

// judgePrompt looks at how long it took to stop. In real time, where a machine may be busy, what is late is undecided.
func judgePrompt(h *history.History) harness.Judgement {
	var j harness.Judgement
	w := worldOf(h)
	for _, v := range w.informers {
		at, ok := v.after()
		if v.stopped == nil || v.run == nil || !ok {
			continue
		}
		if v.returned == nil || v.returned.Num > at {
			if v.underWay(at) {
				continue
			}
			j.Tested++
			j.Fail("an end of the run", "none, though it had all its time", v.stopped.Num, at)
			continue
		}
		took := time.Duration(v.returned.At - max(v.stopped.At, v.lastReturn()))
		switch {
		case took <= promptly:
			j.Tested++
		case w.virtual:
			j.Tested++
			j.Fail(fmt.Sprintf("an end within %s of the stop and of the last handler's return", promptly), took.String(), v.stopped.Num, v.returned.Num)
		default:
			j.Undecided = fmt.Sprintf("it took %s to stop, in real time", took)
		}
	}
	return j
}

// underWay says that a handler's call is held at an event.
func (v *observed) underWay(num int32) bool {
	for _, l := range v.handlers {
		if l.busy(num) != nil {
			return true
		}
	}
	return false
}

// lastReturn is when the last call of a handler returned that was under way at the stop; one that had not returned when
// the run did was not waited for.
func (v *observed) lastReturn() int64 {
	at := int64(0)
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

// judgeTwice counts the watches that are open when nothing moves, after a second start; and after the stop all requests.
func judgeTwice(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, v := range worldOf(h).informers {
		if len(v.again) == 0 {
			continue
		}
		for _, num := range v.rests {
			if num < v.again[0].Num {
				continue
			}
			j.Tested++
			open := v.watching(num)
			switch {
			case v.stopped != nil && v.stopped.Num < num && len(open) > 0:
				j.Fail("no watch after the stop", "one is open", v.stopped.Num, open[0], num)
			case len(open) > 1:
				j.Fail("one watch", fmt.Sprintf("%d are open", len(open)), v.again[0].Num, open[1], num)
			}
		}
	}
	return j
}

// watching are the watches that are open at an event, by their calls.
func (v *observed) watching(num int32) []int32 {
	var out []int32
	for _, x := range v.exchanges {
		if x.IsWatch() && x.Answer != nil && x.Refused() == nil && x.Answer.Num < num && (x.Over == nil || x.Over.Num > num) {
			out = append(out, x.Call.Num)
		}
	}
	return out
}

// judgeStopped looks at handlers that were added after the stop.
func judgeStopped(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, v := range worldOf(h).informers {
		for _, l := range v.handlers {
			if v.returned == nil || l.call.Num < v.returned.Num || l.returned == nil {
				continue
			}
			if j.Tested++; l.returned.Err() == nil {
				j.Fail("a refusal: the informer has stopped", "a handler that nothing will call", v.returned.Num, l.returned.Num)
			}
		}
	}
	return j
}
