package watchcache

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// deletedTwice: of deletes that were under way at once, whatever their preconditions, no more
// are answered than there can have been objects. What others may have created tells nothing, nor
// does what a delete may only have marked.
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
		if n >= made && !everHeld(r, k) {
			j.Fail("404 NotFound for one of them: nothing was left of "+r.H.Key(k)+" to be deleted", "the DELETE was answered", e.deletes[n-1].Call, w.Call, w.Return)
			return
		}
	}
}

// changedAfterEnd looks for updates and patches that were answered, of what a delete had ended before, and nothing
// can have made anew. The version that such a write says it made is taken for one that shows the delete to have been of
// something else.
func changedAfterEnd(j *harness.Judgement, r *replay.Replay) {
	if r.Shared() || has(r.H, Grace) {
		return
	}
	last := map[int32]end{}
	for i := range r.Writes {
		w := &r.Writes[i]
		e := last[w.K]
		switch {
		case w.Outcome == replay.Refused || !r.Own(w.K) || replay.IsDryRun(r.H.Event(w.Call)):
			continue
		case mayMake(r, w):
			if e.made = max(e.made, w.Return); w.Outcome == replay.Unknown {
				e.made = math.MaxInt32
			}
			e.by = nil
		case w.Verb() == replay.Delete:
			if e.by == nil && deletes(r, w) && w.Call > e.made {
				e.by = w
			}
		case e.by != nil && e.by.Return < w.Call && w.Outcome == replay.Done && !w.ToStatus() && !madeMeanwhile(r, i) && !blamed(j, w.Call) && !everHeld(r, w.K):
			j.Tested++
			j.Fail("404 NotFound: "+r.H.Key(w.K)+" was deleted, and nobody has created it since", "the "+w.Verb()+" was answered", e.by.Call, w.Call, w.Return)
		}
		last[w.K] = e
	}
}

// everHeld says that an object of a key has had finalizers, or was shown to wait after its deletion: then a delete need
// not have ended it.
func everHeld(r *replay.Replay, k int32) bool {
	return slices.ContainsFunc(r.H.Events, func(e history.Event) bool {
		holds := func(o history.Ref) bool {
			return o.K == k && (replay.IsDeleting(o.Body) || strings.Contains(o.Body, finalizersWord+"="))
		}
		return holds(e.Obj) || slices.ContainsFunc(replay.Objects(&e), holds)
	})
}

// madeMeanwhile says that something may have made the object of the ith write while that was under way.
func madeMeanwhile(r *replay.Replay, i int) bool {
	w := &r.Writes[i]
	for j := i + 1; j < len(r.Writes) && r.Writes[j].Call < w.Return; j++ {
		if c := &r.Writes[j]; c.K == w.K && c.Outcome != replay.Refused && mayMake(r, c) {
			return true
		}
	}
	return false
}

// blamed says that there is a finding already of the call with this number.
func blamed(j *harness.Judgement, call int32) bool {
	return slices.ContainsFunc(j.Bad, func(f harness.Finding) bool { return slices.Contains(f.At, call) })
}

// end is how far a key has come: the latest answer to what may have made an object, and the delete after it.
type end struct {
	made int32
	by   *replay.Write
}

// mayMake says that a write may have made what was not there.
func mayMake(r *replay.Replay, w *replay.Write) bool {
	_, _, applied := replay.AppliedBy(r.H.Event(w.Call))
	return w.Verb() == replay.Create || applied || !has(r.H, UpdateNeedsObject)
}
