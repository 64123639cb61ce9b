package listerwatcher

import (
	"fmt"
	"slices"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// What is judged of waits that resume their watches: where they go on, and how often they ask. What comes of a wait is
// until/returns.

// judgeWaitGoesOn compares the resourceVersion of each watch that follows another with those that the wait may go on
// from. It may list in between: what follows that is its own choice.
func (x *exchange) judgeWaitGoesOn(j *harness.Judgement) {
	var may []string // nil: not known
	var before *request
	for _, r := range x.asked() {
		if !r.IsWatch() {
			if before != nil && before.opened() && before.Over != nil {
				j.Tested++ // it goes on by a list
			}
			may, before = nil, nil
			continue
		}
		if got := r.Options.ResourceVersion; before != nil && may != nil && !r.IsStream() {
			j.Tested++
			if !slices.Contains(may, got) {
				j.Fail("resourceVersion "+may[len(may)-1]+", of what came last", fmt.Sprintf("resourceVersion %q", got), before.Call.Num, r.Call.Num)
				return
			}
		}
		switch at := r.spoiledAt(); {
		case !r.opened():
		case at >= 0 && spoiledHow(r.Sent[at]) == replaced:
			may = nil // what it makes of an event that no server sends is its own choice
		case r.IsUnfinished(), !r.IsStream() && !r.versioned():
			may = nil // it was given nothing that it must go on from
		case len(r.readable()) > 0 && may == nil && !r.IsStream():
			may = x.positions(r, []string{r.Options.ResourceVersion}, r.Call)
		case len(r.readable()) > 0:
			may = x.positions(r, may, r.Call)
		}
		before = r
	}
}

// gaveUp is the error that a wait ended with before the drive let go of it; nil: it did not.
func (x *exchange) gaveUp() *history.Event {
	if x.failed() == nil || x.stopped != nil && x.stopped.Num < x.answer.Num {
		return nil
	}
	return x.answer
}

// waitsOn says that a wait had not returned when the drive let go of it.
func (x *exchange) waitsOn() bool {
	return !x.returned() || x.stopped != nil && x.stopped.Num < x.answer.Num
}

// judgeWaitRetries: what can be mended ends no wait. Who has been refused often enough may give up.
func (x *exchange) judgeWaitRetries(j *harness.Judgement) {
	requests, row := x.asked(), 0
	for i, r := range requests {
		if !r.mendable() {
			row = 0
			continue
		}
		j.Tested++
		switch row++; {
		case i+1 < len(requests):
		case row < patience && x.gaveUp() != nil && !x.mayHaveTried(x.answer):
			j.Fail("a request that tries again", "the end of the wait: "+x.failed().String(), r.Call.Num, x.answer.Num)
		case x.waitsOn() && x.idleAfter(r.end()) && (x.down == nil || x.up != nil && x.idleAfter(x.up)):
			j.Fail("a request that tries again", "none, though it had all the time it needs", r.end().Num, x.rested().Num)
		}
	}
	x.judgePace(j, tries(requests))
}

// tries are requests without the lists that follow streaming lists which came to nothing: both are one try.
func tries(requests []*request) (out []*request) {
	for i, r := range requests {
		if i == 0 || !r.IsList() || !requests[i-1].IsStream() || !requests[i-1].mendable() {
			out = append(out, r)
		}
	}
	return out
}

// judgeWaitExpired: who is told that the resourceVersion is gone lists anew, or fails.
func (x *exchange) judgeWaitExpired(j *harness.Judgement) {
	requests := x.asked()
	for i, r := range requests {
		gone := r.refusal()
		if gone == nil || !r.IsWatch() || !expired(gone.Err()) {
			continue
		}
		switch {
		case i+1 < len(requests) && requests[i+1].IsWatch() && !requests[i+1].IsStream():
			j.FailTested("an error, or a new list: the resourceVersion is gone", "a watch from "+requests[i+1].Options.ResourceVersion, gone.Num, requests[i+1].Call.Num)
			return
		case i+1 < len(requests), x.gaveUp() != nil:
			j.Tested++
		}
	}
}

// judgeWaitPermanent counts refusals that no wait gets over.
func (x *exchange) judgeWaitPermanent(j *harness.Judgement) {
	requests := x.forbidden()
	if len(requests) == 0 {
		return
	}
	switch {
	case x.gaveUp() != nil:
		j.Tested++
	case len(requests) <= patience && x.waitsOn() && x.idleAfter(requests[len(requests)-1].end()):
		j.FailTested("an error: "+requests[0].Answer.Err().String(), "silence, though it had all the time it needs", requests[0].Answer.Num, x.rested().Num)
	case len(requests) > patience:
		j.FailTested("an error: "+requests[0].Answer.Err().String(), fmt.Sprintf("silence: it asks again, %d times", len(requests)-1), requests[0].Answer.Num, requests[len(requests)-1].Call.Num)
	}
}
