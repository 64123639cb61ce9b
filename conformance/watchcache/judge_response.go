package watchcache

import (
	"fmt"
	"slices"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeResponse compares each answer with what was sent, of which nothing may be
// missing or changed, with what had that resourceVersion before, and with what
// everybody is shown of it later. None of that depends on who else writes.
func judgeResponse(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	if r.ByOrder && !slices.Contains(h.Header.Features, string(ComparableRV)) {
		j.Undecided = "writes return no resourceVersion that could be compared"
		return j
	}
	uids := givesUIDs(h)
	for i := range r.Writes {
		w := &r.Writes[i]
		if w.Outcome == replay.Done && w.Verb() != replay.Delete {
			j.Tested++
			answered(&j, r, w)
			if got := &h.Event(w.Return).Obj; uids && got.UID == "" && !(replay.IsDryRun(h.Event(w.Call)) && w.Verb() == replay.Create) {
				j.Fail("the object with its uid", at(h.Event(w.Return))+" without one", w.Call, w.Return)
			}
		}
	}
	if !r.ByOrder {
		shownOtherwise(&j, r)
	}
	return j
}

// givesUIDs says that the subject gives objects uids: it has shown one that nobody had sent.
func givesUIDs(h *history.History) bool {
	sent := map[string]bool{"": true}
	for i := range h.Events {
		e := &h.Events[i]
		switch {
		case e.Phase == history.Call:
			sent[e.Obj.UID] = true
		case e.Err() == nil && slices.ContainsFunc(replay.Objects(e), func(o history.Ref) bool { return !sent[o.UID] }):
			return true
		}
	}
	return false
}

func answered(j *harness.Judgement, r *replay.Replay, w *replay.Write) {
	call, ret := r.H.Event(w.Call), r.H.Event(w.Return)
	sent, got := &call.Obj, &ret.Obj
	dry := replay.IsDryRun(call)
	switch {
	case got.Key != sent.Key && sent.Key != "" && !generated(sent):
		j.Fail("the object "+sent.Key, got.Key, w.Call, w.Return)
	case got.RV == "" && !(dry && w.Verb() == replay.Create):
		j.Fail("the object with its resourceVersion", got.Key+" without one", w.Call, w.Return)
	case got.RV != "" && dry && w.Verb() == replay.Create && sent.RV == "":
		j.Fail("an object without a resourceVersion: it was a dry run, and nothing is stored", at(ret), w.Call, w.Return)
	case w.Verb() != replay.Patch && !replay.Stored(asked(sent.Body), asked(got.Body)) || w.Verb() == replay.Patch && !patched(asked(sent.Body), got.Body):
		j.Fail(fmt.Sprintf("the object as it was sent: %q", sent.Body), fmt.Sprintf("%q", got.Body), w.Call, w.Return)
	case w.Verb() == replay.Update && sent.UID != "" && got.UID != "" && got.UID != sent.UID:
		j.Fail("the object of uid "+sent.UID+", as it was sent", "uid "+got.UID, w.Call, w.Return)
	case !keepsLabels(sent.Labels, got.Labels):
		j.Fail(fmt.Sprintf("the object with the labels %q", sent.Labels.String()), fmt.Sprintf("%q", got.Labels.String()), w.Call, w.Return)
	case !dry:
		sameVersion(j, r, w, got)
	case w.Verb() != replay.Create && !r.ByOrder:
		dryVersion(j, r, w, got)
	}
}

// dryVersion: a dry run stores nothing, so that it answers with a
// resourceVersion that the object had while it was under way.
func dryVersion(j *harness.Judgement, r *replay.Replay, w *replay.Write, got *history.Ref) {
	m := r.Moments(w)
	if m.Doubt || m.Absent || !r.Own(w.K) || len(m.Versions) != 1 || r.Versions[m.Versions[0]].Obj == nil {
		return
	}
	if v := &r.Versions[m.Versions[0]]; v.N != got.N {
		j.Fail("the resourceVersion that the object has: "+v.Obj.RV, got.Key+" @"+got.RV, causes(v.Call, w.Call, w.Return)...)
	}
}

// sameVersion: what has a resourceVersion has it for good, but that who takes
// the last finalizer is answered with the old one.
func sameVersion(j *harness.Judgement, r *replay.Replay, w *replay.Write, got *history.Ref) {
	i := r.Find(w.K, got.N)
	if r.ByOrder || i == replay.None {
		return
	}
	v := &r.Versions[i]
	if v.Gone || v.Obj == nil || v.Call == w.Call || v.Obj.Body == got.Body && v.Obj.Labels == got.Labels || leaves(v.Obj, got) {
		return
	}
	j.Fail(fmt.Sprintf("a new resourceVersion: @%s was %q", v.Obj.RV, v.Obj.Body), fmt.Sprintf("%q @%s", got.Body, got.RV), causes(v.Call, w.Call, w.Return)...)
}
