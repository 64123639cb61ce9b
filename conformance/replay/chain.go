package replay

import (
	"math"
	"slices"
)

// chain lays out each key's versions in order, links each to the one before,
// and takes out deletions that were shown but cannot have been.
func (b *builder) chain() {
	b.lay()
	if !b.ByOrder && b.dropImpossible() {
		b.lay()
	}
}

// dropImpossible removes deletions of what did not exist or what lived on.
func (b *builder) dropImpossible() bool {
	var drop []int32
	for i := range b.Versions {
		v := &b.Versions[i]
		if v.Gone && (v.Prev == None || b.Versions[v.Prev].Gone || b.livesOn(int32(i))) {
			drop = append(drop, int32(i))
		}
	}
	if len(drop) == 0 {
		return false
	}
	kept, moved := b.Versions[:0:0], make([]int32, len(b.Versions))
	for i := range b.Versions {
		moved[i] = None
		if len(drop) > 0 && drop[0] == int32(i) {
			b.Phantoms = append(b.Phantoms, b.Versions[i].Seen)
			drop = drop[1:]
			continue
		}
		moved[i] = int32(len(kept))
		kept = append(kept, b.Versions[i])
	}
	b.Versions = kept
	b.move(moved)
	return true
}

// livesOn says that after a deletion the very same object is seen again.
func (b *builder) livesOn(i int32) bool {
	v := &b.Versions[i]
	of := b.OfKey(v.K)
	j := slices.Index(of, i)
	before := b.Versions[v.Prev].Obj
	return j+1 < len(of) && !b.Versions[of[j+1]].Gone && b.Versions[of[j+1]].Obj.UID == before.UID && before.UID != ""
}

// lay links the versions of each key.
func (b *builder) lay() {
	count := make([]int32, b.H.Keys()+1)
	for i := range b.Versions {
		count[b.Versions[i].K+1]++
	}
	for k := 1; k < len(count); k++ {
		count[k] += count[k-1]
	}
	b.start = count
	b.ofKey = make([]int32, len(b.Versions))
	next := slices.Clone(count)
	for i := range b.Versions {
		v := &b.Versions[i]
		v.Prev = None
		if next[v.K] > count[v.K] {
			v.Prev = b.ofKey[next[v.K]-1]
		}
		b.ofKey[next[v.K]] = int32(i)
		next[v.K]++
	}
}

// deletions adds those that no watch has shown: where one object follows
// another under one key, and where more deletes were acknowledged than shown.
func (b *builder) deletions() {
	b.bounds()
	if b.ByOrder {
		return // each has its place
	}
	var added []Version
	after := map[int32]int32{} // version it follows: index in added
	for k := range b.deletes {
		if len(b.deletes[k]) > 0 {
			added = b.deletionsOf(int32(k), added, after)
		}
	}
	if len(added) == 0 {
		return
	}
	b.weave(added, after)
}

// deletionsOf finds the deletions of one key that were not shown. Acknowledged
// deletes are taken in order for the ends of objects that they can have made.
func (b *builder) deletionsOf(k int32, added []Version, after map[int32]int32) []Version {
	of, deletes := b.OfKey(k), b.deletes[k]
	for j, i := range of {
		v := &b.Versions[i]
		if v.Gone {
			continue
		}
		next := int32(None)
		if j+1 < len(of) {
			next = of[j+1]
		}
		w := int32(None)
		if len(deletes) > 0 && b.ends(&b.Writes[deletes[0]], of[j:]) {
			w = deletes[0]
		}
		switch {
		case next != None && b.Versions[next].Gone:
			if w != None {
				b.acknowledge(next, w)
				deletes = deletes[1:]
			} else if !b.takeOpen(b.Versions[next].Obj, true, next) { // it was deleted, and nobody had leave to
				b.Phantoms = append(b.Phantoms, b.Versions[next].Seen)
			}
			continue
		case next == None && w == None, next != None && b.Versions[next].Obj.UID == v.Obj.UID:
			continue
		}
		if w != None {
			deletes = deletes[1:]
		}
		after[i] = int32(len(added))
		added = append(added, b.unseen(i, next, w))
	}
	return added
}

