package watchcache

import (
	"sync"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
)

// judgeApplied: what a refused write would have done was seen in the event with
// number e, 0 if in none. Whatever it was refused for, it must not be done.
func judgeApplied(j *harness.Judgement, r *replay.Replay, w *replay.Write, e int32) {
	if e == 0 {
		return
	}
	shows := at(r.H.Event(e))
	if list := r.H.Event(e); list.Kind == replay.List {
		shows = "a list @" + list.Obj.RV
	}
	j.Fail("a refused "+w.Verb()+" changes nothing", shows+" shows what it wrote", w.Call, w.Return, e)
}

// refusedButSeen gives, for calls of refused writes, an event that shows what
// they would have done: their content, an end, or the mark of a deletion. In a trace of anybody another client, a
// replica of the same program, may have written the same: that blames nobody.
func refusedButSeen(r *replay.Replay) map[int32]int32 {
	out := map[int32]int32{}
	if r.Shared() && r.H.Header.Check == "" {
		return out
	}
	refused := sync.OnceValue(r.Refused) // few histories need it
	for _, num := range r.Phantoms {
		e := r.H.Event(num)
		for _, o := range replay.Objects(e) {
			if e.Kind == replay.List && r.Find(o.K, o.N) != replay.None {
				continue // another item of that list is the phantom
			}
			if r.BeforeRun(o.K, o.N) {
				continue
			}
			call := refused().Explains(e, &o)
			if call == 0 && replay.IsDeleting(o.Body) {
				call = refused().Deletes(o.K, num)
			}
			if call != 0 {
				out[call] = num
			}
		}
	}
	return out
}
