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
			if !isAspect(r, w, aspect) {
				continue
			}
			pre, m := &h.Event(w.Call).Obj, r.Moments(w)
			rv, uid := r.Holds(m, w)
			if rv && uid {
				continue
			}
			judgeRefusal(&j, r, w, m, pre)
			if e := applied[w.Call]; e != 0 {
				j.Fail("a refused "+w.Verb+" changes nothing", fmt.Sprintf("%s shows what it wrote", at(h.Event(e))), w.Call, w.Return, e)
			}
		}
		return j
	}
}

// isAspect: the uid is judged apart, where it alone is the precondition that does not hold.
func isAspect(r *replay.Replay, w *replay.Write, aspect string) bool {
	if w.Verb == replay.Create || w.Return == 0 || w.Outcome == replay.Unknown {
		return false
	}
	pre := &r.H.Event(w.Call).Obj
	rv, uid := r.Holds(r.Moments(w), w)
	if aspect == aspectUID {
		return pre.UID != "" && !uid && rv && w.Verb != replay.Patch
	}
	return pre.RV != "" && !rv && w.Verb == verbOf[aspect]
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
			refused[c] = w.Call
		}
	}
	out := map[int32]int32{}
	for _, num := range r.Phantoms {
		e := r.H.Event(num)
		for _, o := range objects(e) {
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
