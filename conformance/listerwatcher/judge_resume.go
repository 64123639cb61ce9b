package listerwatcher

import (
	"fmt"
	"slices"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// patience is how often a client must have been refused before its silence, or its giving up, says something.
const patience = 4

// hadTimeAfter says that an event would have had its consequence by now: the call had all the time it needs after it.
func (x *exchange) hadTimeAfter(e *history.Event) bool {
	return !x.cutShort() && x.settled != nil && x.settled.Num > e.Num
}

// longestPause is what a client may take between two tries: no clause says how long.
const longestPause = 5 * time.Minute

// idleAfter says that the call had more time after an event than any client pauses.
func (x *exchange) idleAfter(e *history.Event) bool {
	rest := x.rested()
	return rest != nil && rest.Num > e.Num && time.Duration(rest.At-e.At) > longestPause
}

// judgeResumeVersion compares the resourceVersion of each request after the first with those that the client may go
// on from. What a watch without one begins with has no order: of such it is seen that no state comes twice, and that it
// goes on from one.
var judgeResumeVersion = perResumed(func(x *exchange, j *harness.Judgement) {
	requests := x.asked()
	switch {
	case len(requests) > 1 && !requests[0].versioned():
		x.judgeNoState(j)
		x.judgeNotAnew(j, requests)
		return
	case len(requests) == 0 || !requests[0].versioned():
		return
	}
	may, moved := []string{requests[0].Options.ResourceVersion}, false
	for i, r := range requests {
		if got := r.Options.ResourceVersion; i > 0 {
			if moved {
				j.Tested++
			}
			if !slices.Contains(may, got) {
				j.Fail("resourceVersion "+may[len(may)-1]+", of what came last", fmt.Sprintf("resourceVersion %q", got), requests[i-1].Call.Num, r.Call.Num)
				break
			}
		}
		if r.opened() && i+1 < len(requests) {
			moved = moved || len(r.readable()) > 0
			may = x.positions(r, may, requests[i+1].Call)
		}
	}
	x.judgeGoesOn(j, requests)
}, (*exchange).judgeWaitGoesOn)

// judgeNoState looks for an object's state that comes once more: as what the watch began with, and as a change.
func (x *exchange) judgeNoState(j *harness.Judgement) {
	had := map[string]*history.Event{}
	for _, e := range x.deliveries() {
		if e.Kind == bookmark || e.Obj.RV == "" {
			continue
		}
		j.Tested++
		if was := had[e.Obj.Key]; was != nil && was.Obj.RV == e.Obj.RV {
			j.Fail("no repeat of "+shown(was), shown(e), was.Num, e.Num)
			return
		}
		had[e.Obj.Key] = e
	}
}

// judgeNotAnew looks for a request that goes on from nowhere: what was deleted before it never comes.
func (x *exchange) judgeNotAnew(j *harness.Judgement, requests []*request) {
	for _, r := range requests[1:] {
		if !slices.ContainsFunc(x.deliveries(), func(e *history.Event) bool { return e.Num < r.Call.Num && e.Obj.RV != "" }) {
			continue
		}
		j.Tested++
		if !r.versioned() {
			j.Fail("a request from a resourceVersion that came", fmt.Sprintf("resourceVersion %q", r.Options.ResourceVersion), x.call.Num, r.Call.Num)
			return
		}
	}
}

// positions are the resourceVersions that a client may go on from after a connection: the last that was sent where it
// had all of it, else any from what its consumer had last when it asked again: what it had not had may have come by that.
func (x *exchange) positions(r *request, may []string, again *history.Event) []string {
	sent := r.readable()
	if len(sent) == 0 {
		return may
	}
	var all []string
	had := -1
	for i, e := range sent {
		all = append(all, e.Obj.RV)
		if came := x.delivered(e); came != nil && came.Num < again.Num {
			had = i
		}
	}
	switch {
	case r.How == "clean":
		return all[len(all)-1:]
	case had >= 0:
		return all[had:]
	}
	return append(slices.Clone(may), all...)
}

// judgeGoesOn: after a clean end there must be another request.
func (x *exchange) judgeGoesOn(j *harness.Judgement, requests []*request) {
	last := requests[len(requests)-1]
	if !last.opened() || last.Over == nil || last.How != "clean" || !last.flawless() || len(last.Sent) == 0 {
		return
	}
	switch {
	case x.endedItself():
		j.FailTested("a request that goes on", "the end of the stream", last.Over.Num, x.ended.Num)
	case !x.overInTime() && x.idleAfter(last.Over):
		j.FailTested("a request that goes on", "none, though it had all the time it needs", last.Over.Num, x.rested().Num)
	}
}

// expired says that a resourceVersion is gone.
func expired(err *history.Error) bool {
	return err != nil && (err.Code == 410 || err.Reason == "Expired" || err.Reason == "Gone")
}

// refusal is what the server said of a watch when it opened it, or in its stream; nil: it served it.
func (r *request) refusal() *history.Event {
	if r.code() >= 400 {
		return r.Answer
	}
	return r.Failed()
}

// judgeResumeExpired looks at what becomes of a watch whose resourceVersion is gone.
var judgeResumeExpired = perResumed(func(x *exchange, j *harness.Judgement) {
	for i, r := range x.asked() {
		if gone := r.refusal(); gone != nil && expired(gone.Err()) {
			x.judgeGone(j, gone, x.asked()[i+1:])
			break
		}
	}
}, (*exchange).judgeWaitExpired)

// judgeGone: the consumer must be told of what the server said, and nothing be asked after it.
func (x *exchange) judgeGone(j *harness.Judgement, gone *history.Event, later []*request) {
	told := x.deliveredError()
	decided := len(later) >= patience || x.hadTimeAfter(gone)
	switch {
	case told != nil && !expired(told.Err()):
		j.FailTested("ERROR "+gone.Err().String(), shown(told), gone.Num, told.Num)
	case told != nil && x.afterError(told) != nil:
		j.FailTested("the end, with the ERROR", shown(x.afterError(told))+" after it", gone.Num, told.Num, x.afterError(told).Num)
	case told != nil && len(later) > 0:
		j.FailTested("the end, with the ERROR", "a further request", gone.Num, told.Num, later[0].Call.Num)
	case told != nil && x.overInTime():
		j.Tested++
	case told != nil && decided:
		j.FailTested("the end, with the ERROR", "none, though it had all the time it needs", gone.Num, told.Num, x.settled.Num)
	case told != nil:
	case x.endedItself() && len(later) > 0: // what ended it may be the answer to that
		j.FailTested("ERROR "+gone.Err().String()+", and the end", "a further request", gone.Num, later[0].Call.Num)
	case x.endedItself():
		j.FailTested("ERROR "+gone.Err().String(), "the end without an ERROR", gone.Num, x.ended.Num)
	case decided && len(later) > 0:
		j.FailTested("ERROR "+gone.Err().String()+", and the end", "silence: it asks again, and again", gone.Num, later[0].Call.Num, later[len(later)-1].Call.Num)
	case decided:
		j.FailTested("ERROR "+gone.Err().String()+", and the end", "silence, though it had all the time it needs", gone.Num, x.settled.Num)
	}
}

// judgeResumePermanent looks at watches that nobody will be allowed. An end without an ERROR is no silence, either.
var judgeResumePermanent = perResumed(func(x *exchange, j *harness.Judgement) {
	requests := x.forbidden()
	if len(requests) == 0 {
		return
	}
	refused := requests[0].Answer
	switch told := x.deliveredError(); {
	case told != nil && x.endedItself() && x.afterError(told) != nil:
		j.FailTested("the end, with the ERROR", shown(x.afterError(told))+" after it", refused.Num, told.Num, x.afterError(told).Num)
	case told != nil && x.rested() != nil && x.rested().Num > told.Num && !x.overInTime():
		j.FailTested("the end, with the ERROR", "none, though it had all the time it needs", refused.Num, told.Num, x.rested().Num)
	case told != nil || x.endedItself():
		j.Tested++
	case len(requests) > patience || x.hadTimeAfter(refused):
		j.FailTested("ERROR "+refused.Err().String()+", or the end", "silence", refused.Num, requests[len(requests)-1].Call.Num)
	}
}, (*exchange).judgeWaitPermanent)

// forbidden returns the requests of a call from the first that was refused with 401 or 403; nil if there is none, or one was
// allowed again.
func (x *exchange) forbidden() []*request {
	is := func(r *request) bool { return r.code() == 401 || r.code() == 403 }
	all := x.asked()
	i := slices.IndexFunc(all, is)
	if i < 0 || slices.ContainsFunc(all[i:], func(r *request) bool { return !is(r) }) {
		return nil
	}
	return all[i:]
}

// mendable says that a client can get over what became of a request by asking again. One on which a frame came that no server
// sends it may give up.
func (r *request) mendable() bool {
	switch refusal := r.refusal(); {
	case r.Lost():
		return true
	case refusal != nil:
		return busy(refusal.Err())
	}
	if at := r.spoiledAt(); at >= 0 && spoiledHow(r.Sent[at]) != truncated {
		return false
	}
	return r.opened() && r.Over != nil && (r.How == "broken" || r.How == "clean" && len(r.Sent) == 0)
}

// judgeResumeErrors looks at what follows what can be mended.
var judgeResumeErrors = perResumed(func(x *exchange, j *harness.Judgement) {
	requests, row := x.asked(), 0 // how many in a row came to nothing
	for i, r := range requests {
		if !r.mendable() {
			row = 0
			continue
		}
		row++
		if i+1 < len(requests) {
			j.Tested++
			continue
		}
		x.judgeRetried(j, r, row)
	}
	x.judgePace(j, requests)
}, (*exchange).judgeWaitRetries)

// end is what came last of a request.
func (r *request) end() *history.Event {
	last := r.Call
	for _, e := range []*history.Event{r.Answer, r.Over} {
		if e != nil {
			last = e
		}
	}
	return last
}

// judgeRetried: after what can be mended there must be another request. Who has been refused often enough may give up,
// and says so; how often that was where connections were refused nobody knows, but when they are taken again it asks.
func (x *exchange) judgeRetried(j *harness.Judgement, r *request, row int) {
	from := r.end()
	switch {
	case x.endedItself() && row < patience && !x.mayHaveTried(x.ended):
		j.FailTested("a request that tries again", "the end of the stream", from.Num, x.ended.Num)
	case x.endedItself() && x.deliveredError() == nil:
		j.FailTested("a request that tries again, or an ERROR", "the end of the stream, without a word", from.Num, x.ended.Num)
	case !x.overInTime() && x.idleAfter(from) && (x.down == nil || x.up != nil && x.idleAfter(x.up)):
		j.FailTested("a request that tries again", "none, though it had all the time it needs", from.Num, x.rested().Num)
	}
}

// atOnce is too short for several tries of which one is to follow another after about a second.
const atOnce = 100 * time.Millisecond

// mayHaveTried says that a call that gave up may have tried before, where connections were refused.
func (x *exchange) mayHaveTried(end *history.Event) bool {
	return x.down != nil && time.Duration(end.At-x.down.At) > atOnce
}

// What is more than about one try a second: so many that came to nothing, and one more, within this time.
const (
	triesInARow = 5
	atLeast     = 3 * time.Second
)

// keptConnections is how many connections an HTTP client is taken to keep.
const keptConnections = 4

// butResent are requests without those that an HTTP client sends by itself: where a kept connection breaks before it answers,
// net/http sends the request again on the next one that it keeps (Transport, "Transport retries").
func butResent(requests []*request) (out []*request) {
	resent := 0
	for i, r := range requests {
		if i == 0 || !requests[i-1].Lost() || time.Duration(r.Call.At-requests[i-1].Call.At) > atOnce || resent == keptConnections {
			out, resent = append(out, r), 0
		} else {
			resent++
		}
	}
	return out
}

// judgePace looks for tries without a pause.
func (x *exchange) judgePace(j *harness.Judgement, requests []*request) {
	requests = butResent(requests)
	for i := 0; i+triesInARow < len(requests); i++ {
		if slices.ContainsFunc(requests[i:i+triesInARow], func(r *request) bool { return !r.mendable() }) {
			continue
		}
		j.Tested++
		first, last := requests[i].Call, requests[i+triesInARow].Call
		if took := time.Duration(last.At - first.At); took < atLeast {
			j.Fail(fmt.Sprintf("%d tries in %s or more", triesInARow+1, atLeast), fmt.Sprintf("%d in %s", triesInARow+1, took.Round(time.Millisecond)), first.Num, last.Num)
			return
		}
	}
}

// judgeResumeUnreadable looks at what becomes of a watch after an event that it cannot go on from.
var judgeResumeUnreadable = perResumed(func(x *exchange, j *harness.Judgement) {
	requests := x.asked()
	for i, r := range requests {
		if at := r.spoiledAt(); at >= 0 && spoiledHow(r.Sent[at]) != truncated {
			x.judgeUnreadable(j, r, at, requests[i+1:])
		}
	}
}, func(*exchange, *harness.Judgement) {})

const truncated = "truncate"

func (x *exchange) judgeUnreadable(j *harness.Judgement, r *request, at int, later []*request) {
	frame, again := r.Sent[at], len(later) > 0
	all, _ := x.journey()
	for _, e := range r.Sent[at+1:] {
		if came := x.delivered(e); came != nil && all[identityOf(e)] == nil && !sendError(later, e) {
			j.FailTested("an ERROR, or another request: the event cannot be read", "what was sent after it: "+shown(came), frame.Num, came.Num)
			return
		}
	}
	told := x.deliveredError()
	switch {
	case !again && told != nil && x.afterError(told) != nil:
		j.FailTested("all that was sent before the frame, and then the ERROR", shown(x.afterError(told))+" after it", frame.Num, told.Num, x.afterError(told).Num)
	case again || told != nil:
		j.Tested++
	case x.endedItself():
		j.FailTested("an ERROR, or another request: the event cannot be read", "the end without an ERROR", frame.Num, x.ended.Num)
	case x.hadTimeAfter(frame):
		j.FailTested("an ERROR, or another request: the event cannot be read", "neither, though it had all the time it needs", frame.Num, x.settled.Num)
	}
}

// sendError reports whether one of these requests brings the same ERROR as e.
func sendError(requests []*request, e *history.Event) bool {
	return e.Err() != nil && slices.ContainsFunc(requests, func(r *request) bool {
		f := r.Failed()
		return f != nil && *f.Err() == *e.Err()
	})
}
