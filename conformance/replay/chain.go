package replay

import "slices"

// chain lays out each key's versions in order, links each to the one before,
// and takes out deletions that were shown but cannot have been.
func (b *builder) chain() {
	b.lay()
	if drop := b.impossible(); len(drop) > 0 {
		b.drop(drop)
		b.lay()
	}
}

// lay links the versions of each key, and tells writes and ranks where theirs are.
func (b *builder) lay() {
	ranks := b.H.Ranks()
	if b.ByOrder {
		ranks = len(b.Versions) + 1
	}
	b.at = slices.Repeat([]int32{None}, ranks)
	count := make([]int32, b.H.Keys()+1)
	for i := range b.Versions {
		v := &b.Versions[i]
		count[v.K+1]++
		if b.at[v.N] == None {
			b.at[v.N] = int32(i)
		}
		if v.Call != 0 {
			b.Writes[b.nth[v.Call]].Version = int32(i)
		}
	}
	for k := 1; k < len(count); k++ {
		count[k] += count[k-1]
	}
	b.start = count
	b.ofKey = make([]int32, len(b.Versions))
	next := slices.Clone(count)
	for i := range b.Versions {
		v := &b.Versions[i]
		at := &next[v.K]
		v.Prev = None
		if *at > count[v.K] {
			v.Prev = b.ofKey[*at-1]
		}
		b.ofKey[*at] = int32(i)
		*at++
	}
}

// drop removes deletions of what did not exist or what lived on.
func (b *builder) drop(drop []int32) {
	slices.Sort(drop)
	kept, freed := b.Versions[:0], []int32(nil) // writes
	for i := range b.Versions {
		v := &b.Versions[i]
		if len(drop) == 0 || drop[0] != int32(i) {
			kept = append(kept, *v)
			continue
		}
		drop = drop[1:]
		if v.Call != 0 {
			freed = append(freed, b.nth[v.Call])
		}
		if !b.deletedBefore(v.K, v.Seen) {
			b.Phantoms = append(b.Phantoms, v.Seen)
		}
	}
	b.Versions = kept
	for _, w := range freed {
		b.Writes[w].Version = None
	}
}

// impossible goes through the versions in order. Of two deletions of a key in a
// row one cannot have been: the first, where nobody had asked for any when it
// was shown.
func (b *builder) impossible() (drop []int32) {
	if b.ByOrder {
		return nil // none was only shown
	}
	type ends struct{ live, gone int32 } // the object that a deletion can be of, and the deletion of it
	all := slices.Repeat([]ends{{None, None}}, b.H.Keys())
	for n := range b.Versions {
		i, v := int32(n), &b.Versions[n]
		e := &all[v.K]
		switch {
		case !v.Gone && e.gone != None && v.uid != 0 && !b.replaced(e.live, i):
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
	if created := is.verb == kindCreate; created || is.pre == was.N { // created anew; or its precondition says which it followed
		return created
	}
	return was.uid != is.uid
}
