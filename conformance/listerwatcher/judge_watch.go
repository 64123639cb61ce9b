package listerwatcher

import (
	"fmt"
	"slices"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// cutOff reports whether connections were broken or refused at some moment between two events: then a client that asked again
// by itself was sent more than the server knows of.
func cutOff(h *history.History, from, to int32) bool {
	down := false
	for _, e := range h.Events[:to] {
		if e.Phase != history.Call || e.Kind != rig.Down && e.Kind != rig.Up {
			continue
		}
		was := down
		if down = e.Kind == rig.Down; e.Num >= from && (was || down) {
			return true
		}
	}
	return down
}

// judgeWatchFaithful compares what came of each watch with what the server sent on it: the same events from the
// first on, and all of them where the watch had its time.
var judgeWatchFaithful = perCall(func(x *exchange, j *harness.Judgement) {
	r := x.last()
	if x.call.Kind != rig.Watch || r == nil {
		return
	}
	if x.failed() != nil && (x.stopped == nil || x.stopped.Num > x.answer.Num) && r.opened() && !r.Lost() && r.Answer.Num < x.answer.Num && !cutOff(x.h, r.Call.Num, x.answer.Num) {
		j.FailTested("the watch that was opened", x.failed().String(), r.Answer.Num, x.answer.Num)
	}
	x.judgeDeserted(j)
	if has(x.h, Retries) {
		x.judgeJourney(j)
		return
	}
	sent := r.readable()
	for i, e := range x.deliveries() {
		j.Tested++
		if i >= len(sent) {
			j.Fail("nothing that was not sent", shown(e), x.call.Num, e.Num)
			break
		}
		if want, got, ok := sameEvent(x.h, sent[i], e); !ok {
			j.Fail(want, got, sent[i].Num, e.Num)
			break
		}
	}
	if x.judgeDropped(j) {
		return
	}
	if n := len(x.deliveries()); n < len(sent) && x.owes(r, sent[n]) {
		j.FailTested(shown(sent[n]), "nothing, though the watch had all the time it needs", sent[n].Num, x.settled.Num)
	}
})

// readable are the events that came before what a fault made unreadable; the ERROR that ends a watch is another rule's.
func (r *request) readable() []*history.Event {
	var out []*history.Event
	for _, e := range r.Sent {
		if spoiled(e) || e.Kind == errorType {
			break
		}
		out = append(out, e)
	}
	return out
}

// parted says that the client let go of a watch of which it had heard no end: nobody knows how much of it it has read.
// Who lets go after an ERROR may do so before the server has told of the end of its own.
func (r *request) parted() bool { return r.How == "stopped" && len(r.readable()) == len(r.Sent) }

// deliveries are the events that are no ERROR.
func (x *exchange) deliveries() []*history.Event {
	var out []*history.Event
	for _, e := range x.events {
		if e.Kind != errorType {
			out = append(out, e)
		}
	}
	return out
}

// owes says that an event that was sent must have come: the consumer read to the end, and has let go of nothing.
func (x *exchange) owes(r *request, sent *history.Event) bool {
	return x.settled != nil && !x.cutShort() && x.answer != nil && x.answer.Err() == nil && r.How != "broken" && sent.Num < x.settled.Num
}

func sameEvent(h *history.History, sent, got *history.Event) (want, is string, ok bool) {
	if sent.Kind != got.Kind {
		return shown(sent), shown(got), false
	}
	if sent.Kind == bookmark && sent.Obj.RV != got.Obj.RV {
		return shown(sent), shown(got), false
	}
	want, is, ok = sameObject(h, &sent.Obj, &got.Obj)
	return sent.Kind + " " + want, got.Kind + " " + is, ok
}

func shown(e *history.Event) string {
	if e.Kind == errorType && e.Err() != nil {
		return errorType + " " + e.Err().String()
	}
	if e.Kind == "BOOKMARK" { // its object has no name
		return e.Kind + " @" + e.Obj.RV
	}
	return e.Kind + " " + e.Obj.Named()
}

// judgeWatchError looks for each ERROR that was sent and that the client had time for. One that resumes by itself
// may keep all but 410 to itself.
var judgeWatchError = perCall(func(x *exchange, j *harness.Judgement) {
	r := x.last()
	if x.call.Kind != rig.Watch || r == nil || x.cutShort() {
		return
	}
	x.judgeErrorOnce(j)
	for _, e := range r.Sent {
		if spoiled(e) {
			break // it may have ended there
		}
		if e.Kind != errorType || x.settled == nil && x.ended == nil || x.down != nil && r.Call.Num < x.down.Num || has(x.h, Retries) && !expired(e.Err()) {
			continue
		}
		j.Tested++
		want, got := sentError(e), x.deliveredError()
		if got == nil {
			j.Fail("ERROR "+want.String(), "no ERROR "+want.String(), e.Num, x.lastNum())
		} else if late := x.afterError(got); late != nil && !has(x.h, Retries) && len(x.before(got)) < len(r.readable()) {
			j.Fail("ERROR when all that was sent before it has come", shown(late)+" after it", e.Num, got.Num, late.Num)
		} else if is := sentError(got); !is.keeps(want) {
			j.Fail("ERROR "+want.String(), "ERROR "+is.String(), e.Num, got.Num)
		}
	}
})

// judgeErrorOnce looks for more ERRORs than went wrong.
func (x *exchange) judgeErrorOnce(j *harness.Judgement) {
	wrong := 0
	for _, r := range x.requests {
		if r.refusal() != nil || r.Lost() || !r.flawless() {
			wrong++
		}
		if r.How == "broken" {
			wrong++ // after an ERROR, too
		}
	}
	errors := slices.DeleteFunc(slices.Clone(x.events), func(e *history.Event) bool { return e.Kind != errorType })
	if wrong > 0 && len(errors) > wrong {
		j.Fail("one ERROR for each request that failed", fmt.Sprintf("%d for %d", len(errors), wrong), x.call.Num, errors[wrong].Num)
	}
}

// before and afterError are the deliveries before an ERROR, and the first after it; nil: none came.
func (x *exchange) before(e *history.Event) []*history.Event {
	return slices.DeleteFunc(x.deliveries(), func(d *history.Event) bool { return d.Num > e.Num })
}

func (x *exchange) afterError(e *history.Event) *history.Event {
	all := x.deliveries()
	if n := len(x.before(e)); n < len(all) {
		return all[n]
	}
	return nil
}

// lastNum is the number of the last that is known of the call.
func (x *exchange) lastNum() int32 {
	n := x.call.Num
	for _, e := range []*history.Event{x.answer, x.ended, x.settled} {
		if e != nil {
			n = max(n, e.Num)
		}
	}
	return n
}

func (x *exchange) deliveredError() *history.Event {
	for _, e := range x.events {
		if e.Kind == errorType {
			return e
		}
	}
	return nil
}

func sentError(e *history.Event) told {
	t := told{status: true}
	if err := e.Err(); err != nil {
		t.code, t.reason = err.Code, err.Reason
	}
	b := history.BodyOf[rig.StatusBody](e)
	t.causes, t.retryAfter = b.Causes, b.RetryAfter
	return t
}

// judgeWatchEnd looks at watches that the server ended.
var judgeWatchEnd = perCall(func(x *exchange, j *harness.Judgement) {
	r := x.last()
	if x.call.Kind == rig.Watch && has(x.h, Retries) {
		x.judgeEnds(j)
		return
	}
	if x.call.Kind != rig.Watch || r == nil || r.Over == nil || x.cutShort() || !x.over(r.Over) || r.parted() || x.failed() != nil {
		return
	}
	j.Tested++
	if !x.overInTime() {
		j.Fail("the end of the stream", "none, though it had all the time it needs", r.Over.Num, x.settled.Num)
	}
	if e := x.deliveredError(); e != nil && r.How == "clean" && r.flawless() && r.Refused() == nil {
		j.Fail("no ERROR: the server ended the watch as it should", shown(e), r.Over.Num, e.Num)
	}
})

// over says that the stream has ended, or had all the time it needs for that after the server's end.
func (x *exchange) over(end *history.Event) bool {
	return x.ended != nil || x.settled != nil && end.Num < x.settled.Num
}

// flawless says that all that was sent was the server's own and could be read, and none of it was an ERROR.
func (r *request) flawless() bool { return !r.raw() && len(r.readable()) == len(r.Sent) }

// judgeWatchStop looks at watches that the drive let go of.
func judgeWatchStop(cancel bool) func(*history.History) harness.Judgement {
	return func(h *history.History) harness.Judgement {
		var j harness.Judgement
		var last *exchange
		others := false // that were let go of in the other way
		for _, x := range exchanges(h) {
			if x.call.Kind != rig.Watch || x.stopped == nil {
				continue
			}
			if x.cancelled != cancel {
				others = true
				continue
			}
			if !cancel || x.then != nil {
				last = x
			}
			if x.opened() {
				x.judgeLetGo(&j)
				if !x.judgeSentLater(&j) {
					x.judgeLeftOpen(&j)
				}
			} else if cancel {
				x.judgeUnopened(&j)
			}
		}
		if last != nil && !(cancel && others) { // of both it is the Stop's
			last.judgeBehind(&j)
		}
		return j
	}
}

// judgeBehind: nothing may be left when the check has ended, and each watch was stopped.
func (x *exchange) judgeBehind(j *harness.Judgement) {
	for i := range x.h.Events {
		if e := &x.h.Events[i]; e.Kind == history.Left {
			j.FailTested("nothing left behind", e.Err().Msg, x.stopped.Num, e.Num)
		}
	}
}

func (x *exchange) opened() bool {
	return x.answer != nil && x.answer.Err() == nil && x.answer.Num < x.stopped.Num
}

// judgeLetGo: both ends must have come, where there was time for that.
// A watch that asked for nothing has nothing to let go of.
func (x *exchange) judgeLetGo(j *harness.Judgement) {
	settled := x.settled
	if settled != nil && settled.Num < x.stopped.Num {
		settled = nil // that was before
	}
	if settled == nil && x.ended == nil || len(x.requests) == 0 {
		return
	}
	j.Tested++
	if x.ended == nil || settled != nil && x.ended.Num > settled.Num {
		j.Fail("the end of the stream", "none, though it had all the time it needs", x.stopped.Num, settled.Num)
	}
	for _, r := range x.requests {
		if settled != nil && r.Dead == nil && (r.Over == nil || r.Over.Num > settled.Num) {
			j.Fail("the end of the request", "it is still open at the server, which had all the time it needs", x.stopped.Num, settled.Num)
		}
	}
}

// judgeSentLater judges the events that came after the Stop or the cancel had returned: those that the server sent long after that cannot have
// been received before. It reports whether there are such.
func (x *exchange) judgeSentLater(j *harness.Judgement) bool {
	if x.released == nil {
		return false
	}
	for _, e := range x.deliveries() {
		if e.Num < x.released.Num {
			continue
		}
		sent := x.firstSent(e)
		if sent == nil {
			continue // that is another rule's
		}
		j.Tested++
		if time.Duration(sent.At-x.released.At) > releaseSlack {
			j.Fail("nothing that the server sent after "+released[x.cancelled], shown(e), x.stopped.Num, sent.Num, e.Num)
			return true
		}
	}
	return false
}

// judgeLeftOpen looks for requests that are open at the server long after the watch was stopped. The end of a context counts from when the
// consumer has seen the end of the stream: it may read late.
func (x *exchange) judgeLeftOpen(j *harness.Judgement) {
	if x.released == nil || x.cancelled && x.ended == nil {
		return
	}
	from := x.released.At
	if x.cancelled {
		from = max(from, x.ended.At)
	}
	for _, r := range x.requests {
		until := rig.LastKnown(x.h)
		if r.Over != nil {
			until = r.Over
		}
		if open := time.Duration(until.At - from); r.opened() && r.Dead == nil && open > releaseSlack {
			j.FailTested("the end of the request", fmt.Sprintf("it is open at the server %s after %s", open.Round(time.Millisecond), released[x.cancelled]), x.stopped.Num, until.Num)
			return
		}
	}
}

// firstSent returns the first event that was sent and is e; nil if none was.
func (x *exchange) firstSent(e *history.Event) *history.Event {
	for _, r := range x.requests {
		if i := slices.IndexFunc(r.Sent, func(s *history.Event) bool { return identityOf(s) == identityOf(e) }); i >= 0 {
			return r.Sent[i]
		}
	}
	return nil
}

// releaseSlack is how long the end of a watch, and of its request, may take when Stop has returned: some hand it over to a goroutine of
// their own.
const releaseSlack = 2 * time.Second

// released reports how a watch was closed.
var released = map[bool]string{false: "its Stop", true: "the end of its context"}

// judgeUnopened: the call must return an error. One that had failed before had nothing to be called off.
func (x *exchange) judgeUnopened(j *harness.Judgement) {
	if x.answer == nil && x.settled == nil || x.answer != nil && x.answer.Num < x.stopped.Num {
		return
	}
	j.Tested++
	switch {
	case x.answer == nil || x.settled != nil && x.settled.Num < x.answer.Num && x.stopped.Num < x.settled.Num:
		j.Fail("the call returns an error", "it does not return, though it had all the time it needs", x.stopped.Num, x.settled.Num)
	case x.answer.Err() == nil && !slices.ContainsFunc(x.requests, x.openedBeside):
		j.Fail("the call returns an error: it had no answer", "it returned a watch", x.stopped.Num, x.answer.Num)
	}
}

// openedBeside reports whether a watch was opened about when the context of its call ended, or the connection of its last try broke then,
// which client-go takes for the end of a watch: the call may return either way.
func (x *exchange) openedBeside(r *request) bool {
	if r == x.last() && r.Over != nil && r.How == "broken" && time.Duration(max(r.Over.At-x.stopped.At, x.stopped.At-r.Over.At)) <= together {
		return true
	}
	return (r.opened() || r.strange()) && r.Answer != nil && time.Duration(r.Answer.At-x.stopped.At) <= together
}

// judgeWatchPrompt looks at how long it took. What never ends is another rule's, and so is a call that has not returned.
var judgeWatchPrompt = perCall(func(x *exchange, j *harness.Judgement) {
	if x.call.Kind != rig.Watch || len(x.requests) == 0 || x.stopped == nil || !x.opened() || x.ended == nil || x.endedItself() {
		return
	}
	judgePrompt(x.h, j, x.stopped, x.ended, x.readFrom(), "of "+released[x.cancelled])
})

// readFrom returns when the end of the stream could be seen after the watch was stopped: it may be read later, or slowly.
func (x *exchange) readFrom() int64 {
	from := x.stopped.At
	if x.read == nil {
		return from
	}
	a := history.ArgsOf[readArgs](x.read)
	if from = max(from, x.read.At); len(x.events) > 0 {
		from = max(from, x.events[len(x.events)-1].At+int64(a.Pause))
	}
	return from
}
