package informer

import (
	"fmt"
	"slices"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeDeletes looks, when nothing moves, for what was deleted while no watch was open.
func judgeDeletes(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, v := range worldOf(h).informers {
		before := int32(0)
		for _, r := range v.resting() {
			for _, line := range v.mine() {
				for _, w := range line.writes {
					if w.gone && w.call > before && w.done < r.num && len(v.watching(w.done)) == 0 {
						v.heard(&j, line, w, r)
					}
				}
			}
			before = r.num
		}
	}
	return j
}

// heard looks at the store, and at each handler that knew the object, for what should tell of its deletion.
func (v *observed) heard(j *harness.Judgement, line *line, w *write, r rest) {
	if r.store != nil && v.knew(w.now, w.call) {
		j.Tested++
		for i := range r.store.items {
			if o := &r.store.items[i]; o.Key == line.key && o.UID == w.now.UID {
				j.Fail("not "+line.key+" of before: "+w.String(), stateOf(o).String(), w.done, r.store.done.Num)
			}
		}
	}
	for _, l := range v.handlers {
		if n := l.knowledge(w.call)[line.key]; n == nil || n.kind == Deleted || n.now.UID != w.now.UID || !l.rested(r) {
			continue
		}
		j.Tested++
		var deletes []int32
		told, next := false, false // next: another object has the name
		for _, n := range l.notices {
			if n.now.Key != line.key || n.call.Num < w.call || n.call.Num > r.num {
				continue
			}
			if n.kind == Deleted && (n.now.UID == "" && !next || n.now.UID == w.now.UID) {
				deletes = append(deletes, n.call.Num)
			}
			told = told || n.kind == Deleted || n.now.UID != w.now.UID
			next = next || n.now.UID != "" && n.now.UID != w.now.UID
		}
		switch {
		case !told:
			j.Fail("a delete: "+w.String(), "nothing", w.done, r.num)
		case len(deletes) > 1:
			j.Fail("one delete", fmt.Sprintf("%d of %s", len(deletes), line.key), deletes[0], deletes[1])
		}
	}
}

// knew says that the store was read, before an event, to have an object of that uid.
func (v *observed) knew(s state, num int32) bool {
	for _, l := range v.looks {
		if l.kind == listKind && l.done.Num < num {
			for i := range l.items {
				if l.items[i].Key == s.Key && l.items[i].UID == s.UID {
					return true
				}
			}
		}
	}
	return false
}

// rested says that a moment is one at which the handler must have been told of everything.
func (l *listener) rested(r rest) bool {
	next := l.v.w.end
	for _, num := range l.v.rests {
		if num > r.num {
			next = min(next, num)
		}
	}
	return slices.ContainsFunc(l.restful(), func(num int32) bool { return num > r.num && num < next })
}

// judgeRecreated looks at objects whose uid has changed between two moments at which nothing moved.
func judgeRecreated(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, v := range worldOf(h).informers {
		before := int32(0)
		for _, r := range v.resting() {
			for _, line := range v.mine() {
				was, is := line.at(before), line.at(r.num)
				if was.there() && is.there() && was.now.UID != is.now.UID {
					v.renewed(&j, line.key, was, is, r)
				}
			}
			before = r.num
		}
		for _, l := range v.handlers {
			l.noticesUID(&j)
		}
	}
	return j
}

func (v *observed) renewed(j *harness.Judgement, key string, was, is *write, r rest) {
	want := fmt.Sprintf("%s with the uid of the new object", key)
	if r.store != nil && v.knew(was.now, is.call) {
		j.Tested++
		for i := range r.store.items {
			if o := &r.store.items[i]; o.Key == key && o.UID == was.now.UID {
				j.Fail(want, stateOf(o).String()+" with that of the old", is.done, r.store.done.Num)
			}
		}
	}
	for _, l := range v.handlers {
		n := l.knowledge(r.num)[key]
		if n == nil || !l.rested(r) {
			continue
		}
		if j.Tested++; n.now.UID == was.now.UID {
			j.Fail("a delete and an add, or an update whose uid differs", "nothing after "+n.kind+" "+n.now.String(), is.done, n.call.Num, r.num)
		}
	}
}

// noticesUID holds the old state of each update against what the handler was told before.
func (l *listener) noticesUID(j *harness.Judgement) {
	knows := map[string]*notice{}
	for _, n := range l.told() {
		was := knows[n.now.Key]
		knows[n.now.Key] = n
		if n.kind != Updated || was == nil || was.kind == Deleted || was.now.UID == n.now.UID || n.Old == nil && l.v.w.has(NewStateOnly) {
			continue
		}
		if j.Tested++; n.Old == nil || n.Old.UID != was.now.UID {
			j.Fail("an update whose old uid is the one told before", "UPDATE "+n.now.String()+", old and new of one uid", was.call.Num, n.call.Num)
		}
	}
}
