package informer

import (
	"fmt"
	"slices"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// over is when an informer can have known that a request had ended.
func (r request) over() *history.Event {
	switch _, at := r.failure(); {
	case at != nil:
		return at
	case r.IsList() && r.Over == nil && r.Answer != nil:
		return r.Answer // it came by no wire
	case r.IsList() && r.Over == nil:
		return r.Call
	}
	return r.Over
}

// gap is the pause before the next request; ok is false where there is none.
func (r request) gap() (d time.Duration, ok bool) {
	if r.next == nil || r.over() == nil {
		return 0, false
	}
	return time.Duration(r.next.Call.At - r.over().At), true
}

// useless says that a request has brought the informer nothing: it was refused, or lost, or ended without anything.
func (r request) useless() bool {
	switch {
	case r.Refused() != nil || r.Lost() || r.spoiled():
		return true
	case r.IsList():
		return false
	case r.IsStream():
		return streamed(r.Exchange) == nil && r.over() != nil
	}
	return r.over() != nil && !slices.ContainsFunc(r.Sent, isEvent) && r.lasted() < time.Second
}

// progress says that an informer is well again: a watch that brings something or stays, or, where it does not watch, a
// wholeList list after which it rests.
func (r request) progress() bool {
	if r.IsList() {
		return !r.useless() && r.rests()
	}
	return r.IsWatch() && !r.useless() && (!r.IsStream() || streamed(r.Exchange) != nil)
}

// rests says that a whole list is followed by nothing, for a while, and then by another and no watch.
func (r request) rests() bool {
	gap, ok := r.gap()
	return ok && gap >= noPause && r.Answer != nil && continued(r.Answer) == "" && (r.next.IsList() || r.next.IsStream())
}

// Of failures in a row: how many without a pause are a tight loop, how short none is, and from how many pauses on they
// must have grown.
const (
	tightRow   = 10
	noPause    = 100 * time.Millisecond
	growsAfter = 6
)

// judgePace looks at the pauses after failures in a row.
func judgePace(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, v := range worldOf(h).informers {
		var row paces
		streams := false // it has a streaming list
		for _, r := range v.requests() {
			if gap, ok := r.gap(); r.useless() && ok {
				row = append(row, pace{gap, r.retryAfter(), v.w.chances(r.Exchange) / occasions, sortOf(r.Exchange), r.over().Num, r.next.Call.Num})
				streams = streams || r.IsStream()
			} else if r.progress() {
				if row.judge(&j); streams && len(row) < growsAfter {
					j.Tested++ // it went another way than that of its streaming lists
				}
				row, streams = nil, false
			}
		}
		row.judge(&j)
	}
	return j
}

type pace struct {
	gap, asked time.Duration // asked by the server; 0: nothing
	alone      int           // how often a client over HTTP may ask for that again by itself, after pauses that do not grow
	sort       string
	end, ask   int32
}

type paces []pace

// sortOf says what was asked for.
func sortOf(x *rig.Exchange) string {
	switch {
	case x.IsStream():
		return "streaming list"
	case x.IsWatch():
		return "watch"
	case x.Options.Continue != "":
		return "page"
	}
	return "list"
}

// plural is what all of these asked for; requests, where that is not the same.
func (p paces) plural() string {
	for _, x := range p {
		if x.sort != p[0].sort {
			return "requests"
		}
	}
	return p[0].sort + map[bool]string{true: "es", false: "s"}[p[0].sort == "watch"]
}

func (p paces) judge(j *harness.Judgement) {
	if len(p) < growsAfter {
		return
	}
	j.Tested++
	tight, own, enough := 0, 0, growsAfter // own: not those that the server asked for, which need not grow
	var pauses []time.Duration
	for i, x := range p {
		if x.gap >= noPause {
			pauses, tight = append(pauses, x.gap), 0
			if x.asked == 0 || x.gap < x.asked {
				own, enough = own+1, max(enough, growsAfter*x.alone)
			}
			continue
		}
		if tight++; tight == tightRow {
			j.Fail("a pause after failures in a row", fmt.Sprintf("%d %s with no pause between", tightRow, p[i+1-tightRow:i+1].plural()), p[0].end, x.ask)
			return
		}
	}
	if own >= enough && slices.Max(pauses) < 2*slices.Min(pauses) {
		j.Fail("pauses that grow", fmt.Sprintf("%d pauses of %s to %s", len(pauses), slices.Min(pauses), slices.Max(pauses)), p[0].end, p[len(p)-1].ask)
	}
}

// retryAfter is how long the server has asked to be left alone; 0: it has not.
func (r request) retryAfter() time.Duration {
	_, at := r.failure()
	if at == nil {
		return 0
	}
	return time.Duration(bodyOf[rig.StatusBody](at).RetryAfter) * time.Second
}

// told says how a request was refused, or ended: the code, in its stream as an ERROR.
func (r request) told() string {
	err, at := r.failure()
	if at.Kind == "ERROR" {
		return fmt.Sprint("ERROR ", err.Code)
	}
	return fmt.Sprint(err.Code)
}

// judgeRetryAfter looks at the pause after each answer that asks for one.
func judgeRetryAfter(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, v := range worldOf(h).informers {
		for _, r := range v.requests() {
			gap, ok := r.gap()
			if want := r.retryAfter(); want > 0 && ok {
				if j.Tested++; gap < want*9/10 {
					j.Fail(fmt.Sprintf("no request for %s", want), fmt.Sprintf("%s %s after a %s: %s", r.next.Call.Kind, gap, sortOf(r.Exchange), r.told()), r.over().Num, r.next.Call.Num)
				}
			}
		}
	}
	return j
}

// judgePermanent counts what only the user can mend until the user is told.
func judgePermanent(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, v := range worldOf(h).informers {
		var row []int32
		for _, r := range v.requests() {
			err, at := r.failure()
			if err == nil || !slices.Contains([]int{401, 403, 404}, err.Code) || r.IsStream() || at.Kind == "ERROR" {
				row = nil
				continue
			}
			row = append(row, at.Num)
			until := v.w.end
			if r.next != nil {
				until = r.next.Call.Num
			}
			told := slices.ContainsFunc(v.errors, func(e *history.Event) bool { return e.Num > row[0] && e.Num < until })
			gap, again := r.gap()
			switch {
			case told:
				j.Tested++
				row = nil
				if again && gap < noPause {
					j.Fail("a pause", fmt.Sprintf("%s after %s", r.next.Call.Kind, gap), at.Num, r.next.Call.Num)
				}
			case len(row) == v.w.chances(r.Exchange):
				j.Tested++
				j.Fail("an error for the user's hook", fmt.Sprintf("the same request %d times, and silence", len(row)), row[0], at.Num)
			}
		}
	}
	return j
}
