package watchcache

import (
	"fmt"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeNoneMissing: what a bookmark covers had been delivered before it.
func judgeNoneMissing(h *history.History) harness.Judgement {
	r := replay.Of(h)
	j := harness.Judgement{Undecided: r.Unordered}
	if j.Undecided != "" {
		return j
	}
	r.Covered(func(w *replay.WatchCall, b *history.Event, v int32, kind string, given int32) {
		j.Tested++
		ver := &r.Versions[v]
		if given != 0 {
			e := h.Event(given)
			if b.Num == w.Mark && e.Kind != replay.Deleted && !sameObject(r, ver.Obj, &e.Obj) {
				j.Fail(name(r, ver)+" as it was written", at(e)+" "+differs(ver.Obj, &e.Obj), causes(ver.Call, w.Call, given, b.Num)...)
			}
			return
		}
		want := fmt.Sprintf("%s for %s before the bookmark @%s", kind, name(r, ver), b.Obj.RV)
		got := "a bookmark without it"
		if b.Num == w.Mark {
			want = fmt.Sprintf("%s among the initial events that end @%s", name(r, ver), b.Obj.RV)
			if kind == replay.Deleted {
				want, got = fmt.Sprintf("no %s: it is not in the state @%s", h.Key(ver.K), b.Obj.RV), "it was shown"
			}
		}
		j.Fail(want, got, causes(ver.Call, w.Call, b.Num)...)
	})
	return j
}

// judgeNoneFollows keeps one number a watch: nothing at or before a bookmark comes after it.
func judgeNoneFollows(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	for i := range r.Watches {
		w := &r.Watches[i]
		var top, topAt int32
		for i := range w.Events {
			e := &w.Events[i]
			switch {
			case e.N == 0:
			case e.Kind() == replay.Bookmark:
				if e.N >= top {
					top, topAt = e.N, e.Num
				}
			case e.IsEvent() && topAt != 0:
				j.Tested++
				if e.N <= top {
					j.Fail(fmt.Sprintf("only events after @%s, which the bookmark at #%d promised", h.RV(top), topAt), fmt.Sprintf("%s %s", e.Kind(), at(h.Event(e.Num))), topAt, e.Num)
				}
			}
		}
	}
	return j
}
