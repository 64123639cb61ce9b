package replay

// doubt is what of a key's open writes may still matter: numbers of their
// calls, 0 for none. Writes with a resourceVersion as their precondition are
// not here, but with the version that they may have followed.
type doubt struct {
	any    int32 // the first change or delete without one
	create int32 // the first create
}

// haze finds the writes whose outcome nothing has shown, and marks the
// versions that one of them may have come before. The first version of a key
// that may be older than the run is one of those.
func (b *builder) haze() {
	b.findDoubts()
	for i := range b.Versions {
		v := &b.Versions[i]
		if v.Prev == None && b.older[v.K] && v.verb != kindCreate {
			v.Hazy = true
			v.Sure = v.Sure && v.pre != 0 // else it may have changed nothing, and have been there
		}
		if b.doubted[v.K] {
			v.Hazy = v.Hazy || b.doubtful(v.K, v.Prev, v.Before) && !b.follows(v)
		}
		if v.marked() || v.Gone && v.Seen != 0 && v.Call == 0 {
			b.strange = append(b.strange, int32(i))
		}
	}
}

func (b *builder) findDoubts() {
	b.doubts, b.doubted = make([]doubt, b.H.Keys()), make([]bool, b.H.Keys())
	least := func(n *int32, call int32) {
		if *n == 0 || call < *n {
			*n = call
		}
	}
	for _, of := range [][]int32{b.lost.creates.all, b.lost.changes.all, b.lost.deletes.all} {
		for _, i := range of {
			w := &b.Writes[i]
			if w.Version != None || w.is(step) { // after that comes the end
				continue
			}
			b.doubted[w.K] = true
			if b.mayCreate(w) {
				least(&b.doubts[w.K].create, w.Call)
			}
			switch {
			case w.acts == kindCreate:
				least(&b.doubts[w.K].create, w.Call)
			case b.ByOrder || w.pre == 0 && b.H.Event(w.Call).Obj.RV == "":
				least(&b.doubts[w.K].any, w.Call)
			default:
				if v := b.Find(w.K, w.pre); v != None {
					least(&b.Versions[v].lost, w.Call)
				}
			}
		}
	}
}

// mayCreate says that a write of unknown outcome which is no create may have been one: see createsMissing.
func (b *builder) mayCreate(w *Write) bool {
	return (w.acts == kindUpdate || w.acts == kindPatch) && w.verb != kindDelete && !w.is(status) && b.createsMissing(w.Call)
}

// follows says that a version was made by a write with the version before it as its precondition.
func (b *builder) follows(v *Version) bool {
	return v.pre != 0 && v.Prev != None && b.Versions[v.Prev].N == v.pre
}

// doubtful says whether a write of unknown outcome may have followed version v
// at or before rank n. What has that rank may be another, so that it came
// between the rank before and n. It cannot have come before what had been
// acknowledged when it was called.
func (r *Replay) doubtful(k, v, n int32) bool {
	if !r.doubted[k] {
		return false
	}
	d := &r.doubts[k]
	may := func(call int32) bool { return call != 0 && r.acked[call] < n }
	switch {
	case may(d.any):
		return true
	case v == None || r.Versions[v].Gone:
		return may(d.create)
	case r.Versions[v].uid == 0: // nobody knows whether it was there all the time
		return may(d.create) || may(r.Versions[v].lost)
	}
	return may(r.Versions[v].lost)
}
