package replay

import (
	"slices"

	"github.com/lwtest/lwtest/harness/history"
)

// placeSeen adds what only watches, lists and gets have shown: deletions, and
// writes whose answer was lost. Deletions come last: an object that leaves a
// selector comes as DELETED, too, and what else was shown tells the two apart.
func (b *builder) placeSeen() {
	for i := range b.H.Events {
		e := &b.H.Events[i]
		switch e.Phase {
		case history.Notice:
			if isEvent(e.Kind) {
				b.see(e, &e.Obj, e.Kind == Deleted)
			}
		case history.Return:
			switch {
			case e.Kind == Get && e.Err() == nil:
				b.see(e, &e.Obj, false)
			case e.Kind == List && e.X != nil:
				for j := range e.X.Items {
					b.see(e, &e.X.Items[j], false)
				}
			}
		}
	}
	for _, num := range b.late {
		b.seeDeleted(b.H.Event(num))
	}
}

func (b *builder) see(e *history.Event, obj *history.Ref, deleted bool) {
	if obj.N == 0 || !b.own[obj.K] {
		return
	}
	switch i := b.placed(obj.K, obj.N); {
	case i != None:
		b.again(&b.temp[i], e, obj, deleted)
	case deleted:
		b.late = append(b.late, e.Num)
	default:
		b.seeObject(e, obj)
	}
}

// again sees a change that is known already.
func (b *builder) again(v *Version, e *history.Event, obj *history.Ref, deleted bool) {
	if v.known <= e.Num {
		return
	}
	v.known = e.Num
	if v.Call > e.Num && !deleted && (v.Obj.Body == obj.Body || b.deletedBefore(obj.K, e.Num)) {
		// It was there before the write that answered with it was called: that
		// write changed nothing. What it answered need not be what is stored.
		b.Writes[b.nth[v.Call]].Version = None
		v.Call, v.since, v.Obj, v.Seen, v.pre = 0, 0, obj, e.Num, 0
		v.labels, v.fields = setOf(obj.Labels), setOf(obj.Fields)
	}
}

func (b *builder) seeObject(e *history.Event, obj *history.Ref) {
	v := Version{N: obj.N, K: obj.K, Obj: obj, Seen: e.Num, known: e.Num}
	w := b.storing(obj, e.Num)
	if w == None && !b.older[obj.K] && !b.sentByClient(obj) {
		w = b.marking(obj.K, e.Num)
	}
	if w == None {
		if !b.older[obj.K] {
			b.Phantoms = append(b.Phantoms, e.Num)
		}
		return
	}
	b.Writes[w].Version = int32(len(b.temp))
	v.Call, v.since, v.pre, v.created = b.Writes[w].Call, b.Writes[w].Call, b.Writes[w].pre, b.Writes[w].Verb == Create
	b.place(v)
}

// seeDeleted sees a DELETED at a revision that no other change explains.
func (b *builder) seeDeleted(e *history.Event) {
	k := e.Obj.K
	if b.placed(k, e.Obj.N) != None || b.mayHaveLeft(e) {
		return
	}
	v := Version{N: e.Obj.N, K: k, Gone: true, Obj: &e.Obj, Seen: e.Num, known: e.Num}
	if len(b.deletes.of(k)) == 0 {
		w := b.openAt(&b.lost.deletes, k, e.Num)
		if w == None {
			b.Phantoms = append(b.Phantoms, e.Num)
			return
		}
		b.Writes[w].Version, v.Call = int32(len(b.temp)), b.Writes[w].Call
	}
	b.place(v)
}

// mayHaveLeft: a write whose answer was lost may have taken the object out of
// the selector of this watch. Then nobody knows what this DELETED tells.
func (b *builder) mayHaveLeft(e *history.Event) bool {
	return e.Call != 0 && b.openAt(&b.lost.changes, e.Obj.K, e.Num) != None && b.selects(e.Call)
}

// selects says whether a watch, by the number of its call, has selectors that an object can leave.
func (b *builder) selects(call int32) bool {
	i, ok := slices.BinarySearchFunc(b.Watches, call, func(w WatchCall, call int32) int { return int(w.Call - call) })
	return ok && (!b.Watches[i].Scope.Labels.Empty() || !b.Watches[i].Scope.onlyName())
}

// deletedBefore says whether a delete of the key had been called before the event with this number.
func (b *builder) deletedBefore(k, num int32) bool {
	if d := b.deletes.of(k); len(d) > 0 && b.Writes[d[0]].Call < num {
		return true
	}
	return b.openAt(&b.lost.deletes, k, num) != None
}

// marking is the delete that changed an object instead of removing it: with
// finalizers, or a period of grace, it is marked. None if none can have.
func (b *builder) marking(k, num int32) int32 {
	for _, i := range b.deletes.of(k) {
		if w := &b.Writes[i]; w.Version == None && w.Call < num {
			return i
		}
	}
	return b.openAt(&b.lost.deletes, k, num)
}

// marked says that a version is the mark of a delete that waits for something.
func (b *builder) marked(v *Version) bool {
	return !v.Gone && v.Call != 0 && b.H.Event(v.Call).Kind == Delete
}

// sentByClient says whether this run has sent that content: else the server made it.
func (b *builder) sentByClient(obj *history.Ref) bool {
	if b.sent == nil {
		b.sent = map[sent]struct{}{}
		for i := range b.Writes {
			w := &b.Writes[i]
			b.sent[sent{w.K, b.H.Event(w.Call).Obj.Body}] = struct{}{}
		}
	}
	_, ok := b.sent[sent{obj.K, obj.Body}]
	return ok
}
