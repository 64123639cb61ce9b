package watchcache

import (
	"fmt"
	"time"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeAsked: it counts as tested for a watch that was open while another got a bookmark.
func judgeAsked(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	var marks []int32 // numbers of bookmarks on watches that allow them
	for i := range r.Watches {
		w := &r.Watches[i]
		for e := range w.All(r.H) {
			if e.Kind != replay.Bookmark {
				continue
			}
			if w.Args.Options.AllowWatchBookmarks {
				marks = append(marks, e.Num)
				continue
			}
			j.Tested++
			j.Fail("no bookmark: the watch does not allow any", "BOOKMARK @"+e.Obj.RV, w.Call, e.Num)
		}
	}
	for i := range r.Watches {
		w := &r.Watches[i]
		if w.Err != nil || w.Args.Options.AllowWatchBookmarks {
			continue
		}
		from, upto := open(r, w)
		for _, m := range marks {
			if m > from && m < upto {
				j.Tested++
				break
			}
		}
	}
	return j
}

// open is when a watch was open, by numbers of events.
func open(r *replay.Replay, w *replay.WatchCall) (from, upto int32) {
	from, upto = w.Call, w.Call
	for e := range w.All(r.H) {
		upto = e.Num
	}
	return from, upto
}

// judgeBookmarkMonotonic keeps the largest of what a watch has shown.
func judgeBookmarkMonotonic(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	for i := range r.Watches {
		w := &r.Watches[i]
		top, topAt := "", w.Call
		if rv := w.Args.Options.ResourceVersion; history.Comparable(rv) {
			top = rv
		}
		for e := range w.All(r.H) {
			if !history.Comparable(e.Obj.RV) || !isEvent(e) && e.Kind != replay.Bookmark {
				continue
			}
			if e.Kind == replay.Bookmark {
				if j.Tested++; top != "" && history.CompareRV(e.Obj.RV, top) < 0 {
					j.Fail(fmt.Sprintf("a resourceVersion of at least %s, that of %s", top, highest(h.Event(topAt))), "BOOKMARK @"+e.Obj.RV, topAt, e.Num)
				}
			}
			if top == "" || history.CompareRV(e.Obj.RV, top) >= 0 {
				top, topAt = e.Obj.RV, e.Num
			}
		}
	}
	return j
}

// highest says what it was that had shown the largest resourceVersion.
func highest(e *history.Event) string {
	switch {
	case e.Kind == replay.Watch:
		return "the start of the watch"
	case e.Kind == replay.Bookmark:
		return "the bookmark before"
	}
	return told1(e)
}

// judgeBookmarkShape looks at what a history keeps of a bookmark.
func judgeBookmarkShape(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	for i := range r.Watches {
		w := &r.Watches[i]
		for e := range w.All(r.H) {
			if e.Kind != replay.Bookmark {
				continue
			}
			j.Tested++
			switch {
			case e.Err() != nil:
				j.Fail("an object of the watched kind", e.Err().Msg, w.Call, e.Num)
			case e.Obj.Body != "":
				j.Fail("nothing but a resourceVersion and the annotation", fmt.Sprintf("BOOKMARK @%s with %s", e.Obj.RV, e.Obj.Body), w.Call, e.Num)
			}
		}
	}
	return j
}

// idleTime is how long an idle watch must be able to resume: kube-apiserver
// keeps events for 75 seconds, etcd is compacted each five minutes.
const idleTime = 2 * time.Minute

// judgeBookmarkIdle looks at watches that allow bookmarks and brought nothing
// else for so long after the store had moved on.
func judgeBookmarkIdle(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	for i := range r.Watches {
		w := &r.Watches[i]
		if w.Err != nil || !w.Args.Options.AllowWatchBookmarks || w.Initial() || startsBeyond(h, w) {
			continue
		}
		moved, ok := movedOn(r, w)
		quiet, marked, upto := true, false, int64(0)
		for e := range w.All(r.H) {
			if upto = e.At; !ok || e.At > moved+int64(idleTime) {
				break
			}
			marked = marked || e.Kind == replay.Bookmark
			quiet = quiet && !isEvent(e) && e.Kind != replay.Errored
		}
		switch {
		case !ok || !quiet || upto < moved+int64(idleTime):
		case marked:
			j.Tested++
		case changed(r, w, moved+int64(idleTime)):
		case h.Header.Time == history.VirtualTime: // else it may only be late
			j.Tested++
			j.Fail("a bookmark within "+idleTime.String()+" of a change of something else", "none", w.Call)
		}
	}
	return j
}

// changed says that something of a watch's own scope was changed before an
// instant: such a watch is not idle, however late it is told.
func changed(r *replay.Replay, w *replay.WatchCall, upto int64) bool {
	m := replay.NewMatcher(r.H, w.Scope)
	for i := range r.Versions {
		v := &r.Versions[i]
		if v.By <= w.Call || r.H.Event(v.By).At > upto || !m.MatchesKey(v.K) {
			continue
		}
		if _, ok := r.Transition(m, int32(i)); ok {
			return true
		}
	}
	return false
}

// movedOn is when the first write was answered that a watch does not start
// with; ok is false if there was none.
func movedOn(r *replay.Replay, w *replay.WatchCall) (at int64, ok bool) {
	base := r.Acked(w.Call)
	for n := w.Call; int(n) <= len(r.H.Events); n++ {
		if r.Acked(n) > base {
			return r.H.Event(n - 1).At, true
		}
	}
	return 0, false
}

// startsBeyond says that a watch starts above all that there is in the history.
func startsBeyond(h *history.History, w *replay.WatchCall) bool {
	rv := w.Args.Options.ResourceVersion
	return history.Comparable(rv) && (h.Ranks() < 2 || history.CompareRV(rv, h.RV(int32(h.Ranks()-1))) > 0)
}
