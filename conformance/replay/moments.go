package replay

import (
	"math"
	"sort"
)

// Moments are the versions of its key that may have been current while a write
// was under way, from the call to the answer.
type Moments struct {
	Versions []int32 // in order; a deletion among them stands for "did not exist"
	Absent   bool    // it may not have existed at all
	Doubt    bool    // a write of unknown outcome may have made another
}

// Moments of a write. The version it made itself is among them, unless it is
// known which one it followed: then that is the only one.
func (r *Replay) Moments(w *Write) Moments {
	of := r.OfKey(w.K)
	if i := r.followed(w); i != None {
		return Moments{Versions: r.only(of, i)}
	}
	lo, hi, known := 0, len(of), r.acked[w.Call]
	for lo < hi { // the first version that need not have been there at the call
		mid := (lo + hi) / 2
		if r.Versions[of[mid]].Before <= known {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	lo = r.pastDeletions(w, of, lo)
	end := lo
	for own := r.answeredWith(w); end < len(of) && (w.Return == 0 || r.Versions[of[end]].since <= w.Return) && r.Versions[of[end]].N <= own; { // what follows a later write is later
		end++
	}
	m := Moments{Versions: of[max(lo-1, 0):end], Absent: lo == 0, Doubt: lo == 0 && r.older[w.K]}
	for _, i := range m.Versions {
		m.Absent = m.Absent || r.Versions[i].Gone
		m.Doubt = m.Doubt || r.Versions[i].lost != 0
	}
	if d := r.doubts[w.K]; d.any != 0 && d.any < w.Return || d.create != 0 && d.create < w.Return {
		m.Doubt = true
	}
	return m
}

// answeredWith is the largest rank that a version can have which was current while a write was under way: it was
// answered with that one, be it that it has made it or found it.
func (r *Replay) answeredWith(w *Write) int32 {
	if r.ByOrder || w.Version == None || w.Outcome != Done || r.Versions[w.Version].Gone {
		return math.MaxInt32
	}
	return r.Versions[w.Version].N
}

// pastDeletions goes beyond the deletions that nothing has shown, and that had
// been acknowledged before the write was called; without uids the delete may
// have been another object's.
func (r *Replay) pastDeletions(w *Write, of []int32, lo int) int {
	for j := lo; j < len(of) && r.Versions[of[j]].since < w.Call; j++ {
		if v := &r.Versions[of[j]]; v.Unseen() && v.By != 0 && v.By < w.Call && v.Prev != None && r.Versions[v.Prev].uid != 0 {
			lo = j + 1
		}
	}
	return lo
}

// only is the part of a key's versions that is version i, which was shown.
func (r *Replay) only(of []int32, i int32) []int32 {
	n := r.Versions[i].N
	j := sort.Search(len(of), func(j int) bool {
		v := &r.Versions[of[j]]
		return v.Before > n || v.Before == n && !v.Unseen()
	})
	return of[j : j+1]
}

// followed is the version that an acknowledged update or patch changed; None
// where that is not known.
func (r *Replay) followed(w *Write) int32 {
	if r.ByOrder || w.Version == None || w.Outcome != Done || w.acts == kindCreate || w.acts == kindDelete {
		return None
	}
	i := r.Versions[w.Version].Prev
	if r.Versions[w.Version].both { // which may be another's, and this one has changed nothing
		return None
	}
	if r.Versions[w.Version].Hazy || i != None && r.Versions[i].Gone {
		return None
	}
	return i
}

// livedOn says that a version is certainly the same object as the one before
// it: no deletion that was done can have come between.
func livedOn(before, v *Version) bool {
	if v.Gone || v.Hazy || v.verb == kindCreate {
		return false
	}
	return v.uid == before.uid && (v.uid != 0 || v.pre == before.N)
}

// mayBeOthers says that a resourceVersion which a write demands, and nothing here shows, may be somebody else's change: it
// lies above all that is known. A check invents such, and knows that nobody made them.
func (r *Replay) mayBeOthers(m Moments, w *Write) bool {
	n := len(m.Versions)
	return r.H.Header.Check == "" && r.Shared() && n > 0 && w.pre > r.Versions[m.Versions[n-1]].N
}

// Holds says whether a precondition may have held at one of the moments.
func (r *Replay) Holds(m Moments, w *Write) (rv, uid bool) {
	pre := &r.H.Event(w.Call).Obj
	i := r.Find(w.K, w.pre)
	known := w.pre != 0 && i != None && r.Versions[i].since < w.Return // then no lost write can have brought it back
	rv, uid = pre.RV == "" || i == None && r.mayBeOthers(m, w) || !known && (m.Doubt || r.mayBeStep(w.K, pre.N, w.Return)), pre.UID == "" || m.Doubt
	deleted := w.acts == kindDelete && w.Outcome == Done && !w.is(dry) // it ended what its precondition named
	for n, i := range m.Versions {
		v := &r.Versions[i]
		if v.Gone || v.Obj == nil || i == w.Version && !v.both {
			continue
		}
		lived := deleted && n+1 < len(m.Versions) && livedOn(v, &r.Versions[m.Versions[n+1]]) && !r.Versions[m.Versions[n+1]].step
		rv = rv || v.Obj.RV == pre.RV && !lived
		uid = uid || v.Obj.UID == pre.UID
	}
	return rv, uid
}
