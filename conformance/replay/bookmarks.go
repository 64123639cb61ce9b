package replay

import "github.com/lwtest/lwtest/harness/history"

// Covered visits each change that a bookmark says has been delivered: of the
// scope of its watch, after its start, and at or before the bookmark. given is
// the number of the event that showed it, 0 if none came before the bookmark.
// After an initial-events-end bookmark it visits what the state it stands for
// has: kind is ADDED for an object that must have been shown as it was then,
// DELETED for one that was shown and must not have been.
func (r *Replay) Covered(visit func(w *WatchCall, bookmark *history.Event, v int32, kind string, given int32)) {
	if r.ByOrder { // a bookmark says nothing of writes without resourceVersions
		return
	}
	shown := make([]showing, len(r.Versions))
	for i := range r.Watches {
		w := &r.Watches[i]
		if w.Err == nil && w.hasBookmark() {
			r.coveredBy(w, shown, visit)
		}
	}
}

func (w *WatchCall) hasBookmark() bool {
	for i := range w.Events {
		if e := &w.Events[i]; e.kind == kindBookmark && e.N != 0 {
			return true
		}
	}
	return false
}

func (r *Replay) coveredBy(w *WatchCall, shown []showing, visit func(*WatchCall, *history.Event, int32, string, int32)) {
	m := NewMatcher(r.H, w.Scope)
	s := r.progress(w, nil)
	next, unseen := r.after(s.from), r.unseenAfter(s.from) // what the bookmarks so far have not covered
	for i := range w.Events {
		e := &w.Events[i]
		switch {
		case e.IsEvent():
			if e.Version != None {
				shown[e.Version] = showing{w.Call, e.Num}
			}
		case e.Num == w.Mark:
			r.initial(w, m, r.H.Event(e.Num), visit)
		case e.kind == kindBookmark && e.N != 0:
			for ; int(next) < r.firstUnseen && r.Versions[next].N <= e.N; next++ {
				r.covered(w, m, &s, r.H.Event(e.Num), next, shown, visit)
			}
			for ; int(unseen) < len(r.Versions) && r.Versions[unseen].Before <= e.N; unseen++ {
				r.covered(w, m, &s, r.H.Event(e.Num), unseen, shown, visit)
			}
		}
	}
}

func (r *Replay) covered(w *WatchCall, m *Matcher, s *progress, e *history.Event, i int32, shown []showing, visit func(*WatchCall, *history.Event, int32, string, int32)) {
	v := &r.Versions[i]
	if !v.happened() || r.disturbed[v.K] || !s.follows(v) || !m.MatchesKey(v.K) || v.Unseen() && s.odd[v.K] != 0 {
		return
	}
	kind, ok := r.Transition(m, i)
	if !ok {
		return
	}
	given := int32(0)
	if shown[i].watch == w.Call {
		given = shown[i].event
	}
	visit(w, e, i, kind, given)
}

// initial compares what a watch has shown before its end mark with the state there.
func (r *Replay) initial(w *WatchCall, m *Matcher, mark *history.Event, visit func(*WatchCall, *history.Event, int32, string, int32)) {
	view := map[int32]*Shown{} // by key: the last event, if it left the object there
	for i := range w.Events {
		e := &w.Events[i]
		if e.Num >= mark.Num {
			break
		}
		if !e.IsEvent() {
			continue
		}
		view[e.K] = e
		if e.Deleted() {
			delete(view, e.K)
		}
	}
	for k := int32(1); int(k) < r.H.Keys(); k++ {
		if !r.Own(k) || !m.MatchesKey(k) {
			continue
		}
		s, e := r.StateAt(k, mark.Obj.N), view[k]
		if !s.Certain {
			continue
		}
		live := s.Version != None && m.Matches(r.Versions[s.Version].Obj)
		switch {
		case live && e != nil && e.Version == s.Version:
			visit(w, mark, s.Version, Added, e.Num)
		case live:
			visit(w, mark, s.Version, Added, 0)
		case e != nil:
			if of := r.OfKey(k); len(of) > 0 {
				visit(w, mark, r.lastAt(of, mark.Obj.N), Deleted, 0)
			}
		}
	}
}

// lastAt is the last of these versions at or before rank n, or the first.
func (r *Replay) lastAt(of []int32, n int32) int32 {
	out := of[0]
	for _, i := range of {
		if r.Versions[i].Before <= n {
			out = i
		}
	}
	return out
}
