package watchcache

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

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
	own := sync.OnceValue(func() map[string]bool { return givesNotes(r) }) // few histories need it
	k := keeping{inRow: sync.OnceValue(func() map[int32]bool { return versionsInRow(r) })}
	for i := range r.Writes {
		w := &r.Writes[i]
		if w.Outcome == replay.Done && w.Verb() != replay.Delete {
			j.Tested++
			answered(&j, r, w, own)
			k.look(&j, r, w)
			if got := &h.Event(w.Return).Obj; uids && got.UID == "" && !(replay.IsDryRun(h.Event(w.Call)) && w.Verb() == replay.Create) {
				j.Fail("the object with its uid", at(h.Event(w.Return))+" without one", w.Call, w.Return)
			}
		}
	}
	k.leftOut(&j, r)
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

// givesNotes are the annotations that the subject gives objects by itself, in
// answers to writes that did not send them. Their values are its own, too.
func givesNotes(r *replay.Replay) map[string]bool {
	var own map[string]bool
	for i := range r.Writes {
		w := &r.Writes[i]
		if !whole(r, w) || !strings.Contains(r.H.Event(w.Return).Obj.Body, annotation) {
			continue
		}
		for _, l := range leftovers(r, w) {
			if strings.HasPrefix(l.name, annotation) {
				if own == nil {
					own = map[string]bool{}
				}
				own[l.name] = true
			}
		}
	}
	return own
}

// hasSent says whether an answer has what was sent, but for annotations that
// are the subject's own.
func hasSent(w *replay.Write, sent, got string, own func() map[string]bool) bool {
	if w.ToStatus() { // what else it may set hangs on the kind
		of := replay.StatusIn(sent)
		return of == "" || replay.StatusIn(got) == of
	}
	has := func(sent string) bool {
		if w.Verb() == replay.Patch {
			return patched(sent, got)
		}
		return replay.Stored(sent, asked(got))
	}
	return has(asked(sent)) || len(own()) > 0 && has(strings.Join(slices.DeleteFunc(strings.Fields(asked(sent)), func(p string) bool {
		name, _, _ := strings.Cut(p, "=")
		return own()[name]
	}), " "))
}

func answered(j *harness.Judgement, r *replay.Replay, w *replay.Write, own func() map[string]bool) {
	call, ret := r.H.Event(w.Call), r.H.Event(w.Return)
	sent, got := &call.Obj, &ret.Obj
	dry := replay.IsDryRun(call)
	switch {
	case got.Key != sent.Key && sent.Key != "" && !generated(sent):
		j.Fail("the object "+sent.Key, got.Key, w.Call, w.Return)
	case !beginsAs(replay.GenerateName(call), got.Key):
		j.Fail("a name that begins with "+replay.GenerateName(call), got.Key, w.Call, w.Return)
	case got.RV == "" && !(dry && mayCreate(r, w)):
		j.Fail("the object with its resourceVersion", got.Key+" without one", w.Call, w.Return)
	case got.RV != "" && dry && sent.RV == "" && mustCreate(r, w):
		j.Fail("an object without a resourceVersion: it was a dry run, and nothing is stored", at(ret), w.Call, w.Return)
	case !hasSent(w, sent.Body, got.Body, own) && (r.H.Header.Check != "" || replay.InWords(sent.Body)): // else it may have been filled in, or of another part
		j.Fail(fmt.Sprintf("the object as it was sent: %q", sent.Body), fmt.Sprintf("%q", got.Body), w.Call, w.Return)
	case w.Verb() == replay.Update && sent.UID != "" && got.UID != "" && got.UID != sent.UID:
		j.Fail("the object of uid "+sent.UID+", as it was sent", "uid "+got.UID, w.Call, w.Return)
	case !w.ToStatus() && !keepsLabels(sent.Labels, got.Labels):
		j.Fail(fmt.Sprintf("the object with the labels %q", sent.Labels.String()), fmt.Sprintf("%q", got.Labels.String()), w.Call, w.Return)
	case !dry:
		sameVersion(j, r, w, got)
	case w.Verb() != replay.Create && !r.ByOrder:
		dryVersion(j, r, w, got)
	}
}

// mayCreate says that what a write makes may be a new object; mustCreate, that
// it can be nothing else.
func mayCreate(r *replay.Replay, w *replay.Write) bool {
	switch _, _, applied := replay.AppliedBy(r.H.Event(w.Call)); {
	case w.Verb() == replay.Create, (w.Verb() == replay.Update || w.Verb() == replay.Patch) && has(r.H, CreateOnUpdate):
		return true
	case applied:
		m := r.Moments(w)
		return m.Absent || m.Doubt || !r.Own(w.K)
	}
	return false
}

func mustCreate(r *replay.Replay, w *replay.Write) bool {
	if w.Verb() == replay.Create {
		return true
	}
	_, _, applied := replay.AppliedBy(r.H.Event(w.Call))
	m := r.Moments(w)
	return applied && !r.Shared() && r.Own(w.K) && !m.Doubt && gone(r, w, m)
}

// dryVersion: a dry run stores nothing, so that it answers with a
// resourceVersion that the object had while it was under way, and with the times of its creation and of its deletion.
func dryVersion(j *harness.Judgement, r *replay.Replay, w *replay.Write, got *history.Ref) {
	m := r.Moments(w)
	if m.Doubt || m.Absent || !r.Own(w.K) || len(m.Versions) != 1 || r.Versions[m.Versions[0]].Obj == nil {
		return
	}
	v := &r.Versions[m.Versions[0]]
	if v.N != got.N {
		j.Fail("the resourceVersion that the object has: "+v.Obj.RV, got.Named(), causes(v.Call, w.Call, w.Return)...)
	}
	for _, name := range []string{replay.Created, replay.Deletion} {
		if was, is := v.Obj.Meta.Get(name), got.Meta.Get(name); was != is && was != "" && v.Obj.UID == got.UID {
			j.Fail("the "+name+" that the object has: "+was, cmp.Or(is, "none"), causes(v.Call, w.Call, w.Return)...)
		}
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
	if v.Gone || v.Obj == nil || v.Call == w.Call || v.Obj.Body == got.Body && v.Obj.Labels == got.Labels && sameMeta(v.Obj, got) || leaves(v.Obj, got) || r.MayEnd(w) {
		return
	}
	now := fmt.Sprintf("%q @%s", got.Body, got.RV)
	if v.Obj.Body == got.Body {
		now += " " + differs(v.Obj, got)
	}
	j.Fail(fmt.Sprintf("a new resourceVersion: @%s was %q", v.Obj.RV, v.Obj.Body), now, causes(v.Call, w.Call, w.Return)...)
}
