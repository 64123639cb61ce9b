package listerwatcher

import (
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// What a client ends by itself: a request of its own that has taken too long for it, or of another call. The server sends
// nothing on it after that, so that nothing of what happens is owed.

// deserted is a request that the client ended with nothing after it, more than a pause before then; nil: there is none.
func (x *exchange) deserted(by *history.Event) *request {
	r := x.lastBy(by)
	if r == nil || !r.opened() || r.Over == nil || !r.parted() || x.stopped != nil && x.stopped.Num < r.Over.Num {
		return nil
	}
	if by.Num < r.Over.Num || time.Duration(by.At-r.Over.At) <= longestPause {
		return nil
	}
	return r
}

// judgeDeserted: a stream that stays open must have something to come from.
func (x *exchange) judgeDeserted(j *harness.Judgement) {
	rest := x.rested()
	if rest == nil || x.endedItself() || x.failed() != nil {
		return
	}
	if r := x.deserted(rest); r != nil {
		j.FailTested("what happens next, or the end of the stream", "neither can come: the client itself has ended its request", r.Over.Num, rest.Num)
	}
}

// together is how soon after a call was let go of what ends is taken to have ended by that.
const together = time.Second

// judgeBeside: who lets go of one watch keeps the others.
func judgeBeside(h *history.History, j *harness.Judgement) {
	all := exchanges(h)
	for _, x := range all {
		if x.call.Kind != rig.Watch || x.stopped == nil {
			continue
		}
		for _, other := range all {
			if other != x && other.call.Kind == rig.Watch {
				other.judgeKept(j, x.stopped)
			}
		}
	}
}

// judgeKept judges watches that were open when another was stopped: each stays open, or the client asks for it again, unless
// it brought something that makes a client end it.
func (x *exchange) judgeKept(j *harness.Judgement, stop *history.Event) {
	r := x.lastBy(stop)
	if r == nil || !r.opened() || r.Answer.Num > stop.Num || r.Over != nil && r.Over.Num < stop.Num || x.stopped != nil && x.stopped.Num < stop.Num || x.failed() != nil {
		return // a call that failed has no watch to keep
	}
	j.Tested++
	if r.Over == nil || r.How != "stopped" || !r.flawless() || time.Duration(r.Over.At-stop.At) > together || x.stopped != nil && x.stopped.Num < r.Over.Num || x.last() != r {
		return
	}
	j.Fail("the other watches stay open", "a request of another is ended, and none follows it", stop.Num, r.Over.Num)
}
