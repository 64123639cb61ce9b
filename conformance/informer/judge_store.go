package informer

import (
	"cmp"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeIndex compares what the index returns, when nothing moves, with the store. At any time it returns what the store could
// have had.
var judgeIndex = perInformer(func(v *observed, j *harness.Judgement) {
	for _, q := range v.quiet {
		if q.store == nil {
			continue
		}
		for _, l := range q.near.of(indexKind) {
			withValue := slices.DeleteFunc(slices.Clone(q.store.items), func(o history.Ref) bool { return appOf(o.Labels) != l.value })
			want, got := states(withValue), states(l.items)
			if len(want)+len(got) > 0 {
				j.Tested++
			}
			if !slices.Equal(want, got) {
				j.Fail(fmt.Sprintf("under %q: %s", l.value, show(want, got)), show(got, want), q.store.done.Num, l.done.Num)
			}
		}
	}
	for _, b := range v.boundedReadings() {
		if b.kind == indexKind && !v.comparedAtRest(b.reading) && len(b.items) > 0 {
			j.Tested++
			b.judge(v, j)
		}
	}
})

// judgeSnapshot looks for a key that a reading, or a push, has twice; for one under which Get returns something else than List,
// when nothing moves; and for concurrent readings of which neither is the older one.
var judgeSnapshot = perInformer(func(v *observed, j *harness.Judgement) {
	for _, l := range v.readings {
		if len(l.items) > 0 && (l.kind == listKind || l.kind == indexKind) {
			uniqueKeys(j, l.items, l.done.Num)
		}
	}
	for _, p := range v.pushes {
		uniqueKeys(j, p.X.Items, p.Num)
	}
	for _, q := range v.quiet {
		q.compareGets(j)
	}
	judgeMixed(j, v.boundedReadings())
})

func uniqueKeys(j *harness.Judgement, items []history.Ref, num int32) {
	j.Tested++
	seen := map[string]string{}
	for _, o := range items {
		if rv, twice := seen[o.Key]; twice {
			j.Fail("each key once", fmt.Sprintf("%s @%s and @%s", o.Key, rv, o.RV), num)
			return
		}
		seen[o.Key] = o.RV
	}
}

// compareGets compares what Get returned with the whole store.
func (q quietMoment) compareGets(j *harness.Judgement) {
	if q.store == nil {
		return
	}
	for _, l := range q.near.of(getKind) {
		want, got := []state{}, []state{}
		if o := q.store.item(l.call.Obj.Key); o != nil {
			want = append(want, stateOf(o))
		}
		if l.done.Obj.Key != "" {
			got = append(got, stateOf(&l.done.Obj))
		}
		if len(want)+len(got) > 0 {
			j.Tested++
		}
		if !slices.Equal(want, got) {
			j.Fail("Get returns what List has: "+show(want, got), "Get returned "+show(got, want), q.store.done.Num, l.done.Num)
		}
	}
}

// judgeVersion compares the store with the version that was read before it.
var judgeVersion = perInformer(func(v *observed, j *harness.Judgement) {
	var before *reading
	for i, l := range v.readings {
		if l.kind != versionKind || !v.w.trusted(l.done.Num) {
			continue
		}
		if before != nil {
			if j.Tested++; older(l.version, before.version) {
				j.Fail("a version not older than @"+before.version, showRV(l.version), before.done.Num, l.done.Num)
			}
		}
		if l.version == "" {
			continue
		}
		before = l
		v.versionExists(j, l)
		if store := v.storeAfter(i); store != nil {
			j.Tested++
			v.versionReached(j, l, store)
		}
	}
})

// versionExists looks for a change at or before a version that was made after the version was read.
func (v *observed) versionExists(j *harness.Judgement, l *reading) {
	for _, w := range v.writes {
		t := v.timelines[w.state.Key]
		if first, _ := t.span(w.state); !w.deleted && t.writes[first] != w {
			continue // it changed nothing
		}
		if w.call > l.done.Num && !older(l.version, w.state.RV) {
			j.Fail("a version that exists: "+w.String()+" was written later", showRV(l.version), l.done.Num, w.call)
			return
		}
	}
}

// versionReached looks for a change at or before a version that the store does not have. Changes that share a version say
// nothing: the store may have one of them, and if the watch ends between two, the next one begins behind both.
func (v *observed) versionReached(j *harness.Judgement, l, store *reading) {
	shares := map[string]map[string]bool{} // the objects that changed at a version; a write that changes nothing gets the version that was
	for _, w := range v.writes {
		if shares[w.state.RV] == nil {
			shares[w.state.RV] = map[string]bool{}
		}
		shares[w.state.RV][w.state.Key] = true
	}
	for _, t := range v.objects() {
		last := -1
		for i, w := range t.writes {
			if !older(l.version, w.state.RV) && w.done < store.done.Num {
				last = i
			}
		}
		if last >= 0 && len(shares[t.writes[last].state.RV]) > 1 {
			continue
		}
		if last < 0 {
			continue
		}
		if got := store.behind(t, last); got != "" {
			j.Fail(fmt.Sprintf("%s, because the version of the store was @%s", t.writes[last], l.version), got, t.writes[last].done, l.done.Num, store.done.Num)
		}
	}
}

// judgeVersionMoves expects, when nothing moves, a version that is not older than anything that the informer was sent.
var judgeVersionMoves = perInformer(func(v *observed, j *harness.Judgement) {
	for _, q := range v.quiet {
		newest := v.newestSent(q.num)
		if newest == nil || newest.Kind != "BOOKMARK" && newest.Kind != "DELETED" {
			continue
		}
		for _, l := range q.near.of(versionKind) {
			if j.Tested++; older(l.version, newest.Obj.RV) {
				j.Fail(fmt.Sprintf("@%s or newer, after %s", newest.Obj.RV, newest.Kind), showRV(l.version), newest.Num, l.done.Num)
			}
		}
	}
})

// newestSent returns the event with the highest resourceVersion that an informer has certainly seen before another event.
// Bookmarks count if the store is given them.
func (v *observed) newestSent(num int32) (newest *history.Event) {
	counts := func(e *history.Event) bool {
		if e.Kind == "BOOKMARK" {
			return v.w.has(Bookmarks)
		}
		return isEvent(e) && v.inNamespace(e.Obj.Key)
	}
	for _, x := range v.exchanges {
		if x.IsUnfinished() {
			continue
		}
		for _, e := range v.certainlySeen(x, num) {
			if counts(e) && e.Num < num && e.Obj.RV != "" && (newest == nil || older(newest.Obj.RV, e.Obj.RV)) {
				newest = e
			}
		}
	}
	return newest
}

// judgeOwnWrites compares what a subject that runs reads with what it has written before itself.
var judgeOwnWrites = perInformer(func(v *observed, j *harness.Judgement) {
	for _, l := range v.readings.of(readKind) {
		own := v.w.lastWrite(l.call)
		if own == nil || v.run == nil || v.run.Num > own.Num || !v.inNamespace(own.Obj.Key) || !v.chooses(stateOf(&own.Obj)) {
			continue
		}
		j.Tested++
		t := v.timelines[own.Obj.Key]
		gone := slices.ContainsFunc(t.writes, func(w *write) bool { return w.deleted && w.done > own.Num && w.call < l.done.Num })
		if rv := l.done.Obj.RV; !gone && older(rv, own.Obj.RV) {
			j.Fail(fmt.Sprintf("%s @%s or newer", own.Obj.Key, own.Obj.RV), showRV(rv), own.Num, l.done.Num)
		}
	}
})

// judgeNeverBack looks at what the store has of an object after the late answer to the subject's own write of it, and after it has
// shown what the answer had.
var judgeNeverBack = perInformer(func(v *observed, j *harness.Judgement) {
	for _, a := range v.ownAnswers() {
		v.judgeBehind(a, j)
	}
	for _, a := range v.answered {
		newer := v.lateAnswer(a)
		if newer == nil {
			continue
		}
		for _, l := range v.readings.of(listKind) {
			if l.call.Num < a.Num || v.stoppedBy(l.call.Num) {
				continue
			}
			j.Tested++
			if o := l.itemOf(a.Obj.Key, a.Obj.UID); o != nil && !older(a.Obj.RV, o.RV) {
				j.Fail("what the store had before the answer came: "+showItem(newer.item(a.Obj.Key)), stateOf(o).String(), a.Call, newer.done.Num, a.Num, l.done.Num)
				break
			}
		}
	}
})

// ownAnswers returns the events with which the subject had the answers to its own writes.
func (v *observed) ownAnswers() []*history.Event {
	out := slices.Clone(v.answered)
	for i := range v.w.h.Events {
		if e := &v.w.h.Events[i]; e.Kind == writeKind && e.Phase == history.Return && e.Actor == v.actor {
			out = append(out, e)
		}
	}
	return slices.DeleteFunc(out, func(e *history.Event) bool { return e.Err() != nil || !v.inNamespace(e.Obj.Key) })
}

// judgeBehind expects nothing that is older than an answer once the store has shown what that had, until the informer lists again: a
// server that is behind may give it an old list.
func (v *observed) judgeBehind(a *history.Event, j *harness.Judgement) {
	t := v.timelines[a.Obj.Key]
	written, _ := t.span(stateOf(&a.Obj))
	if written < 0 {
		return
	}
	var shown *reading
	for _, l := range v.readings.of(listKind) {
		switch {
		case l.call.Num < a.Num:
		case v.stoppedBy(l.call.Num) || !v.w.trusted(l.call.Num) || v.listedBetween(a.Num, l.done.Num):
			return
		case shown == nil:
			if o := l.item(a.Obj.Key); o != nil && stateOf(o) == stateOf(&a.Obj) {
				shown = l
			}
		case l.call.Num > shown.done.Num:
			j.Tested++
			if got := l.behind(t, written); got != "" {
				j.Fail(fmt.Sprintf("%s, which it wrote itself, or newer", stateOf(&a.Obj)), got, a.Num, shown.done.Num, l.done.Num)
				return
			}
		}
	}
}

// listedBetween reports whether the informer requested a list, or a streaming list, before to, and had no whole answer at from.
func (v *observed) listedBetween(from, to int32) bool {
	return slices.ContainsFunc(v.exchanges, func(x *rig.Exchange) bool {
		whole := x.Answer
		if x.IsStream() {
			whole = cmp.Or(x.Mark, x.Over)
		}
		return !plainWatch(x) && x.Call.Num < to && (whole == nil || whole.Num > from)
	})
}

// lateAnswer returns a reading of the store that had something newer than the answer to the subject's own write, and came before it; nil: there is none.
func (v *observed) lateAnswer(a *history.Event) *reading {
	i := slices.IndexFunc(v.writes, func(w *write) bool { return w.call == a.Call })
	if i < 0 || a.Err() != nil || !v.inNamespace(a.Obj.Key) || !v.w.trusted(a.Num) {
		return nil
	}
	return v.newerThan(stateOf(&a.Obj), v.writes[i].done, a.Num)
}

func showItem(o *history.Ref) string {
	if o == nil {
		return "nothing, for it was deleted"
	}
	return stateOf(o).String()
}

// newerThan returns a reading of the store, between two events, that has a newer state of an object than s, or none because the informer has seen its
// deletion: it had the object before; nil: there is none.
func (v *observed) newerThan(s state, from, to int32) *reading {
	had := false
	for _, l := range v.readings.of(listKind) {
		if l.done.Num > to {
			return nil
		}
		o := l.itemOf(s.Key, s.UID)
		switch {
		case o != nil && l.call.Num > from && older(s.RV, o.RV), o == nil && had && l.item(s.Key) == nil && l.call.Num > from:
			return l
		case o != nil:
			had = true
		}
	}
	return nil
}

// lastWrite returns the answer to the last write of an object that the subject itself made before it read it; nil: there is
// none.
func (w *world) lastWrite(read *history.Event) (out *history.Event) {
	for i := range w.h.Events[:read.Num-1] {
		e := &w.h.Events[i]
		if e.Kind == writeKind && e.Phase == history.Return && e.Err() == nil && e.Actor == read.Actor && e.Obj.Key == read.Obj.Key {
			out = e
		}
	}
	return out
}

// judgeTransform looks for the mark of the transform on everything that the store and handlers have.
var judgeTransform = perInformer(func(v *observed, j *harness.Judgement) {
	if v.args.Transform != Mark {
		return
	}
	marked := func(s state, where string, num int32) {
		o := history.Content[metav1.PartialObjectMetadata](v.w.h, s.Body)
		if j.Tested++; o == nil || o.Annotations[Marked] != "yes" {
			j.Fail("a transformed object", fmt.Sprintf("%s: %s %s", where, s, s.Body), num)
		}
	}
	all := func(items []history.Ref, where string, num int32) {
		for i := range items {
			marked(stateOf(&items[i]), where, num)
		}
	}
	for _, l := range v.readings {
		all(l.items, l.kind, l.done.Num)
	}
	for _, p := range v.pushes {
		all(p.X.Items, p.Kind, p.Num)
	}
	for _, l := range v.handlers {
		for _, n := range l.notices {
			if n.state.UID != "" {
				marked(n.state, n.kind, n.call.Num)
			}
			if n.Old != nil {
				marked(*n.Old, "the old state of "+n.kind, n.call.Num)
			}
			if n.Held != nil {
				marked(*n.Held, "the store at "+n.kind, n.call.Num)
			}
		}
	}
})
