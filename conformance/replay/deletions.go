package replay

import (
	"cmp"
	"math"
	"slices"
)

// deletions finds the delete of each deletion that was shown, and adds those
// that no watch has shown: where one object follows another under one key, and
// where more deletes were acknowledged than shown.
func (b *builder) deletions() {
	b.bounds()
	b.firstUnseen = len(b.Versions)
	if b.ByOrder {
		return // each has its place
	}
	f := finder{builder: b, cursor: make([]int32, b.H.Keys())}
	for i := range b.Versions { // in order of ranks: what is near in time is near in memory
		f.end(int32(i))
	}
	if len(f.added) > 0 {
		b.weave(f.added)
	}
	b.bounds() // now with those of deletes
}

// finder looks for the end of each object that was.
type finder struct {
	*builder
	cursor []int32 // by key: how many of its versions lie behind
	added  []Version
}

// end looks whether version i is the last of its object, and for what ended it.
func (f *finder) end(i int32) {
	v := &f.Versions[i]
	of := f.OfKey(v.K)[f.cursor[v.K]:]
	f.cursor[v.K]++
	switch {
	case v.Gone:
	case len(of) == 1:
		if by := f.deleter(of); by.write != None || by.maybe {
			f.add(i, None, by)
		}
	case f.Versions[of[1]].Gone:
		f.endShown(i, of)
	case f.replaced(i, of[1]):
		by := f.deleter(of)
		if by.write == None {
			if w := f.openAt(&f.lost.deletes, v.K, f.Versions[of[1]].known); w != None {
				f.Writes[w].Version = f.next()
			}
		}
		f.add(i, of[1], by)
	case f.mayHaveBeenReplaced(i, of[1]):
		f.add(i, of[1], deleter{write: None})
	}
}

// endShown: a deletion follows that was shown.
func (f *finder) endShown(i int32, of []int32) {
	by := f.deleter(of)
	if f.hidden(f.Versions[i].K, f.Versions[of[1]].known) {
		by.end = 0
	}
	if f.ofAnother(i, of[1], by.end == 0) {
		f.add(i, of[1], deleter{write: None})
	}
	f.shown(i, of[1], by)
}

// next is the index that the next deletion gets.
func (f *finder) next() int32 { return int32(len(f.Versions) + len(f.added)) }

// add puts a deletion that was not shown between two versions.
func (f *finder) add(v, next int32, by deleter) {
	if by.write != None {
		f.Writes[by.write].Version = f.next()
	}
	f.added = append(f.added, f.unseen(v, next, by))
}

// deleter is the acknowledged delete that ended an object, as far as can be
// told: write is None where there is none. Several may have been under way. The
// object's end lies between the first of their calls and the answer of write,
// which is the event with number end; 0 where that is not certain.
type deleter struct {
	write, call, end int32
	maybe            bool // a delete that was taken for an earlier object may have been this one's
}

// deleter finds the delete that can have ended the first of these versions of a
// key: one that was under way between the object's write and the first event
// that tells of its end. Of several the one that was answered first: objects
// end one after the other, so that whichever it was, this one had ended by
// then.
func (b *builder) deleter(of []int32) deleter {
	v := &b.Versions[of[0]]
	begin, end := v.since, int32(math.MaxInt32)
	for _, i := range of[1:] {
		end = min(end, b.Versions[i].known)
		if !b.Versions[i].Gone {
			break
		}
	}
	by, lost := deleter{write: None, call: math.MaxInt32}, false
	if i := b.openAt(&b.lost.deletes, v.K, end); i != None {
		lost, by.call = true, b.Writes[i].Call
	}
	fitting := false
	for _, i := range b.deletesAfter(v.K, begin) {
		w := &b.Writes[i]
		if w.Call > end {
			break
		}
		if w.Return < begin {
			continue
		}
		by.call = min(by.call, w.Call)
		fits := b.demands(w, v)
		by.maybe = by.maybe || b.loose[i]
		if w.Version != None || fitting && !fits || !fits && lost {
			continue
		}
		if by.write == None || fits && !fitting || w.Return < b.Writes[by.write].Return {
			by.write, by.end, fitting = i, w.Return, fits
		}
	}
	if by.write != None && b.hidden(v.K, by.end) {
		by.end = 0
	}
	if by.write != None && lost {
		if b.loose == nil {
			b.loose = map[int32]bool{}
		}
		b.loose[by.write] = true
	}
	return by
}

// deletesAfter are the acknowledged deletes of a key, but for those at the
// front that were answered before the event with this number.
func (b *builder) deletesAfter(k, num int32) []int32 {
	all := b.deletes.of(k)
	for int(b.passed[k]) < len(all) && b.Writes[all[b.passed[k]]].Return < num {
		b.passed[k]++
	}
	return all[b.passed[k]:]
}

// hidden: a create whose answer was lost, called before the event with this
// number, may have made an object that nothing has shown. Then a delete may
// have been that one's.
func (b *builder) hidden(k, num int32) bool {
	return b.openAt(&b.lost.creates, k, num) != None
}

// ofAnother says that a deletion that was shown may be that of an object that
// was never shown itself.
func (b *builder) ofAnother(live, gone int32, hidden bool) bool {
	is, was := b.Versions[gone].Obj.UID, b.Versions[live].Obj.UID
	return hidden && is == "" || is != "" && is != was
}

// mayHaveBeenReplaced: where objects have no uids, a delete and a create whose
// answer was lost may have come between two versions.
func (b *builder) mayHaveBeenReplaced(v, next int32) bool {
	i := &b.Versions[next]
	if i.Obj.UID != "" || !b.deletedBefore(i.K, i.known) {
		return false
	}
	w := b.openAt(&b.lost.creates, i.K, i.known)
	return w != None && b.acked[b.Writes[w].Call] < i.N
}

