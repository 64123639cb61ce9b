package listerwatcher

import (
	"fmt"
	"slices"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// What is counted of the requests of a call that resumes by itself: those that fail in a row, and those that are left open.

// judgeResumeBusy counts failures in ten seconds without a success between them. Refused connections are of all calls together.
func judgeResumeBusy(h *history.History) harness.Judgement {
	j := perResumed((*exchange).judgeBusy, (*exchange).judgeBusy)(h)
	refused := func(e history.Event) bool { return e.Kind == rig.Refused && e.Actor == rig.Network }
	if i := slices.IndexFunc(h.Events, refused); i >= 0 && has(h, Retries) {
		j.FailTested(fmt.Sprintf("fewer than %d failures in %s", rig.BusyFailures, rig.BusyTime),
			fmt.Sprintf("%d connections, all of which were refused", rig.BusyFailures), h.Events[i].Num)
	}
	return j
}

func (x *exchange) judgeBusy(j *harness.Judgement) {
	var row rig.BusyRow
	for i, r := range x.requests {
		switch {
		case !x.fails(i):
			row = rig.BusyRow{}
			continue
		case i+1 < len(x.requests):
			j.Tested++
		}
		if row.Fail(r.Exchange, "requests", j) {
			return
		}
	}
}

// fails reports whether nothing came of a request: it was refused, or lost, or its watch soon ended and the next goes on from where
// it began.
func (x *exchange) fails(i int) bool {
	r := x.requests[i]
	if r.refusal() != nil && len(r.readable()) == 0 || r.Lost() {
		return true
	}
	if !r.IsWatch() || r.Answer == nil || r.Over == nil || time.Duration(r.Over.At-r.Answer.At) >= time.Second {
		return false
	}
	return len(r.readable()) == 0 || i+1 < len(x.requests) && x.requests[i+1].Options.ResourceVersion == r.Options.ResourceVersion
}

// leftFor is how long a request may stay open when the next was sent.
const leftFor = 2 * time.Second

// judgeResumeConnections counts the requests of one watch that are open at the server although others have followed them. One or two
// may be on their way to be closed.
var judgeResumeConnections = perResumed(func(x *exchange, j *harness.Judgement) {
	var left []int // requests that were followed by another and are not over, in order
	for i, r := range x.requests {
		left = slices.DeleteFunc(left, func(l int) bool { over := x.requests[l].Over; return over != nil && over.Num < r.Call.Num })
		if n := patience - 1; len(left) > n && time.Duration(r.Call.At-x.requests[left[n]+1].Call.At) > leftFor {
			at := []int32{r.Call.Num}
			for _, l := range left {
				at = append(at, x.requests[l].Call.Num)
			}
			slices.Sort(at)
			j.Fail("every request that another has followed is closed", fmt.Sprintf("%d are open", len(left)), at...)
			return
		}
		if i+1 < len(x.requests) && r.opened() && !r.endedByServer() {
			j.Tested++
			left = append(left, i)
		}
	}
}, func(*exchange, *harness.Judgement) {})

// endedByServer reports whether the server or the network ended a watch, and not the client.
func (r *request) endedByServer() bool { return r.Over != nil && r.How != "stopped" }
