package watchcache

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// asSent is the content that a client can set: all but the mark of a deletion.
func asSent(body string) string { return replay.Unmarked(body) }

// asked is what a write to the object decides of it: neither status, which may
// have a subresource of its own, nor the mark of a deletion.
func asked(body string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(asSent(body)), func(p string) bool {
		return strings.HasPrefix(p, Status+"=")
	}), " ")
}

// finalizersOf are the finalizers in a content, as text.
func finalizersOf(body string) string {
	for _, p := range strings.Fields(body) {
		if v, ok := strings.CutPrefix(p, "finalizers="); ok {
			return v
		}
	}
	return ""
}

// leaves says that a write ended what is being deleted: it took the last finalizer, or came
// between the two steps of a deletion. It is answered with the old resourceVersion.
func leaves(was, got *history.Ref) bool {
	return replay.IsDeleting(was.Body) && finalizersOf(got.Body) == "" && (finalizersOf(was.Body) != "" || replay.Left(was.Body) == 0)
}

// judgeDryRun: a dry run that must be refused is, and of one that was answered
// nothing is ever seen.
func judgeDryRun(h *history.History) harness.Judgement {
	r := replay.Of(h)
	j := harness.Judgement{Undecided: r.Unordered}
	if j.Undecided != "" {
		return j
	}
	d := dryRuns{&j, r, replay.NewClaims(r), map[int32]int32{}, map[int32]int32{}, map[int32]int32{}}
	for i := range r.Writes {
		w := &r.Writes[i]
		call := h.Event(w.Call)
		if !replay.IsDryRun(call) || w.Return == 0 || w.Outcome == replay.Unknown {
			continue
		}
		if w.Outcome == replay.Done && w.Verb() != replay.Delete && h.Event(w.Return).Obj.UID == "" && h.Event(w.Return).Obj.Body == "" {
			continue // an answer without an object says nothing
		}
		j.Tested++
		refusedDry(&j, r, w, call)
		switch {
		case w.Outcome != replay.Done:
		case w.Verb() == replay.Delete:
			d.deletes[w.K] = w.Call
		default:
			d.sent.Put(w.K, asSent(r.Sends(w)), w.Call)
			if w.Verb() == replay.Patch && !lostPatch(r, w.K) && alters(r, w) { // it need not say what it leaves alone
				d.sent.Put(w.K, asSent(h.Event(w.Return).Obj.Body), w.Call)
			}
			if takesLast(r, w) {
				d.takes[w.Call] = w.K
			}
		}
	}
	d.sweeps()
	d.forgetSwept()
	rest := r.Writes
	for i := range h.Events {
		for ; len(rest) > 0 && rest[0].Call <= int32(i+1); rest = rest[1:] {
			d.forget(&rest[0])
		}
		d.seen(&h.Events[i])
	}
	return j
}

// alters says that a patch was answered with what its object is known not to have been.
func alters(r *replay.Replay, w *replay.Write) bool {
	m := r.Moments(w)
	got := asSent(r.H.Event(w.Return).Obj.Body)
	return r.Own(w.K) && !m.Doubt && len(m.Versions) > 0 && !slices.ContainsFunc(m.Versions, func(i int32) bool {
		v := &r.Versions[i]
		return v.Obj == nil || !v.Gone && asSent(v.Obj.Body) == got
	})
}

// lostPatch says that there is a patch of an object of which nobody knows what it came to.
func lostPatch(r *replay.Replay, k int32) bool {
	return slices.ContainsFunc(r.Writes, func(w replay.Write) bool {
		return w.K == k && w.Outcome == replay.Unknown && w.Verb() == replay.Patch
	})
}

// dryRuns are the calls of dry runs that were answered, by content, and deletes by key.
type dryRuns struct {
	j       *harness.Judgement
	r       *replay.Replay
	sent    *replay.Claims
	deletes map[int32]int32
	takes   map[int32]int32 // keys, by call of what took the last finalizer of an object that is being deleted
	taken   map[int32]int32 // and those calls, by key, until a real write may have done the same
}

// forget drops what a real write did, or may have done, since it was called.
func (d *dryRuns) forget(w *replay.Write) {
	call := d.r.H.Event(w.Call)
	if replay.IsDryRun(call) {
		return
	}
	d.sent.Forget(w.K, asSent(call.Obj.Body))
	d.forgetOther(w, d.r.Sends(w))
	if w.Return != 0 && w.Outcome == replay.Done {
		d.forgetOther(w, d.r.H.Event(w.Return).Obj.Body)
	}
	if w.Verb() == replay.Delete {
		delete(d.deletes, w.K)
	}
}

// forgetSwept leaves out what a collection that was deleted may have ended.
func (d *dryRuns) forgetSwept() {
	for k := range d.deletes {
		if d.r.Swept(k) {
			delete(d.deletes, k)
		}
	}
}

