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

// eachWrite visits the writes of own objects of which it is known what was
// there while they were under way; those with one of the verbs, or all.
func eachWrite(r *replay.Replay, verbs []string, visit func(w *replay.Write, m replay.Moments, pre *history.Ref, err *history.Error)) {
	for i := range r.Writes {
		w := &r.Writes[i]
		if w.Return == 0 || w.Outcome == replay.Unknown || len(verbs) > 0 && !slices.Contains(verbs, w.Verb()) || !r.Own(w.K) {
			continue
		}
		if m := r.Moments(w); !m.Doubt {
			visit(w, m, &r.H.Event(w.Call).Obj, r.H.Event(w.Return).Err())
		}
	}
}

// judging makes a judge of writes of a function that is called for each that eachWrite visits.
func judging(f func(j *harness.Judgement, r *replay.Replay, w *replay.Write, m replay.Moments, pre *history.Ref, err *history.Error), verbs ...string) func(*history.History) harness.Judgement {
	return func(h *history.History) harness.Judgement {
		r := replay.Of(h)
		j := harness.Judgement{Undecided: r.Unordered}
		if j.Undecided != "" {
			return j
		}
		eachWrite(r, verbs, func(w *replay.Write, m replay.Moments, pre *history.Ref, err *history.Error) {
			f(&j, r, w, m, pre, err)
		})
		return j
	}
}

// there says that the object was there at every moment; gone, that it was at none.
func there(r *replay.Replay, m replay.Moments) bool {
	return !m.Absent && len(m.Versions) > 0 && !slices.ContainsFunc(m.Versions, func(i int32) bool { return r.Versions[i].Gone })
}

func gone(r *replay.Replay, w *replay.Write, m replay.Moments) bool {
	return m.Absent && !slices.ContainsFunc(m.Versions, func(i int32) bool {
		v := &r.Versions[i]
		made := i == w.Version && v.Before > r.Acked(w.Call) // else a write whose answer was lost had made it
		return !v.Gone && !made
	})
}

var judgeNoFalseConflict = judging(func(j *harness.Judgement, r *replay.Replay, w *replay.Write, m replay.Moments, pre *history.Ref, err *history.Error) {
	if w.Verb() == replay.Create || pre.RV == "" || w.Outcome == replay.Refused && err.Code != http.StatusConflict || !there(r, m) {
		return
	}
	if err != nil && mayBeOfFields(r, w) {
		return
	}
	for _, i := range m.Versions {
		v := &r.Versions[i]
		if i != w.Version && (v.Obj.RV != pre.RV || pre.UID != "" && pre.UID != v.Obj.UID) {
			return
		}
	}
	if err != nil && !stillThere(r, w, m) {
		return
	}
	if j.Tested++; err != nil {
		j.Fail(fmt.Sprintf("the %s to be taken: %s was @%s all the time", w.Verb(), pre.Key, pre.RV), err.String(), w.Call, w.Return)
	}
})

// mayBeOfFields says that a refusal may be about who owns which field: it says
// so, or it is one of an apply that does not force. No source asks that it say so.
func mayBeOfFields(r *replay.Replay, w *replay.Write) bool {
	_, force, applies := replay.AppliedBy(r.H.Event(w.Call))
	return applies && !force || fieldsConflict(r.H.Event(w.Return))
}

// fieldsConflict says that a refusal is about who owns which field, whatever
// the resourceVersion.
func fieldsConflict(e *history.Event) bool {
	return slices.ContainsFunc(replay.RefusalOf(e).Causes, func(c replay.Cause) bool {
		return c.Reason == string(metav1.CauseTypeFieldManagerConflict)
	})
}

