package listerwatcher

import (
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeUntil looks at how each wait ended, and at what should have ended it.
func judgeUntil(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, x := range exchanges(h) {
		if x.call.Kind != untilKind || len(x.requests) == 0 && x.failed() != nil {
			continue // a wait that asked for nothing says nothing
		}
		var a awaited
		read(x.call.X, &a)
		if x.returned() {
			x.judgeMet(&j, a.Condition)
		} else {
			x.judgeWaiting(&j, a.Condition)
		}
		x.judgeLeft(&j)
	}
	return j
}

func (c Condition) String() string { return c.Type + " " + c.Name }

// met says that an event, or an item of a list where that is new to the client, meets the condition.
func (c Condition) met(kind string, of history.Ref) bool {
	return kind == c.Type && of.Key[strings.LastIndex(of.Key, "/")+1:] == c.Name
}

// meets is an event that was sent and meets the condition; nil: none did.
func (x *exchange) meets(c Condition) *history.Event {
	for _, r := range x.requests {
		for _, e := range r.readable() {
			if c.met(e.Kind, e.Obj) && r.How != "broken" {
				return e
			}
		}
	}
	return nil
}

// showed says that the server sent anything of that object: what a client has of it may be due to a list.
func (x *exchange) showed(name string) bool {
	is := func(o history.Ref) bool { return o.Key[strings.LastIndex(o.Key, "/")+1:] == name }
	return slices.ContainsFunc(x.requests, func(r *request) bool {
		return r.listed() && slices.ContainsFunc(items(r.Answer), is) || slices.ContainsFunc(r.Sent, func(e *history.Event) bool { return is(e.Obj) })
	})
}

// judgeMet looks at the event that a wait returned. An error says that it did not come; a wait may be right in that as
// long as it was not sent.
func (x *exchange) judgeMet(j *harness.Judgement, c Condition) {
	if x.failed() == nil {
		switch got := x.answer.Obj; {
		case !c.met(x.body.Met, got):
			j.Tested++
			j.Fail(c.String(), x.body.Met+" "+got.Key, x.call.Num, x.answer.Num)
		case !x.showed(c.Name):
			j.Tested++
			j.Fail("a wait: nothing that was sent shows "+c.Name, x.body.Met+" "+got.Key, x.call.Num, x.answer.Num)
		default:
			j.Tested++
		}
		return
	}
	switch gone := x.gone(); {
	case x.stopped != nil && x.stopped.Num < x.answer.Num, gone != nil:
		j.Tested++
	case !slices.ContainsFunc(x.requests, (*request).troubled):
		j.Tested++
		j.Fail(c.String()+", or a wait: there was no error", x.failed().String(), x.call.Num, x.answer.Num)
	}
}

// troubled says that anything went wrong with a request.
func (r *request) troubled() bool {
	return r.code() >= 400 || r.Lost() || r.raw() || r.Failed() != nil || r.How == "broken" || r.spoiledAt() >= 0
}

// gone is a refusal that nobody can mend by asking again for the same: a resourceVersion that is gone.
func (x *exchange) gone() *history.Event {
	for _, r := range x.requests {
		if e := r.refusal(); e != nil && r.IsWatch() && r.versioned() && expired(e.Err()) {
			return e
		}
	}
	return nil
}

// versioned says that a request asks for what comes after a resourceVersion.
func (r *request) versioned() bool {
	return r.Options.ResourceVersion != "" && r.Options.ResourceVersion != "0"
}

// judgeWaiting looks at what should have ended a wait that goes on.
func (x *exchange) judgeWaiting(j *harness.Judgement, c Condition) {
	const endless = "it waits on, though it had all the time it needs"
	if e := x.meets(c); e != nil && x.settled != nil && e.Num < x.settled.Num {
		j.Tested++
		j.Fail("its end: "+shown(e), endless, x.call.Num, e.Num, x.settled.Num)
	}
	if gone := x.gone(); gone != nil && x.hadTimeAfter(gone) && x.last().refusal() == gone {
		j.Tested++
		j.Fail("its end: "+gone.Err().String(), endless, x.call.Num, gone.Num, x.settled.Num)
	}
	if x.stopped != nil && x.settled != nil && x.stopped.Num < x.settled.Num {
		j.Tested++
		j.Fail("its end, with its context", endless, x.call.Num, x.stopped.Num, x.settled.Num)
	}
}

// judgeUnmended looks for a client that asks, again and again, for what comes after a resourceVersion that is gone.
func (x *exchange) judgeUnmended(j *harness.Judgement) {
	row := 0
	for _, r := range x.asked() {
		gone := r.refusal()
		if gone == nil || !r.IsWatch() || !r.versioned() || !expired(gone.Err()) {
			row = 0
			continue
		}
		if row++; row == patience {
			j.Tested++
			j.Fail("an error, or a new list: the resourceVersion is gone", "silence: it asks again, and again", x.call.Num, gone.Num)
			return
		}
	}
}

// judgeLeft looks for what is still open when a wait has returned, and had all the time it needs.
func (x *exchange) judgeLeft(j *harness.Judgement) {
	x.judgeUnmended(j)
	if !x.returned() || x.settled == nil || x.settled.Num < x.answer.Num {
		return
	}
	for _, r := range x.requests {
		if r.Over == nil || r.Over.Num > x.settled.Num {
			j.Fail("the end of all its requests", "one is still open, though it had all the time it needs", r.Call.Num, x.answer.Num, x.settled.Num)
		}
	}
}
