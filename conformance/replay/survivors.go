package replay

import (
	"fmt"
	"maps"
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

// livingOn are the keys of which something was shown after a delete was called, in a state that no write explains, or
// that may have been marked before: a delete may have only marked what is there, or changed nothing. A trace of anybody
// need not have the words that say so. Those that are known already are not among them, and none is where a check has
// recorded it.
func (b *builder) livingOn() map[int32]bool {
	if b.H.Header.Check != "" {
		return nil
	}
	keys := map[int32]bool{}
	for _, g := range b.unexplained {
		if keys[g.k] {
			continue
		}
		if o := b.object(g); saysMarked(o) && (o.Meta != nil && b.deletes.has(g.k) || b.afterDelete(g)) {
			keys[g.k] = true
		}
	}
	for _, i := range b.strange {
		if v := &b.Versions[i]; v.marked() && v.Obj != nil && saysMarked(v.Obj) {
			keys[v.K] = true
		}
	}
	if !worded(b.Replay) {
		b.deletedAgain(keys)
	}
	maps.DeleteFunc(keys, func(k int32, _ bool) bool { return b.livesOn[k] })
	return keys
}

// worded says that whoever recorded this has lwtest's words: the first content that was answered begins with one.
func worded(r *Replay) bool {
	for i := range r.Writes {
		if w := &r.Writes[i]; w.Outcome == Done {
			if body := r.H.Event(w.Return).Obj.Body; body != "" {
				return inWords(body)
			}
		}
	}
	return false
}

// deletedAgain adds the keys of which a delete was called of what may have been marked by one before.
func (b *builder) deletedAgain(keys map[int32]bool) {
	type life struct {
		deleted, created bool
		last             *history.Ref
	}
	lives := map[int32]*life{}
	for i := range b.Writes {
		w := &b.Writes[i]
		if w.Outcome == Refused || w.is(dry) || w.is(step) || w.K == 0 {
			continue
		}
		l := lives[w.K]
		if l == nil {
			l = &life{}
			lives[w.K] = l
		}
		switch {
		case w.verb == kindDelete:
			if says := l.last; says != nil && says.Meta.Get(Deletion) != "" || (l.deleted || b.older[w.K] && !l.created) && b.mayHaveBeenMarked(w.K, says) {
				keys[w.K] = true
			}
			l.deleted = true
		case w.Outcome == Done:
			l.last = &b.H.Event(w.Return).Obj
			if w.verb == kindCreate {
				l.created, l.deleted = true, false
			}
		}
	}
}

// mayHaveBeenMarked says that a key may have been, by what it was last, or else by what any has shown of it.
func (b *builder) mayHaveBeenMarked(k int32, last *history.Ref) bool {
	if last != nil {
		return saysMarked(last)
	}
	return slices.ContainsFunc(b.OfKey(k), func(i int32) bool { o := b.Versions[i].Obj; return o != nil && saysMarked(o) })
}

// afterDelete says that what is shown may be what a delete has left: it was called before, and of an object that may be this.
func (b *builder) afterDelete(g glimpse) bool {
	o := b.object(g)
	if v := b.latest(g.k, g.n); v != nil && v.uid != 0 && o.UID != "" && v.uid != b.H.UIDOf(o.UID) {
		return false // another has been created since
	}
	for _, of := range [][]int32{b.deletes.of(g.k), b.lost.deletes.of(g.k), b.lost.changes.of(g.k)} {
		for _, i := range of {
			if w := &b.Writes[i]; w.verb == kindDelete && w.Call < g.num && (b.ByOrder || b.acked[w.Call] < g.n) {
				return true
			}
		}
	}
	return false
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

// OwnBefore says that this run has made a version of a key below a rank.
func (r *Replay) OwnBefore(k, n int32) bool { return r.latest(k, n) != nil }

// MayEnd says that a write's answer may be that to who took the last finalizer of what had been marked, with the
// resourceVersion of before: of a trace of anybody, whose contents need not tell. Its times say so, or a delete of it was
// called before, or others may have done that.
func (r *Replay) MayEnd(w *Write) bool {
	got := &r.H.Event(w.Return).Obj
	switch {
	case !r.MayBeMarked(got):
		return false
	case got.Meta != nil || r.Shared():
		return true
	}
	begun := r.begun(w.K, r.H.UIDOf(got.UID))
	return slices.ContainsFunc(r.Writes, func(d Write) bool {
		return d.K == w.K && d.verb == kindDelete && !d.is(dry) && d.Outcome != Refused && d.Call < w.Return && (d.Return == 0 || d.Return > begun)
	}) || slices.ContainsFunc(r.Collections, func(c Collection) bool { return c.Call < w.Return && c.covers(w.K) })
}

// begun is the number of the first event that tells of a key's object with a uid; 0 where nothing does.
func (r *Replay) begun(k, uid int32) int32 {
	for _, i := range r.OfKey(k) {
		if v := &r.Versions[i]; uid != 0 && v.uid == uid {
			return v.since
		}
	}
	return 0
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
	return !inWords(o.Body)
}

// InWords says that a content is of lwtest's words.
func InWords(body string) bool { return inWords(body) }

// inWords says that a content is of lwtest's words.
func inWords(body string) bool {
	return slices.ContainsFunc(wordsBegin, func(w string) bool { return strings.HasPrefix(body, w) })
}

// wordsBegin are the beginnings of contents that have lwtest's words.
var wordsBegin = []string{"spec=", statusIs, "annotation:", "owner:", finalizersAre, Deleting}