// ends says whether an acknowledged delete can have ended the first of these
// versions of a key, before the others came.
func (b *builder) ends(w *Write, of []int32) bool {
	if b.Versions[of[0]].Call > w.Return {
		return false
	}
	for _, i := range of[1:] {
		v := &b.Versions[i]
		if v.Gone {
			if v.Seen < w.Call {
				return false
			}
			continue
		}
		return v.By == 0 || v.By > w.Call
	}
	return true
}

// acknowledge ties a deletion that was shown to its delete.
func (b *builder) acknowledge(v, w int32) {
	b.Versions[v].Sure = true
	b.Versions[v].Call, b.Versions[v].By = b.Writes[w].Call, b.Writes[w].Return
	b.Writes[w].Version = v
}

// unseen is the deletion between version v and next, by write w where it is known.
func (b *builder) unseen(v, next, w int32) Version {
	d := Version{K: b.Versions[v].K, Prev: v, Gone: true, Sure: w != None, After: b.Versions[v].N, Before: math.MaxInt32}
	if next != None {
		d.Before = b.Versions[next].N
	}
	if w == None {
		return d
	}
	wr := &b.Writes[w]
	d.Call, d.By = wr.Call, wr.Return
	lo, hi := max(d.After, b.acked[wr.Call]), min(d.Before, b.later(wr.Return))
	if lo < hi { // else answers contradict each other: stay with what this key says
		d.After, d.Before = lo, hi
	}
	return d
}

// weave appends the deletions and gives them their places in their keys' chains.
func (b *builder) weave(added []Version, after map[int32]int32) {
	base := int32(len(b.Versions))
	for i := range added {
		b.attach(&added[i], base+int32(i))
	}
	b.Versions = append(b.Versions, added...)
	var of []int32
	start := make([]int32, len(b.start))
	for k := range len(b.start) - 1 {
		start[k] = int32(len(of))
		for _, i := range b.ofKey[b.start[k]:b.start[k+1]] {
			b.Versions[i].Prev = None
			if int(start[k]) < len(of) {
				b.Versions[i].Prev = of[len(of)-1]
			}
			of = append(of, i)
			if d, ok := after[i]; ok {
				of = append(of, base+d)
			}
		}
	}
	start[len(start)-1] = int32(len(of))
	b.start, b.ofKey = start, of
}

func (b *builder) attach(d *Version, index int32) {
	if !d.Sure {
		return
	}
	for _, i := range b.deletes[d.K] {
		if b.Writes[i].Call == d.Call {
			b.Writes[i].Version = index
		}
	}
}

// bounds finds for each moment the largest N acknowledged before it.
func (b *builder) bounds() {
	b.acked = make([]int32, len(b.H.Events)+2)
	made := make([]int32, len(b.H.Events)+1) // by number of return: N
	for i := range b.Versions {
		v := &b.Versions[i]
		if v.By != 0 && (b.ByOrder || !v.Gone) {
			made[v.By] = v.N
		}
	}
	top := int32(0)
	for n := int32(1); int(n) < len(b.acked); n++ {
		b.acked[n] = top
		if int(n) < len(made) {
			top = max(top, made[n])
		}
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
		if v := b.Writes[i].Version; v != None && b.Versions[v].N != 0 && !b.Versions[v].Gone {
			low = min(low, b.Versions[v].N)
		}
		b.suffix[i] = low
	}
	return b.suffix
}

// haze keeps the writes whose outcome nothing has shown, by key, and marks the
// versions that one of them may have come before.
func (b *builder) haze() {
	for k, open := range b.open {
		if len(open) == 0 {
			continue
		}
		if b.doubts == nil {
			b.doubts = make([][]int32, b.H.Keys())
		}
		b.doubts[k] = open
		for _, i := range b.OfKey(k) {
			v := &b.Versions[i]
			v.Hazy = b.doubtful(k, v.Prev, v.Before-1) && !b.follows(v)
		}
	}
}

// follows says that a version was made by a write with the version before it as its precondition.
func (b *builder) follows(v *Version) bool {
	if v.Call == 0 || v.Prev == None || b.Versions[v.Prev].Obj == nil {
		return false
	}
	rv := b.H.Event(v.Call).Obj.RV
	return rv != "" && rv == b.Versions[v.Prev].Obj.RV
}
