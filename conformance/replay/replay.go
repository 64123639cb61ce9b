package replay

import (
	"iter"

	"github.com/lwtest/lwtest/harness/history"
)

// None stands for no version and no event.
const None = -1

// Version is one change of one object of this run.
type Version struct {
	N    int32        // rank of its resourceVersion; in order mode its place in the order of writes
	K    int32        // its key
	Prev int32        // index of the version of this key before it, None for the first
	Call int32        // number of the call of the write that made it; 0: not known
	Obj  *history.Ref // as stored; of a deletion: the last state; nil where a deletion was never shown
	By   int32        // number of that write's return, where it was acknowledged
	Seen int32        // number of the event that showed it, where no acknowledged write tells of it; else 0
	// Of a deletion that no watch has shown the revision is not known: it lies
	// above rank After and below rank Before. Else After is N-1, Before is N.
	After, Before int32
	known         int32 // number of the first event that tells of it
	since         int32 // it came after the event with this number: the call of the first write that may have made it
	lost          int32 // number of the call of a write of unknown outcome that may have followed this version, and no other; 0: none
	pre           int32 // rank of the resourceVersion that its write had as precondition
	labels        int32 // see setOf
	fields        int32
	uid           int32 // number of its object's; 0: none
	Gone          bool  // a deletion
	Sure          bool  // its write was acknowledged: it did happen, and it must be shown
	Hazy          bool  // a write of unknown outcome may have come between Prev and this
	both          bool  // several writes were answered with it, of which all but one have changed nothing
	step          bool  // the first step of a deletion; of several that overlap nobody knows of which
	verb          kind  // of its write
}

// Unseen says that this is a deletion that no watch has shown.
func (v *Version) Unseen() bool { return v.Gone && v.N == 0 }

// happened says that a change did: its write was acknowledged, or an event, a list or a get has shown an object with its
// resourceVersion.
func (v *Version) happened() bool { return v.Sure || v.Seen != 0 && !v.Gone && v.N != 0 }

// Both says that several writes were answered with it: of which it is, nobody knows.
func (v *Version) Both() bool { return v.both }

// Since is the number of the event that it came after: the call of the first
// write that may have made it; 0: not known.
func (v *Version) Since() int32 { return v.since }

// Replay is what a history's writes make true. It is immutable.
type Replay struct {
	H *history.History
	// ByOrder says that writes return no resourceVersion: they are ordered by
	// call and return, and N is a place in that order.
	ByOrder bool
	// Unordered says why the order of writes is not certain (order mode only).
	Unordered string
	// Versions are sorted by N and key; deletions that were never shown come
	// last, sorted by Before.
	Versions    []Version
	Watches     []WatchCall
	Lists       []ListCall
	Writes      []Write      // all writes in order of their calls
	Collections []Collection // the DELETECOLLECTIONs
	DrySweeps   []Collection // those that were dry runs: nothing is known of their keys
	Phantoms    []int32      // numbers of events that show an own key in a state that no write explains

	// Disturbed says why of some keys nothing can be said: not only this run's
	// writes decide their state. Empty if there are none. Own is false of them.
	Disturbed string

	// NotRead says which list or watch was answered though its arguments or
	// selectors cannot be read. Empty if there is none.
	NotRead string

	firstUnseen int // index of the first deletion that was never shown

	start []int32 // of ofKey, by key
	ofKey []int32 // indices of Versions, by key in order of N
	at    []int32 // first version of each rank, None
	own   []bool  // keys this run wrote, by key
	// of those the ones that not only its writes decide
	disturbed                []bool
	showsLabels, showsFields bool
	shards                   answer // whether the server knows shards
	asksShards               map[int32]bool
	older                    []bool  // keys that may have been there before this run wrote them, by key
	doubts                   []doubt // by key
	doubted                  []bool  // whether there is any, by key
	hiddenSteps              []Write // see hideSteps
	matched                  []int32 // order mode: version of each event, by number; None
	acked                    []int32 // by event number: largest N acknowledged before it
}

