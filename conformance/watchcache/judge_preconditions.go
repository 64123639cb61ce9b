package watchcache

import (
	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeCollectionPreconditions looks at what was selected by the deletion of a
// collection whose preconditions did not hold of it: the deletion is refused, and
// it stays. What else was selected may have been deleted before.
func judgeCollectionPreconditions(h *history.History) harness.Judgement {
	r := replay.Of(h)
	j := harness.Judgement{Undecided: r.Unordered}
	if j.Undecided != "" {
		return j
	}
	for i := range r.Collections {
		c := &r.Collections[i]
		if c.Outcome != replay.Done {
			continue
		}
		for _, s := range c.Keys {
			if s.Fate == replay.Kept {
				kept(&j, r, c, s)
			}
		}
	}
	return j
}

func kept(j *harness.Judgement, r *replay.Replay, c *replay.Collection, s replay.Swept) {
	const holdsNot = ": a precondition does not hold of it"
	after := livedAfter(r, c, s)
	if r.Shared() && after == replay.None {
		return // another client may have deleted it just before
	}
	j.Tested++
	switch err := r.H.Event(c.Return).Err(); {
	case err == nil:
		j.Fail("409 Conflict for "+r.H.Key(s.K)+holdsNot, "the DELETECOLLECTION was accepted", c.Call, c.Return)
	case !isConflict(err):
		j.Fail("409 Conflict for "+r.H.Key(s.K)+holdsNot, err.String(), c.Call, c.Return)
	}
	if e := goneAfter(r, c, s.K, s.UID); e != nil && after == replay.None {
		j.Fail(r.H.Key(s.K)+" to stay"+holdsNot, describeGone(e), c.Call, e.Num)
	}
}

// livedAfter is the number of the answer to a get of an object that was asked for
// after a collection's deletion had been answered, None if there is none.
func livedAfter(r *replay.Replay, c *replay.Collection, s replay.Swept) int32 {
	for _, q := range replay.Asked(r.H) {
		if q.Kind == replay.Get && q.Call > c.Return && q.Answered() && most(r.H.Event(q.Call)) && q.Obj.K == s.K && s.UID != "" && q.Obj.UID == s.UID {
			return q.Return
		}
	}
	return replay.None
}
