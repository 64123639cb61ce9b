package watchcache

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// label is what the words of labels begin with, beside those of a content.
const label = "label:"

// replaced says that a word of a content is one that an update replaces whole:
// not the status, which may have a subresource of its own, nor what finalizers
// have rules for.
func replaced(word string) bool {
	return strings.HasPrefix(word, Spec+"=") || strings.HasPrefix(word, annotation) || strings.HasPrefix(word, owner)
}

// words are what an object has that an update replaces, labels included.
func words(o *history.Ref) map[string]string {
	out := map[string]string{}
	for _, p := range strings.Fields(o.Body) {
		if name, value, ok := strings.Cut(p, "="); ok && replaced(p) {
			out[name] = value
		}
	}
	for k, v := range o.Labels.Map() {
		out[label+k] = v
	}
	return out
}

// leaveable are the words of an object that an update takes away by leaving them out, each finalizer apart.
func leaveable(o *history.Ref) map[string]string {
	out := words(o)
	for _, f := range replay.FinalizersOf(o.Body) {
		out["finalizer "+f] = f
	}
	return out
}

// leftover is what an update left out, and was answered with all the same.
type leftover struct {
	k           int32
	name, value string
}

// keeping is what judgeResponse has seen so far of what writes keep and lose.
type keeping struct {
	rich  bool // objects were given more than a spec
	found map[leftover][]*replay.Write
	inRow func() map[int32]bool // see versionsInRow
}

// look takes the next write that was answered with an object.
func (k *keeping) look(j *harness.Judgement, r *replay.Replay, w *replay.Write) {
	sent := r.H.Event(w.Call).Obj.Body
	switch {
	case w.Verb() == replay.Patch:
		k.removed(r, w)
		k.givenUp(r, w)
		if k.rich || !strings.HasPrefix(sent, Spec+"=") { // of most runs no patch
			leftAlone(j, r, w, k.inRow)
		}
	case w.Verb() == replay.Update && whole(r, w):
		for _, l := range leftovers(r, w) {
			k.add(l, w)
		}
	}
	k.rich = k.rich || strings.Contains(sent, annotation) || strings.Contains(sent, owner)
}

func (k *keeping) add(l leftover, w *replay.Write) {
	if k.found == nil {
		k.found = map[leftover][]*replay.Write{}
	}
	k.found[l] = append(k.found[l], w)
}

// removed looks for what a patch set to null and was answered with all the same.
func (k *keeping) removed(r *replay.Replay, w *replay.Write) {
	call := r.H.Event(w.Call)
	all := replay.Removes(call)
	if len(all) == 0 || replay.IsDryRun(call) {
		return
	}
	got := words(&r.H.Event(w.Return).Obj)
	for _, name := range all {
		if value, ok := got[name]; ok {
			k.add(leftover{w.K, name, value}, w)
		}
	}
}

// leftOut looks for updates that remove nothing, patches and applies: what was sent without a
// label, an annotation, an owner or the spec came back with it. A server may add what was left
// out, but then it does so always: this one had answered without it to a write
// without it, before a write of this run added it, with this value.
func (k *keeping) leftOut(j *harness.Judgement, r *replay.Replay) {
	if len(k.found) == 0 {
		return
	}
	before := addedBefore(r, k.found)
	order := func(a, b leftover) int {
		return cmp.Or(cmp.Compare(k.found[a][0].Call, k.found[b][0].Call), strings.Compare(a.name, b.name))
	}
	for _, l := range slices.SortedFunc(maps.Keys(k.found), order) {
		b := before[l]
		for _, w := range k.found[l] {
			if b.without != 0 && b.without < b.call && b.with != 0 && b.with < w.Call {
				j.Fail(fmt.Sprintf("%s without %s: it was sent without, and had it from #%d", r.H.Event(w.Call).Obj.Key, l.name, b.call),
					fmt.Sprintf("%s=%s again", l.name, l.value), b.call, w.Call, w.Return)
			}
		}
	}
}

// whole says that a write sent the whole object to be stored, and was answered with what is stored.
func whole(r *replay.Replay, w *replay.Write) bool {
	return w.Outcome == replay.Done && (w.Verb() == replay.Create || w.Verb() == replay.Update) && !w.ToStatus() && !replay.IsDryRun(r.H.Event(w.Call))
}

// leftovers are what the answer to a write has, and what was sent has under no value.
func leftovers(r *replay.Replay, w *replay.Write) (out []leftover) {
	sent, got := &r.H.Event(w.Call).Obj, &r.H.Event(w.Return).Obj
	if sent.Labels == got.Labels && sent.Body == got.Body {
		return nil
	}
	was := leaveable(sent)
	for name, value := range leaveable(got) {
		if _, ok := was[name]; !ok {
			out = append(out, leftover{w.K, name, value})
		}
	}
	return out
}

// adding says when an object was first answered without a word that was not sent,
// and then which write of this run added it, and when that was answered; 0: never.
type adding struct{ without, call, with int32 }

// addedBefore finds out who added what was left over.
func addedBefore(r *replay.Replay, found map[leftover][]*replay.Write) map[leftover]adding {
	of := map[int32][]leftover{}
	for l := range found {
		of[l.k] = append(of[l.k], l)
	}
	out := map[leftover]adding{}
	for i := range r.Writes {
		w := &r.Writes[i]
		all := whole(r, w)
		_, _, applies := replay.AppliedBy(r.H.Event(w.Call))
		if of[w.K] == nil || !all && (w.Verb() != replay.Patch || w.Outcome != replay.Done || replay.IsDryRun(r.H.Event(w.Call))) {
			continue
		}
		sent, got := leaveable(&r.H.Event(w.Call).Obj), leaveable(&r.H.Event(w.Return).Obj)
		for _, l := range of[w.K] {
			b := out[l]
			was, asked := sent[l.name]
			is, there := got[l.name]
			switch {
			case (all || applies) && !asked && !there && b.without == 0:
				b.without = w.Return
			case asked && there && (was == l.value || l.value == "") && is == was && b.without != 0 && b.without < w.Call && b.with == 0:
				b.call, b.with = w.Call, w.Return
			}
			out[l] = b
		}
	}
	return out
}

