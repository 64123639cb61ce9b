package watchcache

import (
	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeFinalizersRaced looks at what each watch shows of an object right before its DELETED, whoever wrote that: what
// has finalizers is marked first. A watch with a selector says DELETED of what leaves it, too.
func judgeFinalizersRaced(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	for i := range r.Watches {
		w := &r.Watches[i]
		if leavesScope(w) {
			continue
		}
		last := map[int32]*history.Event{} // by key
		for e := range w.All(h) {
			was := last[e.Obj.K]
			switch {
			case !isEvent(e):
				continue
			case e.Kind == replay.Deleted && was != nil && was.Kind != replay.Deleted && was.Obj.UID == e.Obj.UID && len(replay.FinalizersOf(was.Obj.Body)) > 0:
				if j.Tested++; !replay.IsDeleting(was.Obj.Body) {
					j.Fail("MODIFIED for the mark of a deletion of "+e.Obj.Key+", which has finalizers", told1(e), w.Call, was.Num, e.Num)
				}
			}
			last[e.Obj.K] = e
		}
	}
	return j
}
