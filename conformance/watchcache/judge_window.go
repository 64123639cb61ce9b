package watchcache

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// transient: the error says nothing of what was asked for. 504 is one: a cache
// that lags may not have seen a resourceVersion of the past.
func transient(err *history.Error) bool {
	return err.Code == 0 || replay.Retriable(err, replay.Refusal{})
}

// judgeExpired looks at watches from before the last time that the window was
// moved, at those from long before a compaction, and at those from before the run: they are refused with
// 410, or miss nothing. Most servers refuse: of the first two only a refusal counts as tested.
func judgeExpired(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	old, ancient := expired(r, done(h, replay.MoveWindow)), beforeAll(r)
	compacted := done(h, replay.Compact)
	vague := wordless{told: map[string]bool{}, all: map[string][]harness.Finding{}}
	for i := range r.Watches {
		w := &r.Watches[i]
		if !old[w.Call] && !ancient[w.Call] && edge(r, w, compacted) != longBefore {
			continue
		}
		err := refusedWatch(r, w)
		if vague.look(r, w, err); err == nil || transient(err) && !empty(w, err) {
			continue
		}
		j.Tested++
		reason := metav1.StatusReason(err.Reason)
		if err.Code != http.StatusGone || reason != metav1.StatusReasonExpired && reason != metav1.StatusReasonGone {
			j.Fail("410 Expired or Gone: the history before "+w.Args.Options.ResourceVersion+" is gone", cmp.Or(err.String(), "an ERROR with neither code nor reason"), w.Call)
		}
	}
	r.Dues(func(w *replay.WatchCall, _ *replay.Matcher, d replay.Due) {
		if ancient[w.Call] && d.Given != 0 {
			j.Tested++
		}
		if (old[w.Call] || ancient[w.Call]) && d.Given == 0 {
			j.Tested++
			missing(&j, r, w, d)
		}
	})
	vague.end(&j)
	return j
}

// empty: an ERROR that says nothing has been sent, it is not an answer that was lost.
func empty(w *replay.WatchCall, err *history.Error) bool {
	return w.Err == nil && err.Code == 0 && err.Reason == ""
}

// beforeAll are the calls of a check's watches from before its first change, which had been made when they were called. Of a trace
// nobody knows what was before.
func beforeAll(r *replay.Replay) map[int32]bool {
	out := map[int32]bool{}
	if r.ByOrder || r.H.Header.Check == "" || len(r.Versions) == 0 {
		return out
	}
	first := r.Versions[0].N
	for i := range r.Watches {
		w := &r.Watches[i]
		n, ok := r.H.Floor(w.Args.Options.ResourceVersion)
		out[w.Call] = ok && n < first && !w.Initial() && r.Acked(w.Call) >= first
	}
	return out
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

// side is where a watch starts, seen from the last compaction before it.
type side int

const (
	anywhere   side = iota // nobody knows, or there was none
	longBefore             // something happened between it and the oldest that is kept
	justBefore             // as far as this history knows
	atOrAfter
)

// ownCompaction is how long a server keeps each state at least: kube-apiserver compacts etcd every five minutes, to what was the
// present five minutes before.
const ownCompaction = 5 * time.Minute

// mayHaveMoved reports whether the server may have compacted by itself between the last compaction and a watch.
func mayHaveMoved(r *replay.Replay, w *replay.WatchCall, compacted []*history.Event) bool {
	for _, e := range slices.Backward(compacted) {
		if e.Num < w.Call {
			return r.H.Event(w.Call).At-e.At > int64(ownCompaction)
		}
	}
	return true
}

func edge(r *replay.Replay, w *replay.WatchCall, compacted []*history.Event) side {
	kept := ""
	for _, e := range compacted {
		if e.Num < w.Call && history.Comparable(e.Obj.RV) {
			kept = e.Obj.RV
		}
	}
	rv := w.Args.Options.ResourceVersion
	if kept == "" || !history.Comparable(rv) || w.Initial() {
		return anywhere
	}
	if history.CompareRV(rv, kept) >= 0 {
		return atOrAfter
	}
	from, _ := r.H.Floor(rv)
	for v := range r.Between(from, int32(r.H.Ranks())) {
		if v.Sure && history.CompareRV(r.H.RV(v.N), kept) < 0 {
			return longBefore
		}
	}
	return justBefore
}

// judgeCompactedEdge: nothing is missing silently, from the edge on nor from
// before it; and what has been kept is not refused, but by a window of watches
// that is shorter than what is kept of states.
func judgeCompactedEdge(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	compacted := done(h, replay.Compact)
	served := map[int32]bool{}
	for i := range r.Watches {
		w := &r.Watches[i]
		at := edge(r, w, compacted)
		if at == anywhere {
			continue
		}
		err := refusedWatch(r, w)
		served[w.Call] = err == nil
		switch {
		case err == nil || transient(err):
		case at != atOrAfter:
			j.Tested++ // refused: whatever the code, it is told
		case err.Code != http.StatusGone && !mayHaveMoved(r, w, compacted):
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

// judgeExpiredEdge: a watch that starts right before the edge; those from long
// before it are watch/expired's.
func judgeExpiredEdge(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	compacted := done(h, replay.Compact)
	for i := range r.Watches {
		w := &r.Watches[i]
		if edge(r, w, compacted) != justBefore {
			continue
		}
		err := refusedWatch(r, w)
		switch {
		case err == nil && w.Known && hasSettled(r, w):
			j.Tested++
		case err == nil || transient(err):
		case err.Code == http.StatusGone || !mayHaveMoved(r, w, compacted):
			j.Tested++
			if err.Code != http.StatusGone {
				j.Fail("410, if it is refused: "+w.Args.Options.ResourceVersion+" lies just before the oldest that is kept", err.String(), w.Call)
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