// demands says that a version is what a delete's precondition asks for.
func (b *builder) demands(w *Write, v *Version) bool {
	if w.pre != 0 && w.pre != v.N {
		return false
	}
	uid := b.H.Event(w.Call).Obj.UID
	return uid == "" || uid == v.Obj.UID
}

// shown ties a deletion that was shown to its delete.
func (b *builder) shown(live, gone int32, by deleter) {
	v := &b.Versions[gone]
	if by.write != None {
		v.Sure, v.Call, v.since, v.By = true, b.Writes[by.write].Call, by.call, by.end
		b.Writes[by.write].Version = gone
		return
	}
	if v.Call != 0 || b.marked(&b.Versions[live]) { // by a lost delete, or by whoever took its finalizer
		return
	}
	if w := b.openAt(&b.lost.deletes, v.K, v.known); w != None {
		v.Call, v.since, b.Writes[w].Version = b.Writes[w].Call, b.Writes[w].Call, gone
	} else if !b.older[v.K] { // nobody had leave to
		b.Phantoms = append(b.Phantoms, v.Seen)
	}
}

// unseen is the deletion between version v and next.
func (b *builder) unseen(v, next int32, by deleter) Version {
	d := Version{K: b.Versions[v].K, Prev: v, Gone: true, After: b.Versions[v].N, Before: math.MaxInt32}
	if next != None {
		d.Before = b.Versions[next].N
	}
	if by.write == None {
		return d
	}
	d.Sure, d.Call, d.since, d.By = by.end != 0, b.Writes[by.write].Call, by.call, by.end
	lo, hi := max(d.After, b.acked[by.call]), d.Before
	if by.end != 0 {
		hi = min(hi, b.later(by.end))
	}
	if lo < hi { // else answers contradict each other: stay with what this key says
		d.After, d.Before = lo, hi
	}
	return d
}

// weave appends the deletions and gives them their places in their keys' chains.
func (b *builder) weave(added []Version) {
	base := int32(len(b.Versions))
	place := b.sortUnseen(added, base)
	follow := slices.Repeat([]int32{None}, int(base)) // by version: the deletion after it
	for i := range added {
		follow[added[i].Prev] = base + int32(i)
	}
	for i := range b.Writes {
		if v := b.Writes[i].Version; v >= base {
			b.Writes[i].Version = place[v-base]
		}
	}
	b.Versions = append(b.Versions, added...)
	of := make([]int32, 0, len(b.Versions))
	start := make([]int32, len(b.start))
	for k := range len(b.start) - 1 {
		start[k] = int32(len(of))
		for _, i := range b.ofKey[b.start[k]:b.start[k+1]] {
			b.Versions[i].Prev = None
			if int(start[k]) < len(of) {
				b.Versions[i].Prev = of[len(of)-1]
			}
			of = append(of, i)
			if follow[i] != None {
				of = append(of, follow[i])
			}
		}
	}
	start[len(start)-1] = int32(len(of))
	b.start, b.ofKey = start, of
}

// sortUnseen sorts by Before, and says which index each has then.
func (b *builder) sortUnseen(added []Version, base int32) []int32 {
	order := make([]int32, len(added))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(x, y int32) int { return cmp.Compare(added[x].Before, added[y].Before) })
	sorted, place := make([]Version, len(added)), make([]int32, len(added))
	for to, from := range order {
		sorted[to], place[from] = added[from], base+int32(to)
	}
	copy(added, sorted)
	return place
}

// bounds finds for each moment the largest N acknowledged before it.
func (b *builder) bounds() {
	if b.acked == nil {
		b.acked = make([]int32, len(b.H.Events)+2)
	}
	for i := range b.Versions {
		v := &b.Versions[i]
		if v.Gone && !b.ByOrder && (v.Obj == nil || v.Obj.UID == "") {
			continue // without uids the delete may have been another's
		}
		if v.By != 0 {
			b.acked[v.By+1] = max(b.acked[v.By+1], v.N)
		}
	}
	for n := 1; n < len(b.acked); n++ {
		b.acked[n] = max(b.acked[n], b.acked[n-1])
	}
}

// later is the smallest N of any write that was called after the event with
// this number: what happened before that event is below it.
func (b *builder) later(num int32) int32 {
	i, _ := slices.BinarySearchFunc(b.Writes, num, func(w Write, num int32) int { return int(w.Call - num) })
	if i == len(b.Writes) {
		return math.MaxInt32
	}
	return b.smallest()[i]
}

// smallest is, for each write, the smallest N of it and all called after it.
func (b *builder) smallest() []int32 {
	if b.suffix != nil {
		return b.suffix
	}
	b.suffix = make([]int32, len(b.Writes))
	low := int32(math.MaxInt32)
	for i := len(b.Writes) - 1; i >= 0; i-- {
		// unseen deletions come after all others, and have no N yet
		if w := &b.Writes[i]; w.Version != None && int(w.Version) < len(b.Versions) && !b.Versions[w.Version].Gone && b.changed(w) {
			low = min(low, b.Versions[w.Version].N)
		}
		b.suffix[i] = low
	}
	return b.suffix
}

// changed says that a write changed something for certain: it may have found
// what a write of unknown outcome had made before, and answered with that.
func (b *builder) changed(w *Write) bool {
	if w.Verb == Create || w.pre != 0 {
		return true
	}
	for _, lost := range [][]int32{b.lost.changes.of(w.K), b.lost.creates.of(w.K)} {
		if len(lost) > 0 && b.Writes[lost[0]].Call < w.Return {
			return false
		}
	}
	return true
}
