package replay

import (
	"slices"

	"github.com/lwtest/lwtest/harness/history"
)

// glimpse is an object that an event shows.
type glimpse struct{ num, place, k, n int32 }

// The place of an object in an event, where it is not one of a list's items.
const (
	itself = -1 - iota
	itsEnd // shows that it has been deleted, or that it left the selector of a watch
)

// ends says that it may have been deleted.
func (g glimpse) ends() bool { return g.place == itsEnd }

func (b *builder) object(g glimpse) *history.Ref {
	e := b.H.Event(g.num)
	if g.place < 0 {
		return &e.Obj
	}
	return &e.X.Items[g.place]
}

// uidIn is the number of the uid that a glimpse shows, 0 for none.
func (b *builder) uidIn(g glimpse) int32 {
	if g.place < 0 {
		return b.briefs[g.num-1].UID
	}
	return b.H.UIDOf(b.object(g).UID)
}

// glance keeps what shows something that no write has answered with so far.
// Keys that no write has named so far may yet be.
func (b *builder) glance(g glimpse) {
	if g.n == 0 || b.ByOrder || b.own[g.k] && b.placed(g.k, g.n) != None {
		return
	}
	b.glimpses = append(b.glimpses, g)
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
	b.alive, b.unmade, b.firstShown = map[state]bool{}, map[state]string{}, map[state]int32{}
	late, marked, rest := []glimpse(nil), []glimpse(nil), []glimpse(nil)
	shared := b.Shared()
	for _, g := range b.unplaced {
		switch i := b.placed(g.k, g.n); {
		case i != None:
			if v := &b.temp[i]; v.known > g.num || v.Call > g.num {
				b.again(v, g)
			}
		case g.ends():
			late = append(late, g)
		case b.holds && IsDeleting(b.object(g).Body):
			marked = append(marked, g)
		case shared && !b.seeSent(g): // of a lost write, more than what it sent may be another client's
			rest = append(rest, g)
		case !shared:
			b.seeObject(g)
		}
	}
	for _, g := range rest {
		b.seeOrAgain(g)
	}
	for _, g := range late {
		if b.placed(g.k, g.n) == None {
			b.seeDeleted(g)
		}
	}
	slices.SortStableFunc(marked, func(x, y glimpse) int { return int(x.n - y.n) })
	for _, g := range marked { // of a mark it is known who made it where what was before is
		b.seeOrAgain(g)
	}
	b.glimpses, b.unplaced = nil, nil
}

// findUnplaced keeps what is not known to be a write's that was called before; of what is, it notes that it was seen so early.
func (b *builder) findUnplaced() {
	if b.ByOrder {
		return
	}
	b.unplaced = make([]glimpse, 0, len(b.glimpses)/2)
	for _, g := range b.glimpses {
		if !b.own[g.k] {
			continue
		}
		if i := b.placed(g.k, g.n); i == None || b.temp[i].Call > g.num && !g.ends() {
			b.unplaced = append(b.unplaced, g)
		} else {
			b.temp[i].known = min(b.temp[i].known, g.num)
		}
	}
}

// seeOrAgain sees what an event shows, if it is not known by now.
func (b *builder) seeOrAgain(g glimpse) {
	if i := b.placed(g.k, g.n); i == None {
		b.seeObject(g)
	} else if v := &b.temp[i]; v.known > g.num || v.Call > g.num {
		b.again(v, g)
	}
}

// seeSent sees what just that has been sent of which the answer was lost; it says whether it has.
func (b *builder) seeSent(g glimpse) bool {
	w := b.storingJust(g)
	if w != None {
		b.placeLost(w, g)
	} else if at := (state{g.k, g.n}); b.firstShown[at] == 0 {
		b.firstShown[at] = g.num
	}
	return w != None
}

// again sees a change that is known already, though not that it was seen so early.
func (b *builder) again(v *Version, g glimpse) {
	v.known = min(v.known, g.num)
	if v.Call <= g.num || g.ends() {
		return
	}
	if obj := b.object(g); v.Obj.Body != obj.Body && !b.deletedBefore(v.K, g.num) {
		return
	}
	// It was there before the write that answered with it was called: that
	// write changed nothing. What it answered need not be what is stored.
	by := &b.Writes[b.madeBy(v)]
	by.Version = None
	if b.answeredBy(v, g) {
		return
	}
	if (!b.older[g.k] || b.afterOwn(g)) && !IsDeleting(v.Obj.Body) { // another made it, if any did; of marks nobody may know which
		was := *v
		v.K, by.traits = removed, by.traits|idle
		b.seeObject(g)
		if i := b.placed(g.k, g.n); i != None {
			b.temp[i].Sure, b.temp[i].By = true, was.By // a write was answered with it
		} else {
			b.unmade[state{g.k, g.n}] = b.object(g).Body
		}
		return
	}
	v.Call, v.since, v.Seen, v.pre = 0, 0, g.num, 0
	b.show(v, g)
}

