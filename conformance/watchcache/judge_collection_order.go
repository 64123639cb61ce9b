package watchcache

import (
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
	deleted map[int32]ended        // by key: what was deleted with others
}

// ended is an object that a collection's deletion ended, and its request.
type ended struct {
	uid       string
	call, ret int32
}

// judgeSweptByOrder is judgeCollection for subjects whose objects have no
// resourceVersions: what a get or a list shows next tells what came of a
// collection. Where requests overlap nothing is known.
func judgeSweptByOrder(r *replay.Replay) harness.Judgement {
	var j harness.Judgement
	s := swept{r, &j, map[int32]*history.Ref{}, map[int32]ended{}}
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
	case replay.IsDryRun(call):
	case e.Err() != nil && e.Err().Definite:
	case e.Kind == replay.DeleteCollection && e.Err() == nil:
		s.sweep(e, call)
	case e.Err() != nil: // it may have happened, or happen later
		delete(s.there, k)
		delete(s.deleted, k)
	case e.Kind == replay.Delete:
		if o := s.there[k]; o == nil || !held(o) {
			delete(s.there, k)
		}
		delete(s.deleted, k)
	case replay.IsDeleting(e.Obj.Body) && !held(&e.Obj): // its last finalizer was taken
		delete(s.there, e.Obj.K)
		delete(s.deleted, e.Obj.K)
	default:
		s.there[e.Obj.K] = &e.Obj
		delete(s.deleted, e.Obj.K)
	}
}

// held says that an object has finalizers: a deletion only marks it.
func held(o *history.Ref) bool { return len(replay.FinalizersOf(o.Body)) > 0 }

// sweep takes note of the deletion of a collection, if it asks for all of it.
func (s *swept) sweep(e, call *history.Event) {
	args, err := replay.ParseArgs(argsOf(call))
	scope, scopeErr := replay.ParseScope(args)
	o := &args.Options
	if err != nil || scopeErr != nil || !recent(o) || o.Limit != 0 || o.ShardSelector != "" || call.Obj.UID != "" || call.Obj.RV != "" {
		return
	}
	m := replay.NewMatcher(s.r.H, scope)
	for k, o := range s.there {
		if m.Matches(o) && !held(o) {
			s.deleted[k] = ended{o.UID, e.Call, e.Num}
			delete(s.there, k)
		}
	}
}

// recent says that a request is for the most recent state.
func recent(o *metav1.ListOptions) bool {
	return o.ResourceVersion == "" && o.ResourceVersionMatch == "" && o.Continue == ""
}

func argsOf(call *history.Event) []byte {
	if call.X == nil {
		return nil
	}
	return call.X.Args
}

// shown looks at a get or a list of the most recent state.
func (s *swept) shown(e *history.Event) {
	call := s.r.H.Event(e.Call)
	args, err := replay.ParseArgs(argsOf(call))
	if err != nil || !recent(&args.Options) {
		return
	}
	switch at, ok := s.deleted[call.Obj.K]; {
	case e.Kind == replay.Get && e.Err() != nil:
		if ok && e.Call > at.ret && e.Err().Code == http.StatusNotFound {
			s.j.Tested++
		}
	case e.Kind == replay.Get:
		s.survives(&e.Obj, e, told1(e))
	case e.Kind == replay.List && e.Err() == nil:
		for _, o := range replay.Objects(e) {
			s.survives(&o, e, describeItem(&o))
		}
	}
}

// survives looks at an object that was asked for after a collection was deleted.
func (s *swept) survives(o *history.Ref, e *history.Event, got string) {
	at, ok := s.deleted[o.K]
	if !ok || e.Call < at.ret || o.UID != at.uid {
		return
	}
	s.j.Tested++
	s.j.Fail("no "+o.Key+": it was selected", got, at.call, e.Call, e.Num)
}
