package listerwatcher

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// broken are the watches of which a frame could not be read, and that have had the time that they need, or have shown
// more than was sent before it.
func broken(h *history.History, f func(x *exchange, r *request, at int)) {
	for _, x := range exchanges(h) {
		r := x.last()
		if x.call.Kind != rig.Watch || r == nil || x.letGo() || has(h, Retries) {
			continue
		}
		for i, e := range r.Sent {
			if spoiled(e) {
				if x.settled != nil || x.overInTime() || len(x.deliveries()) > i {
					f(x, r, i)
				}
				break
			}
		}
	}
}

// misled are the watches that were answered, as if they were open, with what is none; one that resumes by itself may try again.
func misled(h *history.History, f func(x *exchange, r *request)) {
	for _, x := range exchanges(h) {
		r := x.last()
		if x.call.Kind != rig.Watch || r == nil || x.letGo() || has(h, Retries) || !r.strange() {
			continue
		}
		if x.failed() != nil || x.settled != nil || x.overInTime() {
			f(x, r)
		}
	}
}

// judgeWatchFrame looks at what came of the frame, and after it. A client that makes nothing of what came before it
// says nothing, nor does one that makes nothing of an answer that is no watch.
func judgeWatchFrame(h *history.History) harness.Judgement {
	var j harness.Judgement
	if has(h, Retries) {
		for _, x := range exchanges(h) {
			x.judgeFrames(&j)
		}
		return j
	}
	misled(h, func(x *exchange, r *request) {
		if x.failed() == nil && x.overInTime() && len(x.events) == 0 {
			return
		}
		j.Tested++
		if all := x.deliveries(); len(all) > 0 {
			j.Fail("nothing: what was answered is no watch", shown(all[0]), r.Answer.Num, all[0].Num)
		}
		if x.failed() == nil && !x.overInTime() {
			j.Fail("the end of the watch", "none, though it had all the time it needs", r.Answer.Num, x.settled.Num)
		}
	})
	broken(h, func(x *exchange, r *request, at int) {
		if at > 0 && len(x.events) == 0 {
			return
		}
		j.Tested++
		frame := r.Sent[at]
		if all := x.deliveries(); len(all) > at {
			j.Fail("nothing of the frame at #"+fmt.Sprint(frame.Num)+", nor of what follows it", shown(all[at]), frame.Num, all[at].Num)
		}
		if e := x.deliveredError(); e != nil && x.afterError(e) != nil && len(x.before(e)) < at {
			j.Fail("all that was sent before the frame, and then the ERROR", shown(x.afterError(e))+" after it", e.Num, x.afterError(e).Num)
		}
		if !x.overInTime() && x.settled != nil {
			j.Fail("the end of the watch", "none, though it had all the time it needs", frame.Num, x.settled.Num)
		}
	})
	return j
}

// judgeWatchFrameError looks for the ERROR of a frame that is whole and cannot be read.
func judgeWatchFrameError(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, x := range resumed(h) {
		x.judgeFramesTold(&j)
	}
	misled(h, func(x *exchange, r *request) {
		if !r.asksJSON() || r.bodyCut() {
			return
		}
		j.Tested++
		if x.failed() == nil && x.deliveredError() == nil {
			j.Fail("an error, or an ERROR: what was answered is no watch", "neither", r.Answer.Num, x.lastNum())
		}
	})
	broken(h, func(x *exchange, r *request, at int) {
		if !r.tellable(at) || x.settled == nil && x.ended == nil {
			return
		}
		j.Tested++
		if x.deliveredError() == nil {
			j.Fail("an ERROR that says that a frame could not be read", "none", r.Sent[at].Num, x.lastNum())
		}
	})
	return j
}

// tellable says that a frame is whole, and that who asked for it could tell that it cannot be read.
func (r *request) tellable(at int) bool {
	return spoiledHow(r.Sent[at]) != truncated && r.asksJSON()
}

// bodyCut reports whether what a fault answered is nothing, or the beginning of some JSON: it may have been cut.
func (r *request) bodyCut() bool {
	body := ""
	if e := r.Refused(); e != nil {
		body = e.Msg
	}
	var v any
	err := json.NewDecoder(strings.NewReader(body)).Decode(&v)
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// asksJSON says that nothing else was asked for.
func (r *request) asksJSON() bool { return !accepts(r.Asked.Accept, protobufType) }

// judgeFramesTold is the same, of a client that resumes by itself: it may ask again instead.
// One that makes nothing of what came before it says nothing.
func (x *exchange) judgeFramesTold(j *harness.Judgement) {
	if len(x.deliveries()) == 0 {
		return
	}
	requests := x.asked()
	for i, r := range requests {
		at := r.spoiledAt()
		if at < 0 || !r.tellable(at) {
			continue
		}
		switch frame := r.Sent[at]; {
		case i+1 < len(requests) || x.deliveredError() != nil:
			j.Tested++
		case x.endedItself() || x.hadTimeAfter(frame):
			j.Tested++
			j.Fail("an ERROR that says that a frame could not be read, or another request", "neither", frame.Num, x.lastNum())
		}
	}
}
