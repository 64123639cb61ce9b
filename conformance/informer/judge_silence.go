package informer

import (
	"slices"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// silenceBound is how long an informer with a timer of its own may wait for something to come of a request. A watch lasts ten minutes at most by
// its timeoutSeconds.
const silenceBound = 15 * time.Minute

// judgeDead looks for requests whose connection died under them.
var judgeDead = perInformer(func(v *observed, j *harness.Judgement) {
	for i, x := range v.exchanges {
		rig.Silence{From: x.Dead, Bound: rig.DeadBound, Want: "another request", Got: "its connection is dead", Excused: v.excused(x.Dead)}.Judge(x, v.w.h, j, v.nextAfter(i, x.Dead))
	}
})

// judgeSilence looks for requests of which nothing comes because of a fault.
var judgeSilence = perInformer(func(v *observed, j *harness.Judgement) {
	for i, x := range v.exchanges {
		from := x.FellSilent(silenceBound)
		rig.Silence{From: from, Bound: silenceBound, Want: "another request", Got: "nothing comes of this one", Excused: v.excused(from)}.Judge(x, v.w.h, j, v.nextAfter(i, from))
	}
})

// nextAfter returns the first request after another that was made after an event; nil: there is none.
func (v *observed) nextAfter(i int, e *history.Event) *history.Event {
	for _, x := range v.exchanges[i+1:] {
		if e != nil && x.Call.Num > e.Num {
			return x.Call
		}
	}
	return nil
}

// excused returns whether the informer has no reason to ask for anything between an event and a time: it is stopped, or another of its watches
// is open; or what it asks for does not reach the server.
func (v *observed) excused(from *history.Event) func(until int64) bool {
	return func(until int64) bool {
		after := func(e *history.Event) bool { return e.Num > from.Num && e.At <= until }
		return v.stopped != nil && v.stopped.At <= until || v.uncertain ||
			slices.ContainsFunc(v.w.downs, func(num int32) bool { return after(&v.w.h.Events[num-1]) }) ||
			slices.ContainsFunc(v.exchanges, func(x *rig.Exchange) bool {
				return x.Dead == nil && x.FellSilent(silenceBound) == nil && x.IsWatch() && x.Answer != nil && x.Refused() == nil && x.Answer.Num < from.Num && (x.Over == nil || x.Over.At > until)
			})
	}
}
