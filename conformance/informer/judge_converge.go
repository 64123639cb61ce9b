package informer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// holds says that an object is of the informer's namespace.
func (v *observed) holds(key string) bool {
	return v.args.Namespace == "" || strings.HasPrefix(key, v.args.Namespace+"/")
}

func sorted(all []*line) []*line {
	slices.SortFunc(all, func(a, b *line) int { return cmp.Compare(a.key, b.key) })
	return all
}

// same says that an object shown is in the state that a write made, but for the mark of the transform. What a type
// without content leaves of it is not looked at here.
func (v *observed) same(w *write, s state) bool {
	if w.now.UID != s.UID || w.now.RV != s.RV {
		return false
	}
	return v.sameBody(w.now.Body, s.Body)
}

func (v *observed) sameBody(a, b string) bool {
	if v.w.has(NoImmutable) {
		a, b = mutable.Replace(a), mutable.Replace(b)
	}
	return a == b || v.w.has(MetadataOnly) || v.args.Transform != "" && unmarked.Replace(a) == unmarked.Replace(b)
}

// unmarked takes the mark of the transform away.
var unmarked = strings.NewReplacer(`"annotations":{"`+Marked+`":"yes"},`, "", `"`+Marked+`":"yes",`, "", `,"`+Marked+`":"yes"`, "")

// mutable takes away that an object is immutable: metadata always follows.
var mutable = strings.NewReplacer(`"immutable":true,`, "")

// judgeEqual compares the store with what was written, whenever nothing moves any more.
func judgeEqual(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, v := range worldOf(h).informers {
		for _, r := range v.resting() {
			if r.store != nil {
				j.Tested++
				v.equal(&j, r)
			}
		}
	}
	return j
}

func (v *observed) equal(j *harness.Judgement, r rest) {
	has := map[string]*history.Ref{}
	for i := range r.store.items {
		has[r.store.items[i].Key] = &r.store.items[i]
	}
	for _, l := range v.mine() {
		w, o := l.at(r.num), has[l.key]
		delete(has, l.key)
		switch {
		case v.w.pending(l.key, r.num): // it may have happened
		case !w.there() && o == nil:
		case !w.there():
			j.Fail("not "+l.key+": "+w.String(), stateOf(o).String(), w.done, r.store.done.Num)
		case o == nil:
			j.Fail(w.String(), "nothing under its key", w.done, r.store.done.Num)
		case !v.same(w, stateOf(o)):
			j.Fail(fmt.Sprintf("%s %s", w, w.now.Body), fmt.Sprintf("%s %s", stateOf(o), o.Body), w.done, r.store.done.Num)
		}
	}
	for _, o := range r.store.items {
		if has[o.Key] != nil {
			j.Fail("only what the server has", stateOf(&o).String(), r.store.done.Num)
		}
	}
}

// judgeTimeTravel follows what the store, and each handler, shows of each object.
func judgeTimeTravel(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, v := range worldOf(h).informers {
		v.storeTravels(&j)
		for _, l := range v.handlers {
			l.travels(&j)
		}
	}
	return j
}

func (v *observed) storeTravels(j *harness.Judgement) {
	t := traveller{v: v, j: j, at: map[string]place{}}
	last := int32(0)
	for _, l := range v.looks {
		if l.kind != listKind || !v.w.sound(l.call.Num) || l.call.Num < last {
			continue // one beside another may be of before it
		}
		last = l.done.Num
		t.whole(l.items, l.done.Num)
		for _, r := range v.resting() {
			if r.store == l {
				t.known(r)
			}
		}
	}
	if len(j.Bad) == 0 {
		v.readingsTravel(j)
	}
}

// readingsTravel follows those of single keys, and of the whole beside them, while something moves.
func (v *observed) readingsTravel(j *harness.Judgement) {
	rest := v.atRest()
	for _, g := range v.glances() {
		if g.kind != indexKind && !rest[g.reading] {
			g.moving(v, j)
		}
	}
}

// travels follows what a handler is told, and what the store had then.
func (l *listener) travels(j *harness.Judgement) {
	is := traveller{v: l.v, j: j, at: map[string]place{}}
	held := traveller{v: l.v, j: j, at: map[string]place{}}
	for _, n := range l.notices {
		if !l.v.w.sound(n.call.Num) {
			return
		}
		if n.Held != nil {
			held.shows(*n.Held, n.call.Num)
		}
		if n.kind == Deleted {
			is.gone(n.now.Key, n.call.Num)
		} else {
			is.shows(n.now, n.call.Num)
		}
	}
}

// place is how far in an object's life an observer has come.
type place struct {
	write int   // index in its line
	num   int32 // the event that shows it
	there bool
}

// traveller is an observer.
type traveller struct {
	v  *observed
	j  *harness.Judgement
	at map[string]place
}

// wholeList is a look at everything.
func (t *traveller) whole(items []history.Ref, num int32) {
	seen := map[string]bool{}
	for i := range items {
		seen[items[i].Key] = true
		t.shows(stateOf(&items[i]), num)
	}
	for _, key := range slices.Sorted(maps.Keys(t.at)) {
		if !seen[key] {
			t.gone(key, num)
		}
	}
}

// shows is that an object is in some state.
func (t *traveller) shows(s state, num int32) {
	l := t.v.w.lines[s.Key]
	first, last := l.places(s)
	p := t.at[s.Key]
	t.j.Tested++
	switch {
	case first < 0 && t.v.w.unanswered(s.Key, num):
		return // of a write that never has an answer: what it made of the object nobody knows
	case first < 0:
		t.j.Fail("a state that the object had", s.String(), num)
		return // of one that nobody wrote nothing more is known
	case !t.v.same(l.writes[first], s):
		t.j.Fail(fmt.Sprintf("a state that the object had: %s", l.writes[first].now.Body), fmt.Sprintf("%s %s", s, s.Body), num)
	case last < p.write:
		t.j.Fail(fmt.Sprintf("%s or newer", l.writes[p.write]), s.String(), p.num, num)
	}
	if first > p.write || !p.there {
		t.at[s.Key] = place{max(first, p.write), num, true}
	}
}

// gone is that it is no more: as after the first deletion since, or before it was there at all.
func (t *traveller) gone(key string, num int32) {
	p := t.at[key]
	if !p.there {
		return
	}
	t.j.Tested++
	l := t.v.w.lines[key]
	next := l.removedAfter(p.write, num)
	if next < 0 {
		t.j.Fail(fmt.Sprintf("%s or newer: it is not deleted", l.writes[p.write]), key+" gone", p.num, num)
		next = p.write
	}
	t.at[key] = place{next, num, false}
}

// known is that everything is as it was written, as far as the store has it.
func (t *traveller) known(r rest) {
	for _, l := range t.v.mine() {
		for i := len(l.writes) - 1; i >= 0; i-- {
			if w := l.writes[i]; w.done <= r.num {
				if has := slices.ContainsFunc(r.store.items, func(o history.Ref) bool { return o.Key == l.key }); has == w.gone {
					break
				}
				t.at[l.key] = place{i, r.store.done.Num, !w.gone}
				break
			}
		}
	}
}

// unanswered says that a write of an object was under way at an event, and ever after.
func (w *world) unanswered(key string, num int32) bool {
	return w.open != nil && w.open.now.Key == key && w.open.call < num
}

// pending says that a write of an object was under way at an event.
func (w *world) pending(key string, num int32) bool {
	if w.unanswered(key, num) {
		return true
	}
	l := w.lines[key]
	return l != nil && slices.ContainsFunc(l.writes, func(x *write) bool { return x.call < num && num < x.done })
}