// Of is the replay of h, built once.
func Of(h *history.History) *Replay { return history.Derive(h, Build) }

// Build makes the replay of h. Use Of, which does it once.
func Build(h *history.History) *Replay {
	b := build(h, hints{})
	if len(b.survivors) > 0 {
		b = build(h, hints{held: !b.ByOrder, livesOn: b.survivors})
	}
	return b.Replay
}

// hints are what is found on the way, and has to be known from the beginning: then a replay is built once more.
type hints struct {
	held    bool           // objects were shown with finalizers that no write had answered with
	livesOn map[int32]bool // see livingOn
}

func build(h *history.History, known hints) *builder {
	b := read(h, known)
	b.findRoles()
	together(func() {
		b.findOlder()
		b.groupWrites()
		b.findContents()
	}, func() {
		b.scopes()
		if !b.holds {
			b.findShownHeld()
		}
		b.findUnplaced()
	})
	if len(b.shownHeld) > 0 && !b.holds && !b.ByOrder {
		return build(h, hints{held: true, livesOn: known.livesOn})
	}
	if b.ByOrder {
		b.placeByOrder()
	} else {
		b.placeSeen()
		b.sortVersions()
	}
	b.chain()
	together(b.deletions, b.versionsShown())
	b.haze()
	b.requests()
	if b.ByOrder {
		b.matchByOrder()
	}
	b.findDisturbed()
	b.hideSteps()
	b.survivors = b.livingOn()
	b.contract()
	return b
}

// Own says whether this run wrote the key, and nothing else decides its state.
func (r *Replay) Own(k int32) bool { return r.own[k] && !r.disturbed[k] }

// BeforeRun says that what a key was at rank n may be of before the run: of that nobody here knows.
func (r *Replay) BeforeRun(k, n int32) bool {
	of := r.OfKey(k)
	return r.older[k] && (r.ByOrder || len(of) == 0 || n < r.Versions[of[0]].N)
}

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
		switch at := r.Versions[i].K; {
		case at == k:
			return i
		case at > k:
			return None
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
func (r *Replay) StateAt(k, n int32) State { return r.stateAt(k, n, true) }

// StateAtStart is the state of a key where a watch starts.
func (r *Replay) StateAtStart(w *WatchCall, k int32) State { return r.stateAt(k, w.Start, w.exact) }

// stateAt is the state at rank n; where that is not exact, at a
// resourceVersion somewhere between rank n and the next.
func (r *Replay) stateAt(k, n int32, exact bool) State {
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
	return r.state(k, n, exact, lo)
}

// state is the state at rank n, where so many of the key's versions certainly
// lie at or before it.
func (r *Replay) state(k, n int32, exact bool, lo int) State {
	of := r.OfKey(k)
	s := State{Version: None, Certain: true}
	if lo > 0 && !r.Versions[of[lo-1]].Gone {
		s.Version = of[lo-1]
	}
	upto := n
	if !exact {
		upto++
	}
	if lo < len(of) && r.Versions[of[lo]].Unseen() && r.Versions[of[lo]].After < upto { // it may have come already
		s.Gone, s.Certain = true, false
	}
	if lo == 0 && r.older[k] || r.doubtful(k, s.Version, upto) {
		s.Other, s.Gone, s.Certain = true, true, false
	}
	return s
}

// Acked is the largest N that a write had been answered with before the event
// with this number: what any answer to a later request must know of.
func (r *Replay) Acked(num int32) int32 { return r.acked[num] }

// Between visits the versions above rank from, up to rank upto, in order; not
// the deletions that were never shown.
func (r *Replay) Between(from, upto int32) iter.Seq[*Version] {
	return func(yield func(*Version) bool) {
		for i := r.after(from); int(i) < r.firstUnseen && r.Versions[i].N <= upto; i++ {
			if !yield(&r.Versions[i]) {
				return
			}
		}
	}
}
