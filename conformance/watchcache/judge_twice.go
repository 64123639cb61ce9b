package watchcache

import (
	"maps"
	"math"
	"slices"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
)

// deletedTwice: of deletes that were under way at once, whatever their preconditions, no more
// are answered than there can have been objects. What others may have created tells nothing; of
// what a delete only marks the replay says that it is disturbed.
func deletedTwice(j *harness.Judgement, r *replay.Replay) {
	if r.Shared() || has(r.H, Grace) {
		return
	}
	for _, k := range slices.Sorted(maps.Keys(deletedAtOnce(r))) {
		spareDelete(j, r, k)
	}
}

// deletedAtOnce are the keys of which two deletes that were answered overlap.
func deletedAtOnce(r *replay.Replay) map[int32]bool {
	last, out := map[int32]int32{}, map[int32]bool{} // last: by key, the latest answer
	for i := range r.Writes {
		if w := &r.Writes[i]; deletes(r, w) {
			if w.Call < last[w.K] && r.Own(w.K) && !r.Swept(w.K) {
				out[w.K] = true
			}
			last[w.K] = max(last[w.K], w.Return)
		}
	}
	return out
}

// deletes says that a write is a delete that was answered; with a propagation policy it may wait for what the object owns.
func deletes(r *replay.Replay, w *replay.Write) bool {
	call := r.H.Event(w.Call)
	return w.Verb() == replay.Delete && w.Outcome == replay.Done && (call.X == nil || call.X.Args == nil)
}

// ends are the answered deletes of a key, in order of their answers, and what they may have ended.
type ends struct {
	deletes []*replay.Write
	first   int     // 1: there may have been an object before the run
	creates []int32 // calls of what may have made others
}

func endsOf(r *replay.Replay, k int32) ends {
	var e ends
	called, made := int32(math.MaxInt32), int32(math.MaxInt32) // the first delete; the first answer to a create
	for i := range r.Writes {
		w := &r.Writes[i]
		if w.K != k || w.Outcome == replay.Refused || replay.IsDryRun(r.H.Event(w.Call)) {
			continue
		}
		switch {
		case w.Verb() == replay.Delete:
			if called = min(called, w.Call); deletes(r, w) {
				e.deletes = append(e.deletes, w)
			}
		case mayMake(r, w):
			e.creates = append(e.creates, w.Call)
		}
		if w.Verb() == replay.Create && w.Outcome == replay.Done {
			made = min(made, w.Return)
		}
	}
	if called < made { // else that create says that there was none before
		e.first = 1
	}
	slices.SortFunc(e.deletes, func(a, b *replay.Write) int { return int(a.Return - b.Return) })
	return e
}

// spareDelete looks for an answered delete of a key for which there was no object left: for the nth
// there must have been n, each made by a write called before its answer, or there at first.
func spareDelete(j *harness.Judgement, r *replay.Replay, k int32) {
	e := endsOf(r, k)
	for n, w := range e.deletes {
		j.Tested++
		made := e.first + len(slices.DeleteFunc(slices.Clone(e.creates), func(call int32) bool { return call > w.Return }))
		if n >= made {
			j.Fail("404 NotFound for one of them: nothing was left of "+r.H.Key(k)+" to be deleted", "the DELETE was answered", e.deletes[n-1].Call, w.Call, w.Return)
			return
		}
	}
}

// mayMake says that a write may have made what was not there.
func mayMake(r *replay.Replay, w *replay.Write) bool {
	_, _, applied := replay.AppliedBy(r.H.Event(w.Call))
	return w.Verb() == replay.Create || applied || !has(r.H, UpdateNeedsObject)
}
