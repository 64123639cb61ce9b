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
	drop := b.impossible()
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

// impossible goes through the versions in order. Of two deletions of a key in a
// row one cannot have been: the first, where nobody had asked for any when it
// was shown.
func (b *builder) impossible() (drop []int32) {
	type ends struct{ live, gone int32 } // the object that a deletion can be of, and the deletion of it
	all := slices.Repeat([]ends{{None, None}}, b.H.Keys())
	for n := range b.Versions {
		i, v := int32(n), &b.Versions[n]
		e := &all[v.K]
		switch {
		case !v.Gone && e.gone != None && v.Obj.UID != "" && !b.replaced(e.live, i):
			drop = append(drop, e.gone)
			*e = ends{i, None}
		case !v.Gone:
			*e = ends{i, None}
		case e.live == None:
			drop = append(drop, i)
		case e.gone == None:
			e.gone = i
		case !b.deletedBefore(v.K, b.Versions[e.gone].Seen):
			drop = append(drop, e.gone)
			e.gone = i
		default:
			drop = append(drop, i)
		}
	}
	return drop
}

// replaced says that the object of version i is another than that of the live version v before it.
func (b *builder) replaced(v, i int32) bool {
	was, is := &b.Versions[v], &b.Versions[i]
	if is.created || is.pre == was.N { // created anew; or its precondition says which it followed
		return is.created
	}
	return was.Obj.UID != is.Obj.UID
}