// stillThere says that nobody else can have changed the object before its write
// was refused: nobody else is there, or it was found unchanged afterwards.
func stillThere(r *replay.Replay, w *replay.Write, m replay.Moments) bool {
	if !r.Shared() {
		return true
	}
	n := r.Versions[m.Versions[len(m.Versions)-1]].N
	for i := range r.Lists {
		if l := &r.Lists[i]; l.Call > w.Return && l.Args.Options.ResourceVersion == "" && !l.Page && slices.ContainsFunc(l.Items, func(o history.Ref) bool { return o.K == w.K && o.N == n }) {
			return true
		}
	}
	return slices.ContainsFunc(replay.Asked(r.H), func(q replay.Request) bool {
		return q.Kind == replay.Get && q.Call > w.Return && q.Args.Options.ResourceVersion == "" && q.Answered() && q.Obj.K == w.K && q.Obj.N == n
	})
}

// generated says that the server makes the name of what is created.
func generated(pre *history.Ref) bool {
	_, name := replay.SplitKey(pre.Key)
	return name == ""
}

// unlooked says that a request was refused for what nobody had to look at the object for.
func unlooked(err *history.Error) bool {
	switch err.Code {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge,
		http.StatusUnsupportedMediaType, http.StatusTooManyRequests:
		return true
	}
	return err.Code == 0 || err.Code >= 500
}

// judgeUIDKept: what was answered has the uid that the object had before.
var judgeUIDKept = judging(func(j *harness.Judgement, r *replay.Replay, w *replay.Write, m replay.Moments, pre *history.Ref, err *history.Error) {
	if w.Verb() != replay.Update && w.Verb() != replay.Patch {
		return
	}
	if was := undeleted(r, w); was != nil && was.Obj.UID != "" && !r.Shared() {
		j.Tested++
		j.Fail("the uid "+was.Obj.UID+", as before", r.H.Event(w.Return).Obj.UID, w.Call, w.Return)
		return
	}
	if !there(r, m) {
		return
	}
	uid := r.Versions[m.Versions[0]].Obj.UID
	same := !slices.ContainsFunc(m.Versions, func(i int32) bool { return r.Versions[i].Obj.UID != uid && i != w.Version })
	if !same || uid == "" {
		return
	}
	if err == nil {
		if got := r.H.Event(w.Return).Obj.UID; got != "" && got != uid {
			j.Tested++
			j.Fail("the uid "+uid+", as before", got, w.Call, w.Return)
		}
	}
	if pre.UID == "" || pre.UID == uid {
		return
	}
	if err != nil && unlooked(err) {
		return
	}
	j.Tested++
	switch {
	case err == nil && replay.ToStatus(r.H.Event(w.Call)) && r.H.Event(w.Return).Obj.UID == uid: // all but the status was ignored
	case err == nil:
		j.Fail("409 or 422: the object's uid is "+uid+", and not "+pre.UID, "the "+w.Verb()+" was accepted", w.Call, w.Return)
	case err.Code != http.StatusConflict && err.Code != http.StatusUnprocessableEntity:
		j.Fail("409 or 422: the object's uid is "+uid+", and not "+pre.UID, err.String(), w.Call, w.Return)
	}
})

// judgeVersionGrows goes through each key's answers in the order in which they
// were asked for; of two that overlapped nothing is known. It holds whoever
// else writes the key.
func judgeVersionGrows(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	if r.ByOrder {
		j.Undecided = "writes return no resourceVersion that could be compared"
		return j
	}
	type state struct {
		ret  int32 // of the last write that was answered
		obj  *history.Ref
		uids map[string]int32 // of the objects before this one
	}
	last := map[int32]*state{}
	for i := range r.Writes {
		w := &r.Writes[i]
		if w.Outcome != replay.Done || w.Verb() == replay.Delete || replay.IsDryRun(h.Event(w.Call)) {
			continue
		}
		got := &h.Event(w.Return).Obj
		s := last[w.K]
		if s == nil {
			last[w.K] = &state{w.Return, got, map[string]int32{}}
			continue
		}
		if w.Call > s.ret {
			grows(&j, r, w, s.obj, s.ret, got)
			if w.Verb() == replay.Create && got.UID != "" {
				s.uids[s.obj.UID] = s.ret
				if at := s.uids[got.UID]; at != 0 {
					j.Fail("a new uid: the object is another one", got.UID+" again", at, w.Call, w.Return)
				}
			}
		}
		if w.Return > s.ret {
			s.ret, s.obj = w.Return, got
		}
	}
	return j
}

