package watchcache

import (
	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// fromUnversioned looks at watches after lists that say no resourceVersion, of servers whose writes return none either. A
// client has nothing to watch from, and asks from none, as client-go's reflector does: then the watch begins with all that
// is there, so that what was created or changed between the two comes either way. A deletion need not.
func fromUnversioned(j *harness.Judgement, r *replay.Replay) {
	if !r.ByOrder {
		return // watch/unset judges it, of all that is there
	}
	unsure := map[int32]bool{} // keys
	for i := range r.Writes {
		if w := &r.Writes[i]; w.Outcome == replay.Unknown {
			unsure[w.K] = true
		}
	}
	for i := range r.Watches {
		w := &r.Watches[i]
		o := &w.Args.Options
		if w.Err != nil || o.ResourceVersion != "" || o.SendInitialEvents != nil {
			continue
		}
		if l, witness := unversionedBefore(r, w), beyondInitial(r, w); l != nil && witness != 0 {
			j.Tested += changedBetween(r, w, l, unsure, witness, func(d replay.Due) { missing(j, r, w, d) })
		}
	}
}

// unversionedBefore is the last list that was answered before a watch was asked for, where it says no resourceVersion.
func unversionedBefore(r *replay.Replay, w *replay.WatchCall) (last *replay.ListCall) {
	for i := range r.Lists {
		if l := &r.Lists[i]; l.Return < w.Call && (last == nil || l.Return > last.Return) {
			last = l
		}
	}
	if last == nil || last.RV != "" || !last.Recent || last.Page {
		return nil
	}
	return last
}

// beyondInitial is the first event that shows that a watch has given all that it began with, which comes as ADDED in any
// order: a change, or, in virtual time, that it settled. (In real time a sentinel may be a part of what it began with.)
func beyondInitial(r *replay.Replay, w *replay.WatchCall) int32 {
	for i := range w.Events {
		e := &w.Events[i]
		switch {
		case e.Kind() == replay.Errored:
			return 0
		case e.IsEvent() && e.Kind() != replay.Added, e.Kind() == history.Settled && r.H.Header.Time == history.VirtualTime:
			return e.Num
		}
	}
	return 0
}

// changedBetween tells of what was written between the list and the watch, is there when that begins, and has not come.
// What is written again before the witness may have gone by then, and come back: of that nothing is said.
func changedBetween(r *replay.Replay, w *replay.WatchCall, l *replay.ListCall, unsure map[int32]bool, witness int32, missing func(replay.Due)) (tested int) {
	came := map[int32]bool{} // keys
	for i := range w.Events {
		if e := &w.Events[i]; e.IsEvent() {
			came[e.K] = true
		}
	}
	m := replay.NewMatcher(r.H, w.Scope)
	for i := range r.Versions {
		v := &r.Versions[i]
		if v.Gone || !v.Sure || v.Hazy || v.Obj == nil || v.Call < l.Return || v.By == 0 || v.By > w.Call {
			continue
		}
		if !r.Own(v.K) || unsure[v.K] || r.Swept(v.K) || writtenWithin(r, v.K, v.Call, witness) || !m.MatchesVersion(v) {
			continue
		}
		if tested++; !came[v.K] {
			missing(replay.Due{Version: int32(i), Type: replay.Added, Witness: witness})
		}
	}
	return tested
}

// writtenWithin says whether a write of a key was called between two events.
func writtenWithin(r *replay.Replay, k, after, before int32) bool {
	for i := range r.Writes {
		if w := &r.Writes[i]; w.K == k && w.Call > after && w.Call < before {
			return true
		}
	}
	return false
}
