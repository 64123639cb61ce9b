package informer

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeResumeVersion looks at what follows a watch with a good end, or one that the informer itself ended, and at the watch that
// follows a complete list, or a watch that failed.
var judgeResumeVersion = perInformer(func(v *observed, j *harness.Judgement) {
	var unread []int32       // the last events of watches that it ended as they came, and the requests from before them
	var ages []time.Duration // of these watches
	left, atEvents := 0, 0   // watches that it ended, and those of them that it ended as an event came
	for _, r := range v.requests {
		if r.wasLeft() && len(r.Sent) > 0 {
			left++
		}
		if e := r.leftAt(); e != nil && r.next != nil && plainWatch(r.next) && older(r.next.Options.ResourceVersion, e.Obj.RV) {
			atEvents++
			if age := r.lasted(); !slices.ContainsFunc(ages, func(a time.Duration) bool { return (a - age).Abs() < noPause }) {
				unread, ages = append(unread, e.Num, r.next.Call.Num), append(ages, age)
			}
		}
		if r.next == nil || len(r.positions) == 0 || v.otherWatch(r, r.next.Call) {
			continue
		}
		rv, end, plain := r.next.Options.ResourceVersion, r.goodEnd(), plainWatch(r.next)
		if end == nil && r.wasLeft() {
			end = r.Over
		}
		if end == nil && plain && answeredList(r.Exchange) && continueToken(r.Answer) == "" && r.Answer.Num < r.next.Call.Num {
			end = r.Answer
		}
		if err, at := r.failure(); end == nil && plain && plainWatch(r.Exchange) && err != nil && err.Code != 410 {
			end = at
		}
		if lost := r.lostAt(); end == nil && lost != nil && !r.IsUnfinished() && r.next.Call.Num > lost.Num {
			end = lost
		}
		if end == nil || v.otherWatch(r, end) {
			continue
		}
		j.Tested++
		want := "a WATCH from @" + strings.Join(r.positions, " or @") + ", or a LIST that is not older"
		switch {
		case plain && !slices.Contains(r.positions, rv) && !v.sentMeanwhile(r, rv):
			j.Fail(want, describe(r.next), end.Num, r.next.Call.Num)
		case !plain && r.next.Options.Continue == "" && rv != "" && older(rv, r.positions[0]):
			j.Fail(want, describe(r.next), end.Num, r.next.Call.Num)
		}
	}
	// The event was why it ended them: it did so at four ages of a watch, so no deadline of its own, and at more events than not.
	if len(ages) >= occasions && 2*atEvents > left {
		j.FailTested("a WATCH from the last event, or from a LIST", fmt.Sprintf("%d times it ended its watch at an event, and went on from before it", atEvents), unread...)
	}
})

// sentMeanwhile reports whether a watch that was requested between r and the next request was sent a resourceVersion: the next
// request may go on from there.
func (v *observed) sentMeanwhile(r request, rv string) bool {
	return slices.ContainsFunc(v.watches, func(w *openWatch) bool {
		return w.x.Call.Num > r.Call.Num && w.x.Call.Num < r.next.Call.Num &&
			slices.ContainsFunc(w.x.Sent, func(e *history.Event) bool { return e.Obj.RV == rv && e.Num < r.next.Call.Num })
	})
}

// judgeNoRelist expects a watch after each one that worked and had a good end.
var judgeNoRelist = perInformer(func(v *observed, j *harness.Judgement) {
	for _, r := range v.requests {
		if r.goodEnd() == nil || r.next == nil || !r.worked() || v.w.wentDown(r.Call.Num, r.next.Call.Num) || r.next.Call.Num < r.Over.Num {
			continue
		}
		lists := !plainWatch(r.next)
		if lists && (r.listed || v.replaced(r)) || v.otherWatch(r, r.Over) {
			continue // nobody knows why it lists; or another watch goes on
		}
		if j.Tested++; lists {
			j.Fail("a WATCH", r.next.Call.Kind+" of "+showRV(r.next.Options.ResourceVersion), r.Over.Num, r.next.Call.Num)
		}
	}
})

