package replay

import (
	"slices"

	"github.com/lwtest/lwtest/harness/history"
)

// glimpse is an object that an event shows.
type glimpse struct {
	obj     *history.Ref
	num     int32 // of the event
	call    int32 // to which that belongs
	k, n    int32
	deleted bool
}

// glance keeps what shows something that no write has answered with so far.
// Keys that no write has named so far may yet be.
func (b *builder) glance(e *history.Event, obj *history.Ref) {
	if obj.N == 0 || b.ByOrder || b.own[obj.K] && b.placed(obj.K, obj.N) != None {
		return
	}
	b.early = append(b.early, glimpse{obj, e.Num, e.Call, obj.K, obj.N, e.Kind == Deleted})
}

func itemsOf(e *history.Event) []history.Ref {
	if e.X == nil {
		return nil
	}
	return e.X.Items
}

// placeSeen adds what only watches, lists and gets have shown: deletions, and
// writes whose answer was lost. Deletions come last: an object that leaves a
// selector comes as DELETED, too, and what else was shown tells the two apart.
func (b *builder) placeSeen() {
	for _, g := range b.early {
		if !b.own[g.k] {
			continue
		}
		switch i := b.placed(g.k, g.n); {
		case i != None:
			b.again(&b.temp[i], g)
		case g.deleted:
			b.late = append(b.late, g)
		default:
			b.seeObject(g)
		}
	}
	for _, g := range b.late {
		if b.placed(g.k, g.n) == None {
			b.seeDeleted(g)
		}
	}
}

// again sees a change that is known already.
func (b *builder) again(v *Version, g glimpse) {
	if v.known <= g.num {
		return
	}
	v.known = g.num
	if v.Call > g.num && !g.deleted && (v.Obj.Body == g.obj.Body || b.deletedBefore(g.k, g.num)) {
		// It was there before the write that answered with it was called: that
		// write changed nothing. What it answered need not be what is stored.
		b.Writes[b.nth[v.Call]].Version = None
		v.Call, v.since, v.Obj, v.Seen, v.pre = 0, 0, g.obj, g.num, 0
		v.labels, v.fields = setOf(g.obj.Labels), setOf(g.obj.Fields)
	}
}

func (b *builder) seeObject(g glimpse) {
	w := b.storing(g.obj, g.num)
	if w == None && !b.older[g.k] && !b.sentByClient(g.obj) {
		w = b.marking(g.k, g.num)
	}
	if w == None {
		if !b.older[g.k] {
			b.Phantoms = append(b.Phantoms, g.num)
		}
		return
	}
	by := &b.Writes[w]
	by.Version = b.place(Version{N: g.n, K: g.k, Obj: g.obj, Seen: g.num, known: g.num, Call: by.Call, since: by.Call, pre: by.pre, created: by.Verb == Create})
}

// seeDeleted sees a DELETED at a revision that no other change explains.
func (b *builder) seeDeleted(g glimpse) {
	if b.mayHaveLeft(g) {
		return
	}
	v := Version{N: g.n, K: g.k, Gone: true, Obj: g.obj, Seen: g.num, known: g.num}
	if len(b.deletes.of(g.k)) > 0 {
		b.place(v) // finder finds whose it is
		return
	}
	w := b.openAt(&b.lost.deletes, g.k, g.num)
	if w == None {
		b.Phantoms = append(b.Phantoms, g.num)
		return
	}
	v.Call = b.Writes[w].Call
	b.Writes[w].Version = b.place(v)
}

// mayHaveLeft: a write whose answer was lost may have taken the object out of
// the selector of this watch. Then nobody knows what this DELETED tells.
func (b *builder) mayHaveLeft(g glimpse) bool {
	return b.openAt(&b.lost.changes, g.k, g.num) != None && b.selects(g.call)
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

// sent is content that a client asked to be stored.
type sent struct {
	k    int32
	body string
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
