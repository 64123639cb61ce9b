package watchcache

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// refusedWatch is the error that a watch was refused with, as a status or as
// the first that its stream brought; nil: it was not.
func refusedWatch(r *replay.Replay, w *replay.WatchCall) *history.Error {
	if w.Err != nil {
		return unlessIll(r.H, w.Call, w.Err)
	}
	for e := range w.All(r.H) {
		switch {
		case e.Phase != history.Notice || e.Kind == replay.Paused || e.Kind == replay.Resumed:
		case e.Kind == replay.Errored:
			return unlessIll(r.H, e.Num, e.Err())
		default:
			return nil
		}
	}
	return nil
}

// unlessIll returns an error as it is; but an error 5xx after the storage went wrong as a 503, which says nothing of the server.
func unlessIll(h *history.History, num int32, err *history.Error) *history.Error {
	if err != nil && err.Code >= 500 && slices.ContainsFunc(called(h, replay.StorageFault), func(ill int32) bool { return ill < num }) {
		return &history.Error{Code: http.StatusServiceUnavailable, Reason: "ServiceUnavailable", Msg: err.Msg}
	}
	return err
}

// answeredAt is the number of the event by which a watch was refused.
func answeredAt(r *replay.Replay, w *replay.WatchCall, q *replay.Request) int32 {
	if w.Err != nil {
		return q.Return
	}
	for e := range w.All(r.H) {
		if e.Kind == replay.Errored {
			return e.Num
		}
	}
	return q.Return
}

// done are the answers to what was done to the server.
func done(h *history.History, kind string) []*history.Event {
	var out []*history.Event
	events := h.Events
	for i := range events {
		if e := &events[i]; e.Kind == kind && e.Phase == history.Return && e.Err() == nil {
			out = append(out, e)
		}
	}
	return out
}

// judgeWatchFuture: it counts as tested where the watch came to give something,
// or where other watches gave something at or before the resourceVersion asked
// for while it was open.
func judgeWatchFuture(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	f, certain := future{h: h}, notYetAt(h)
	for _, q := range replay.Asked(h) {
		if q.Kind != replay.Watch || q.Args.Options.SendInitialEvents != nil || q.Args.Options.ResourceVersionMatch != "" || !f.is(&q) {
			continue
		}
		w := watchOf(r, q.Call)
		if w == nil {
			continue
		}
		rv := q.Args.Options.ResourceVersion
		if err := refusedWatch(r, w); err != nil {
			switch {
			case err.Code == http.StatusGatewayTimeout:
				j.Tested++
			case !transient(err) && certain(&q, answeredAt(r, w, &q)): // else it may be long gone
				j.Tested++
				j.Fail("a watch that waits, or 504: "+rv+" is not there yet", err.String(), q.Call)
			}
			continue
		}
		given := false
		for e := range w.All(r.H) {
			given = given || isEvent(e)
			if (isEvent(e) || e.Kind == replay.Bookmark) && history.Comparable(e.Obj.RV) && (history.CompareRV(e.Obj.RV, rv) < 0 || isEvent(e) && e.Obj.RV == rv) {
				j.Fail("nothing at or before "+rv, told1(e), q.Call, e.Num)
			}
		}
		if given || othersGave(r, w) {
			j.Tested++
		}
	}
	return j
}

// othersGave says that another watch brought something of this one's scope
// while it was open.
func othersGave(r *replay.Replay, w *replay.WatchCall) bool {
	m := replay.NewMatcher(r.H, w.Scope)
	from, upto := open(r, w)
	for i := range r.Watches {
		other := &r.Watches[i]
		for k := range other.Events {
			e := &other.Events[k]
			if other.Call != w.Call && e.IsEvent() && e.Num > from && e.Num < upto && m.Matches(&r.H.Event(e.Num).Obj) {
				return true
			}
		}
	}
	return false
}

func watchOf(r *replay.Replay, call int32) *replay.WatchCall {
	for i := range r.Watches {
		if r.Watches[i].Call == call {
			return &r.Watches[i]
		}
	}
	return nil
}

// judgeErrorEnds: nothing of a watch comes behind its ERROR. It counts as tested
// where the watch was seen to end, or something was written while it was still open.
func judgeErrorEnds(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	for i := range r.Watches {
		w := &r.Watches[i]
		failed := int32(0)
		for e := range w.All(r.H) {
			switch {
			case failed == 0:
				if e.Kind == replay.Errored {
					failed = e.Num
				}
			case e.Kind == history.Ended || e.Kind == history.Stopped && r.Acked(e.Num) > r.Acked(failed):
				j.Tested++
			case isEvent(e) || e.Kind == replay.Bookmark || e.Kind == replay.Errored:
				j.Fail("the end of the watch, after its ERROR", told1(e), w.Call, failed, e.Num)
			}
		}
	}
	return j
}

func matchesWatch(q *replay.Request) bool {
	o := &q.Args.Options
	return q.Kind == replay.Watch && o.ResourceVersionMatch != "" && o.SendInitialEvents == nil
}

// timeoutSlack is what a server may need to end a watch after its time, and a
// client to hear of it.
const timeoutSlack = 30 * time.Second

// judgeTimeout: an ERROR, or no end in virtual time, where the time given was
// over. An end before that is a server's right, and says nothing; who does not read sees it late.
func judgeTimeout(h *history.History) harness.Judgement {
	r := replay.Of(h)
	away := absences(r)
	var j harness.Judgement
	for i := range r.Watches {
		w := &r.Watches[i]
		t := w.Args.Options.TimeoutSeconds
		if t == nil || *t <= 0 || refusedWatch(r, w) != nil || isStream(w) && startsBeyond(h, w) { // a server may wait for what is not there yet
			continue
		}
		call := h.Event(w.Call)
		due := call.At + int64(time.Duration(*t)*time.Second)
		seen := seenBy(away[w.Actor], due)
		for e := range w.All(r.H) {
			if e.Kind == history.Stopped {
				break
			}
			late := h.Header.Time == history.VirtualTime && e.At > seen+int64(timeoutSlack)
			switch {
			case late:
				j.Tested++
				j.Fail(fmt.Sprintf("the end of the stream after %d s", *t), fmt.Sprintf("it was open %s after its call", time.Duration(e.At-call.At)), w.Call, e.Num)
			case e.At < due-int64(timely(h, e, *t)):
				continue // before its time: it ended for another reason
			case e.Kind == history.Ended:
				j.Tested++
			case e.Kind == replay.Errored && e.Err().Code != http.StatusGone: // who is too slow may be told 410 at any time
				j.Tested++
				j.Fail(fmt.Sprintf("the end of the stream after %d s, without an error", *t), e.Err().String(), w.Call, e.Num)
			}
			if late || e.Kind == replay.Errored {
				break
			}
		}
	}
	return j
}

// seenBy is when a reader sees what happens at an instant, or within timeoutSlack after it: not while it is away.
func seenBy(away []absence, at int64) int64 {
	for _, a := range away {
		if a.from <= at+int64(timeoutSlack) {
			at = max(at, a.to)
		}
	}
	return at
}

// timely is how long before its time a watch may end because of its timeout. In
// virtual time a server knows that time well.
func timely(h *history.History, e *history.Event, timeout int64) time.Duration {
	if e.Kind == replay.Errored && h.Header.Time != history.RealTime {
		return 50 * time.Millisecond
	}
	return min(time.Second, time.Duration(timeout)*time.Second/2)
}
