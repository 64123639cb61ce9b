package watchcache

import (
	"time"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// stopSlack is how long, in real time, a server's goroutine may take to learn that its watch was stopped: until then
// it may find an event ready, too, and choose that. In virtual time it has learnt of it before anything else is done.
const stopSlack = 2 * time.Second

// judgeStop: a stopped watch brings nothing that was done after it was
// stopped, and its channel is closed. One that never brought anything says
// nothing by being silent.
func judgeStop(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	for i := range r.Watches {
		w := &r.Watches[i]
		stopped, given := int32(0), false
		for e := range w.All(r.H) {
			switch {
			case e.Kind == history.Stopped:
				stopped = e.Num
			case stopped == 0:
				given = given || isEvent(e)
			case e.Kind == history.Ended && given:
				j.Tested++
			case e.Kind == history.Left:
				j.Tested++
				j.Fail("a channel that is closed once the watch is stopped", "it is still open", w.Call, stopped, e.Num)
			case isEvent(e):
				if v := r.VersionOf(e); v != replay.None && learnt(h, stopped, r.Versions[v].Since()) {
					j.Fail("nothing of what was done after the watch was stopped", told1(e), w.Call, stopped, r.Versions[v].Since(), e.Num)
				}
			}
		}
	}
	return j
}

// learnt says that what was done from the event since on was done after a server had learnt of the stop.
func learnt(h *history.History, stopped, since int32) bool {
	if since <= stopped {
		return false
	}
	return h.Header.Time == history.VirtualTime || h.Event(since).At-h.Event(stopped).At > int64(stopSlack)
}
