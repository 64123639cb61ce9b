package watchcache

import (
	"net/http"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
)

// added: who adds a finalizer to what is being deleted is refused, or it is not
// added. That does not depend on who else writes: others can but take some away.
func added(j *harness.Judgement, r *replay.Replay, s *stay) {
	for i := range r.Writes {
		w := &r.Writes[i]
		if w.K != s.k || w.Call < s.ret || w.Return == 0 || w.Verb() != replay.Update && w.Verb() != replay.Patch || replay.IsDryRun(r.H.Event(w.Call)) {
			continue
		}
		if s.gone != 0 && w.Call > s.gone {
			return
		}
		addedBy(j, r, s, w)
	}
}

func addedBy(j *harness.Judgement, r *replay.Replay, s *stay, w *replay.Write) {
	all := append(left(r, s, w.Call), policyFinalizers(r, s.k, w.Return)...)
	isNew := func(f string) bool { return !slices.Contains(all, f) }
	pre, ret := &r.H.Event(w.Call).Obj, r.H.Event(w.Return)
	err := ret.Err()
	switch {
	case !slices.ContainsFunc(replay.FinalizersOf(pre.Body), isNew) || err == nil && ret.Obj.UID != s.uid:
	case err == nil && slices.ContainsFunc(replay.FinalizersOf(ret.Obj.Body), isNew):
		j.Tested++
		j.Fail("no new finalizer: "+pre.Key+" is being deleted", "the "+w.Verb()+" was accepted", s.call, w.Call, w.Return)
	case err == nil || err.Code == http.StatusUnprocessableEntity:
		j.Tested++
	}
}

// left are the finalizers that an object can have had at most when the event with
// this number came.
func left(r *replay.Replay, s *stay, num int32) []string {
	all := replay.FinalizersOf(s.body)
	for i := range r.Writes {
		w := &r.Writes[i]
		if w.K != s.k || w.Call < s.ret || w.Return == 0 || w.Return > num || w.Outcome != replay.Done || w.Verb() == replay.Delete || replay.IsDryRun(r.H.Event(w.Call)) {
			continue
		}
		if got := &r.H.Event(w.Return).Obj; s.uid != "" && got.UID == s.uid {
			now := replay.FinalizersOf(got.Body)
			all = slices.DeleteFunc(all, func(f string) bool { return !slices.Contains(now, f) })
		}
	}
	return all
}

// policyFinalizers are those that deletes of a key, called before the event with this number, have put there by their
// propagation policies: also of what is being deleted already.
func policyFinalizers(r *replay.Replay, k, num int32) (all []string) {
	add := func(call int32) {
		switch policyOf(r.H.Event(call)) {
		case metav1.DeletePropagationForeground:
			all = append(all, metav1.FinalizerDeleteDependents)
		case metav1.DeletePropagationOrphan:
			all = append(all, metav1.FinalizerOrphanDependents)
		}
	}
	for i := range r.Writes {
		if w := &r.Writes[i]; w.K == k && w.Verb() == replay.Delete && w.Outcome != replay.Refused && w.Call < num {
			add(w.Call)
		}
	}
	for i := range r.Collections {
		if c := &r.Collections[i]; c.Call < num && r.Covers(c, k) {
			add(c.Call)
		}
	}
	return all
}
