package watchcache

import (
	"fmt"

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
