package replay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness/history"
)

// findSurvivors looks for objects that are written to after their deletion was
// acknowledged: it only marked them. A write that answers with an old
// resourceVersion and a new content took the last finalizer of one.
func (b *builder) findSurvivors() {
	type object struct {
		write int32 // one to it, None before there is one
		known int32 // number of the first answer that told of it
		gone  int32 // number of the answer to a delete that was called when it was known to be there; 0: none
	}
	last := slices.Repeat([]object{{None, 0, 0}}, b.H.Keys())
	for i := range b.Writes {
		w := &b.Writes[i]
		if w.Outcome != Done || !w.counts() {
			continue
		}
		o := &last[w.K]
		switch {
		case w.mark != nil || w.is(step):
		case w.acts == kindDelete && o.gone == 0 && w.Call > o.known: // else it may have been of the object before
			o.gone = w.Return
		case w.acts == kindDelete:
		case o.write == None || !b.ofOne(o.write, int32(i)):
			*o = object{write: int32(i), known: w.Return}
		case o.gone == 0:
			o.write = int32(i)
		case w.Call > o.gone && b.mayBeMarked(w):
			b.disturb(w.K, fmt.Sprintf("%s lives on after its deletion, and nothing tells what it waits for", b.H.Key(w.K)))
			b.unexplained = append(b.unexplained, glimpse{w.Return, itself, w.K, b.briefs[w.Return-1].N})
		}
		if w.Version == None && (w.acts == kindUpdate || w.acts == kindPatch) && !w.is(idle) && b.tookFinalizer(w) {
			b.disturb(w.K, fmt.Sprintf("the %s #%d answers with an old resourceVersion: it changed what was being deleted, and nothing tells how", w.Verb(), w.Call))
		}
	}
}

// mayBeMarked says that what a write answered may be what a delete has marked. A
// trace of somebody's own need not say so; what a check records in virtual time does.
func (b *builder) mayBeMarked(w *Write) bool {
	got := &b.H.Event(w.Return).Obj
	return b.Shared() || IsDeleting(got.Body) || b.MayBeMarked(got)
}

// ofOne says that two writes answer with the same uid.
func (b *builder) ofOne(v, w int32) bool {
	if v == None {
		return false
	}
	uid := b.Writes[w].made
	return uid != 0 && uid == b.Writes[v].made
}

func (b *builder) tookFinalizer(w *Write) bool {
	n := b.briefs[w.Return-1].N
	if n == 0 {
		return false
	}
	got := b.H.Event(w.Return).Obj.Body
	if was, ok := b.unmade[state{w.K, n}]; ok {
		return was != got
	}
	v := b.Find(w.K, n)
	return v == None || b.Versions[v].Obj.Body != got
}

// livingOn are the keys of which something was shown after a delete was called, in a state that no write explains:
// the delete may have only marked what is there. A trace of anybody need not have the words that say so. No key, where
// that is known already, or a check has recorded it.
func (b *builder) livingOn() map[int32]bool {
	if b.H.Header.Check != "" || b.livesOn != nil {
		return nil
	}
	keys := map[int32]bool{}
	for _, g := range b.unexplained {
		if saysMarked(b.object(g)) && b.afterDelete(g) {
			keys[g.k] = true
		}
	}
	for _, i := range b.strange {
		if v := &b.Versions[i]; v.marked() && v.Obj != nil && saysMarked(v.Obj) {
			keys[v.K] = true
		}
	}
	return keys
}

// afterDelete says that what is shown may be what a delete has left: it was called before, and of an object that may be this.
func (b *builder) afterDelete(g glimpse) bool {
	o := b.object(g)
	return slices.ContainsFunc(b.Writes, func(w Write) bool {
		if w.K != g.k || w.verb != kindDelete || w.is(dry) || w.Outcome == Refused || w.Call > g.num {
			return false
		}
		if v := b.latest(g.k, g.n); v != nil && v.uid != 0 && o.UID != "" && v.uid != b.H.UIDOf(o.UID) {
			return false // another has been created since
		}
		return b.ByOrder || b.acked[w.Call] < g.n
	})
}

// latest is the last version of a key below a rank that lived, nil if there is none.
func (r *Replay) latest(k, n int32) (last *Version) {
	for _, i := range r.OfKey(k) {
		if v := &r.Versions[i]; !v.Gone && v.N < n {
			last = v
		}
	}
	return last
}

// MayEnd says that a write's answer may be that to who took the last finalizer of what a delete had marked, with the
// resourceVersion of before: of a trace of anybody, whose contents need not tell. A delete was called before.
func (r *Replay) MayEnd(w *Write) bool {
	return r.MayBeMarked(&r.H.Event(w.Return).Obj) && slices.ContainsFunc(r.Writes, func(d Write) bool {
		return d.K == w.K && d.verb == kindDelete && !d.is(dry) && d.Outcome != Refused && d.Call < w.Return
	})
}

// MayBeMarked says that an object of a trace of anybody may be one that is being deleted.
func (r *Replay) MayBeMarked(o *history.Ref) bool { return r.H.Header.Check == "" && saysMarked(o) }

// saysMarked says that an object may be one that is being deleted, by its times, or by a content that is not of the words
// that would say so.
func saysMarked(o *history.Ref) bool {
	switch {
	case IsDeleting(o.Body):
		return ends(o) // else its words tell
	case o.Meta != nil:
		return o.Meta.Get(Deletion) != ""
	}
	return o.Body == "" || !slices.ContainsFunc(wordsBegin, func(w string) bool { return strings.HasPrefix(o.Body, w) })
}

// wordsBegin are the beginnings of contents that have lwtest's words.
var wordsBegin = []string{"spec=", statusIs, "annotation:", "owner:", finalizersAre, Deleting}