// versionsInRow are those that a watch without selectors has shown right after
// the version of their object before them: no other client wrote in between.
func versionsInRow(r *replay.Replay) map[int32]bool {
	out := map[int32]bool{}
	for i := range r.Watches {
		w := &r.Watches[i]
		if !w.Scope.Labels.Empty() || !w.Scope.Fields.Empty() {
			continue
		}
		last := map[int32]int32{} // by key
		for n := range w.Events {
			e := &w.Events[n]
			if !e.IsEvent() {
				continue
			}
			was, ok := last[e.K]
			if ok && was != replay.None && e.Version != replay.None && r.Versions[e.Version].Prev == was {
				out[e.Version] = true
			}
			last[e.K] = e.Version
		}
	}
	return out
}

// hasAll says that words have all that a patch names, and nothing of what it removes.
func hasAll(was, named map[string]string, removes []string) bool {
	for name, value := range named {
		if is, ok := was[name]; !ok || is != value {
			return false
		}
	}
	return !slices.ContainsFunc(removes, func(name string) bool { _, ok := was[name]; return ok })
}

// leftAlone looks for patches that lose what they do not name, and what the write
// before, of this run, had stored. Where others may write, too, only a patch
// with a resourceVersion tells what was there before, or a watch that has shown
// the two in a row.
func leftAlone(j *harness.Judgement, r *replay.Replay, w *replay.Write, inRow func() map[int32]bool) {
	call := r.H.Event(w.Call)
	if replay.IsDryRun(call) || r.ByOrder || !r.Own(w.K) || call.Obj.RV == "" && r.Shared() && !inRow()[w.Version] {
		return
	}
	m := r.Moments(w)
	before := slices.DeleteFunc(slices.Clone(m.Versions), func(i int32) bool { return i == w.Version })
	if m.Doubt || m.Absent || len(before) != 1 {
		return
	}
	if w.Version != replay.None && r.Versions[w.Version].Both() {
		return // it may have found what the other had made
	}
	v := &r.Versions[before[0]]
	if v.Gone || v.Obj == nil || v.Call == 0 || call.Obj.RV != "" && call.Obj.RV != v.Obj.RV {
		return
	}
	if f := lostFinalizer(r, w, v.Obj); f != "" {
		j.Fail("the finalizer "+f+" as before: the patch does not name it", at(r.H.Event(w.Return))+" without it", v.Call, w.Call, w.Return)
		return
	}
	sent := words(&r.H.Event(v.Call).Obj)
	named := words(&call.Obj)
	if manager, _, ok := replay.AppliedBy(call); ok {
		named = everApplied(r, w, manager)
	}
	got, was := words(&r.H.Event(w.Return).Obj), words(v.Obj)
	if r.H.Header.Check == "" && r.Shared() && call.Obj.RV == "" && hasAll(was, named, replay.Removes(call)) {
		return // it changed nothing, and what it was answered with another client has made
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		value := was[name]
		_, asked := named[name]
		asked = asked || slices.Contains(replay.Removes(call), name) || strings.HasPrefix(name, owner) && replacesOwners(call, named)
		if is, ok := got[name]; sent[name] == value && !asked && (!ok || is != value) {
			now := " without it"
			if ok {
				now = " with " + name + "=" + is
			}
			j.Fail(fmt.Sprintf("%s=%s as before: the patch does not name it", name, value), at(r.H.Event(w.Return))+now, v.Call, w.Call, w.Return)
			return
		}
	}
}

// replacesOwners reports whether a patch names all owners: a merge patch replaces a list whole.
func replacesOwners(call *history.Event, named map[string]string) bool {
	return replay.PatchType(call) == "" && slices.ContainsFunc(slices.Collect(maps.Keys(named)), func(name string) bool { return strings.HasPrefix(name, owner) })
}

// lostFinalizer is one that a patch that names none was answered without: the object had it, a write of this run
// had set it, and no apply of the same manager. Empty: none. Of a merge patch nothing is said: histories have been
// written that do not tell when one sets finalizers to null.
func lostFinalizer(r *replay.Replay, w *replay.Write, was *history.Ref) string {
	call, got := r.H.Event(w.Call), replay.FinalizersOf(r.H.Event(w.Return).Obj.Body)
	manager, _, applies := replay.AppliedBy(call)
	if replay.PatchType(call) == "" || len(replay.FinalizersOf(call.Obj.Body)) > 0 || slices.Contains(replay.Removes(call), finalizersWord) {
		return ""
	}
	for _, f := range replay.FinalizersOf(was.Body) {
		own, others := false, false
		for i := range r.Writes {
			o := &r.Writes[i]
			if o.K != w.K || o.Call >= w.Call || !slices.Contains(replay.FinalizersOf(r.H.Event(o.Call).Obj.Body), f) {
				continue
			}
			by, _, applied := replay.AppliedBy(r.H.Event(o.Call))
			own, others = own || applied && by == manager, true
		}
		if others && !(applies && own) && !slices.Contains(got, f) {
			return f
		}
	}
	return ""
}
