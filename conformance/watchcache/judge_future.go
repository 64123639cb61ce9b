package watchcache

import (
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
	return n > f.rank || n == f.rank && n > 0 && history.CompareRV(rv, f.h.RV(n)) > 0
}

// notYet says of requests whether the resourceVersion they ask for was
// certainly not there before they were answered: something was created later,
// at that resourceVersion or below. A history shows only some of what a server
// has seen, so that what lies above all of it may be long gone.
func notYet(h *history.History) func(*replay.Request) bool {
	at := notYetAt(h)
	return func(q *replay.Request) bool { return at(q, q.Return) }
}

// notYetAt says so of requests that were answered with the event of a number.
func notYetAt(h *history.History) func(q *replay.Request, answer int32) bool {
	later := createdFrom(h)
	return func(q *replay.Request, answer int32) bool {
		n, ok := h.Floor(q.Args.Options.ResourceVersion)
		return ok && later[answer] != 0 && later[answer] <= n
	}
}

// createdFrom is, by number of an event, the smallest rank of what was created
// by a call from there on; 0 for none.
func createdFrom(h *history.History) []int32 {
	least := make([]int32, len(h.Events)+2)
	for i := range h.Events {
		e := &h.Events[i]
		if e.Phase == history.Return && e.Kind == replay.Create && e.Err() == nil && e.Obj.N != 0 && !replay.IsDryRun(h.Event(e.Call)) {
			least[e.Call] = e.Obj.N
		}
	}
	for n := len(least) - 2; n >= 0; n-- {
		if next := least[n+1]; least[n] == 0 || next != 0 && next < least[n] {
			least[n] = next
		}
	}
	return least
}

// judgeFuture: what is answered is not older than what was asked for, and what
// is refused says that it may be tried again.
func judgeFuture(kind string) func(*history.History) harness.Judgement {
	return func(h *history.History) harness.Judgement {
		var j harness.Judgement
		if replay.Of(h).ByOrder {
			j.Undecided = notComparable
			return j
		}
		f, certain := future{h: h}, notYet(h)
		for _, q := range replay.Asked(h) {
			if q.Kind != kind || q.Args.Options.Continue != "" || isForbidden(&q) || q.Return == 0 || q.Err != nil && !q.Refused() || streamsWrongly(&q) {
				continue
			}
			ahead, sure := f.is(&q), certain(&q)
			switch {
			case !ahead && !sure:
			case kind == replay.Get && (q.Err == nil || missed(&q)): // the object may be older than the state it was read from
				if sure {
					j.Tested++
					j.Fail("nothing, or an error that says when to try again: "+q.Args.Options.ResourceVersion+" is not there yet", answer(h, &q), q.Call, q.Return)
				}
			case q.Refused():
				judgeNotYet(&j, h, &q, sure)
			default:
				judgeAhead(&j, h, &q, sure)
			}
		}
		return j
	}
}

// judgeNotYet: 429 and 503 say nothing of the resourceVersion.
func judgeNotYet(j *harness.Judgement, h *history.History, q *replay.Request, sure bool) {
	switch again := replay.Retriable(q.Err, q.Refusal); {
	case again && q.Err.Code != 429 && q.Err.Code != 503:
		j.Tested++
	case !again && sure:
		j.Tested++
		j.Fail("504, or an error that says when to try again: "+q.Args.Options.ResourceVersion+" is not there yet", answer(h, q), q.Call, q.Return)
	}
}

// judgeAhead: a list that was answered; one that says what is not there yet is made up.
func judgeAhead(j *harness.Judgement, h *history.History, q *replay.Request, sure bool) {
	if !history.Comparable(q.Obj.RV) {
		return
	}
	j.Tested++
	rv, exact := q.Args.Options.ResourceVersion, q.Args.Options.ResourceVersionMatch == metav1.ResourceVersionMatchExact
	if c := history.CompareRV(q.Obj.RV, rv); sure || c < 0 || exact && c != 0 {
		j.Fail("nothing but the state at "+rv+", or an error that says when to try again", answer(h, q), q.Call, q.Return)
	}
}

// judgeFutureCause looks at what client-go looks at.
func judgeFutureCause(h *history.History) harness.Judgement {
	var j harness.Judgement
	f, certain := future{h: h}, notYet(h)
	for _, q := range replay.Asked(h) {
		if q.Kind != replay.List || q.Args.Options.Continue != "" || isForbidden(&q) || !q.Refused() {
			continue
		}
		if ahead := f.is(&q); !ahead && !certain(&q) || q.Err.Code == 429 || q.Err.Code == 503 || !replay.Retriable(q.Err, q.Refusal) {
			continue // what is refused for good is another rule's
		}
		j.Tested++
		if !q.TooLarge() {
			j.Fail("the cause ResourceVersionTooLarge", answer(h, &q), q.Call, q.Return)
		}
	}
	return j
}
