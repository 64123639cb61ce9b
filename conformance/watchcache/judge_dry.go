package watchcache

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// asSent is the content that a client can set: all but the mark of a deletion.
func asSent(body string) string { return strings.TrimSuffix(strings.TrimSuffix(body, "deleting"), " ") }

// finalizersOf are the finalizers in a content, as text.
func finalizersOf(body string) string {
	for _, p := range strings.Fields(body) {
		if v, ok := strings.CutPrefix(p, "finalizers="); ok {
			return v
		}
	}
	return ""
}

// leaves says that a write took the last finalizer of what is being deleted: it
// is answered with the old resourceVersion.
func leaves(was, got *history.Ref) bool {
	return strings.HasSuffix(was.Body, "deleting") && finalizersOf(was.Body) != "" && finalizersOf(got.Body) == ""
}

// judgeDryRun: a dry run that must be refused is, and of one that was answered
// nothing is ever seen.
func judgeDryRun(h *history.History) harness.Judgement {
	r := replay.Of(h)
	j := harness.Judgement{Undecided: r.Unordered}
	if j.Undecided != "" {
		return j
	}
	sent, deletes := map[string]int32{}, map[int32]int32{} // calls of dry runs, by content, and by key
	for i := range r.Writes {
		w := &r.Writes[i]
		call := h.Event(w.Call)
		if !replay.IsDryRun(call) || w.Return == 0 || w.Outcome == replay.Unknown {
			continue
		}
		j.Tested++
		refusedDry(&j, r, w, call)
		if w.Outcome != replay.Done {
			continue
		}
		if w.Verb() == replay.Delete {
			deletes[w.K] = w.Call
		} else {
			sent[fmt.Sprint(w.K, " ", asSent(call.Obj.Body))] = w.Call
		}
	}
	for i := range r.Writes { // what a real write did is no dry run's
		w := &r.Writes[i]
		if call := h.Event(w.Call); !replay.IsDryRun(call) {
			delete(sent, fmt.Sprint(w.K, " ", asSent(call.Obj.Body)))
			if w.Verb() == replay.Delete {
				delete(deletes, w.K)
			}
		}
	}
	for i := range h.Events {
		seenDry(&j, r, &h.Events[i], sent, deletes)
	}
	return j
}

// refusedDry: what the real write would be refused for.
func refusedDry(j *harness.Judgement, r *replay.Replay, w *replay.Write, call *history.Event) {
	m := r.Moments(w)
	if m.Doubt || w.Outcome != replay.Done || !r.Own(w.K) {
		return
	}
	rv, uid := r.Holds(m, w)
	switch {
	case w.Verb() == replay.Create && !generated(&call.Obj) && there(r, m):
		j.Fail("409 AlreadyExists, as the real CREATE would be answered", "the dry run was accepted", w.Call, w.Return)
	case w.Verb() != replay.Create && (!rv || !uid) && there(r, m):
		j.Fail("409 Conflict, as the real "+w.Verb()+" would be answered", "the dry run was accepted", w.Call, w.Return)
	}
}

// seenDry looks whether an event shows what only a dry run can have done.
func seenDry(j *harness.Judgement, r *replay.Replay, e *history.Event, sent map[string]int32, deletes map[int32]int32) {
	if e.Phase == history.Call {
		return
	}
	if call := r.H.Event(max(e.Call, 1)); e.Phase == history.Return && replay.IsDryRun(call) {
		return // its own answer
	}
	switch err := e.Err(); {
	case e.Kind == replay.Deleted && deletes[e.Obj.K] != 0 && deletes[e.Obj.K] < e.Num:
		w := watchOf(r, e.Call)
		if w != nil && w.Scope.Labels.Empty() && w.Scope.Fields.Empty() {
			j.Fail("no deletion: it was a dry run", told1(e), deletes[e.Obj.K], e.Num)
		}
		return
	case err != nil && err.Code == http.StatusNotFound && e.Phase == history.Return && e.Call != 0:
		k := r.H.Event(e.Call).Obj.K
		if at := deletes[k]; at != 0 && at < e.Call && e.Kind == replay.Get {
			j.Fail("no deletion: it was a dry run", "404", at, e.Call, e.Num)
		}
		return
	case err != nil:
		return
	}
	for _, o := range replay.Objects(e) {
		if at := sent[fmt.Sprint(o.K, " ", asSent(o.Body))]; at != 0 && at < e.Num && o.K != 0 && o.Body != "" {
			j.Fail("nothing of a dry run", fmt.Sprintf("%s %s with what it sent", e.Kind, o.Key), at, e.Num)
		}
	}
}
