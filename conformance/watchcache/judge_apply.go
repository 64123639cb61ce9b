package watchcache

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeMissingApply: an apply of what was not there is not refused for that, nor for a conflict with
// what is not there; one of what was there all the time is not answered with 404.
var judgeMissingApply = judging(func(j *harness.Judgement, r *replay.Replay, w *replay.Write, m replay.Moments, pre *history.Ref, err *history.Error) {
	switch _, _, ok := replay.AppliedBy(r.H.Event(w.Call)); {
	case !ok || w.ToStatus() || pre.RV != "" || pre.UID != "":
	case there(r, m) && err != nil && err.Code == http.StatusNotFound && !r.Shared():
		j.Tested++
		j.Fail("no 404: "+pre.Key+" was there all the time", err.String(), w.Call, w.Return)
	case !gone(r, w, m) || err != nil && r.Shared() && err.Code != http.StatusNotFound:
	case err == nil:
		if made := &r.H.Event(w.Return).Obj; made.RV != "" || made.Body != "" { // an empty answer shows nothing
			j.Tested++
		}
	case err.Code == http.StatusNotFound, err.Code == http.StatusGone, err.Code == http.StatusConflict:
		j.Tested++
		j.Fail(pre.Key+" to be created: it was not there, and an apply creates", err.String(), w.Call, w.Return)
	}
}, replay.Patch)

// judgeConflictApply: an apply, unless it forces, of another value than the one that another manager's
// apply has stored is refused with 409, and nothing shows that it was applied.
func judgeConflictApply(h *history.History) harness.Judgement {
	r := replay.Of(h)
	j := harness.Judgement{Undecided: r.Unordered}
	if j.Undecided != "" {
		return j
	}
	seen := refusedButSeen(r)
	eachWrite(r, []string{replay.Patch}, func(w *replay.Write, m replay.Moments, pre *history.Ref, err *history.Error) {
		manager, force, ok := replay.AppliedBy(h.Event(w.Call))
		if !ok {
			return
		}
		judgeApplied(&j, r, w, seen[w.Call])
		if rv, uid := r.Holds(m, w); m.Absent || !rv || !uid || w.ToStatus() {
			return
		}
		name, by := contested(r, w, m, manager)
		if force {
			judgeForced(&j, r, w, name, by, err)
			return
		}
		if by == 0 || err != nil && err.Code != http.StatusConflict || err == nil && pre.RV == "" && r.Shared() { // another client may have given it up
			return
		}
		want := fmt.Sprintf("409 Conflict: %s of %s is what another manager has applied", name, pre.Key)
		switch j.Tested++; {
		case err == nil:
			j.Fail(want, "the apply was accepted", by, w.Call, w.Return)
		case !isConflict(err):
			j.Fail(want, err.String(), by, w.Call, w.Return)
		}
	})
	return j
}

// judgeForced: who forces takes what others have applied, here that with the number by; 0: nothing is known to
// be such. A refusal that names fields is about nothing else.
func judgeForced(j *harness.Judgement, r *replay.Replay, w *replay.Write, name string, by int32, err *history.Error) {
	switch {
	case err == nil && by != 0:
		j.Tested++
	case err == nil || err.Code != http.StatusConflict:
	case by != 0 && !r.Shared(), fieldsConflict(r.H.Event(w.Return)):
		j.Tested++
		j.Fail(fmt.Sprintf("the apply to be done: it forces, and takes %s from who has applied it", cmp.Or(name, "fields")), err.String(), causes(by, w.Call, w.Return)...)
	}
}

// contested is what an apply would change though another manager's apply, with number by, has stored it
// just before; 0 if there is no such thing, or it may be otherwise.
func contested(r *replay.Replay, w *replay.Write, m replay.Moments, manager string) (name string, by int32) {
	before := slices.DeleteFunc(slices.Clone(m.Versions), func(i int32) bool { return i == w.Version })
	if len(before) != 1 || r.Versions[before[0]].Gone || r.Versions[before[0]].Obj == nil {
		return "", 0
	}
	v := &r.Versions[before[0]]
	if v.Call == 0 {
		return "", 0
	}
	other, _, ok := replay.AppliedBy(r.H.Event(v.Call))
	if !ok || other == manager || replay.ToStatus(r.H.Event(v.Call)) {
		return "", 0
	}
	is, theirs, mine := words(v.Obj), words(&r.H.Event(v.Call).Obj), words(&r.H.Event(w.Call).Obj)
	for _, name := range slices.Sorted(maps.Keys(mine)) {
		if value, ok := theirs[name]; ok && is[name] == value && mine[name] != value {
			return name, v.Call
		}
	}
	return "", 0
}

// saysTheSame says that a write says of an object what it is already. An apply also says who manages
// what, which a history does not keep: it must be what the same manager's apply has just made it.
func saysTheSame(r *replay.Replay, w *replay.Write, was *replay.Version) bool {
	call := r.H.Event(w.Call)
	manager, _, ok := replay.AppliedBy(call)
	if !ok {
		return saysAsMuch(w, call, was.Obj.Body) && asSent(was.Obj.Body) == asSent(r.Sends(w)) && was.Obj.Labels == call.Obj.Labels
	}
	if was.Call == 0 || lostBefore(r, w) {
		return false
	}
	made := r.H.Event(was.Call)
	by, _, ok := replay.AppliedBy(made)
	if replay.WrittenBy(made) != replay.WrittenBy(call) {
		return false // managedFields have another apiVersion
	}
	return ok && by == manager && w.ToStatus() == replay.ToStatus(made) && made.Obj.Body == call.Obj.Body && made.Obj.Labels == call.Obj.Labels
}

// lostBefore says that a write of the same object, of which nobody knows whether it was done, was called
// before a write was answered.
func lostBefore(r *replay.Replay, w *replay.Write) bool {
	return slices.ContainsFunc(r.Writes, func(o replay.Write) bool {
		return o.K == w.K && o.Call != w.Call && o.Outcome == replay.Unknown && o.Call < w.Return
	})
}

// everApplied are the words that an apply names, and those that its manager has named before: what it
// leaves out of these goes.
func everApplied(r *replay.Replay, w *replay.Write, manager string) map[string]string {
	all := map[string]string{}
	for i := range r.Writes {
		o := &r.Writes[i]
		if by, _, ok := replay.AppliedBy(r.H.Event(o.Call)); ok && o.K == w.K && by == manager && o.Call <= w.Call {
			maps.Copy(all, words(&r.H.Event(o.Call).Obj))
		}
	}
	return all
}
