package replay

// Moments are the versions of its key that may have been current while a write
// was under way, from the call to the answer.
type Moments struct {
	Versions []int32 // in order; a deletion among them stands for "did not exist"
	Absent   bool    // it may not have existed at all
	Doubt    bool    // a write of unknown outcome may have made another
}

// Moments of a write. The version it made itself is among them.
func (r *Replay) Moments(w *Write) Moments {
	of := r.OfKey(w.K)
	lo, hi, known := 0, len(of), r.acked[w.Call]
	for lo < hi { // the first version that need not have been there at the call
		mid := (lo + hi) / 2
		if r.Versions[of[mid]].Before <= known {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	m := Moments{Absent: lo == 0, Doubt: r.doubts != nil && len(r.doubts[w.K]) > 0}
	for i := max(lo-1, 0); i < len(of); i++ {
		v := &r.Versions[of[i]]
		if i >= lo && w.Return != 0 && v.Call > w.Return { // it came after, and so did what follows it
			break
		}
		m.Versions = append(m.Versions, of[i])
		m.Absent = m.Absent || v.Gone
	}
	return m
}

// Holds says whether a precondition may have held at one of the moments.
func (r *Replay) Holds(m Moments, w *Write) (rv, uid bool) {
	pre := &r.H.Event(w.Call).Obj
	rv, uid = pre.RV == "" || m.Doubt, pre.UID == "" || m.Doubt
	for _, i := range m.Versions {
		v := &r.Versions[i]
		if v.Gone || v.Obj == nil || i == w.Version {
			continue
		}
		rv = rv || v.Obj.RV == pre.RV && !r.ByOrder
		uid = uid || v.Obj.UID == pre.UID
	}
	return rv, uid
}
