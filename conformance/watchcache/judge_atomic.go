package watchcache

import (
	"fmt"
	"slices"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeAtomic looks at revisions of which a watch gave, or had to give, more
// than one change of this run's objects.
func judgeAtomic(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	if r.ByOrder {
		j.Undecided = "deletions have no resourceVersion"
		return j
	}
	shared := sharedRevisions(r)
	ends := slices.Concat(called(h, replay.Restart), called(h, "STARTING"), called(h, replay.StorageFault)) // they end watches wherever these are
	for i := range r.Watches {
		w := &r.Watches[i]
		s := revision{r: r, w: w, m: replay.NewMatcher(h, w.Scope), shared: shared}
		for e := range w.All(r.H) {
			if e.Kind == history.Stopped || slices.ContainsFunc(ends, func(num int32) bool { return num < e.Num }) {
				break // the client's end, or one that a server cannot help
			}
			if e.Num > w.Mark {
				s.see(&j, e)
			}
		}
	}
	return j
}

// called are the numbers of the calls of a kind.
func called(h *history.History, kind string) []int32 {
	var out []int32
	for i := range h.Events {
		if e := &h.Events[i]; e.Kind == kind && e.Phase == history.Call {
			out = append(out, e.Num)
		}
	}
	return out
}

// revision is the one that a watch gives the changes of.
type revision struct {
	r       *replay.Replay
	w       *replay.WatchCall
	m       *replay.Matcher
	shared  map[int32][]int32
	rank    int32
	got     int   // own changes of it
	splitAt int32 // number of the bookmark that came after them; 0: none
	away    bool  // its reader was away: what the server held back for it may be lost with the end
}

func (s *revision) see(j *harness.Judgement, e *history.Event) {
	switch {
	case e.Kind == replay.Paused:
		s.away = true
	case isEvent(e) && (e.Obj.N == 0 || !s.r.Own(e.Obj.K)):
	case isEvent(e) && e.Obj.N != s.rank:
		s.rank, s.got, s.splitAt = e.Obj.N, 1, 0
	case isEvent(e):
		j.Tested++
		if s.got++; s.splitAt != 0 {
			j.Fail("the changes of the revision "+s.r.H.RV(s.rank)+" in one piece", told1(e)+", behind a bookmark", s.w.Call, s.splitAt, e.Num)
		}
	case e.Kind == replay.Bookmark && s.rank != 0 && e.Obj.N >= s.rank:
		s.splitAt = e.Num
	case e.Kind == history.Ended && !s.away:
		if want := s.due(); s.got > 0 && s.got < want {
			j.Tested++
			j.Fail(fmt.Sprintf("all %d changes of the revision %s before the end", want, s.r.H.RV(s.rank)), fmt.Sprintf("%d of them", s.got), s.w.Call, e.Num)
		}
	}
}

// due counts the own changes of the revision that the watch's scope has.
func (s *revision) due() int {
	n := 0
	for _, v := range s.shared[s.rank] {
		k := s.r.Versions[v].K
		if _, ok := s.r.Transition(s.m, v); ok && s.m.MatchesKey(k) && s.r.Own(k) {
			n++
		}
	}
	return n
}

// sharedRevisions are the versions of each revision that has more than one.
func sharedRevisions(r *replay.Replay) map[int32][]int32 {
	out := map[int32][]int32{}
	for i := 1; i < len(r.Versions); i++ { // they are sorted by their revisions
		n := r.Versions[i].N
		if n == 0 || n != r.Versions[i-1].N {
			continue
		}
		if out[n] == nil {
			out[n] = []int32{int32(i - 1)}
		}
		out[n] = append(out[n], int32(i))
	}
	return out
}
