package listerwatcher

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
)

// brokenAt returns the frame of a watch that could not be read, if the watch has had the time that it needs, or has shown more
// than was sent before it; -1: there is none.
func (x *exchange) brokenAt(r *request) int {
	if at := r.spoiledAt(); at >= 0 && (x.settled != nil || x.overInTime() || len(x.deliveries()) > at) {
		return at
	}
	return -1
}

// misled reports whether a watch was answered with 200 and something that is no stream of events, and the client had the time to notice.
func (x *exchange) misled(r *request) bool {
	return r.strange() && (x.failed() != nil || x.settled != nil || x.overInTime())
}

// judgeWatchFrame looks at what came of the frame, and after it. A client that makes nothing of what came before it
// says nothing, nor does one that makes nothing of an answer that is no watch.
var judgeWatchFrame = perCall(func(x *exchange, j *harness.Judgement) {
	r := x.last()
	if has(x.h, Retries) {
		x.judgeFrames(j)
		return
	}
	if x.call.Kind != rig.Watch || r == nil || x.cutShort() {
		return
	}
	if x.misled(r) && (x.failed() != nil || !x.overInTime() || len(x.events) > 0) {
		j.Tested++
		if all := x.deliveries(); len(all) > 0 {
			j.Fail("nothing: what was answered is no watch", shown(all[0]), r.Answer.Num, all[0].Num)
		}
		if x.failed() == nil && !x.overInTime() {
			j.Fail("the end of the watch", "none, though it had all the time it needs", r.Answer.Num, x.settled.Num)
		}
	}
	at := x.brokenAt(r)
	if at < 0 || at > 0 && len(x.events) == 0 {
		return
	}
	j.Tested++
	frame := r.Sent[at]
	if all := x.deliveries(); len(all) > at {
		j.Fail("no event from the frame at #"+fmt.Sprint(frame.Num)+", which cannot be read, or from after it", shown(all[at]), frame.Num, all[at].Num)
	}
	if e := x.deliveredError(); e != nil && x.afterError(e) != nil && len(x.before(e)) < at {
		j.Fail("all that was sent before the frame, and then the ERROR", shown(x.afterError(e))+" after it", e.Num, x.afterError(e).Num)
	}
	if !x.overInTime() && x.settled != nil {
		j.Fail("the end of the watch", "none, though it had all the time it needs", frame.Num, x.settled.Num)
	}
})

// judgeWatchFrameError looks for the ERROR of a frame that is whole and cannot be read.
var judgeWatchFrameError = perCall(func(x *exchange, j *harness.Judgement) {
	r := x.last()
	switch {
	case x.call.Kind != rig.Watch || r == nil:
		return
	case has(x.h, Retries):
		x.judgeFramesTold(j)
		return
	case x.cutShort():
		return
	}
	if x.misled(r) && r.asksJSON() && !r.bodyCut() {
		j.Tested++
		if x.failed() == nil && x.deliveredError() == nil {
			j.Fail("an error, or an ERROR: what was answered is no watch", "neither", r.Answer.Num, x.lastNum())
		}
	}
	if at := x.brokenAt(r); at >= 0 && r.tellable(at) && (x.settled != nil || x.ended != nil) {
		j.Tested++
		if x.deliveredError() == nil {
			j.Fail("an ERROR that says that a frame could not be read", "none", r.Sent[at].Num, x.lastNum())
		}
	}
})

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
	if x.failed() != nil || len(x.deliveries()) == 0 {
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
			j.FailTested("an ERROR that says that a frame could not be read, or another request", "neither", frame.Num, x.lastNum())
		}
	}
}
