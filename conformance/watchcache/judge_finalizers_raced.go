package watchcache

import (
	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeFinalizersRaced looks at what a watch, or those that go on where it ended, show of an object right before its
// DELETED, whoever wrote that: what has finalizers is marked first. A watch with a selector says DELETED of what leaves it, too.
func judgeFinalizersRaced(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	for _, c := range reopened(r) {
		if leavesScope(c.ws[0]) {
			continue
		}
		last := map[int32]*history.Event{} // by key
		for w, e := range eventsOf(c.ws, h) {
			if !isEvent(e) {
				continue
			}
			was := last[e.Obj.K]
			last[e.Obj.K] = e
			if e.Kind != replay.Deleted || was == nil || was.Kind == replay.Deleted || was.Obj.UID != e.Obj.UID || len(replay.FinalizersOf(was.Obj.Body)) == 0 {
				continue
			}
			if j.Tested++; !replay.IsDeleting(was.Obj.Body) {
				j.Fail("MODIFIED for the mark of a deletion of "+e.Obj.Key+", which has finalizers", told1(e), w.Call, was.Num, e.Num)
			}
		}
	}
	return j
}
