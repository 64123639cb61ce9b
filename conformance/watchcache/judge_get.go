package watchcache

import (
	"fmt"
	"net/http"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeGetMostRecent: what a get shows was so at some moment between its call
// and its answer.
func judgeGetMostRecent(h *history.History) harness.Judgement {
	r := replay.Of(h)
	j := harness.Judgement{Undecided: r.Unordered}
	if j.Undecided != "" {
		return j
	}
	for _, q := range replay.Asked(h) {
		k := h.Event(q.Call).Obj.K
		if q.Kind != replay.Get || q.Args.Options.ResourceVersion != "" || q.Return == 0 || !r.Own(k) {
			continue
		}
		m := r.Moments(replay.Looking(k, q.Call, q.Return))
		switch {
		case q.Err != nil && q.Err.Code == http.StatusNotFound:
			absent := m.Absent || m.Doubt || len(m.Versions) == 0
			j.Tested++
			if !absent {
				v := &r.Versions[m.Versions[0]]
				j.Fail(name(r, v)+": it was there all the time", "404", causes(v.Call, q.Call, q.Return)...)
			}
		case q.Err == nil:
			judgeGot(&j, r, &q, m)
		}
	}
	return j
}

func judgeGot(j *harness.Judgement, r *replay.Replay, q *replay.Request, m replay.Moments) {
	if m.Doubt {
		return
	}
	j.Tested++
	var last *replay.Version
	for _, i := range m.Versions {
		v := &r.Versions[i]
		if v.Gone {
			continue
		}
		last = v
		if (r.ByOrder || v.Obj.N == q.Obj.N) && sameObject(r, v.Obj, q.Obj) {
			return
		}
	}
	if r.Find(q.Obj.K, q.Obj.N) == replay.None && !r.ByOrder {
		j.Tested--
		return // a version that nobody here knows of: another rule's
	}
	want := "404: it was not there"
	if last != nil {
		want = name(r, last)
	}
	got := q.Obj.Key
	if q.Obj.RV != "" {
		got += " @" + q.Obj.RV
	}
	if last != nil && last.Obj.N == q.Obj.N {
		got += " " + differs(last.Obj, q.Obj)
	}
	j.Fail(want, got, q.Call, q.Return)
}

// judgeGetNotOlder: a state at or after N has no version that was replaced at
// or before N, and everything that lived from N on.
func judgeGetNotOlder(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	if r.ByOrder {
		j.Undecided = "writes return no resourceVersion that could be compared"
		return j
	}
	for _, q := range replay.Asked(h) {
		k := h.Event(q.Call).Obj.K
		n, ok := h.Floor(q.Args.Options.ResourceVersion)
		if q.Kind != replay.Get || !ok || q.Return == 0 || !r.Own(k) {
			continue
		}
		s := r.StateAt(k, n)
		rv := q.Args.Options.ResourceVersion
		switch {
		case !s.Certain || s.Version == replay.None:
		case q.Err == nil:
			j.Tested++
			v := &r.Versions[s.Version]
			if q.Obj.N < v.N {
				j.Fail(fmt.Sprintf("%s, or a newer one: it is the state at %s", name(r, v), rv), at(h.Event(q.Return)), causes(v.Call, q.Call, q.Return)...)
			}
		case q.Err.Code == http.StatusNotFound && !deletedAfter(r, k, n, q.Return):
			j.Tested++
			j.Fail(name(r, &r.Versions[s.Version])+": it was there from "+rv+" on", "404", q.Call, q.Return)
		}
	}
	return j
}

// deletedAfter says that the key may have been deleted above rank n, by a
// request that was made before the event with this number.
func deletedAfter(r *replay.Replay, k, n, num int32) bool {
	for _, i := range r.OfKey(k) {
		if v := &r.Versions[i]; v.Gone && v.Before > n && v.Call < num {
			return true
		}
	}
	return r.StateAt(k, n).Gone
}
