package replay

import "slices"

// chain lays out each key's versions in order, links each to the one before,
// and takes out deletions that were shown but cannot have been.
func (b *builder) chain() {
	if drop := b.lay(); len(drop) > 0 && !b.ByOrder {
		b.drop(drop)
		b.lay()
	}
}

// lay links the versions of each key, tells writes and ranks where theirs are,
// and gives the deletions that cannot have been.
func (b *builder) lay() (impossible []int32) {
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
			b.Writes[b.madeBy(v)].Version = int32(i)
		}
	}
	for k := 1; k < len(count); k++ {
		count[k] += count[k-1]
	}
	b.start = count
	b.ofKey, b.lasts = make([]int32, len(b.Versions)), slices.Repeat([]bool{true}, len(b.Versions))
	next, fates := slices.Clone(count), slices.Repeat([]fate{{None, None}}, b.H.Keys())
	for i := range b.Versions {
		v := &b.Versions[i]
		at := &next[v.K]
		v.Prev = None
		if *at > count[v.K] {
			v.Prev = b.ofKey[*at-1]
			v.since = max(v.since, b.Versions[v.Prev].since) // what follows came later
			b.lasts[v.Prev] = v.Gone || v.uid == 0 || b.replaced(v.Prev, int32(i))
		}
		b.ofKey[*at] = int32(i)
		*at++
		if drop := b.follow(&fates[v.K], int32(i)); drop != None {
			impossible = append(impossible, drop)
		}
	}
	return impossible
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
		if v.Call != 0 { // somebody asked for it
			freed = append(freed, b.madeBy(v))
			continue
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

// fate is of a key, so far: the object that a deletion can be of, and the deletion of it.
type fate struct{ live, gone int32 }

// follow takes the versions of a key in order, and gives a deletion that cannot
// have been, or None. Of two in a row one cannot: the first, where nobody had
// asked for any when it was shown.
func (b *builder) follow(f *fate, i int32) (impossible int32) {
	v, gone := &b.Versions[i], f.gone
	switch {
	case !v.Gone:
		live := f.live
		*f = fate{i, None}
		if gone != None && v.uid != 0 && !b.replaced(live, i) {
			return gone
		}
	case f.live == None:
		return i
	case gone == None:
		f.gone = i
	case !b.deletedBefore(v.K, b.Versions[gone].Seen):
		f.gone = i
		return gone
	default:
		return i
	}
	return None
}

// replaced says that the object of version i is another than that of the live version v before it.
func (b *builder) replaced(v, i int32) bool {
	was, is := &b.Versions[v], &b.Versions[i]
	created := is.verb == kindCreate || (is.verb == kindUpdate || is.verb == kindPatch) && is.uid != 0 && was.uid != 0 && is.uid != was.uid && b.createsMissing(is.Call) && b.deleteCalled(is.K, is.known)
	if created || is.pre == was.N { // created anew; or its precondition says which it followed
		return created
	}
	return was.uid != is.uid
}