// answeredBy looks for a write that was answered with a version, too, and that was called before something showed it:
// then that one made it.
func (b *builder) answeredBy(v *Version, g glimpse) bool {
	for _, call := range b.also[state{g.k, g.n}] {
		w := &b.Writes[b.nth[call]]
		if w.Call > g.num || w.Version != None {
			continue
		}
		w.Version = b.placed(g.k, g.n)
		e := &b.briefs[w.Return-1]
		v.Call, v.since, v.By, v.pre, v.verb, v.both = w.Call, w.Call, w.Return, w.pre, w.acts, true
		v.Obj, v.labels, v.fields, v.uid = &b.H.Event(w.Return).Obj, e.Labels, e.Fields, e.UID
		return true
	}
	return false
}

// show lets a version be what a glimpse shows.
func (b *builder) show(v *Version, g glimpse) {
	v.Obj = b.object(g)
	if g.place >= 0 {
		v.labels, v.fields, v.uid = setOf(v.Obj.Labels), setOf(v.Obj.Fields), b.H.UIDOf(v.Obj.UID)
		return
	}
	e := &b.briefs[g.num-1]
	v.labels, v.fields, v.uid = e.Labels, e.Fields, e.UID
}

// state is what a key was at a rank.
type state struct{ k, n int32 }

// afterOwn says that a write of the key, answered or seen, lies before what is
// shown: even of what was there before the run, that state would be known.
func (b *builder) afterOwn(g glimpse) bool {
	if b.firstOwn == nil {
		b.firstOwn = map[int32]int32{}
		for i := range b.Writes {
			if w := &b.Writes[i]; w.Version != None && b.older[w.K] {
				n := b.temp[w.Version].N
				if first, ok := b.firstOwn[w.K]; !ok || n < first {
					b.firstOwn[w.K] = n
				}
			}
		}
	}
	first, ok := b.firstOwn[g.k]
	return ok && g.n > first
}

func (b *builder) seeObject(g glimpse) {
	obj := b.object(g)
	w := b.storing(g)
	if w == None && IsDeleting(obj.Body) && !ends(obj) && !b.onlyMarked(g, obj) { // what nothing keeps, a write would have ended
		w = b.changing(obj, g.num)
	}
	if w == None {
		w = b.stepShown(g)
	}
	if w == None && (obj.Body == "" || IsDeleting(obj.Body)) && !b.sentByClient(obj) {
		if w = b.marking(g); w != None && b.older[g.k] && !gives(b.asks(b.Writes[w].Call).PropagationPolicy) {
			w = None // nobody knows what was before
		}
	}
	if w == None && IsDeleting(obj.Body) {
		w = b.changing(obj, g.num)
	}
	if w == None {
		if !b.older[g.k] || b.afterOwn(g) {
			b.Phantoms = append(b.Phantoms, g.num)
			b.alive[state{g.k, g.n}] = true
		}
		b.unexplained = append(b.unexplained, g)
		if at := (state{g.k, g.n}); b.firstShown[at] == 0 {
			b.firstShown[at] = g.num
		}
		return
	}
	b.placeLost(w, g)
}

// placeLost lets what an event shows be what came of a write of which no answer told that.
func (b *builder) placeLost(w int32, g glimpse) {
	by := &b.Writes[w]
	by.Version = b.place(g.k, g.n)
	if first, ok := b.firstOwn[g.k]; b.firstOwn != nil && (!ok || g.n < first) {
		b.firstOwn[g.k] = g.n
	}
	v := &b.temp[by.Version]
	v.Seen, v.known, v.Call, v.since, v.pre, v.verb, v.step = g.num, g.num, by.Call, by.Call, by.pre, by.acts, by.is(step)
	b.show(v, g)
	if (by.mark != nil || by.is(step)) && by.Outcome == Done {
		v.Sure, v.By = true, by.Return
		if !gives(b.asks(by.Call).PropagationPolicy) { // else it may be what took what the policy gave
			b.acknowledge(by.Return, g.n)
		}
	}
}

