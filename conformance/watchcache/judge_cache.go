package watchcache

import (
	"net/http"
	"strings"

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
// freshness and about the truth of what is answered.
var holding = []harness.Rule{getMostRecent, getNotOlderThan, listSnapshot, listMostRecent, listNotOlderThan, listExact, listExactLegacy, listPages, watchUnset, watchUnsetFresh,
	watchlistInitial, watchlistEndVersion, watchFromList, writeConflict("update", nil), writeNoFalseConflict, writeExists, writeMissingDelete}

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
			if q.Refused() && q.Err.Code >= 500 && !replay.Retriable(q.Err, q.Refusal) {
				j.Fail("the truth, or an error that says when to try again", answer(h, &q), q.Call, q.Return)
			}
		}
		return j
	}
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

// judgeRestart: what was acknowledged or shown before a restart is there after
// it, and watches from before go on or are told to list.
func judgeRestart(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	var before string // the largest resourceVersion of this run before the last restart
	var at int32
	largest := ""
	restarted := map[int32]bool{} // calls of watches that start before it and are called after it
	for i := range h.Events {
		e := &h.Events[i]
		switch {
		case e.Kind == replay.Restart && e.Phase == history.Return && e.Err() == nil:
			before, at = largest, e.Num
		case e.Phase == history.Return && e.Err() == nil && e.Kind == replay.List && before != "" && e.Call > at && fresh(h, e):
			j.Tested++
			if history.Comparable(e.Obj.RV) && history.CompareRV(e.Obj.RV, before) < 0 {
				j.Fail("a resourceVersion of at least "+before+", which was there before the restart", "a list @"+e.Obj.RV, at, e.Call, e.Num)
			}
		case e.Kind == replay.Watch && e.Phase == history.Call && before != "":
			restarted[e.Num] = true
		}
		if e.Phase == history.Return && e.Err() == nil && strings.Contains("CREATE UPDATE PATCH LIST", e.Kind) && history.Comparable(e.Obj.RV) && (largest == "" || history.CompareRV(e.Obj.RV, largest) > 0) {
			largest = e.Obj.RV
		}
	}
	for i := range r.Watches {
		w := &r.Watches[i]
		if !restarted[w.Call] || w.Initial() {
			restarted[w.Call] = false
			continue
		}
		err := refusedWatch(r, w)
		if err == nil || err.Code == 0 || replay.Retriable(err, replay.Refusal{}) {
			continue
		}
		restarted[w.Call] = false
		if j.Tested++; err.Code != http.StatusGone {
			j.Fail("a watch that goes on, or 410", err.String(), w.Call)
		}
	}
	r.Dues(func(w *replay.WatchCall, _ *replay.Matcher, d replay.Due) {
		if !restarted[w.Call] {
			return
		}
		j.Tested++
		if d.Given == 0 {
			missing(&j, r, w, d)
		}
	})
	return j
}

// fresh says that a list asked for the most recent state.
func fresh(h *history.History, ret *history.Event) bool {
	call := h.Event(ret.Call)
	if call.X == nil {
		return true
	}
	a, err := replay.ParseArgs(call.X.Args)
	return err == nil && a.Options.ResourceVersion == "" && a.Options.Continue == ""
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
