package watchcache

import (
	"fmt"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// refusedWatch is the error that a watch was refused with, as a status or as
// the first that its stream brought; nil: it was not.
func refusedWatch(r *replay.Replay, w *replay.WatchCall) *history.Error {
	if w.Err != nil {
		return w.Err
	}
	for e := range w.All(r.H) {
		switch {
		case e.Phase != history.Notice:
		case e.Kind == replay.Errored:
			return e.Err()
		default:
			return nil
		}
	}
	return nil
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

// judgeExpired looks at watches from before the last time that the window was
// moved: they are refused with 410, or miss nothing. Most servers refuse: only
// a refusal counts as tested.
func judgeExpired(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	old := expired(r, done(h, replay.MoveWindow))
	for i := range r.Watches {
		w := &r.Watches[i]
		err := refusedWatch(r, w)
		if !old[w.Call] || err == nil || err.Code == 0 || replay.Retriable(err, replay.Refusal{}) {
			continue
		}
		j.Tested++
		reason := metav1.StatusReason(err.Reason)
		if err.Code != http.StatusGone || reason != metav1.StatusReasonExpired && reason != metav1.StatusReasonGone {
			j.Fail("410 Expired or Gone: the history before "+w.Args.Options.ResourceVersion+" is gone", err.String(), w.Call)
		}
	}
	r.Dues(func(w *replay.WatchCall, _ *replay.Matcher, d replay.Due) {
		if old[w.Call] && d.Given == 0 && refusedWatch(r, w) == nil {
			j.Tested++
			missing(&j, r, w, d)
		}
	})
	return j
}

// expired are the calls of watches from before what was acknowledged when the
// last of these was called.
func expired(r *replay.Replay, moved []*history.Event) map[int32]bool {
	out := map[int32]bool{}
	for i := range r.Watches {
		w := &r.Watches[i]
		n, ok := r.H.Floor(w.Args.Options.ResourceVersion)
		for _, e := range moved {
			if ok && !w.Initial() && e.Num < w.Call && n < r.Acked(e.Call) {
				out[w.Call] = true
			}
		}
	}
	return out
}

// edge says of a watch where it starts, seen from the last compaction before it.
func edge(r *replay.Replay, w *replay.WatchCall, compacted []*history.Event) (kept string, at int) {
	for _, e := range compacted {
		if e.Num < w.Call && history.Comparable(e.Obj.RV) {
			kept = e.Obj.RV
		}
	}
	rv := w.Args.Options.ResourceVersion
	if kept == "" || !history.Comparable(rv) || w.Initial() {
		return "", 0
	}
	return kept, history.CompareRV(rv, kept)
}

// judgeCompactedEdge: from the edge on nothing may be missing, and from before
// it nothing may be missing silently.
func judgeCompactedEdge(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	compacted := done(h, replay.Compact)
	served := map[int32]bool{}
	for i := range r.Watches {
		w := &r.Watches[i]
		kept, at := edge(r, w, compacted)
		if kept == "" {
			continue
		}
		err := refusedWatch(r, w)
		served[w.Call] = err == nil
		switch {
		case err == nil || err.Code == 0 || err.Code == http.StatusTooManyRequests || err.Code == http.StatusServiceUnavailable:
		case at < 0:
			j.Tested++ // refused: whatever the code, it is told
		case err.Code == http.StatusGone && h.Header.Time == history.RealTime:
			// a window of watches may be shorter than what is kept of states: watch/expired judges that
		default:
			j.Tested++
			j.Fail("a watch: "+w.Args.Options.ResourceVersion+" has been kept", err.String(), w.Call)
		}
	}
	r.Dues(func(w *replay.WatchCall, _ *replay.Matcher, d replay.Due) {
		if !served[w.Call] {
			return
		}
		j.Tested++
		if d.Given == 0 {
			missing(&j, r, w, d)
		}
	})
	return j
}

// judgeExpiredEdge: a watch that starts right before the edge.
func judgeExpiredEdge(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	compacted := done(h, replay.Compact)
	for i := range r.Watches {
		w := &r.Watches[i]
		kept, at := edge(r, w, compacted)
		if kept == "" || at >= 0 {
			continue
		}
		err := refusedWatch(r, w)
		switch {
		case err == nil:
			if w.Known && hasSettled(r, w) {
				j.Tested++
			}
		case err.Code == 0 || err.Code == http.StatusTooManyRequests || err.Code == http.StatusServiceUnavailable:
		default:
			j.Tested++
			if err.Code != http.StatusGone {
				j.Fail("410, if it is refused: "+w.Args.Options.ResourceVersion+" lies before "+kept+", the oldest that is kept", err.String(), w.Call)
			}
		}
	}
	return j
}

func hasSettled(r *replay.Replay, w *replay.WatchCall) bool {
	for e := range w.All(r.H) {
		if e.Kind == history.Settled {
			return true
		}
	}
	return false
}

// judgeWatchFuture: it counts as tested where something happened at or before
// the resourceVersion asked for while the watch was open.
func judgeWatchFuture(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	f := future{h: h}
	for _, q := range replay.Asked(h) {
		if q.Kind != replay.Watch || q.Return == 0 || q.Args.Options.SendInitialEvents != nil || isForbidden(&q) || !f.is(&q) {
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
			case err.Code != 0 && err.Code != http.StatusTooManyRequests && err.Code != http.StatusServiceUnavailable:
				j.Tested++
				j.Fail("a watch that waits, or 504: "+rv+" is not there yet", err.String(), q.Call)
			}
			continue
		}
		occasion := false
		for e := range w.All(r.H) {
			occasion = occasion || e.Kind == history.Settled || isEvent(e)
			if (isEvent(e) || e.Kind == replay.Bookmark) && history.Comparable(e.Obj.RV) && (history.CompareRV(e.Obj.RV, rv) < 0 || isEvent(e) && e.Obj.RV == rv) {
				j.Fail("nothing at or before "+rv, told1(e), q.Call, e.Num)
			}
		}
		if occasion {
			j.Tested++
		}
	}
	return j
}

func watchOf(r *replay.Replay, call int32) *replay.WatchCall {
	for i := range r.Watches {
		if r.Watches[i].Call == call {
			return &r.Watches[i]
		}
	}
	return nil
}

// judgeErrorEnds: nothing of a watch comes behind its ERROR.
func judgeErrorEnds(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	for i := range r.Watches {
		w := &r.Watches[i]
		failed := int32(0)
		for e := range w.All(r.H) {
			switch {
			case e.Kind == replay.Errored && failed == 0:
				failed = e.Num
				j.Tested++
			case failed != 0 && (isEvent(e) || e.Kind == replay.Bookmark || e.Kind == replay.Errored):
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

// judgeTimeout: an ERROR, or no end in virtual time, where the time given was over.
func judgeTimeout(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	for i := range r.Watches {
		w := &r.Watches[i]
		t := w.Args.Options.TimeoutSeconds
		if t == nil || *t <= 0 || w.Err != nil {
			continue
		}
		due := h.Event(w.Call).At + int64(time.Duration(*t)*time.Second)
		for e := range w.All(r.H) {
			switch {
			case e.Kind == history.Ended:
				j.Tested++
			case e.Kind == replay.Errored && e.At >= due-int64(time.Second):
				j.Tested++
				j.Fail(fmt.Sprintf("the end of the stream after %d s, without an error", *t), e.Err().String(), w.Call, e.Num)
			case e.Kind == history.Settled && h.Header.Time == history.VirtualTime && e.At > due+int64(timeoutSlack):
				j.Tested++
				j.Fail(fmt.Sprintf("the end of the stream after %d s", *t), fmt.Sprintf("it was open %s after its call", time.Duration(e.At-h.Event(w.Call).At)), w.Call, e.Num)
			}
		}
	}
	return j
}

// judgeStop: a stopped watch brings nothing that happened after it was
// stopped, and its channel is closed.
func judgeStop(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	for i := range r.Watches {
		w := &r.Watches[i]
		stopped := int32(0)
		for e := range w.All(r.H) {
			switch {
			case e.Kind == history.Stopped:
				stopped = e.Num
			case stopped == 0:
			case e.Kind == history.Ended:
				j.Tested++
			case e.Kind == history.Left:
				j.Tested++
				j.Fail("a channel that is closed once the watch is stopped", e.Err().String(), w.Call, stopped, e.Num)
			case isEvent(e):
				if v := r.VersionOf(e); v != replay.None && r.Versions[v].Call > stopped {
					j.Fail("nothing of what was done after the watch was stopped", told1(e), w.Call, stopped, r.Versions[v].Call, e.Num)
				}
			}
		}
	}
	return j
}

// slowBacklog is how much must have waited for a reader before what it was
// given says anything: less than that every server can hold back.
const slowBacklog = 100

// judgeSlow looks at watches whose reader stopped for a while, and at those
// that go on after them.
func judgeSlow(h *history.History) harness.Judgement {
	r := replay.Of(h)
	j := harness.Judgement{Undecided: r.Unordered}
	if j.Undecided != "" {
		return j
	}
	paused := map[int32]int32{} // by call: the event PAUSED
	slow := map[string]bool{}   // actors with such watches
	for i := range r.Watches {
		w := &r.Watches[i]
		for e := range w.All(r.H) {
			if e.Kind == replay.Paused {
				paused[w.Call] = e.Num
				slow[w.Actor] = true
			}
		}
	}
	backlog := map[string]int{}
	r.Dues(func(w *replay.WatchCall, _ *replay.Matcher, d replay.Due) {
		if !slow[w.Actor] {
			return
		}
		backlog[w.Actor]++
		if d.Given == 0 {
			missing(&j, r, w, d)
		}
	})
	for i := range r.Watches {
		w := &r.Watches[i]
		if err := refusedWatch(r, w); slow[w.Actor] && err != nil && err.Code == http.StatusGone {
			backlog[w.Actor] = slowBacklog // it was told
		}
	}
	for _, n := range backlog {
		if n >= slowBacklog {
			j.Tested++
		}
	}
	return j
}
