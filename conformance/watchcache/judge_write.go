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

// judgeConflict looks at each write whose precondition held at no moment of
// its request: it must fail with 409, and nothing may show that it was applied.
// Nor may anything show of another refused write of the verb that it was, where
// nobody else writes the object; what is stale alone is told apart by its content
// even where others do, but for a delete, which has none.
func judgeConflict(aspect string) func(*history.History) harness.Judgement {
	return func(h *history.History) harness.Judgement {
		r := replay.Of(h)
		j := harness.Judgement{Undecided: r.Unordered}
		if j.Undecided != "" {
			return j
		}
		applied := refusedButSeen(r)
		for i := range r.Writes {
			w := &r.Writes[i]
			if isOf(aspect, w) && r.Own(w.K) {
				judgeApplied(&j, r, w, applied[w.Call])
			}
			pre := &h.Event(w.Call).Obj
			if !mayBeOf(r, aspect, w, pre) {
				continue
			}
			m := r.Moments(w)
			if rv, uid := r.Holds(m, w); aspect == aspectUID && (uid || !rv) || aspect != aspectUID && rv {
				continue // the uid is judged where it alone does not hold
			}
			if createsByIt(h, w, m) {
				continue
			}
			if r.Own(w.K) {
				judgeRefusal(&j, r, w, m, pre)
			}
			if aspect == aspectUID && r.Own(w.K) || !r.Own(w.K) && w.Verb() != replay.Delete {
				judgeApplied(&j, r, w, applied[w.Call])
			}
		}
		judgeEnded(&j, r, aspect)
		judgeMistaken(&j, h, conflictDue(h, aspect), misleading...)
		return j
	}
}

// createsByIt: of kinds that create on update, one of what is not there is a
// create, whatever resourceVersion it carries. Which kinds do, a history says by its features.
func createsByIt(h *history.History, w *replay.Write, m replay.Moments) bool {
	f := h.Header.Features
	return f != nil && !slices.Contains(f, string(UpdateNeedsObject)) && !w.ToStatus() && w.Verb() != replay.Delete && (m.Absent || m.Doubt)
}

// mayBeOf says whether a write is one that the aspect is about, if its
// precondition does not hold. A resourceVersion that nobody could compare is
// not a stale one.
func mayBeOf(r *replay.Replay, aspect string, w *replay.Write, pre *history.Ref) bool {
	switch {
	case w.Verb() == replay.Create || w.Return == 0 || w.Outcome == replay.Unknown:
		return false
	case pre.RV != "" && pre.N == 0 && !r.ByOrder:
		return false
	case aspect == aspectUID:
		return pre.UID != "" && w.Verb() != replay.Patch
	}
	return pre.RV != "" && isOf(aspect, w)
}

// isOf says that a write is one of the verb that an aspect is about, or one to status.
func isOf(aspect string, w *replay.Write) bool {
	if aspect == aspectStatus {
		return w.ToStatus()
	}
	return w.Verb() == verbOf[aspect] && !w.ToStatus()
}

// judgeRefusal: whoever refuses it because it is forbidden, too much or not
// understood, or fails, need not have looked at the precondition; see mistaken. 400, 404, 410
// and 422 say that somebody has looked; of what was there all the time, and is
// stale alone, they say the wrong thing.
func judgeRefusal(j *harness.Judgement, r *replay.Replay, w *replay.Write, m replay.Moments, pre *history.Ref) {
	want := "409 Conflict: " + why(r, m, w, pre)
	err := r.H.Event(w.Return).Err()
	switch {
	case err == nil && m.Absent && creates(r, w), err == nil && (m.Absent || m.Doubt) && isApply(r.H, w): // it has created what was not there: write/missing judges that
	case err == nil:
		j.Tested++
		j.Fail(want, "the "+w.Verb()+" was accepted", w.Call, w.Return)
	case isConflict(err):
		j.Tested++
	case err.Code == http.StatusConflict && alive(r, m): // a client that looks for a Conflict does not see one
		j.Tested++
		j.Fail(want, err.String(), w.Call, w.Return)
	case err.Code == http.StatusConflict && err.Reason == "": // whatever else was wrong with it
		j.Tested++
	case r.H.Header.Check == "" && blames(err.Code): // what others than a check send may be wrong in itself
	case slices.Contains(misleading, err.Code) && staleAlone(r, w, m):
		j.Tested++
		j.Fail(want, err.String(), w.Call, w.Return)
	}
}

// isApply reports whether a write is a server-side apply, which creates what is not there, whatever resourceVersion it names.
func isApply(h *history.History, w *replay.Write) bool {
	_, _, apply := replay.AppliedBy(h.Event(w.Call))
	return apply
}

// misleading are the codes that a client takes for its own mistake, or for the
// object's end: it does not read the object again, and does not try again.
var misleading = []int{http.StatusBadRequest, http.StatusNotFound, http.StatusGone, http.StatusUnprocessableEntity}

// staleAlone says that the object was there all the time and that nothing is
// wrong with the write but its resourceVersion: neither has it another uid, nor
// is it about what is being deleted, to which not everything can be done.
func staleAlone(r *replay.Replay, w *replay.Write, m replay.Moments) bool {
	_, uid := r.Holds(m, w)
	return uid && alive(r, m) && fits(r, w, m)
}

// alive says that the object was there all the time, and was not being deleted.
func alive(r *replay.Replay, m replay.Moments) bool {
	return there(r, m) && !m.Doubt && !deleting(r, m)
}

// isConflict says that a refusal is 409 Conflict, and not another 409.
func isConflict(err *history.Error) bool {
	return err.Code == http.StatusConflict && err.Reason == string(metav1.StatusReasonConflict)
}

// creates says that an accepted write may have made an object anew, where there
// was none, as an update does for some kinds.
func creates(r *replay.Replay, w *replay.Write) bool {
	if w.Version == replay.None || w.Verb() == replay.Delete {
		return false
	}
	made := r.Versions[w.Version].Obj
	if made == nil { // it ended the object
		return false
	}
	uid := made.UID
	for _, i := range r.OfKey(w.K) {
		if i == w.Version { // what follows has its uid from this
			break
		}
		if v := &r.Versions[i]; uid != "" && !v.Gone && v.Obj != nil && v.Obj.UID == uid {
			return false
		}
	}
	return true
}

// why says what the object was while the write was under way.
func why(r *replay.Replay, m replay.Moments, w *replay.Write, pre *history.Ref) string {
	was := "not there"
	for _, i := range m.Versions {
		if v := &r.Versions[i]; !v.Gone && i != w.Version && v.Obj != nil {
			was = "@" + v.Obj.RV
			if v.Obj.RV == "" {
				was = "without a resourceVersion"
			}
			if rv, _ := r.Holds(m, w); rv {
				was = "of uid " + v.Obj.UID
				if v.Obj.UID == "" {
					was = "without a uid"
				}
			}
		}
	}
	given := "resourceVersion " + pre.RV
	if rv, _ := r.Holds(m, w); rv {
		given = "uid " + pre.UID
	}
	return fmt.Sprintf("%s was %s, and not of %s", pre.Key, was, given)
}
