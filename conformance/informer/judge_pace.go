package informer

import (
	"fmt"
	"slices"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// knownEnd returns the event after which an informer can know that a request has ended.
func (r request) knownEnd() *history.Event {
	switch _, at := r.failure(); {
	case at != nil:
		return at
	case r.IsList() && r.Over == nil && r.Answer != nil:
		return r.Answer // it was not made over HTTP
	case r.IsList() && r.Over == nil:
		return r.Call
	}
	return r.Over
}

// pause returns the time before the next request; ok is false if there is none.
func (r request) pause() (d time.Duration, ok bool) {
	if r.next == nil || r.knownEnd() == nil {
		return 0, false
	}
	return time.Duration(r.next.Call.At - r.knownEnd().At), true
}

// useless reports whether a request gave the informer nothing: it was refused, or lost, or ended without an event. If something
// came that cannot be read, only an event before it counts from which the informer goes on; unless the watch, with the wait for its
// answer, took a second: then its end is no sign of trouble.
func (r request) useless() bool {
	switch {
	case r.Refused() != nil || r.Lost():
		return true
	case r.IsList():
		return false
	case r.IsStream():
		return r.IsUnfinished() && r.knownEnd() != nil
	case r.spoiled() && r.took() < time.Second:
		first := r.Sent[0]
		return !isEvent(first) || first.Obj.RV == r.Options.ResourceVersion
	}
	return r.knownEnd() != nil && !slices.ContainsFunc(r.Sent, isEvent) && r.took() < time.Second
}

// progress reports whether an informer works again: a watch that has an event or stays open or, for one that does not
// watch, a complete list after which it pauses.
func (r request) progress() bool {
	if r.IsList() {
		return !r.useless() && r.polls()
	}
	return r.IsWatch() && !r.useless() && !r.IsUnfinished()
}

// polls reports whether a complete list is followed by a pause, and then by another list and no watch.
func (r request) polls() bool {
	pause, ok := r.pause()
	return ok && pause >= noPause && r.Answer != nil && continueToken(r.Answer) == "" && !plainWatch(r.next)
}

// Limits for failures in a row.
const (
	tightRow   = 10                     // so many without a pause are a tight loop
	noPause    = 100 * time.Millisecond // a shorter time is no pause
	growsAfter = 6                      // after so many pauses they must have grown
	longPause  = 15 * time.Second       // one need not grow: failures that the server does not see may have come before
)

// judgePace looks at the pauses after failures in a row.
var judgePace = perInformer(func(v *observed, j *harness.Judgement) {
	var row paces
	streams := false // the row has a streaming list
	for _, r := range v.requests {
		if pause, ok := r.pause(); r.useless() && ok {
			row = append(row, pace{pause, r.retryAfter(), v.w.attempts(r.Exchange) / occasions, what(r.Exchange), r.knownEnd().Num, r.next.Call.Num})
			streams = streams || r.IsStream()
		} else if r.progress() {
			if row.judge(j); streams && len(row) < growsAfter {
				j.Tested++ // it did not insist on streaming lists
			}
			row, streams = nil, false
		}
	}
	row.judge(j)
})

// judgeBusy counts failures in ten seconds without a success between them, but for streaming lists: of these sync/watchlist-fallback
// says how often one may be asked for. A watch that brings what another one from the same version brought before is no success:
// the informer loops at an event that it cannot take.
var judgeBusy = perInformer(func(v *observed, j *harness.Judgement) {
	var row rig.BusyRow
	var most request // the watch that brought most from the last version that one was from
	for _, r := range v.requests {
		again := r.bringsAgain(most)
		if plainWatch(r.Exchange) && len(r.Sent) > 0 && !again {
			most = r
		}
		switch {
		case r.progress() && !again:
			row = rig.BusyRow{}
		case again, r.useless() && !r.IsStream():
			if j.Tested++; row.Fail(r.Exchange, plural(what(r.Exchange)), j) {
				return
			}
		}
	}
})

// bringsAgain reports whether a watch that has ended began where another one did, and brought nothing but what that brought.
func (r request) bringsAgain(other request) bool {
	same := func(a, b *history.Event) bool {
		return a.Kind == b.Kind && a.Obj.Key == b.Obj.Key && a.Obj.RV == b.Obj.RV
	}
	return other.Exchange != nil && plainWatch(r.Exchange) && r.Over != nil && r.Options.ResourceVersion == other.Options.ResourceVersion &&
		len(r.Sent) > 0 && len(r.Sent) <= len(other.Sent) && slices.EqualFunc(r.Sent, other.Sent[:len(r.Sent)], same)
}

// pace is a request that failed, and the pause after it.
type pace struct {
	pause, retryAfter time.Duration
	attempts          int // how often a client over HTTP may itself repeat that, after pauses that do not grow
	what              string
	end, next         int32
}

type paces []pace

// plural names what all of these requested; requests, if they differ.
func (p paces) plural() string {
	if slices.ContainsFunc(p, func(x pace) bool { return x.what != p[0].what }) {
		return "requests"
	}
	return plural(p[0].what)
}

func plural(what string) string {
	if what == "watch" {
		return "watches"
	}
	return what + "s"
}

func (p paces) judge(j *harness.Judgement) {
	if len(p) < growsAfter {
		return
	}
	j.Tested++
	tight, own, enough := 0, 0, growsAfter // own: the pauses that the server did not ask for, which must grow
	var pauses []time.Duration
	for i, x := range p {
		if x.pause >= noPause {
			pauses, tight = append(pauses, x.pause), 0
			if x.retryAfter == 0 || x.pause < x.retryAfter {
				own, enough = own+1, max(enough, growsAfter*x.attempts)
			}
			continue
		}
		if tight++; tight == tightRow {
			j.Fail("pauses after failures in a row", fmt.Sprintf("%d %s with no pause between", tightRow, p[i+1-tightRow:i+1].plural()), p[0].end, x.next)
			return
		}
	}
	if own >= enough && slices.Min(pauses) < longPause && slices.Max(pauses) < 2*slices.Min(pauses) {
		j.Fail("pauses that grow", fmt.Sprintf("%d pauses of %s to %s", len(pauses), slices.Min(pauses), slices.Max(pauses)), p[0].end, p[len(p)-1].next)
	}
}

// retryAfter returns how long the server asked the client to wait; 0: it did not.
func (r request) retryAfter() time.Duration {
	_, at := r.failure()
	if at == nil {
		return 0
	}
	return time.Duration(history.BodyOf[rig.StatusBody](at).RetryAfter) * time.Second
}

// judgeRetryAfter looks at the pause after each answer that asks for one. After a 504 for a resourceVersion that is too large
// only that version has to wait: client-go's reflector lists the most recent state at once (Reflector.list).
var judgeRetryAfter = perInformer(func(v *observed, j *harness.Judgement) {
	for _, r := range v.requests {
		pause, ok := r.pause()
		want := r.retryAfter()
		err, at := r.failure()
		if want == 0 || !ok || rig.TooLarge(at) && r.next.Options.ResourceVersion == "" {
			continue
		}
		if j.Tested++; pause < want*9/10 {
			got := fmt.Sprintf("%s %s after a %s got ", r.next.Call.Kind, pause, what(r.Exchange))
			if at.Kind == "ERROR" {
				got += "ERROR "
			}
			j.Fail(fmt.Sprintf("no request for %s", want), got+fmt.Sprint(err.Code), r.knownEnd().Num, r.next.Call.Num)
		}
	}
})

// judgePermanent counts failures that only the user can mend until the error hook is called.
var judgePermanent = perInformer(func(v *observed, j *harness.Judgement) {
	var row []int32
	for _, r := range v.requests {
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
		pause, again := r.pause()
		switch {
		case slices.ContainsFunc(v.errors, func(e *history.Event) bool { return e.Num > row[0] && e.Num < until }):
			j.Tested++
			row = nil
			if again && pause < noPause {
				j.Fail("a pause before the next request", fmt.Sprintf("%s after %s", r.next.Call.Kind, pause), at.Num, r.next.Call.Num)
			}
		case len(row) == v.w.attempts(r.Exchange):
			j.FailTested("an error for the error hook", fmt.Sprintf("the same request %d times, and no error", len(row)), row[0], at.Num)
		}
	}
})