// wentDown reports whether the network went down between two events: no server saw what was requested then.
func (w *world) wentDown(from, to int32) bool {
	return slices.ContainsFunc(w.downs, func(num int32) bool { return num > from && num < to })
}

// replaced reports whether a watch was requested while r was open that had no good end before r ended: a list that follows may
// be because of that one.
func (v *observed) replaced(r request) bool {
	return slices.ContainsFunc(v.exchanges, func(x *rig.Exchange) bool {
		if !x.IsWatch() || x.Call.Num <= r.Call.Num || !r.overlaps(x) {
			return false
		}
		other := request{Exchange: x}
		over := x.Over != nil && x.Over.Num < r.Over.Num
		return !over || x.How != "stopped" && (other.goodEnd() == nil || !other.worked())
	})
}

// judgeExpired looks at what follows each 410, up to the first request that is answered.
var judgeExpired = perInformer(func(v *observed, j *harness.Judgement) {
	for i, r := range v.requests {
		err, at := r.failure()
		if err == nil || err.Code != 410 || r.next == nil || v.otherWatch(r, at) {
			continue
		}
		j.Tested++
		for _, next := range v.requests[i+1:] {
			if r.overlaps(next.Exchange) {
				continue
			}
			if got := r.after410(next); got != "" {
				j.Fail("a LIST that may be newer: not older than "+showRV(r.seen)+", or most recent", got, at.Num, next.Call.Num)
				break
			}
			err, _ := next.failure()
			answered := err == nil && !next.useless() || next.IsWhole() // which is as good as a list: what fails then is a watch
			if answered || err != nil && err.Code == 410 {
				break
			}
		}
	}
})

// after410 says what is wrong with a request that follows a 410; "": nothing.
func (r request) after410(next request) string {
	o, text := next.Options, describe(next.Exchange)
	exact := o.ResourceVersion != "" && o.ResourceVersion != "0"
	again := exact && o.ResourceVersion == r.Options.ResourceVersion && r.Refused() != nil
	switch {
	case plainWatch(next.Exchange):
		return text
	case o.Continue != "":
		return text + ", with a continue token"
	case exact && o.ResourceVersionMatch == "Exact":
		return text + ", with resourceVersionMatch=Exact"
	case exact && o.ResourceVersionMatch == "" && o.Limit > 0:
		return fmt.Sprintf("%s with limit %d, which means exactly that version to a server", text, o.Limit)
	case again && r.IsList(), again && r.IsStream() && next.IsStream():
		return text + ", which was refused"
	case o.ResourceVersion != "" && older(o.ResourceVersion, r.seen):
		return text
	}
	return ""
}

// judgeTooLarge counts refusals in a row until the informer requests the most recent state. One whose request is answered
// before had no need to. If that was a list that had been refused, nobody knows whether it would have.
var judgeTooLarge = perInformer(func(v *observed, j *harness.Judgement) {
	var row []int32
	lists := 0 // of the row: lists and streaming lists
	for _, r := range v.requests {
		rv := r.Options.ResourceVersion
		if r.IsWhole() && rv != "" {
			row, lists = nil, 0 // it is as good as a list: what fails then is a watch
		}
		_, at := r.failure()
		switch {
		case at != nil && v.otherWatch(r, at):
		case rig.TooLarge(at) && rv != "":
			if r.IsList() || r.IsUnfinished() {
				lists++
			}
			if row = append(row, at.Num); len(row) == v.w.attempts(r.Exchange) {
				j.FailTested("a LIST with resourceVersion unset in the end", fmt.Sprintf("%s of %s again, %d times", r.Call.Kind, showRV(rv), len(row)), row[0], at.Num)
			}
		case len(row) > 0 && rv == "" && !plainWatch(r.Exchange):
			j.Tested++
			row, lists = nil, 0
		case len(row) > 0 && r.Answer != nil && r.Refused() == nil && !r.Lost() && !r.IsStream(): // the server has caught up
			if j.Tested++; lists > 0 && len(j.Bad) == 0 {
				j.Undecided = fmt.Sprintf("lists of %s were refused %d times, and then answered: too few to judge", showRV(rv), lists)
			}
			row, lists = nil, 0
		}
	}
	if lists > 0 && len(j.Bad) == 0 && j.Undecided == "" {
		j.Undecided = fmt.Sprintf("lists were refused %d times, and no LIST with resourceVersion unset followed: too few to judge", lists)
	}
})