// onlyMarked says that an object is as it was at the last change before that is known, but for the mark of a deletion.
func (b *builder) onlyMarked(g glimpse, obj *history.Ref) bool {
	for n := g.n - 1; n > 0; n-- {
		if i := b.placed(g.k, n); i != None {
			was := b.temp[i].Obj
			return was != nil && Unmarked(was.Body) == Unmarked(obj.Body) && was.Labels == obj.Labels
		}
	}
	return false
}

// seeDeleted sees a DELETED at a revision that no other change explains.
func (b *builder) seeDeleted(g glimpse) {
	if b.mayHaveLeft(g) {
		return
	}
	w, acked := int32(None), b.deletes.of(g.k)
	if b.alive[state{g.k, g.n}] && (len(acked) == 0 || b.Writes[acked[0]].Call > g.num) { // it left the selector by what somebody else wrote
		b.Phantoms = append(b.Phantoms, g.num)
		return
	}
	if len(acked) == 0 { // else finder finds whose it is
		if w = b.openAt(&b.lost.deletes, g.k, g.num); w == None {
			b.Phantoms = append(b.Phantoms, g.num)
			return
		}
	}
	i := b.place(g.k, g.n)
	v := &b.temp[i]
	v.Gone, v.Seen, v.known = true, g.num, g.num
	b.show(v, g)
	if w != None {
		b.Writes[w].Version, v.Call, v.verb = i, b.Writes[w].Call, kindDelete
	}
}

// mayHaveLeft: a write whose answer was lost may have taken the object out of
// the selector of this watch. Then nobody knows what this DELETED tells. What only marked it did not.
func (b *builder) mayHaveLeft(g glimpse) bool {
	if b.openAt(&b.lost.changes, g.k, g.num) == None || !b.leaves(g.num) {
		return false
	}
	open := b.lost.changes.of(g.k)[b.lost.changes.head[g.k]:]
	return slices.ContainsFunc(open, func(i int32) bool {
		w := &b.Writes[i]
		return w.Version == None && w.mark == nil && w.Call < g.num
	})
}

// deletedBefore says whether a delete of the key had been called before the event with this number.
func (b *builder) deletedBefore(k, num int32) bool {
	if d := b.deletes.of(k); len(d) > 0 && b.Writes[d[0]].Call < num {
		return true
	}
	return b.openAt(&b.lost.deletes, k, num) != None
}

// deleteCalled is deletedBefore, whatever has become of it.
func (b *builder) deleteCalled(k, num int32) bool {
	if b.deletedBefore(k, num) {
		return true
	}
	lost := b.lost.deletes.of(k)
	return len(lost) > 0 && b.Writes[lost[0]].Call < num
}

// marking is the delete that changed an object instead of removing it: with
// finalizers, or a period of grace, it is marked. None if none can have.
func (b *builder) marking(g glimpse) int32 {
	for _, i := range b.deletes.of(g.k) {
		if w := &b.Writes[i]; w.verb == kindDelete && w.Version == None && w.Call < g.num && b.mayBeOf(w, g) && !b.writtenSince(i, g.n) {
			return i
		}
	}
	for _, i := range b.lost.changes.of(g.k) { // of what has finalizers already
		w := &b.Writes[i]
		if w.mark != nil && w.Version == None && w.Call < g.num && gives(b.asks(w.Call).PropagationPolicy) && Stored(*w.mark, b.object(g).Body) {
			return i
		}
	}
	return b.openAt(&b.lost.deletes, g.k, g.num)
}

// writtenSince says that others wrote which were called after a write's answer, below rank n: what it did lies
// below them.
func (b *builder) writtenSince(i, n int32) bool {
	was := &b.Writes[i]
	for j := i + 1; int(j) < len(b.Writes) && was.Outcome != Unknown; j++ {
		if w := &b.Writes[j]; w.Version != None && w.Call > was.Return && b.temp[w.Version].N < n && (w.K == was.K || w.Outcome == Done && b.changed(w)) {
			return true
		}
	}
	return false
}

// shownFirst is the number of the first event that shows a state: what was called after that has not made it.
func (b *builder) shownFirst(g glimpse) int32 {
	if num := b.firstShown[state{g.k, g.n}]; num != 0 {
		return num
	}
	return g.num
}

// marked says that a version is the mark of a delete that waits for something.
func (v *Version) marked() bool { return !v.Gone && v.Call != 0 && v.verb == kindDelete }

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
			if body := b.H.Event(w.Call).Obj.Body; !IsDeleting(body) || b.H.Header.Check != "" { // who sends a mark has found it there
				b.sent[sent{w.K, body}] = struct{}{}
			}
		}
	}
	_, ok := b.sent[sent{obj.K, obj.Body}]
	return ok
}
