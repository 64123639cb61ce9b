package watchcache

import (
	"net/http"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// trouble is a time in which something was wrong with the server, from the
// answer of what began it to the call of what ended it.
type trouble struct{ from, upto int32 }

// troubles are those of a kind: each begins with a call of that name and ends
// with the next one of its name and -OVER.
func troubles(h *history.History, kind string) []trouble {
	var out []trouble
	for i := range h.Events {
		e := &h.Events[i]
		switch {
		case e.Kind == kind && e.Phase == history.Return && e.Err() == nil:
			out = append(out, trouble{e.Num, int32(len(h.Events) + 1)})
		case e.Kind == kind+replay.Over && e.Phase == history.Call && len(out) > 0:
			out[len(out)-1].upto = e.Num
		}
	}
	return out
}

func within(ts []trouble, num int32) bool {
	for _, t := range ts {
		if num > t.from && num < t.upto {
			return true
		}
	}
	return false
}

// holding are the clauses that hold whatever the cache does: those about
// freshness, about the truth of what is answered, and about what is written.
var holding = []harness.Rule{getMostRecent, getNotOlderThan, listSnapshot, listScope, listMostRecent, listNotOlderThan, listExact, listExactLegacy, listPages, watchReliable, watchUnset, watchUnsetFresh, watchZero,
	watchlistInitial, watchlistOnlyAdded, watchlistEndVersion, watchlistOff, watchFromList,
	writeConflict("update", nil), writeConflict("patch", nil), writeConflict("delete", nil), writeConflict(aspectUID, nil), writeNoFalseConflict,
	writeExists, writeMissingDelete, writeVersionGrows, writeFinalizers, writeCollection}

// judgeTrouble keeps what those clauses find of requests that were made in the
// time of trouble, and looks at what was refused then.
func judgeTrouble(kind string) func(*history.History) harness.Judgement {
	return func(h *history.History) harness.Judgement {
		var j harness.Judgement
		ts := troubles(h, kind)
		if len(ts) == 0 {
			return j
		}
		for _, rule := range holding {
			if !offers(h, rule.Needs) {
				continue
			}
			part := rule.Judge(h)
			for _, f := range part.Bad {
				if within(ts, callOf(h, f)) {
					f.Want = rule.Clause.ID + ": " + f.Want
					j.Bad = append(j.Bad, f)
				}
			}
		}
		for _, q := range replay.Asked(h) {
			if !within(ts, q.Call) || q.Return == 0 || q.Err != nil && !q.Refused() {
				continue
			}
			j.Tested++
			if q.Refused() && q.Err.Code >= 500 && !replay.Retriable(q.Err, q.Refusal) && readable(&q) {
				j.Fail("the truth, or an error that says when to try again", answer(h, &q), q.Call, q.Return)
			}
		}
		return j
	}
}

// readable: a resourceVersion that is none is refused with 500 by many, whatever the cache does.
func readable(q *replay.Request) bool {
	rv := q.Args.Options.ResourceVersion
	return rv == "" || rv == "0" || history.Comparable(rv)
}

// callOf is the request that a finding is about: the last that it names.
func callOf(h *history.History, f harness.Finding) int32 {
	for i := len(f.At) - 1; i >= 0; i-- {
		e := h.Event(f.At[i])
		if e.Call != 0 {
			return e.Call
		}
		if e.Phase == history.Call {
			return e.Num
		}
	}
	return 0
}

// judgeWindow is watch/expired, for what overflowed.
func judgeWindow(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	old := expired(r, done(h, replay.MoveWindow))
	for i := range r.Watches {
		w := &r.Watches[i]
		if err := refusedWatch(r, w); old[w.Call] && err != nil && err.Code == http.StatusGone {
			j.Tested++
		}
	}
	r.Dues(func(w *replay.WatchCall, _ *replay.Matcher, d replay.Due) {
		if old[w.Call] && d.Given == 0 {
			j.Tested++
			missing(&j, r, w, d)
		}
	})
	return j
}
