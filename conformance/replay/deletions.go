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
		f.weave()
	}
	b.bounds() // now with what deletes were answered
}

// finder looks for the end of each object that was.
type finder struct {
	*builder
	cursor []int32   // by key: how many of its versions lie behind
	added  []unshown // what no watch has shown
}

// unshown is a deletion that no watch has shown, the version after it, and the
// write that made it; None for none.
type unshown struct {
	Version
	next, write int32
}

// end looks whether version i is the last of its object, and for what ended it.
func (f *finder) end(i int32) {
	v := &f.Versions[i]
	at := f.cursor[v.K]
	f.cursor[v.K]++
	if v.Gone || !f.lasts[i] {
		return
	}
	of := f.OfKey(v.K)[at:]
	switch {
	case len(of) == 1:
		if by := f.deleter(of); by.write != None || by.maybe {
			f.add(i, None, by)
		}
	case f.Versions[of[1]].Gone:
		f.endShown(i, of)
	case f.replaced(i, of[1]):
		by := f.deleter(of)
		d := f.add(i, of[1], by)
		if by.write == None {
			d.write = f.openAt(&f.lost.deletes, v.K, f.Versions[of[1]].known)
			f.take(d.write)
			f.prove(d)
		}
	case f.mayHaveBeenReplaced(i, of[1]):
		f.add(i, of[1], deleter{write: None})
	}
}

// prove lets a deletion be certain that no answer tells: acknowledged writes show one object before it, and another after.
func (f *finder) prove(d *unshown) {
	was, is := &f.Versions[d.Prev], &f.Versions[d.next]
	if d.write == None || !was.Sure || !is.Sure || is.verb != kindCreate && (was.uid == 0 || is.uid == 0) {
		return
	}
	w := &f.Writes[d.write]
	first := f.Writes[f.lost.deletes.of(w.K)[0]].Call // which may have been this one's, though it is taken for a later object's
	d.Sure, d.Call, d.since, d.By = true, w.Call, max(was.since, min(first, w.Call)), is.By
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

// taken is the version of a write until its place is known.
const taken = math.MaxInt32

// take keeps a write from being taken for anything else.
func (f *finder) take(w int32) {
	if w != None {
		f.Writes[w].Version = taken
	}
}

// add puts a deletion that was not shown between two versions.
func (f *finder) add(v, next int32, by deleter) *unshown {
	f.take(by.write)
	f.added = append(f.added, unshown{f.unseen(v, next, by), next, by.write})
	return &f.added[len(f.added)-1]
}

// shown ties a deletion that was shown to its delete.
func (b *builder) shown(live, gone int32, by deleter) {
	v := &b.Versions[gone]
	if by.write != None {
		v.Sure, v.Call, v.since, v.By = true, b.Writes[by.write].Call, by.call, by.end
		if by.end != 0 && v.uid != 0 && (inWords(v.Obj.Body) || !b.MayBeMarked(v.Obj)) { // without uids the delete may have been another's; or it was marked already
			b.acknowledge(by.end, v.N)
		}
		b.Writes[by.write].Version = gone
		return
	}
	if v.Call != 0 || b.Versions[live].marked() { // by a lost delete, or by whoever took its finalizer
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

// weave appends the deletions, sorted by Before, and gives them their places in
// their keys' chains.
func (f *finder) weave() {
	slices.SortStableFunc(f.added, func(x, y unshown) int { return cmp.Compare(x.Before, y.Before) })
	base := len(f.Versions)
	follow := slices.Repeat([]int32{None}, base) // by version: the deletion after it
	for n := range f.added {
		d, i := &f.added[n], int32(base+n)
		follow[d.Prev] = i
		if d.next != None {
			f.Versions[d.next].Prev = i
		}
		if d.write != None {
			f.Writes[d.write].Version = i
		}
		f.Versions = append(f.Versions, d.Version)
	}
	of := make([]int32, 0, len(f.Versions))
	start := make([]int32, len(f.start))
	for k := range len(f.start) - 1 {
		start[k] = int32(len(of))
		for _, i := range f.ofKey[f.start[k]:f.start[k+1]] {
			of = append(of, i)
			if follow[i] != None {
				of = append(of, follow[i])
			}
		}
	}
	start[len(start)-1] = int32(len(of))
	f.start, f.ofKey = start, of
}