// forgetOther drops a content that is not what a write's call says.
func (d *dryRuns) forgetOther(w *replay.Write, body string) {
	if body != d.r.H.Event(w.Call).Obj.Body {
		d.sent.Forget(w.K, asSent(body))
	}
}

// refusedDry: what the real write would be refused for.
func refusedDry(j *harness.Judgement, r *replay.Replay, w *replay.Write, call *history.Event) {
	m := r.Moments(w)
	if m.Doubt || w.Outcome != replay.Done || !r.Own(w.K) {
		return
	}
	rv, uid := r.Holds(m, w)
	switch {
	case gone(r, w, m) && wantsObject(r, w):
		j.Fail("404 NotFound, as the real "+w.Verb()+" would be answered", "the dry run was accepted", w.Call, w.Return)
	case w.Verb() == replay.Create && !generated(&call.Obj) && there(r, m):
		j.Fail("409 AlreadyExists, as the real CREATE would be answered", "the dry run was accepted", w.Call, w.Return)
	case w.Verb() != replay.Create && (!rv || !uid) && there(r, m):
		j.Fail("409 Conflict, as the real "+w.Verb()+" would be answered", "the dry run was accepted", w.Call, w.Return)
	}
}

// wantsObject says that a write of what is not there is refused: of every kind
// a delete, of those that say so an update and a patch, but for an apply.
func wantsObject(r *replay.Replay, w *replay.Write) bool {
	if _, _, ok := replay.AppliedBy(r.H.Event(w.Call)); ok || w.ToStatus() {
		return w.ToStatus()
	}
	return w.Verb() == replay.Delete || w.Verb() != replay.Create && slices.Contains(r.H.Header.Features, string(UpdateNeedsObject))
}

// before says that an object is as it was before a dry run, or may be as it was before this run.
func (d *dryRuns) before(call int32, o *history.Ref) bool {
	return d.r.BeforeRun(o.K, o.N) || d.known(call, o)
}

// known says that an object's resourceVersion is not above what writes had been answered with when a dry run was called.
func (d *dryRuns) known(call int32, o *history.Ref) bool { return o.N != 0 && o.N <= d.r.Acked(call) }

// seen looks whether an event shows what only a dry run can have done.
func (d *dryRuns) seen(e *history.Event) {
	d.follow(e)
	if e.Phase == history.Call || e.Phase == history.Return && replay.IsDryRun(d.r.H.Event(e.Call)) {
		return // the second is its own answer
	}
	switch err := e.Err(); {
	case e.Kind == replay.Deleted:
		w := watchOf(d.r, e.Call)
		if at := d.suspect(e.Obj.K); at != 0 && at < e.Num && w != nil && w.Scope.Labels.Empty() && w.Scope.Fields.Empty() && !d.known(at, &e.Obj) {
			d.deleted(at, e, told1(e))
		}
	case err != nil:
		if err.Code != http.StatusNotFound || e.Kind != replay.Get || e.Phase != history.Return {
			return
		}
		call := d.r.H.Event(e.Call)
		if at := d.suspect(call.Obj.K); at != 0 && at < e.Call && most(call) {
			d.deleted(at, e, "404")
		}
	default:
		objects := replay.Objects(e)
		for i := range objects {
			o := &objects[i]
			if o.K == 0 || o.Body == "" {
				continue
			}
			switch at := d.sent.Find(o.K, asSent(o.Body)); {
			case at > e.Num: // it was there before
				d.sent.Forget(o.K, asSent(o.Body))
			case at != 0 && !d.before(at, o) && d.r.Shared() && d.r.H.Header.Check == "":
				d.j.Undecided = fmt.Sprintf("#%d: another client may have written what was sent as a dry run", e.Num)
			case at != 0 && !d.before(at, o):
				d.j.Fail("nothing of a dry run", fmt.Sprintf("%s %s with what it sent", e.Kind, o.Key), at, e.Num)
			}
			if at := d.deletes[o.K]; at != 0 && at < e.Num && replay.IsDeleting(o.Body) && !d.before(at, o) {
				d.deleted(at, e, fmt.Sprintf("%s %s, which is being deleted", e.Kind, o.Key))
			}
		}
	}
}

// deleted: on a shared server another client may have done it.
func (d *dryRuns) deleted(at int32, e *history.Event, got string) {
	if d.r.Shared() {
		d.j.Undecided = fmt.Sprintf("#%d: what was deleted as a dry run is gone; another client may have deleted it", e.Num)
		return
	}
	nums := causes(at, e.Call, e.Num)
	slices.Sort(nums)
	d.j.Fail("no deletion: it was a dry run", got, nums...)
}
