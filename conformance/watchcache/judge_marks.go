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
		top, topAt, what := "", w.Call, "the start of the watch"
		if rv := w.Args.Options.ResourceVersion; history.Comparable(rv) {
			top = rv
		}
		for e := range w.All(r.H) {
			if !history.Comparable(e.Obj.RV) || !isEvent(e) && e.Kind != replay.Bookmark {
				continue
			}
			if e.Kind == replay.Bookmark {
				if j.Tested++; top != "" && history.CompareRV(e.Obj.RV, top) < 0 {
					j.Fail(fmt.Sprintf("a resourceVersion of at least %s, that of %s", top, what), "BOOKMARK @"+e.Obj.RV, topAt, e.Num)
				}
			}
			if top == "" || history.CompareRV(e.Obj.RV, top) >= 0 {
				if top, topAt, what = e.Obj.RV, e.Num, told1(e); e.Kind == replay.Bookmark {
					what = "the bookmark before"
				}
			}
		}
	}
	return j
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
const idleTime = 5 * time.Minute

// judgeBookmarkIdle looks at watches that allow bookmarks and were open for
// long enough, without anything else, while writes were answered.
func judgeBookmarkIdle(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	for i := range r.Watches {
		w := &r.Watches[i]
		if w.Err != nil || !w.Args.Options.AllowWatchBookmarks || w.Initial() || startsBeyond(h, w) {
			continue
		}
		begun, last := h.Event(w.Call).At, int64(0)
		quiet, marks, moved := true, 0, r.Acked(w.Call)
		for e := range w.All(r.H) {
			last = e.At
			if e.Kind == history.Settled && r.Acked(e.Num) > moved {
				moved = -1 // the store has moved on
			}
			if e.Kind == replay.Bookmark {
				marks++
			}
			quiet = quiet && (!isEvent(e) || e.At-begun > int64(idleTime))
		}
		if !quiet || moved != -1 && r.Acked(w.Call) == moved || last-begun < int64(idleTime) {
			continue
		}
		if j.Tested++; marks == 0 {
			j.Fail("a bookmark in the first "+idleTime.String(), "none", w.Call)
		}
	}
	return j
}

// startsBeyond says that a watch starts above all that there is in the history.
func startsBeyond(h *history.History, w *replay.WatchCall) bool {
	rv := w.Args.Options.ResourceVersion
	return history.Comparable(rv) && (h.Ranks() < 2 || history.CompareRV(rv, h.RV(int32(h.Ranks()-1))) > 0)
}
