package watchcache

import (
	"fmt"
	"net/http"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// stay is an object that was deleted while it had finalizers, until somebody
// may have taken the last.
type stay struct {
	k         int32
	uid       string
	call, ret int32 // of the delete, or of the collection's
	version   int32 // that it made, where it was shown; else None
	body      string
	was       *history.Ref               // what was there before; nil where that is not known
	policy    metav1.DeletionPropagation // of the delete
	end       int32                      // call of the first write that may have ended it; 0: none
	gone      int32                      // answer to the one that did for certain; 0: none
}

// within says that an event came while the object had to stay.
func (s *stay) within(num int32) bool { return num > s.ret && (s.end == 0 || num < s.end) }

// stays are those of a history, in order of their deletes.
func stays(r *replay.Replay) []stay {
	var out []stay
	for i := range r.Writes {
		if w := &r.Writes[i]; w.Marks() && w.Outcome == replay.Done && waits(w.Mark()) {
			was := before(r, w)
			s := stay{k: w.K, uid: was.UID, call: w.Call, ret: w.Return, version: w.Version, body: w.Mark(), policy: policyOf(r.H.Event(w.Call))}
			if was.K == w.K && replay.Unmarked(was.Body) == replay.Unmarked(s.body) {
				s.was = was
			}
			out = append(out, s)
		}
	}
	for i := range r.Collections {
		c := &r.Collections[i]
		for _, s := range c.Keys {
			if s.Fate == replay.Marked && waits(s.Body) {
				out = append(out, stay{k: s.K, uid: s.UID, call: c.Call, ret: c.Return, version: madeBy(r, s.K, c.Call), body: s.Body})
			}
		}
	}
	for i := range r.Writes {
		w := &r.Writes[i]
		if !mayEnd(r, w) {
			continue
		}
		for n := range out {
			if s := &out[n]; s.k == w.K && s.end == 0 && (w.Return == 0 || w.Return > s.call) {
				if s.end = w.Call; w.Ends() && w.Outcome == replay.Done {
					s.gone = w.Return
				}
			}
		}
	}
	return out
}

// waits says that an object waits for finalizers, and for nothing else: write/grace is about what has time left.
func waits(body string) bool {
	return len(replay.FinalizersOf(body)) > 0 && replay.Left(body) == 0
}

// mayEnd says that a write may have taken an object's last finalizer.
func mayEnd(r *replay.Replay, w *replay.Write) bool {
	switch {
	case w.Outcome == replay.Refused || w.Marks() || w.Verb() != replay.Update && w.Verb() != replay.Patch || replay.IsDryRun(r.H.Event(w.Call)):
		return false
	case w.Outcome == replay.Unknown:
		return true
	}
	return len(replay.FinalizersOf(r.H.Event(w.Return).Obj.Body)) == 0
}

// before is what a delete was about; nothing where that is not known.
func before(r *replay.Replay, w *replay.Write) *history.Ref {
	m := r.Moments(w)
	for _, i := range m.Versions {
		if v := &r.Versions[i]; !v.Gone && v.Obj != nil {
			return v.Obj
		}
	}
	return &history.Ref{}
}

func madeBy(r *replay.Replay, k, call int32) int32 {
	for _, i := range r.OfKey(k) {
		if v := &r.Versions[i]; v.Call == call && !v.Gone {
			return i
		}
	}
	return replay.None
}

// judgeFinalizers looks at objects that were deleted while they had finalizers:
// that they are marked, that they stay, that they go, and that nothing is added.
func judgeFinalizers(h *history.History) harness.Judgement {
	r := replay.Of(h)
	j := harness.Judgement{Undecided: r.Unordered}
	if j.Undecided != "" {
		return j
	}
	all := stays(r)
	for i := range all {
		s := &all[i]
		if r.Own(s.k) || !r.Shared() { // else another client may have taken the finalizer
			remains(&j, r, s)
			unmarked(&j, r, s)
			stands(&j, r, s)
		}
		goes(&j, r, s)
		added(&j, r, s)
	}
	endsUnasked(&j, r)
	marksMoved(&j, r)
	eachGiven(&j, r, func(v *replay.Version) bool {
		return slices.ContainsFunc(all, func(s stay) bool {
			return s.k == v.K && (v.Call == s.call || v.Gone && v.Call == s.end && s.end != 0)
		})
	})
	return j
}

// eachGiven looks at the events that watches must give for some changes.
func eachGiven(j *harness.Judgement, r *replay.Replay, about func(*replay.Version) bool) {
	r.Dues(func(w *replay.WatchCall, _ *replay.Matcher, d replay.Due) {
		if !about(&r.Versions[d.Version]) {
			return
		}
		j.Tested++
		if d.Given == 0 {
			missing(j, r, w, d)
		}
	})
}

// remains: until the last finalizer is taken there is no DELETED of it, and it can be got.
func remains(j *harness.Judgement, r *replay.Replay, s *stay) {
	want := fmt.Sprintf("%s to stay: it has finalizers", r.H.Key(s.k))
	for i := range r.Watches {
		w := &r.Watches[i]
		for n := range w.Events {
			e := &w.Events[n]
			if e.K != s.k || !e.Deleted() || e.Num < s.call || s.end != 0 && e.Num > s.end || s.uid == "" || leavesScope(w) {
				continue
			}
			if o := r.H.Event(e.Num); o.Obj.UID == s.uid {
				j.Tested++
				j.Fail(want, told1(o), s.call, w.Call, e.Num)
			}
		}
	}
	for _, q := range replay.Asked(r.H) {
		if q.Kind != replay.Get || r.H.Event(q.Call).Obj.K != s.k || q.Args.Options.ResourceVersion != "" || q.Call < s.ret || !s.within(q.Return) {
			continue
		}
		switch {
		case q.Answered() && q.Obj.UID == s.uid:
			if j.Tested++; !replay.IsDeleting(q.Obj.Body) {
				j.Fail(r.H.Key(s.k)+" with a deletionTimestamp", at(r.H.Event(q.Return))+" without", s.call, q.Call, q.Return)
			}
		case q.Err != nil && q.Err.Code == http.StatusNotFound:
			j.Tested++
			j.Fail(want, q.Err.String(), s.call, q.Call, q.Return)
		}
	}
}

// leavesScope says that a DELETED on a watch need not be a deletion.
func leavesScope(w *replay.WatchCall) bool {
	return !w.Scope.Labels.Empty() || w.Scope.Restricted(replay.ByField)
}

// unmarked: where nothing has shown the mark, a watch that had the time for it
// should have. Of one from the future nobody knows whether it starts before the mark.
func unmarked(j *harness.Judgement, r *replay.Replay, s *stay) {
	if s.version != replay.None {
		return
	}
	for i := range r.Watches {
		w := &r.Watches[i]
		late := w.Call > s.call && s.was != nil && !w.After(s.was.N) // it begins before the mark all the same
		if w.Err != nil || !w.Known || leavesScope(w) || w.Call > s.call && !late || !late && w.After(r.Acked(s.call)) || !replay.NewMatcher(r.H, w.Scope).MatchesKey(s.k) {
			continue
		}
		for n := range w.Events {
			e := &w.Events[n]
			if e.K == s.k && e.Num > s.call && (!late || e.Deleted() || replay.IsDeleting(r.H.Event(e.Num).Obj.Body)) {
				break // the mark, or what other rules look at
			}
			if e.Kind() == history.Settled && e.Num > s.ret && r.H.Event(e.Num).Obj.RV == "" { // else it may be up to what came before the mark
				j.Tested++
				j.Fail("MODIFIED for the mark of "+r.H.Key(s.k)+", which was deleted, and stays", "no MODIFIED, though the watch had all the time it needs", s.call, w.Call, e.Num)
				break
			}
		}
	}
}

// goes: nobody can get it once somebody has taken the last finalizer.
func goes(j *harness.Judgement, r *replay.Replay, s *stay) {
	for _, q := range replay.Asked(r.H) {
		if s.gone == 0 || q.Kind != replay.Get || q.Call < s.gone || !q.Answered() || q.Args.Options.ResourceVersion != "" || q.Obj.K != s.k || s.uid == "" {
			continue
		}
		if j.Tested++; q.Obj.UID == s.uid {
			j.Fail("no "+r.H.Key(s.k)+": its last finalizer was taken, and it was deleted", at(r.H.Event(q.Return)), s.call, s.gone, q.Call, q.Return)
		}
	}
}

// endsUnasked looks for patches that ended an object without naming the finalizers that it waited for.
func endsUnasked(j *harness.Judgement, r *replay.Replay) {
	for i := range r.Writes {
		w := &r.Writes[i]
		if w.Verb() != replay.Patch || w.Outcome != replay.Done || !w.Ends() || w.ToStatus() || r.Shared() || !r.Own(w.K) {
			continue
		}
		m := r.Moments(w)
		m.Versions = slices.DeleteFunc(slices.Clone(m.Versions), func(i int32) bool { return r.Versions[i].Gone || r.Versions[i].Obj == nil })
		if m.Doubt || len(m.Versions) != 1 {
			continue
		}
		j.Tested++
		if f := lostFinalizer(r, w, r.Versions[m.Versions[0]].Obj); f != "" {
			j.Fail(r.H.Key(w.K)+" to wait for "+f+": the patch does not name it", at(r.H.Event(w.Return))+" without it", w.Call, w.Return)
		}
	}
}

// marksMoved compares the deletionTimestamps of an object: who changes what is left of its grace period moves it (which,
// where that has passed, is to now), nobody else does.
func marksMoved(j *harness.Judgement, r *replay.Replay) {
	for i := range r.Versions {
		is := &r.Versions[i]
		if is.Prev == replay.None || is.Obj == nil || r.Versions[is.Prev].Obj == nil {
			continue
		}
		was := r.Versions[is.Prev].Obj
		before, now := was.Meta.Get(replay.Deletion), is.Obj.Meta.Get(replay.Deletion)
		if before == "" || now == "" || was.UID != is.Obj.UID || asksPeriod(r, is.K) || replay.Left(was.Body) != replay.Left(is.Obj.Body) {
			continue
		}
		j.Tested++
		if now != before {
			j.Fail(fmt.Sprintf("%s with its deletionTimestamp %s", r.H.Key(is.K), before), now, causes(is.Call, is.Seen, is.By)...)
		}
	}
}

// asksPeriod says that a delete of a key asks for a grace period: of a kind that has some it moves the mark, and not
// each history tells what is left.
func asksPeriod(r *replay.Replay, k int32) bool {
	return slices.ContainsFunc(r.Writes, func(w replay.Write) bool {
		if w.K != k || w.Verb() != replay.Delete || r.H.Header.Check != "" {
			return false
		}
		a, err := replay.ParseArgs(argsOf(r.H.Event(w.Call)))
		return err != nil || a.GracePeriodSeconds != nil
	})
}
