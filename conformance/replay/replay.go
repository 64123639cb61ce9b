package replay

import (
	"github.com/lwtest/lwtest/harness/history"
)

// None stands for no version and no event.
const None = -1

// Version is one change of one object of this run.
type Version struct {
	N    int32        // rank of its resourceVersion; in order mode its place in the order of writes
	K    int32        // its key
	Prev int32        // index of the version of this key before it, None for the first
	Gone bool         // a deletion
	Obj  *history.Ref // as stored; of a deletion: the last state; nil where a deletion was never shown
	Call int32        // number of the call of the write that made it; 0: only seen
	By   int32        // number of that write's return
	Seen int32        // number of the event that showed it, where no acknowledged write tells of it; else 0
	Sure bool         // its write was acknowledged: it did happen, and it must be shown
	// Of a deletion that no watch has shown the revision is not known: it lies
	// above rank After and below rank Before. Else After is N-1, Before is N.
	After, Before int32
	// Hazy: a write of unknown outcome may have come between Prev and this.
	Hazy bool
}

// Unseen says that this is a deletion that no watch has shown.
func (v *Version) Unseen() bool { return v.Gone && v.N == 0 }

// Replay is what a history's writes make true. It is immutable.
type Replay struct {
	H *history.History
	// ByOrder says that writes return no resourceVersion: they are ordered by
	// call and return, and N is a place in that order.
	ByOrder bool
	// Unordered says why the order of writes is not certain (order mode only).
	Unordered string
	// Versions are sorted by N; deletions that were never shown come last.
	Versions []Version
	Watches  []WatchCall
	Lists    []ListCall
	Writes   []Write // all writes in order of their calls
	Phantoms []int32 // numbers of events that show an own key in a state that no write explains

	firstUnseen int // index of the first deletion that was never shown

	start   []int32   // of ofKey, by key
	ofKey   []int32   // indices of Versions, by key in order of N
	at      []int32   // first version of each rank, None
	own     []bool    // keys this run wrote, by key
	doubts  [][]int32 // writes of unknown outcome that nothing resolved, by key; nil if there are none
	matched []int32   // order mode: version of each event, by number; None
	acked   []int32   // by event number: largest N acknowledged before it
}

// Of is the replay of h, built once.
func Of(h *history.History) *Replay { return history.Derive(h, Build) }

// Build makes the replay of h. Use Of, which does it once.
func Build(h *history.History) *Replay {
	r := &Replay{H: h}
	b := builder{Replay: r}
	b.collectWrites()
	b.findMode()
	if r.ByOrder {
		b.placeByOrder()
	} else {
		b.placeWrites()
		b.placeSeen()
		b.sortVersions()
	}
	b.chain()
	r.firstUnseen = len(r.Versions)
	b.deletions()
	b.haze()
	b.requests()
	if r.ByOrder {
		b.matchByOrder()
	}
	return r
}

// Own says whether this run wrote the key.
func (r *Replay) Own(k int32) bool { return r.own[k] }

// OfKey gives the indices of a key's versions in order; a deletion that was
// never shown has its place among them.
func (r *Replay) OfKey(k int32) []int32 { return r.ofKey[r.start[k]:r.start[k+1]] }

// VersionOf is the index of the version that an event shows, None where no
// write explains it or the key is foreign.
func (r *Replay) VersionOf(e *history.Event) int32 {
	if r.ByOrder {
		return r.matched[e.Num]
	}
	return r.Find(e.Obj.K, e.Obj.N)
}

// Find is the index of a key's version at rank n, None if there is none.
func (r *Replay) Find(k, n int32) int32 {
	if n == 0 || int(n) >= len(r.at) || r.at[n] == None {
		return None
	}
	for i := r.at[n]; int(i) < len(r.Versions) && r.Versions[i].N == n; i++ {
		if r.Versions[i].K == k {
			return i
		}
	}
	return None
}

// State is what held of a key at rank n.
type State struct {
	Version int32 // index of the live version, None if the key did not exist
	// Certain is false where a deletion of unknown revision, or a write of
	// unknown outcome, may have made it otherwise.
	Certain bool
	// Other says that it may have been a state of a write of unknown outcome.
	Other bool
	// Gone says that it may have been deleted by then.
	Gone bool
}

// StateAt is the state of a key at rank n.
func (r *Replay) StateAt(k, n int32) State {
	of := r.OfKey(k)
	lo, hi := 0, len(of)
	for lo < hi { // the last version certainly at or before n
		mid := (lo + hi) / 2
		if r.Versions[of[mid]].Before <= n {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	s := State{Version: None, Certain: true}
	if lo > 0 && !r.Versions[of[lo-1]].Gone {
		s.Version = of[lo-1]
	}
	if lo < len(of) && r.Versions[of[lo]].After < n { // a deletion that may have come already
		s.Gone, s.Certain = true, false
	}
	if r.doubtful(k, s.Version, n) {
		s.Other, s.Gone, s.Certain = true, true, false
	}
	return s
}

// doubtful says whether a write of unknown outcome may have followed version v
// at or before rank n.
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
		return v == None || r.Versions[v].Gone
	case call.Obj.RV != "" && !r.ByOrder:
		return v != None && r.Versions[v].Obj != nil && r.Versions[v].Obj.RV == call.Obj.RV
	}
	return true
}

// Acked is the largest N that a write had been answered with before the event
// with this number: what any answer to a later request must know of.
func (r *Replay) Acked(num int32) int32 { return r.acked[num] }
