package watchcache

import (
	"fmt"
	"net/http"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeConflict looks at each write whose precondition held at no moment of
// its request: it must fail with 409, and nothing may show that it was applied.
func judgeConflict(aspect string) func(*history.History) harness.Judgement {
	return func(h *history.History) harness.Judgement {
		r := replay.Of(h)
		j := harness.Judgement{Undecided: r.Unordered}
		if j.Undecided != "" {
			return j
		}
		applied := refusedButSeen(r)
		for i := range r.Writes {
			w := &r.Writes[i]
			pre := &h.Event(w.Call).Obj
			if !mayBeOf(r, aspect, w, pre) {
				continue
			}
			m := r.Moments(w)
			if rv, uid := r.Holds(m, w); aspect == aspectUID && (uid || !rv) || aspect != aspectUID && rv {
				continue // the uid is judged where it alone does not hold
			}
			judgeRefusal(&j, r, w, m, pre)
			if e := applied[w.Call]; e != 0 {
				j.Fail("a refused "+w.Verb+" changes nothing", fmt.Sprintf("%s shows what it wrote", at(h.Event(e))), w.Call, w.Return, e)
			}
		}
		return j
	}
}

// mayBeOf says whether a write is one that the aspect is about, if its
// precondition does not hold. A resourceVersion that nobody could compare is
// not a stale one.
func mayBeOf(r *replay.Replay, aspect string, w *replay.Write, pre *history.Ref) bool {
	switch {
	case w.Verb == replay.Create || w.Return == 0 || w.Outcome == replay.Unknown:
		return false
	case pre.RV != "" && pre.N == 0 && !r.ByOrder:
		return false
	case aspect == aspectUID:
		return pre.UID != "" && w.Verb != replay.Patch
	}
	return pre.RV != "" && w.Verb == verbOf[aspect]
}

func judgeRefusal(j *harness.Judgement, r *replay.Replay, w *replay.Write, m replay.Moments, pre *history.Ref) {
	want := "409 Conflict: " + why(r, m, w, pre)
	err := r.H.Event(w.Return).Err()
	switch {
	case err == nil:
		j.Tested++
		j.Fail(want, "the "+w.Verb+" was accepted", w.Call, w.Return)
	case err.Code == http.StatusConflict:
		j.Tested++
	case m.Absent && (err.Code == http.StatusNotFound || err.Code == http.StatusUnprocessableEntity):
	case pre.RV == "" && w.Verb == replay.Update && err.Code == http.StatusUnprocessableEntity: // some kinds want one
	case err.Code == http.StatusTooManyRequests:
	default:
		j.Tested++
		j.Fail(want, "refused, but with "+err.String(), w.Call, w.Return)
	}
}

// why says what the object was while the write was under way.
func why(r *replay.Replay, m replay.Moments, w *replay.Write, pre *history.Ref) string {
	was := "not there"
	for _, i := range m.Versions {
		if v := &r.Versions[i]; !v.Gone && i != w.Version && v.Obj != nil {
			was = "@" + v.Obj.RV
			if v.Obj.RV == "" {
				was = "without a resourceVersion"
			}
			if rv, _ := r.Holds(m, w); rv {
				was = "of uid " + v.Obj.UID
				if v.Obj.UID == "" {
					was = "without a uid"
				}
			}
		}
	}
	given := "resourceVersion " + pre.RV
	if rv, _ := r.Holds(m, w); rv {
		given = "uid " + pre.UID
	}
	return fmt.Sprintf("%s was %s, and not of %s", pre.Key, was, given)
}

// refusedButSeen gives, for calls of refused writes, an event that shows their
// content nevertheless.
func refusedButSeen(r *replay.Replay) map[int32]int32 {
	if len(r.Phantoms) == 0 {
		return nil
	}
	type content struct {
		k       int32
		deleted bool
		body    string
	}
	refused := map[content]int32{}
	for i := range r.Writes {
		if w := &r.Writes[i]; w.Outcome == replay.Refused {
			c := content{w.K, w.Verb == replay.Delete, ""}
			if !c.deleted {
				c.body = r.H.Event(w.Call).Obj.Body
			}
			if _, ok := refused[c]; !ok {
				refused[c] = w.Call
			}
		}
	}
	out := map[int32]int32{}
	for _, num := range r.Phantoms {
		e := r.H.Event(num)
		for _, o := range objects(e) {
			if e.Kind == replay.List && r.Find(o.K, o.N) != replay.None {
				continue // another item of that list is the phantom
			}
			c := content{o.K, e.Kind == replay.Deleted, ""}
			if !c.deleted {
				c.body = o.Body
			}
			if call := refused[c]; call != 0 && call < num {
				out[call] = num
			}
		}
	}
	return out
}

func objects(e *history.Event) []history.Ref {
	if e.X != nil && e.X.Items != nil {
		return e.X.Items
	}
	return []history.Ref{e.Obj}
}
