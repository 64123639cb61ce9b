package watchcache

import (
	"net/http"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// swept follows what is there in a history without resourceVersions, in which
// one request is made after the other.
type swept struct {
	r       *replay.Replay
	j       *harness.Judgement
	there   map[int32]*history.Ref // by key: as it was last answered
	deleted map[int32]int32        // by key: the call that deleted it with others
}

// judgeSweptByOrder is judgeCollection for subjects whose objects have no
// resourceVersions: what a get or a list shows next tells what came of a
// collection. Where requests overlap nothing is known.
func judgeSweptByOrder(r *replay.Replay) harness.Judgement {
	var j harness.Judgement
	s := swept{r, &j, map[int32]*history.Ref{}, map[int32]int32{}}
	open := int32(0)
	for i := range r.H.Events {
		e := &r.H.Events[i]
		switch {
		case e.Phase == history.Call && changes(e.Kind):
			if open != 0 {
				j.Undecided = "writes overlap, and no resourceVersion tells which came first"
				return j
			}
			open = e.Num
		case e.Phase == history.Return && changes(e.Kind):
			open = 0
			s.answered(e)
		case e.Phase == history.Return:
			s.shown(e)
		}
	}
	return j
}

func changes(kind string) bool {
	switch kind {
	case replay.Create, replay.Update, replay.Patch, replay.Delete, replay.DeleteCollection:
		return true
	}
	return false
}

// answered takes note of a write.
func (s *swept) answered(e *history.Event) {
	call := s.r.H.Event(e.Call)
	k := call.Obj.K
	switch {
	case e.Err() != nil || replay.IsDryRun(call):
	case e.Kind == replay.DeleteCollection:
		args, err := replay.ParseArgs(argsOf(call))
		scope, scopeErr := replay.ParseScope(args)
		if err != nil || scopeErr != nil {
			return
		}
		m := replay.NewMatcher(s.r.H, scope)
		for k, o := range s.there {
			if m.Matches(o) {
				s.deleted[k] = e.Call
				delete(s.there, k)
			}
		}
	case e.Kind == replay.Delete:
		delete(s.there, k)
		delete(s.deleted, k)
	default:
		s.there[e.Obj.K] = &e.Obj
		delete(s.deleted, e.Obj.K)
	}
}

func argsOf(call *history.Event) []byte {
	if call.X == nil {
		return nil
	}
	return call.X.Args
}

// shown looks at a get or a list.
func (s *swept) shown(e *history.Event) {
	if e.Kind == replay.Get {
		at, ok := s.deleted[s.r.H.Event(e.Call).Obj.K]
		switch {
		case !ok:
		case e.Err() == nil:
			s.j.Tested++
			s.j.Fail("no "+e.Obj.Key+": it was selected", told1(e), at, e.Call, e.Num)
		case e.Err().Code == http.StatusNotFound:
			s.j.Tested++
		}
		return
	}
	if e.Kind != replay.List || e.Err() != nil {
		return
	}
	for _, o := range replay.Objects(e) {
		if at, ok := s.deleted[o.K]; ok {
			s.j.Tested++
			s.j.Fail("no "+o.Key+": it was selected", describeItem(&o), at, e.Call, e.Num)
		}
	}
}
