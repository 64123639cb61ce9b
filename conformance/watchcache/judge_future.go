package watchcache

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// future says of requests, in the order of their calls, whether the
// resourceVersion they ask for lay above all that the history had shown by then.
type future struct {
	h    *history.History
	at   int
	rank int32 // the largest shown before at
}

// is asks for the request with this call; calls must be asked in order.
func (f *future) is(r *replay.Request) bool {
	for ; f.at < len(f.h.Events) && f.h.Events[f.at].Num < r.Call; f.at++ {
		e := &f.h.Events[f.at]
		if e.Phase == history.Call {
			continue // what is asked for need not be there
		}
		f.rank = max(f.rank, e.Obj.N)
		if e.X != nil {
			for i := range e.X.Items {
				f.rank = max(f.rank, e.X.Items[i].N)
			}
		}
	}
	rv := r.Args.Options.ResourceVersion
	n, ok := f.h.Floor(rv)
	if !ok {
		return false
	}
	return n > f.rank || n == f.rank && f.h.RV(n) != rv && history.CompareRV(rv, f.h.RV(max(n, 1))) > 0
}

// judgeFuture: what is answered is not older than what was asked for, and what
// is refused says that it may be tried again.
func judgeFuture(kind string) func(*history.History) harness.Judgement {
	return func(h *history.History) harness.Judgement {
		var j harness.Judgement
		f := future{h: h}
		for _, r := range replay.Asked(h) {
			if r.Kind != kind || r.Args.Options.Continue != "" || isForbidden(&r) || r.Return == 0 || !f.is(&r) {
				continue
			}
			rv := r.Args.Options.ResourceVersion
			switch {
			case r.Err != nil && !r.Refused():
			case r.Refused():
				if r.Err.Code != 429 && r.Err.Code != 503 { // these say nothing of the resourceVersion
					j.Tested++
				}
				if !replay.Retriable(r.Err, r.Refusal) {
					j.Fail("504, or an error that says when to try again: "+rv+" is not there yet", answer(h, &r), r.Call, r.Return)
				}
			case kind == replay.Get: // the object may be older than the state it was read from
			case !history.Comparable(r.Obj.RV):
			default:
				j.Tested++
				exact := r.Args.Options.ResourceVersionMatch == metav1.ResourceVersionMatchExact
				if c := history.CompareRV(r.Obj.RV, rv); c < 0 || exact && c != 0 {
					j.Fail(fmt.Sprintf("nothing but the state at %s, or an error that says when to try again", rv), answer(h, &r), r.Call, r.Return)
				}
			}
		}
		return j
	}
}

// judgeFutureCause looks at what client-go looks at.
func judgeFutureCause(h *history.History) harness.Judgement {
	var j harness.Judgement
	f := future{h: h}
	for _, r := range replay.Asked(h) {
		if r.Kind != replay.List || r.Args.Options.Continue != "" || isForbidden(&r) || !r.Refused() || !f.is(&r) || r.Err.Code == 429 || r.Err.Code == 503 {
			continue
		}
		j.Tested++
		if !r.TooLarge() {
			j.Fail("the cause ResourceVersionTooLarge", answer(h, &r), r.Call, r.Return)
		}
	}
	return j
}
