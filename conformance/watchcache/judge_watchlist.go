package watchcache

import (
	"fmt"
	"net/http"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeStream: the end bookmark comes to those who allow bookmarks, the state
// before it is that at its resourceVersion; to the others comes a state that
// some resourceVersion explains.
func judgeStream(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	if r.ByOrder {
		j.Undecided = "writes return no resourceVersion that could be compared"
		return j
	}
	f := future{h: h}
	for i := range r.Watches {
		w := &r.Watches[i]
		waits := f.is(&replay.Request{Call: w.Call, Args: w.Args})
		if !isStream(w) {
			continue
		}
		s := readInitial(r, w, false)
		switch {
		case s == nil || waits && !s.mark: // for what is not there yet
		case w.Args.Options.AllowWatchBookmarks && !s.mark:
			j.Tested++
			j.Fail("a bookmark that ends the initial events", fmt.Sprintf("none, after %d events and all the time it needs", len(s.events)), s.at()...)
		case s.mark:
			mark := h.Event(w.Mark)
			j.Tested++
			if mark.Obj.N == 0 {
				continue // version/comparable judges that
			}
			if ok, why := s.fits(len(s.events), mark.Obj.N); !ok {
				j.Fail("the state @"+mark.Obj.RV+", which the bookmark at the end names", why, append(s.at(), w.Mark)...)
			}
		default:
			bad := len(j.Bad)
			if s.judge(&j, false); len(j.Bad) == bad {
				s.rest(&j, false)
			}
		}
	}
	return j
}

// judgeOnlyAdded looks at what comes before the end bookmark.
func judgeOnlyAdded(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	for i := range r.Watches {
		w := &r.Watches[i]
		if w.Mark == 0 || !isStream(w) {
			continue
		}
		seen := map[int32]int32{}
		for e := range w.All(r.H) {
			if e.Num >= w.Mark {
				break
			}
			if !isEvent(e) && e.Kind != replay.Bookmark {
				continue
			}
			j.Tested++
			switch {
			case e.Kind != replay.Added:
				j.Fail("nothing but ADDED before the end bookmark", told1(e), w.Call, e.Num)
			case seen[e.Obj.K] != 0:
				j.Fail("each object once", told1(e)+" again", w.Call, seen[e.Obj.K], e.Num)
			}
			seen[e.Obj.K] = e.Num
		}
	}
	return j
}

func judgeEndVersion(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	if r.ByOrder {
		j.Undecided = notComparable
		return j
	}
	for i := range r.Watches {
		w := &r.Watches[i]
		if w.Mark == 0 || !isStream(w) {
			continue
		}
		rv, mark := w.Args.Options.ResourceVersion, h.Event(w.Mark)
		switch {
		case !history.Comparable(mark.Obj.RV):
		case rv == "":
			acked := r.Acked(w.Call)
			if acked == 0 {
				continue
			}
			if j.Tested++; mark.Obj.N < acked {
				j.Fail("a resourceVersion of at least "+h.RV(acked)+", which a write before it was answered with", "the end bookmark @"+mark.Obj.RV, w.Call, w.Mark)
			}
		case history.Comparable(rv):
			if j.Tested++; history.CompareRV(mark.Obj.RV, rv) < 0 {
				j.Fail("a resourceVersion of at least "+rv, "the end bookmark @"+mark.Obj.RV, w.Call, w.Mark)
			}
		}
	}
	return j
}

// judgeOnce looks at bookmarks after the one that ended the initial events, and at those of watches that have
// none to end: these say so only where they are wrong.
func judgeOnce(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	for i := range r.Watches {
		w := &r.Watches[i]
		for e := range w.All(r.H) {
			switch {
			case e.Kind != replay.Bookmark:
			case w.Mark != 0 && e.Num > w.Mark:
				j.Tested++
				if annotated(e) {
					j.Fail("a plain bookmark: the initial events have ended before", "BOOKMARK @"+e.Obj.RV+" with the annotation", w.Mark, e.Num)
				}
			case !w.Initial() && annotated(e):
				j.Tested++
				j.Fail("a plain bookmark: the watch has no initial events that could end", "BOOKMARK @"+e.Obj.RV+" with the annotation", w.Call, e.Num)
			}
		}
	}
	return j
}

func annotated(e *history.Event) bool { return e.Obj.Fields.Get(replay.InitialEventsEnd) != "" }

func judgeStreamFuture(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	f, certain := future{h: h}, notYetAt(h)
	for _, q := range replay.Asked(h) {
		o := &q.Args.Options
		if q.Kind != replay.Watch || o.SendInitialEvents == nil || !*o.SendInitialEvents || streamsWrongly(&q) || !f.is(&q) {
			continue
		}
		w := watchOf(r, q.Call)
		if w == nil {
			continue
		}
		if err := refusedWatch(r, w); err != nil {
			switch {
			case err.Code == http.StatusGatewayTimeout:
				j.Tested++
			case !transient(err) && certain(&q, answeredAt(r, w, &q)): // else it may be long gone
				j.Tested++
				j.Fail("initial events that wait, or 504: "+o.ResourceVersion+" is not there yet", err.String(), q.Call)
			}
			continue
		}
		for e := range w.All(r.H) {
			if e.Kind == history.Settled || replay.IsMark(e) {
				j.Tested++
			}
			if replay.IsMark(e) && history.Comparable(e.Obj.RV) && history.CompareRV(e.Obj.RV, o.ResourceVersion) < 0 {
				j.Fail("no end of the initial events before "+o.ResourceVersion, "the end bookmark @"+e.Obj.RV, q.Call, e.Num)
			}
		}
	}
	return j
}
