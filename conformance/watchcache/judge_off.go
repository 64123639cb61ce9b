package watchcache

import (
	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeOff: of what was there before nothing comes; what comes is newer than
// the start, or than some moment after the request.
func judgeOff(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	for i := range r.Watches {
		w := &r.Watches[i]
		o := &w.Args.Options
		if w.Err != nil || o.SendInitialEvents == nil || *o.SendInitialEvents || refusedWatch(r, w) != nil {
			continue
		}
		start := r.Acked(w.Call)
		if n, ok := h.Floor(o.ResourceVersion); ok {
			start = n
		} else if o.ResourceVersion == "0" {
			start = 0 // its about now may be some time ago
		}
		seen := false
		for e := range w.All(r.H) {
			seen = seen || isEvent(e)
			switch {
			case replay.IsMark(e):
				j.Fail("no end of initial events: there are none", "a bookmark with the annotation", w.Call, e.Num)
			case isEvent(e) && e.Obj.N != 0 && e.Obj.N <= start && r.Own(e.Obj.K):
				j.Fail("only changes after @"+h.RV(start), told1(e), w.Call, e.Num)
			case isEvent(e) && (o.ResourceVersion == "" || o.ResourceVersion == "0") && r.Own(e.Obj.K):
				oldAdded(&j, r, w, e)
			}
		}
		if seen && r.Acked(w.Call) > 0 {
			j.Tested++
		}
	}
	r.Dues(func(w *replay.WatchCall, _ *replay.Matcher, d replay.Due) {
		if send := w.Args.Options.SendInitialEvents; send != nil && !*send && d.Given == 0 {
			j.Tested++
			missing(&j, r, w, d)
		}
	})
	return j
}

// oldAdded: without a resourceVersion, or with "0", a watch begins when it likes,
// but what it gives are changes: an ADDED is a creation, not an object as some change left it.
func oldAdded(j *harness.Judgement, r *replay.Replay, w *replay.WatchCall, e *history.Event) {
	v := r.VersionOf(e)
	if v == replay.None || e.Kind != replay.Added || !w.Scope.Labels.Empty() || !w.Scope.Fields.Empty() {
		return
	}
	if p := r.Versions[v].Prev; p != replay.None && !r.Versions[p].Gone && !r.Versions[v].Hazy {
		j.Fail("changes only, no initial events", told1(e)+", which was there before", w.Call, e.Num)
	}
}
