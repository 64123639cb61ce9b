package listerwatcher

import (
	"slices"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// What a watch that resumes by itself makes of the rules of watches: its journey is all the connections of a call.

// identity is what tells an event from all others of a call that begins at a resourceVersion.
type identity struct{ kind, key, rv string }

func identityOf(e *history.Event) identity { return identity{e.Kind, e.Obj.Key, e.Obj.RV} }

// sentOnce is an event of a journey.
type sentOnce struct {
	e    *history.Event
	at   int  // among all events, in the order in which they were first sent
	sure bool // it came: the connection it was sent on did not break, or the client went on from it, or from after it
	came bool // to the consumer
}

// journey are the events that were sent to a call, each once: but for bookmarks, which it may keep to itself. A request
// that was made beside the drive's Stop is a part of it: what came by that may still be delivered.
func (x *exchange) journey() (map[identity]*sentOnce, []*sentOnce) {
	all, order := map[identity]*sentOnce{}, []*sentOnce(nil)
	for i, r := range x.requests {
		past := x.past(i)
		for at, e := range r.readable() {
			if e.Kind == bookmark {
				continue
			}
			s := all[identityOf(e)]
			if s == nil {
				s = &sentOnce{e: e, at: len(order)}
				all[identityOf(e)], order = s, append(order, s)
			}
			s.sure = s.sure || r.How != "broken" || at <= past
		}
	}
	return all, order
}

// past is which of a connection's events the next request goes on from; of several with one resourceVersion the first.
// -1: none.
func (x *exchange) past(i int) int {
	if i+1 >= len(x.requests) {
		return -1
	}
	next := x.requests[i+1].Options.ResourceVersion
	return slices.IndexFunc(x.requests[i].readable(), func(e *history.Event) bool { return next != "" && e.Obj.RV == next })
}

const bookmark = "BOOKMARK"

// judgeJourney compares what came of a call with all that was sent to it. What has no resourceVersion is another
// rule's.
func (x *exchange) judgeJourney(j *harness.Judgement) {
	all, order := x.journey()
	last := -1
	for _, e := range x.deliveries() {
		if e.Kind == bookmark || e.Obj.RV == "" {
			continue
		}
		j.Tested++
		s := all[identityOf(e)]
		switch {
		case s == nil:
			j.Fail("nothing that was not sent", shown(e), x.call.Num, e.Num)
			return
		case s.came:
			j.Fail("each event once", shown(e)+" again", s.e.Num, e.Num)
			return
		case s.at < last:
			j.Fail("events in the order sent", shown(e)+" after "+shown(order[last].e), s.e.Num, e.Num)
			return
		}
		if want, got, ok := sameEvent(x.h, s.e, e); !ok {
			j.Fail(want, got, s.e.Num, e.Num)
		}
		s.came, last = true, s.at
	}
	x.judgeArrived(j, order)
}

// judgeArrived looks for what never came, where the call had all the time it needs.
func (x *exchange) judgeArrived(j *harness.Judgement, order []*sentOnce) {
	if x.judgeDropped(j) || x.settled == nil || x.cutShort() || x.failed() != nil {
		return
	}
	for _, s := range order {
		if s.sure && !s.came && s.e.Num < x.settled.Num {
			j.FailTested(shown(s.e), "nothing, though the watch had all the time it needs", s.e.Num, x.settled.Num)
			return
		}
	}
}

// judgeFrames looks for what came of a connection after a frame that could not be read, and on no other. What is
// sent in place of a frame may be readable, and is another rule's.
func (x *exchange) judgeFrames(j *harness.Judgement) {
	if x.call.Kind != rig.Watch || len(x.deliveries()) == 0 {
		return
	}
	all, _ := x.journey()
	for _, r := range x.asked() {
		frame := r.spoiledAt()
		if frame < 0 || spoiledHow(r.Sent[frame]) == replaced {
			continue
		}
		j.Tested++
		for _, e := range r.Sent[frame+1:] {
			if came := x.delivered(e); came != nil && all[identityOf(e)] == nil {
				j.Fail("nothing of what follows a frame that cannot be read", shown(came), r.Sent[frame].Num, came.Num)
				return
			}
		}
	}
}

// delivered is an event as it came to the consumer; nil: it did not.
func (x *exchange) delivered(sent *history.Event) *history.Event {
	for _, e := range x.events {
		if identityOf(e) == identityOf(sent) {
			return e
		}
	}
	return nil
}

// spoiledAt is where the first frame is that could not be read; -1: there is none.
func (r *request) spoiledAt() int {
	for i, e := range r.Sent {
		if spoiled(e) {
			return i
		}
	}
	return -1
}

const replaced = "replace"

// spoiledHow is what was done to a frame.
func spoiledHow(e *history.Event) string { return history.BodyOf[rig.FaultBody](e).Does }

// judgeEnds: after each end of a connection there must be a request that goes on, or the end of the stream; and of a
// journey on which nothing went wrong no ERROR comes.
func (x *exchange) judgeEnds(j *harness.Judgement) {
	flawless := true
	requests := x.asked()
	for i, r := range requests {
		flawless = flawless && r.opened() && r.flawless() && r.How != "broken"
		if !r.opened() || r.Over == nil || r.parted() {
			continue
		}
		switch {
		case i+1 < len(requests) || x.overInTime():
			j.Tested++
		case x.idleAfter(r.Over):
			j.FailTested("a request that goes on, or the end of the stream", "neither, though it had all the time it needs", r.Over.Num, x.rested().Num)
		}
	}
	if e := x.deliveredError(); e != nil && flawless && len(requests) > 0 && !x.cutShort() {
		j.Fail("no ERROR: the server ended each watch as it should", shown(e), x.call.Num, e.Num)
	}
}