func grows(j *harness.Judgement, r *replay.Replay, w *replay.Write, was *history.Ref, at int32, got *history.Ref) {
	if !history.Comparable(was.RV) || !history.Comparable(got.RV) {
		return
	}
	j.Tested++
	same := got.Body == was.Body && got.Labels == was.Labels && got.UID == was.UID
	switch c := history.CompareRV(got.RV, was.RV); {
	case c > 0 && !same && r.H.Event(w.Call).Obj.RV == was.RV:
		aboveAll(j, r, w, got)
	case c > 0:
	case c == 0 && (same || leaves(was, got) || r.MayEnd(w)):
	default:
		j.Fail("a resourceVersion above "+was.RV, fmt.Sprintf("%s @%s", got.Key, got.RV), at, w.Call, w.Return)
	}
}

// aboveAll: the resourceVersions of a resource are of one order, so that a change
// has a larger one than any write that was answered before it was asked for. That
// it was a change is certain where the precondition names what was before.
func aboveAll(j *harness.Judgement, r *replay.Replay, w *replay.Write, got *history.Ref) {
	if before := r.Acked(w.Call); got.N <= before {
		j.Fail("a resourceVersion above "+r.H.RV(before)+", which was answered before", fmt.Sprintf("%s @%s", got.Key, got.RV), w.Call, w.Return)
	}
}

// judgeNoOp looks at writes of what was there already.
var judgeNoOp = judging(func(j *harness.Judgement, r *replay.Replay, w *replay.Write, m replay.Moments, pre *history.Ref, err *history.Error) {
	if w.Verb() != replay.Update && w.Verb() != replay.Patch || err != nil || w.Outcome != replay.Done || replay.IsDryRun(r.H.Event(w.Call)) || len(replay.Removes(r.H.Event(w.Call))) > 0 {
		return
	}
	before := m.Versions
	if w.Version != replay.None && len(before) > 0 && before[len(before)-1] == w.Version {
		before = before[:len(before)-1]
	}
	if len(before) != 1 || r.Versions[before[0]].Gone {
		return
	}
	was, got := r.Versions[before[0]].Obj, &r.H.Event(w.Return).Obj
	if was.RV == "" || !saysTheSame(r, w, &r.Versions[before[0]]) {
		return
	}
	if got.Fields != was.Fields || changesBeside(was, got) {
		return // these are of what a content need not tell
	}
	if got.Body != "" && asSent(got.Body) != asSent(was.Body) && asked(got.Body) == asked(was.Body) {
		return // the status is another: a server may set it anew at any write, to what follows from the rest
	}
	if pre.RV != was.RV && r.Shared() {
		return // another client may have changed what a history does not keep
	}
	if j.Tested++; got.RV != was.RV {
		j.Fail("the resourceVersion "+was.RV+", as before: nothing changed", "@"+got.RV, w.Call, w.Return)
	}
})

// changesBeside says that two objects differ in metadata that clients can change, and no content tells.
func changesBeside(was, is *history.Ref) bool {
	return was.Meta != nil && is.Meta != nil &&
		(was.Meta.Get(replay.ManagedFields) != is.Meta.Get(replay.ManagedFields) || was.Meta.Get(replay.GeneratedFrom) != is.Meta.Get(replay.GeneratedFrom))
}

// judgeVisible: lists that were asked for afterwards are not older, and no
// watch that had the time for it, or went on beyond it, lacks it.
func judgeVisible(h *history.History) harness.Judgement {
	r := replay.Of(h)
	j := harness.Judgement{Undecided: r.Unordered}
	if j.Undecided != "" {
		return j
	}
	if !r.ByOrder {
		j = judgeMostRecent(h)
	}
	r.Dues(func(w *replay.WatchCall, _ *replay.Matcher, d replay.Due) {
		j.Tested++
		if d.Given == 0 {
			missing(&j, r, w, d)
		}
	})
	return j
}
