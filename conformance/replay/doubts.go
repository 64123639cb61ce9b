package replay

// haze keeps the writes whose outcome nothing has shown, by key, and marks the
// versions that one of them may have come before. The first version of a key
// that may be older than the run is one of those.
func (b *builder) haze() {
	for k := range b.older {
		if of := b.OfKey(int32(k)); b.older[k] && len(of) > 0 {
			b.Versions[of[0]].Hazy = !b.created(of[0])
		}
	}
	for k, open := range b.open {
		if len(open) == 0 {
			continue
		}
		if b.doubts == nil {
			b.doubts = make([][]int32, b.H.Keys())
		}
		b.doubts[k] = open
		for _, i := range b.OfKey(int32(k)) {
			v := &b.Versions[i]
			v.Hazy = v.Hazy || b.doubtful(int32(k), v.Prev, v.Before) && !b.follows(v)
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

// doubtful says whether a write of unknown outcome may have followed version v
// at or before rank n. What has that rank may be another, so that it came
// between the rank before and n.
func (r *Replay) doubtful(k, v, n int32) bool {
	if r.doubts == nil {
		return false
	}
	for _, w := range r.doubts[k] {
		if r.mayFollow(&r.Writes[w], v, n) {
			return true
		}
	}
	return false
}

// mayFollow: a write with a precondition only follows that very version; and
// it cannot have come before what had been acknowledged when it was called.
func (r *Replay) mayFollow(w *Write, v, n int32) bool {
	if r.acked[w.Call] >= n {
		return false
	}
	call := r.H.Event(w.Call)
	switch {
	case w.Verb == Create:
		return v == None || r.Versions[v].Gone || r.Versions[v].Obj.UID == "" // nobody knows whether it was there all the time
	case call.Obj.RV != "" && !r.ByOrder:
		return v != None && r.Versions[v].Obj != nil && r.Versions[v].Obj.RV == call.Obj.RV
	}
	return true
}
