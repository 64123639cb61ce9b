package listerwatcher

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeUntil looks at how each wait ended, and at what should have ended it.
var judgeUntil = perCall(func(x *exchange, j *harness.Judgement) {
	if x.call.Kind != untilKind || len(x.requests) == 0 && x.failed() != nil {
		return // a wait that made no request shows nothing
	}
	a := history.ArgsOf[awaited](x.call)
	if x.returned() {
		x.judgeMet(j, a, has(x.h, Retries))
	}
	x.judgeWaiting(j, a, has(x.h, Retries))
	x.judgeLeft(j)
})

// promptly is how long a wait, or a watch, may take to end when it has been let go of.
const promptly = time.Second

// judgeUntilPrompt looks at how long it took. In real time, where a machine may be busy, what is late says nothing; what
// never returns is another rule's, and who asked for nothing has nothing to wait for.
var judgeUntilPrompt = perCall(func(x *exchange, j *harness.Judgement) {
	if x.call.Kind != untilKind || len(x.requests) == 0 || x.stopped == nil || !x.returned() || x.answer.Num < x.stopped.Num {
		return
	}
	judgePrompt(x.h, j, x.stopped, x.answer, x.stopped.At, "of "+released[true])
})

// judgePrompt looks at how long after from, when it was stopped or could be seen to end, something ended.
func judgePrompt(h *history.History, j *harness.Judgement, stopped, end *history.Event, from int64, of string) {
	switch took := time.Duration(end.At - from); {
	case took <= promptly:
		j.Tested++
	case h.Header.Time == history.VirtualTime:
		j.FailTested(fmt.Sprintf("its end within %s %s", promptly, of), took.String(), stopped.Num, end.Num)
	}
}

func (c Condition) String() string { return c.Type + " " + c.Name }

// met says that an event of this kind, of this object, meets the condition.
func (c Condition) met(kind string, of history.Ref) bool { return kind == c.Type && c.names(of) }

// names says that an object is the condition's.
func (c Condition) names(of history.Ref) bool {
	return of.Key[strings.LastIndex(of.Key, "/")+1:] == c.Name
}

// showed says that the server sent anything of that object: what a client has of it may be due to a list.
func (x *exchange) showed(name string) bool {
	is := Condition{Name: name}.names
	return slices.ContainsFunc(x.requests, func(r *request) bool {
		return r.listed() && slices.ContainsFunc(history.Items(r.Answer), is) || slices.ContainsFunc(r.Sent, func(e *history.Event) bool { return is(e.Obj) })
	})
}

// isOf reports whether an object may have had this state when it met a condition: it was sent so. One that was changed is
// not as it was shown first, unless that was the change, or the client had just listed again: informers call their handlers for
// an update then, even if nothing changed (ResourceEventHandler of client-go).
func (x *exchange) isOf(c Condition, rv string) bool {
	first, shown := "", false
	for _, r := range x.requests {
		all := r.states(c.Name)
		for _, s := range all {
			if s.kind == c.Type && s.rv == rv || s.rv == rv && first == rv && x.answer.At-s.at <= int64(promptly) {
				return true
			}
			shown = shown || s.rv == rv
		}
		if first == "" && len(all) > 0 {
			first = all[0].rv
		}
	}
	return shown && (c.Type != "MODIFIED" || first != rv)
}

// state is one that a request showed of an object: in a list, or by an event.
type state struct {
	kind string // of the event; empty: a list
	rv   string
	at   int64 // when the client has it; of a streaming list, all of it
}

// states are those that a request showed of an object, in order.
func (r *request) states(name string) (all []state) {
	is := Condition{Name: name}.names
	if r.listed() {
		for _, o := range history.Items(r.Answer) {
			if is(o) {
				all = append(all, state{"", o.RV, r.Answer.At})
			}
		}
	}
	for _, e := range r.Sent {
		switch {
		case is(e.Obj):
			all = append(all, state{e.Kind, e.Obj.RV, e.At})
		case r.IsStream() && e == r.Mark: // the client has the list by now, and not before
			for i := range all {
				all[i].at = e.At
			}
		}
	}
	return all
}

