package replay

import (
	"sort"

	"github.com/lwtest/lwtest/harness/history"
)

// Due is a change that a watch must have given: an acknowledged write of its
// scope after its start, of which the watch has shown that it has come beyond.
type Due struct {
	Version int32
	Type    string // ADDED, MODIFIED or DELETED; empty where a write of unknown outcome may have made it another
	Given   int32  // number of the event that gave it, 0 if it is missing
	Witness int32  // number of the event that shows the watch to be beyond it
}

// Dues visits what each watch must have given, watch after watch, in order of
// the changes. The matcher is of that watch's scope.
//
// A watch is beyond a change when it later gave an event of a larger
// resourceVersion, or was settled after the write's answer. A bookmark is not
// an event. What a lost answer may have changed is due where something has shown it.
func (r *Replay) Dues(visit func(*WatchCall, *Matcher, Due)) {
	given := make([]showing, len(r.Versions))
	for i := range r.Watches {
		w := &r.Watches[i]
		if w.Err != nil {
			continue
		}
		s := r.progress(w, given)
		if s.last == 0 && s.settled == nil {
			continue
		}
		m := NewMatcher(r.H, w.Scope)
		for _, part := range r.span(&s) {
			for v := part.from; v < part.upto; v++ {
				if d, ok := r.due(w, m, &s, v); ok {
					if given[v].watch == w.Call {
						d.Given = given[v].event
					}
					visit(w, m, d)
				}
			}
		}
	}
}

// part is a part of the versions.
type part struct{ from, upto int32 }

// span is where what is due to a watch can be: among what was shown, and among what was not.
func (r *Replay) span(s *progress) [2]part {
	from, top := s.from, s.top
	if s.open != 0 {
		from = 0
	}
	all := [2]part{{r.after(from), int32(r.firstUnseen)}, {r.unseenAfter(from), int32(len(r.Versions))}}
	switch {
	case s.settled == nil:
		all[1].upto = r.unseenAfter(top)
	case s.floor == 0:
		top = max(top, r.acked[s.settled.Num])
	default:
		top = max(top, s.floor)
	}
	all[0].upto = r.after(top)
	return all
}

// after is the index of the first version above rank n, but for deletions that were never shown.
func (r *Replay) after(n int32) int32 {
	return int32(sort.Search(r.firstUnseen, func(i int) bool { return r.Versions[i].N > n }))
}

// unseenAfter is the index of the first deletion that was never shown and may lie above rank n.
func (r *Replay) unseenAfter(n int32) int32 {
	return int32(r.firstUnseen + sort.Search(len(r.Versions)-r.firstUnseen, func(i int) bool { return r.Versions[r.firstUnseen+i].Before > n }))
}

// showing is where a watch showed a version: numbers of its call and of the event.
type showing struct{ watch, event int32 }

// progress is how far a watch has come.
type progress struct {
	from    int32          // changes after this N are due
	exact   bool           // else the start lies between from and the next rank
	open    int32          // the start is not known, but lies before what is called after this event; 0: none
	top     int32          // largest N it gave
	last    int32          // number of the event that gave it
	settled *history.Event // its last
	floor   int32          // of settled's resourceVersion; 0: all acknowledged before it
	odd     map[int32]int32
}

// progress reads a watch's events; given, where there is one, gets where it showed each version.
func (r *Replay) progress(w *WatchCall, given []showing) progress {
	s := progress{from: w.Start, exact: w.exact}
	if !w.Known {
		s.from, s.exact = int32(1<<31-1), true
	}
	for i := range w.Events {
		e := &w.Events[i]
		if e.Num < w.Mark {
			continue
		}
		switch {
		case e.kind == kindErrored:
			return s // nothing that comes after it is due, nor told by it
		case e.kind == kindSettled:
			s.settle(r, w, r.H.Event(e.Num))
		case e.kind == kindBookmark:
			s.begun(w, e.Num)
		case e.IsEvent():
			r.advance(w, &s, e, given)
		}
	}
	return s
}

// begun notes that a watch whose start is not known has one by now.
func (s *progress) begun(w *WatchCall, num int32) {
	if s.open == 0 && !w.Known {
		s.open = num
	}
}

func (s *progress) settle(r *Replay, w *WatchCall, e *history.Event) {
	s.begun(w, e.Num)
	s.settled, s.floor = e, 0
	if n, ok := r.H.Floor(e.Obj.RV); ok {
		s.floor = n
	}
}

func (r *Replay) advance(w *WatchCall, s *progress, e *Shown, given []showing) {
	s.begun(w, e.Num)
	v, n := e.Version, e.N
	if r.ByOrder {
		if v == None {
			return
		}
		n = r.Versions[v].N
	}
	if v != None && given != nil {
		given[v] = showing{w.Call, e.Num}
	}
	if n > s.top {
		s.top, s.last = n, e.Num
	}
	if !w.Known && n <= s.from && (e.kind != kindAdded || !w.Initial() || w.Mark != 0) { // not a part of the initial state, so that lies before it
		s.from, s.exact = n-1, false
	}
	if e.Deleted() && (v == None || !r.Versions[v].Gone && w.Scope.Labels.Empty() && w.Scope.onlyName()) {
		if s.odd == nil {
			s.odd = map[int32]int32{}
		}
		s.odd[e.K] = e.Num // a deletion with another version's number (watch/delete-version judges that), or nobody knows of what
	}
}

// follows says that a change lies after the start.
func (s *progress) follows(v *Version) bool {
	return v.After > s.from || v.After == s.from && (s.exact || !v.Unseen())
}

// due says whether a watch must have given version v.
func (r *Replay) due(w *WatchCall, m *Matcher, s *progress, i int32) (Due, bool) {
	v := &r.Versions[i]
	d := Due{Version: i}
	if !v.happened() || r.disturbed[v.K] || !m.MatchesKey(v.K) {
		return d, false
	}
	if !s.follows(v) && (s.open == 0 || v.since < s.open) {
		return d, false
	}
	if d.Witness = s.witness(v); d.Witness == 0 {
		return d, false
	}
	var ok bool
	if d.Type, ok = r.Transition(m, i); !ok {
		return d, false
	}
	if v.Gone && s.odd != nil {
		d.Given = s.odd[v.K]
	}
	return d, true
}

// witness is the event that shows that the watch is beyond v, 0 if none does.
func (s *progress) witness(v *Version) int32 {
	beyond := v.N
	if v.Unseen() {
		beyond = v.Before - 1
	}
	if s.top > beyond {
		return s.last
	}
	if s.settled != nil && v.By != 0 && v.By < s.settled.Num && (s.floor == 0 || !v.Unseen() && v.N <= s.floor || v.Unseen() && v.Before <= s.floor) {
		return s.settled.Num
	}
	return 0
}

// Transition is how version i looks to a watch of a scope: ADDED when it
// enters, MODIFIED when it stays, DELETED when it leaves; ok is false when it
// was outside before and after, or when that is not known. The type is empty
// when a write of unknown outcome may have come between.
func (r *Replay) Transition(m *Matcher, i int32) (kind string, ok bool) {
	v := &r.Versions[i]
	was := v.Prev != None && !r.Versions[v.Prev].Gone && m.MatchesVersion(&r.Versions[v.Prev])
	is := !v.Gone && m.MatchesVersion(v)
	switch {
	case v.Hazy && is:
		return "", true
	case v.Hazy, !was && !is:
		return "", false
	case was && is:
		return Modified, true
	case is:
		return Added, true
	}
	return Deleted, true
}