// leftFor is how long a watch that has failed, or that another one follows, may stay open.
const leftFor = 2 * time.Second

// judgeConnections counts watches that are open long after an ERROR, or what cannot be read, and those that are open when the
// informer opens another one for the same objects. One or two may be on their way to be closed.
var judgeConnections = perInformer(func(v *observed, j *harness.Judgement) {
	rig.JudgeIdle(v.exchanges, rig.AbandonedAfter, j)
	var open []*rig.Exchange // watches that are not over yet: a client that floods makes a million requests
	for _, x := range v.exchanges {
		open = slices.DeleteFunc(open, func(w *rig.Exchange) bool { return w.Over != nil && w.Over.Num <= x.Call.Num })
		if len(j.Bad) == 0 {
			failed, beside := leftOpen(open, x)
			if len(failed) >= occasions {
				j.Fail("every watch that brought an ERROR, or what cannot be read, is closed", fmt.Sprintf("%d are open", len(failed)), append(failed, x.Call.Num)...)
			} else if len(beside) >= occasions {
				j.FailTested("a watch is closed before others follow it", fmt.Sprintf("%d are open when it opens another one", len(beside)), append(beside, x.Call.Num)...)
			}
		}
		if !x.IsWatch() || x.Answer == nil || x.Refused() != nil {
			continue
		}
		open = append(open, x)
		if e := (request{Exchange: x}).clientEnd(); e != x.Over && (x.Over == nil || x.How == "stopped" || x.Over.At-e.At >= int64(leftFor)) {
			j.Tested++
		}
	}
})

// leftOpen returns, of open watches, the events with which they failed long before x, and the calls of others that have long been
// open for the same objects as the watch x.
func leftOpen(open []*rig.Exchange, x *rig.Exchange) (failed, beside []int32) {
	selection := func(x *rig.Exchange) [3]string {
		return [3]string{x.Asked.Namespace, x.Options.LabelSelector, x.Options.FieldSelector}
	}
	for _, w := range open {
		switch end := (request{Exchange: w}).clientEnd(); {
		case end != w.Over && end.At+int64(leftFor) < x.Call.At:
			failed = append(failed, end.Num)
		case x.IsWatch() && w.Answer.At+int64(leftFor) < x.Call.At && selection(w) == selection(x):
			beside = append(beside, w.Call.Num)
		}
	}
	return failed, beside
}

// failedAt returns the event by which an answer failed to come, or a watch ended with an error; nil: it did not.
func (r request) failedAt() *history.Event {
	switch _, at := r.failure(); {
	case at != nil:
		return at
	case r.Lost() || r.spoiled() || r.IsUnfinished():
		return r.Over
	}
	return nil
}

// judgeErrors expects another request after each that failed.
var judgeErrors = perInformer(func(v *observed, j *harness.Judgement) {
	for _, r := range v.requests {
		at := r.failedAt()
		if at == nil {
			continue
		}
		i := slices.IndexFunc(v.quiet, func(q quietMoment) bool { return q.num > at.Num })
		if i < 0 {
			continue
		}
		quiet := v.quiet[i].num
		none := r.next == nil || r.next.Call.Num > quiet
		if none && v.otherWatch(r, v.w.h.Event(quiet)) {
			continue
		}
		if j.Tested++; none {
			j.Fail("another request", "none, although nothing fails any more", at.Num, quiet)
		}
	}
})