// judgeMet looks at the event that a wait returned. An error says that it did not come; a wait may be right in that as
// long as it was not sent. One that does not resume its watch is right, too, when that has ended.
func (x *exchange) judgeMet(j *harness.Judgement, a awaited, resumes bool) {
	c := a.Condition
	if x.failed() == nil {
		switch got := x.answer.Obj; {
		case x.body.Held && a.Unless != nil:
			x.judgeHeld(j, *a.Unless)
		case !c.met(x.body.Met, got):
			j.FailTested(c.String(), x.body.Met+" "+got.Key, x.call.Num, x.answer.Num)
		case x.showed(c.Name) && !x.isOf(c, got.RV):
			j.FailTested(c.String()+" in a state that it came to", c.Type+" "+got.Key+" @"+got.RV+", which was its state before, or none", x.call.Num, x.answer.Num)
		case !x.showed(c.Name):
			j.FailTested("a wait: nothing that was sent shows "+c.Name, x.body.Met+" "+got.Key, x.call.Num, x.answer.Num)
		default:
			j.Tested++
		}
		return
	}
	switch gone := x.gone(); {
	case x.stopped != nil && x.stopped.Num < x.answer.Num, gone != nil,
		!resumes && x.meets(c) == nil && x.atEnd(x.answer) != nil:
		j.Tested++
	case x.down == nil && !slices.ContainsFunc(x.requests, (*request).troubled):
		j.FailTested(c.String()+", or a wait: there was no error", x.failed().String(), x.call.Num, x.answer.Num)
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

// judgeWaiting looks at what should have ended a wait that went on when it had had all the time it needs, whether it
// has returned since or not.
func (x *exchange) judgeWaiting(j *harness.Judgement, a awaited, resumes bool) {
	for _, s := range x.settles {
		if x.returned() && x.answer.Num < s.Num {
			return
		}
		if want, e := x.due(a, resumes, s); e != nil {
			j.FailTested("its end"+want, "it waits on, though it had all the time it needs", x.call.Num, e.Num, s.Num)
			return
		}
	}
}

// due is what should have ended a wait by then; nil: nothing should.
func (x *exchange) due(a awaited, resumes bool, by *history.Event) (string, *history.Event) {
	if a.Unless != nil {
		if e := x.holds(*a.Unless, by); e != nil {
			return ": " + a.Unless.String(), e
		}
	}
	c := a.Condition
	if e := x.meets(c); e != nil && e.Num < by.Num {
		if c.names(e.Obj) {
			return ": " + shown(e), e
		}
		return ": " + c.String() + ", as the list @" + e.Obj.RV + " shows", e
	}
	if gone := x.goneFor(by); gone != nil {
		return ": " + gone.Err().String(), gone
	}
	if x.stopped != nil && x.stopped.Num < by.Num {
		return ", with its context", x.stopped
	}
	if r := x.deserted(by); r != nil {
		return ": it has ended its request itself, and made no other", r.Over
	}
	if end := x.atEnd(by); end != nil && !resumes {
		return ": its watch has ended, and it resumes none", end
	}
	return "", nil
}

// lastBy is the request that came last by then; nil: there is none.
func (x *exchange) lastBy(by *history.Event) *request {
	n := 0
	for n < len(x.requests) && x.requests[n].Call.Num < by.Num {
		n++
	}
	if n == 0 {
		return nil
	}
	return x.requests[n-1]
}

// goneFor is the refusal that nobody can mend which came last, with no request after it by then; nil: there is none.
func (x *exchange) goneFor(by *history.Event) *history.Event {
	r := x.lastBy(by)
	if r == nil || x.stopped != nil && x.stopped.Num < by.Num {
		return nil
	}
	if e := r.refusal(); e != nil && e.Num < by.Num && r.IsWatch() && r.versioned() && expired(e.Err()) {
		return e
	}
	return nil
}

// atEnd is where the server refused the watch that was asked for last, or ended it, by then; nil: it did not.
func (x *exchange) atEnd(by *history.Event) *history.Event {
	r := x.lastBy(by)
	if r == nil || !r.IsWatch() {
		return nil
	}
	end := r.Over
	if r.code() >= 400 {
		end = r.Answer
	}
	if end == nil || end.Num > by.Num || r.parted() {
		return nil
	}
	return end
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
			j.FailTested("an error, or a new list: the resourceVersion is gone", "silence: it asks again, and again", x.call.Num, gone.Num)
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
