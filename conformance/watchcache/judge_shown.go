package watchcache

import (
	"fmt"
	"slices"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// otherwise is how a version was shown that was answered in another way.
type otherwise struct {
	sorts []string // of the requests that showed it so
	event int32
	obj   *history.Ref
}

// shows is what all readers were shown of versions that a write was answered with.
type shows struct {
	r     *replay.Replay
	right []bool // by version: somebody was shown what was answered
	wrong map[int32]*otherwise
}

// shownOtherwise looks for answers that no reader was ever shown: two sorts of
// requests or more show another object at that resourceVersion. What only one
// sort shows wrongly is that sort's.
func shownOtherwise(j *harness.Judgement, r *replay.Replay) {
	s := shows{r, make([]bool, len(r.Versions)), map[int32]*otherwise{}}
	for i := range r.Watches {
		w := &r.Watches[i]
		for n := range w.Events {
			if e := &w.Events[n]; e.IsEvent() && !e.Deleted() {
				s.look(replay.Watch, e.Num, e.Version, &r.H.Event(e.Num).Obj)
			}
		}
	}
	for i := range r.Lists {
		l := &r.Lists[i]
		for n := range l.Items {
			s.look(replay.List, l.Return, r.Find(l.Items[n].K, l.Items[n].N), &l.Items[n])
		}
	}
	for _, q := range replay.Asked(r.H) {
		if q.Kind == replay.Get && q.Answered() {
			s.look(replay.Get, q.Return, r.Find(q.Obj.K, q.Obj.N), q.Obj)
		}
	}
	for i := range r.Versions {
		if o := s.wrong[int32(i)]; o != nil && !s.right[i] && len(o.sorts) > 1 {
			v := &r.Versions[i]
			j.Fail(fmt.Sprintf("%s as lists, gets and watches show it", name(r, v)), "an answer "+differs(o.obj, v.Obj), v.Call, v.By, o.event)
		}
	}
}

func (s *shows) look(sort string, num, i int32, o *history.Ref) {
	if i == replay.None {
		return
	}
	v := &s.r.Versions[i]
	switch {
	case !v.Sure || v.Gone || v.Call == 0 || v.By == 0 || s.right[i]:
		return
	case sameObject(s.r, v.Obj, o):
		s.right[i] = true
		return
	case s.wrong[i] == nil:
		s.wrong[i] = &otherwise{event: num, obj: o}
	}
	if w := s.wrong[i]; !slices.Contains(w.sorts, sort) {
		w.sorts = append(w.sorts, sort)
	}
}
