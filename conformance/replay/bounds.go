package replay

import (
	"math"
	"slices"
)

// acknowledge notes that a return, by its number, told of rank n.
func (b *builder) acknowledge(num, n int32) { b.acked[num+1] = max(b.acked[num+1], n) }

// bounds finds for each moment the largest N acknowledged before it, of what
// has been noted so far.
func (b *builder) bounds() {
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
	if w.acts == kindCreate || w.pre != 0 {
		return true
	}
	for _, lost := range [][]int32{b.lost.changes.of(w.K), b.lost.creates.of(w.K)} {
		if len(lost) > 0 && b.Writes[lost[0]].Call < w.Return {
			return false
		}
	}
	return true
}
