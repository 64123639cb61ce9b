package watchcache

import (
	"fmt"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeInitial looks at watches that begin with a state they do not name. What
// they bring is right if the state at some resourceVersion explains it: its
// objects, each once and in any order, as ADDED, and then the changes after it.
// fresh: that state must have what was acknowledged before the watch was asked for.
func judgeInitial(rv string, fresh bool) func(*history.History) harness.Judgement {
	return func(h *history.History) harness.Judgement {
		r := replay.Of(h)
		var j harness.Judgement
		if r.ByOrder {
			j.Undecided = "writes return no resourceVersion that could be compared"
			return j
		}
		for i := range r.Watches {
			w := &r.Watches[i]
			o := &w.Args.Options
			if w.Err != nil || o.ResourceVersion != rv || o.SendInitialEvents != nil {
				continue
			}
			s := readInitial(r, w, false)
			if s == nil {
				continue
			}
			was, bad := j.Tested, len(j.Bad)
			if s.judge(&j, fresh); len(s.events) == 0 && len(j.Bad) == bad {
				j.Tested = was // who gives nothing at all is right about it where there is nothing
			}
			if len(j.Bad) == bad {
				s.rest(&j, fresh)
			}
		}
		return j
	}
}

// initial is how a watch began.
type initial struct {
	r       *replay.Replay
	w       *replay.WatchCall
	m       *replay.Matcher
	events  []*history.Event // own objects only, up to where it was settled, or to its mark
	mark    bool             // the initial events end with these
	settled *history.Event   // nil: they end with a mark
	upto    int32            // rank that its state cannot be beyond
}

// readInitial gives nil where the watch ended, or was left, before anyone
// could tell that its state had come whole. In real time SETTLED says no more
// than that the sentinel came: that may have been a part of the state. Only
// behind a change it has come whole. Of all that it brought, up to where it was settled last, the same is true as of how
// it began: what is missing there is neither in the state that it began with, nor did it come as a change.
func readInitial(r *replay.Replay, w *replay.WatchCall, all bool) *initial {
	s := &initial{r: r, w: w, m: replay.NewMatcher(r.H, w.Scope)}
	whole := r.H.Header.Time == history.VirtualTime
	shown := map[int32]bool{}
	var last *initial
	for e := range w.All(r.H) {
		switch {
		case e.Kind == replay.Errored:
			return last
		case e.Num == w.Mark:
			s.mark, s.upto = true, latestBefore(r, e.Num)
			return s
		case e.Kind == history.Settled && whole:
			s.settled, s.upto = e, latestBefore(r, e.Num)
			if !all {
				return s
			}
			at := *s
			last = &at
		case isEvent(e):
			whole = whole || e.Kind != replay.Added || shown[e.Obj.K]
			if shown[e.Obj.K] = true; r.Own(e.Obj.K) {
				s.events = append(s.events, e)
			}
		}
	}
	return last
}

// latestBefore is a rank that nothing before an event can be beyond: what a call after it did came later.
func latestBefore(r *replay.Replay, num int32) int32 {
	upto := int32(r.H.Ranks() - 1)
	for i := range r.Writes {
		w := &r.Writes[i]
		if w.Call <= num || w.Outcome != replay.Done || w.Version == replay.None || w.Verb() != replay.Create && (r.Shared() || !r.Own(w.K)) {
			continue // where others write, too, a change may be another's than it seems
		}
		if v := &r.Versions[w.Version]; v.Call == w.Call && v.N != 0 {
			upto = min(upto, v.N-1)
		}
	}
	return upto
}

// rest judges what came after it was settled first, if it was settled again.
func (s *initial) rest(j *harness.Judgement, fresh bool) {
	if all := readInitial(s.r, s.w, true); all.settled != s.settled {
		all.judge(j, fresh)
	}
}

func (s *initial) judge(j *harness.Judgement, fresh bool) {
	acked := s.r.Acked(s.w.Call)
	newest, explained, lost := int32(-1), false, ""
	for m, longest := s.shortest(), s.longest(); m <= longest; m++ {
		lo, hi := s.bounds(m)
		for n := hi; n >= lo; n-- {
			if fits, _ := s.fits(m, n); !fits {
				continue
			}
			if gap := s.gap(m, n); gap != "" {
				if m > 0 {
					lost = gap
				}
				break // nor is there an older state without this gap
			}
			explained, newest = true, max(newest, n)
			break
		}
	}
	switch {
	case !explained && !fresh && lost != "":
		j.Tested++
		j.Fail("each change after the state that it began with", lost, s.at()...)
	case !explained && !fresh:
		j.Tested++
		j.Fail("the objects of one state, each once as ADDED, and then the changes after it", s.why(), s.at()...)
	case explained && (len(s.events) > 0 || acked > 0):
		j.Tested++
		if fresh && newest < acked {
			j.Fail("a state that has the write @"+s.r.H.RV(acked)+", which was answered before the watch was asked for",
				s.stateAt(newest)+" at the newest", s.at()...)
		}
	}
}

// shortest and longest are how many events may be of the initial state: those
// before a mark, or any number of ADDED of different objects.
func (s *initial) shortest() int {
	if s.mark {
		return len(s.events)
	}
	return 0
}

func (s *initial) longest() int {
	if s.mark {
		return len(s.events)
	}
	seen := map[int32]bool{}
	for i, e := range s.events {
		if e.Kind != replay.Added || seen[e.Obj.K] {
			return i
		}
		seen[e.Obj.K] = true
	}
	return len(s.events)
}

// bounds are the ranks that the state of the first m events may be of.
func (s *initial) bounds(m int) (lo, hi int32) {
	hi = s.upto
	for _, e := range s.events[:m] {
		lo = max(lo, e.Obj.N)
	}
	for _, e := range s.events[m:] {
		hi = min(hi, e.Obj.N-1)
	}
	return lo, hi
}

// fits says whether the first m events are the state at rank n, or where there
// is no mark just after it; if not, of which object that is not true.
func (s *initial) fits(m int, n int32) (bool, string) {
	shown := map[int32]*history.Event{}
	for _, e := range s.events[:m] {
		if e.Kind != replay.Added || shown[e.Obj.K] != nil {
			return false, e.Kind + " " + at(e) + " among the initial events"
		}
		shown[e.Obj.K] = e
	}
	for k := int32(1); int(k) < s.r.H.Keys(); k++ {
		if !s.r.Own(k) || !s.m.MatchesKey(k) {
			continue
		}
		is := s.r.StateAt(k, n)
		if !s.mark {
			is = s.r.StateAfter(k, n) // a deletion that nobody has shown may be the last there was
		}
		if !is.Certain {
			continue
		}
		live := is.Version != replay.None && s.m.Matches(s.r.Versions[is.Version].Obj)
		switch e := shown[k]; {
		case live && e == nil:
			return false, name(s.r, &s.r.Versions[is.Version]) + " is missing"
		case !live && e != nil:
			return false, at(e) + ", which was not there"
		case live && s.r.VersionOf(e) != is.Version:
			return false, at(e) + " in place of " + name(s.r, &s.r.Versions[is.Version])
		}
	}
	return true, ""
}

// gap is the first change after the state at rank n that must have come behind
// the first m events, and did not; empty if there is none.
func (s *initial) gap(m int, n int32) string {
	if s.settled == nil {
		return "" // what comes behind the mark is watch/reliable's
	}
	given := map[int32]bool{}
	upto := int32(0)
	for _, e := range s.events[m:] {
		given[s.r.VersionOf(e)], upto = true, max(upto, e.Obj.N-1)
	}
	if s.settled.Obj.RV == "" {
		upto = max(upto, s.r.Acked(s.settled.Num))
	} else if floor, ok := s.r.H.Floor(s.settled.Obj.RV); ok {
		upto = max(upto, floor)
	}
	for v := range s.r.Between(n, upto) {
		i := s.r.Find(v.K, v.N)
		if _, ok := s.r.Transition(s.m, i); ok && v.Sure && !v.Hazy && s.r.Own(v.K) && s.m.MatchesKey(v.K) && !given[i] {
			return name(s.r, v) + ", which came after " + s.stateAt(n) + ", is missing"
		}
	}
	return ""
}

func (s *initial) stateAt(n int32) string {
	if n <= 0 {
		return "the empty state"
	}
	return "the state @" + s.r.H.RV(n)
}

// why tells of the state that is the most likely to be meant.
func (s *initial) why() string {
	m := s.longest()
	lo, hi := s.bounds(m)
	n := max(lo, min(hi, s.r.Acked(s.w.Call)))
	_, why := s.fits(m, n)
	return fmt.Sprintf("%d events that no state explains; of %s %s", m, s.stateAt(n), why)
}

func (s *initial) at() []int32 {
	at := []int32{s.w.Call}
	for _, e := range s.events[:min(len(s.events), 3)] {
		at = append(at, e.Num)
	}
	return at
}
