package replay

import (
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

// dropImpossible removes deletions of what did not exist or what lived on.
func (b *builder) dropImpossible() bool {
	var drop []int32
	for k := range int32(b.H.Keys()) {
		drop = b.impossibleOf(b.OfKey(k), drop)
	}
	if len(drop) == 0 {
		return false
	}
	slices.Sort(drop)
	kept, moved := b.Versions[:0:0], make([]int32, len(b.Versions))
	for i := range b.Versions {
		v := &b.Versions[i]
		moved[i] = None
		if len(drop) > 0 && drop[0] == int32(i) {
			drop = drop[1:]
			if !b.deletedBefore(v.K, v.Seen) {
				b.Phantoms = append(b.Phantoms, v.Seen)
			}
			continue
		}
		moved[i] = int32(len(kept))
		kept = append(kept, *v)
	}
	b.Versions = kept
	b.move(moved)
	return true
}

// impossibleOf looks through one key's versions. Of two deletions in a row one
// cannot have been: the first, where nobody had asked for any when it was shown.
func (b *builder) impossibleOf(of, drop []int32) []int32 {
	live := int32(None) // the object that a deletion can be of
	gone := int32(None) // the deletion of it
	for _, i := range of {
		switch v := &b.Versions[i]; {
		case !v.Gone && gone != None && v.Obj.UID != "" && !b.replaced(live, i):
			drop = append(drop, gone)
			live, gone = i, None
		case !v.Gone:
			live, gone = i, None
		case live == None:
			drop = append(drop, i)
		case gone == None:
			gone = i
		case !b.deletedBefore(v.K, b.Versions[gone].Seen):
			drop = append(drop, gone)
			gone = i
		default:
			drop = append(drop, i)
		}
	}
	return drop
}

// replaced says that the object of version i is another than that of the live version v before it.
func (b *builder) replaced(v, i int32) bool {
	return b.Versions[i].created || b.Versions[v].Obj.UID != b.Versions[i].Obj.UID
}
