package watchcache

import (
	"cmp"
	"net/http"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// answeredWrites is what became of writes with nothing wrong.
type answeredWrites struct {
	harness.Judgement
	h      *history.History
	places map[string]int32 // see createdIn
	shown  bool             // a read has shown something: the server does what it answers
	all    ways
}

// judgeWriteAnswered looks at writes with nothing wrong: to objects of which it is
// known what they were meanwhile, and to collections. That something is not
// there, or that a precondition does not hold of it, other rules judge.
func judgeWriteAnswered(h *history.History) harness.Judgement {
	r := replay.Of(h)
	x := answeredWrites{h: h, places: createdIn(h), all: ways{}}
	x.shown = slices.ContainsFunc(replay.Asked(h), func(q replay.Request) bool { return q.Answered() && hasShown(h, &q) })
	if r.Unordered == "" {
		eachWrite(r, nil, func(w *replay.Write, m replay.Moments, pre *history.Ref, _ *history.Error) {
			if writesRightly(r, w, m, pre) {
				x.wrote(w.Call, w.Return)
			}
		})
	}
	for i := range h.Events {
		if e := &h.Events[i]; e.Kind == replay.DeleteCollection && e.Phase == history.Return && sweepsRightly(h, h.Event(e.Call)) {
			x.wrote(e.Call, e.Num)
		}
	}
	x.Undecided = cmp.Or(r.Unordered, x.all.never())
	return x.Judgement
}

// wrote looks at the answer to a write with nothing wrong.
func (x *answeredWrites) wrote(call, ret int32) {
	c, err := x.h.Event(call), x.h.Event(ret).Err()
	if err == nil {
		if x.shown {
			x.Tested++
		}
		x.all.note(call, "", manner(c))
		return
	}
	got := err.String() + told(replay.RefusalOf(x.h.Event(ret)))
	switch {
	case replay.Retriable(err, replay.RefusalOf(x.h.Event(ret))):
		return // a server that asks to come back has not said no
	case x.h.Header.Check == "" && blames(err.Code):
		return // what others than a check send may be wrong in itself, or a webhook is against it: nothing tells
	}
	x.all.note(call, got, manner(c))
	if x.blamed(c, err) {
		x.Tested++
		x.Fail("the "+c.Kind+" to be done: nothing is wrong with it", got, call, ret)
	}
}

// manner is how something is written.
func manner(call *history.Event) string {
	how := call.Kind
	switch replay.PatchType(call) {
	case types.ApplyYAMLPatchType:
		how += " by an apply"
	case types.JSONPatchType:
		how += " in JSON"
	case types.StrategicMergePatchType:
		how += " in the strategic form"
	}
	if replay.IsDryRun(call) {
		how += " as a dry run"
	}
	if call.Obj.RV != "" || call.Obj.UID != "" {
		how += " with a precondition"
	}
	return how
}

// blamed says that a refusal takes a write for a wrong one. A collection has no
// one object that could be in conflict, unless it has preconditions.
func (x *answeredWrites) blamed(call *history.Event, err *history.Error) bool {
	sweeps := call.Kind == replay.DeleteCollection
	switch err.Code {
	case http.StatusGone:
		return true
	case http.StatusNotFound:
		first := x.places[placeOf(call)]
		return (sweeps || call.Kind == replay.Create) && first != 0 && first < call.Num
	case http.StatusConflict:
		return sweeps && call.Obj.RV == "" && call.Obj.UID == ""
	}
	return blames(err.Code)
}

// placeOf is the namespace that a write is in.
func placeOf(call *history.Event) string {
	if call.Kind == replay.DeleteCollection {
		a, _ := replay.ParseArgs(argsOf(call))
		return a.Namespace
	}
	ns, _ := replay.SplitKey(call.Obj.Key)
	return ns
}

// sweepsRightly says that every server that deletes collections can delete this one.
func sweepsRightly(h *history.History, call *history.Event) bool {
	a, err := replay.ParseArgs(argsOf(call))
	scope, unread := replay.ParseScope(a)
	o := &a.Options
	return err == nil && unread == nil && has(h, DeleteCollection) && (!a.DryRun || has(h, DryRun)) && a.Namespace != "" &&
		recent(o) && o.Limit == 0 && o.ShardSelector == "" && canSelect(h, &scope)
}

// writesRightly says that a write can be done, to what was there or not, on
// every server with the features that are declared.
func writesRightly(r *replay.Replay, w *replay.Write, m replay.Moments, pre *history.Ref) bool {
	call := r.H.Event(w.Call)
	_, force, applies := replay.AppliedBy(call)
	lone := pre.RV == "" && pre.UID == ""
	switch {
	case replay.IsDryRun(call) && !has(r.H, DryRun):
		return false
	case w.Verb() == replay.Create:
		return gone(r, w, m) && pre.RV == "" && (!generated(pre) || has(r.H, GenerateName))
	case w.Verb() == replay.Delete:
		return there(r, m) && holdsAll(r, w, m, pre) && (lone || has(r.H, Precondition))
	case !there(r, m) || !holdsAll(r, w, m, pre) || deleting(r, m) && !keepsGoing(r, w, m):
		return false
	case applies:
		return force && has(r.H, Apply)
	case w.Verb() == replay.Patch:
		return has(r.H, featureOf(replay.PatchType(call))) && fits(r, w, m)
	}
	return pre.RV != "" || has(r.H, PlainUpdate)
}

// featureOf is the feature that patches of a type are.
func featureOf(t types.PatchType) harness.Feature {
	switch t {
	case types.JSONPatchType:
		return JSONPatch
	case types.StrategicMergePatchType:
		return StrategicPatch
	}
	return Patch
}

// holdsAll says that the preconditions hold of all that the object may have been before the write.
func holdsAll(r *replay.Replay, w *replay.Write, m replay.Moments, pre *history.Ref) bool {
	return !slices.ContainsFunc(m.Versions, func(i int32) bool {
		v := r.Versions[i].Obj
		return i != w.Version && (v == nil || pre.RV != "" && pre.RV != v.RV || pre.UID != "" && pre.UID != v.UID)
	})
}

// keepsGoing says that an update can be done to what is being deleted, too: it
// adds no finalizer, and no node decides.
func keepsGoing(r *replay.Replay, w *replay.Write, m replay.Moments) bool {
	names := replay.FinalizersOf(r.H.Event(w.Call).Obj.Body)
	return w.Verb() == replay.Update && !slices.ContainsFunc(m.Versions, func(i int32) bool {
		v := r.Versions[i].Obj
		if i == w.Version {
			return false
		}
		had := func(name string) bool { return slices.Contains(replay.FinalizersOf(v.Body), name) }
		return v == nil || replay.OnNode(v.Body) || slices.ContainsFunc(names, func(name string) bool { return !had(name) })
	})
}

// deleting says that the object may have been marked for deletion.
func deleting(r *replay.Replay, m replay.Moments) bool {
	return slices.ContainsFunc(m.Versions, func(i int32) bool { return r.Versions[i].Obj == nil || replay.IsDeleting(r.Versions[i].Obj.Body) })
}
