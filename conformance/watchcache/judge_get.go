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
		m := upToCall(r, r.Moments(replay.Looking(k, q.Call, q.Return)), q.Call)
		switch {
		case missed(&q):
			judgeMissed(&j, r, &q, m)
		case q.Err == nil:
			judgeGot(&j, r, &q, m)
		}
	}
	return j
}

// missed says that a request was answered with: there is no such thing.
func missed(q *replay.Request) bool { return q.Err != nil && q.Err.Code == http.StatusNotFound }

// upToCall leaves out of a get's moments what lay behind when it was called: all
// before the last that a write had been answered for by then. Where no watch
// showed a deletion, its answer alone tells of it.
func upToCall(r *replay.Replay, m replay.Moments, call int32) replay.Moments {
	for i := len(m.Versions) - 1; i >= 0; i-- {
		if by := r.Versions[m.Versions[i]].By; by == 0 || by > call {
			continue
		}
		m.Versions, m.Absent = m.Versions[i:], false
		for _, v := range m.Versions {
			m.Absent = m.Absent || r.Versions[v].Gone
		}
		break
	}
	return m
}

// judgeMissed: that another client deleted it is known to be untrue, or the
// key were not this run's own: the same object was there later, too.
func judgeMissed(j *harness.Judgement, r *replay.Replay, q *replay.Request, m replay.Moments) {
	if m.Doubt {
		return
	}
	j.Tested++
	if m.Absent || len(m.Versions) == 0 {
		return
	}
	v := &r.Versions[m.Versions[0]]
	j.Fail(name(r, v)+": it was there all the time", "404", causes(v.Call, q.Call, q.Return)...)
}

func judgeGot(j *harness.Judgement, r *replay.Replay, q *replay.Request, m replay.Moments) {
	if asked := &r.H.Event(q.Call).Obj; asked.K != q.Obj.K {
		j.Tested++
		j.Fail("the object "+asked.Key, gotten(r, q, nil), q.Call, q.Return)
		return
	}
	if m.Doubt {
		return
	}
	var last *replay.Version
	for _, i := range m.Versions {
		v := &r.Versions[i]
		if v.Gone {
			continue
		}
		last = v
		if (r.ByOrder || v.Obj.N == q.Obj.N) && sameObject(r, v.Obj, q.Obj) {
			j.Tested++
			return
		}
	}
	if !r.ByOrder && r.Find(q.Obj.K, q.Obj.N) == replay.None && r.Shared() {
		return // a version that nobody here knows of: another client may have made it
	}
	j.Tested++
	want := "404: it was not there"
	if last != nil {
		want = name(r, last)
	}
	j.Fail(want, gotten(r, q, last), q.Call, q.Return)
}

func gotten(r *replay.Replay, q *replay.Request, last *replay.Version) string {
	got := q.Obj.Named()
	if last != nil && (r.ByOrder || last.Obj.N == q.Obj.N) {
		got += " " + differs(last.Obj, q.Obj)
	}
	return got
}

// judgeGetNotOlder: a state at or after N has no version that was replaced at
// or before N, and everything that lived from N on. At "0" it may be any that was.
func judgeGetNotOlder(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	if r.ByOrder {
		j.Undecided = notComparable
		return j
	}
	for _, q := range replay.Asked(h) {
		k, rv := h.Event(q.Call).Obj.K, q.Args.Options.ResourceVersion
		n, ok := h.Floor(rv)
		if q.Kind != replay.Get || !ok && rv != "0" || q.Return == 0 || !r.Own(k) {
			continue
		}
		s := r.StateAt(k, n)
		switch {
		case q.Err == nil && unlike(r, &q, k) != "":
			j.Tested++
			j.Fail(unlike(r, &q, k), gotten(r, &q, nil), q.Call, q.Return)
		case rv == "0" && q.Err == nil: // any state will do
			j.Tested++
		case rv == "0" || !s.Certain:
		case q.Err == nil && q.Obj.N != 0:
			judgeAsNew(&j, r, &q, s, n)
		case missed(&q):
			judgeGone(&j, r, &q, s, n)
		}
	}
	return j
}

// unlike says what was asked for, or was written, where a get shows something else; empty if it does not.
func unlike(r *replay.Replay, q *replay.Request, k int32) string {
	if q.Obj.K != k {
		return "the object " + r.H.Key(k)
	}
	i := r.Find(k, q.Obj.N)
	switch {
	case q.Obj.N == 0:
		return ""
	case i == replay.None && !r.Shared() && !r.BeforeRun(k, q.Obj.N) && !r.Moments(replay.Looking(k, q.Call, q.Return)).Doubt:
		return r.H.Key(k) + " as somebody wrote it"
	case i == replay.None: // another client may have written it
		return ""
	}
	v := &r.Versions[i]
	switch {
	case v.Gone && !r.Shared():
		return name(r, v) + ": nobody wrote it there"
	case !v.Gone && v.Call != 0 && !sameObject(r, v.Obj, q.Obj):
		return name(r, v) + " as it was written"
	}
	return ""
}

const notComparable = "writes return no resourceVersion that could be compared"

// judgeAsNew: what a get gave at a resourceVersion of rank n, where the state there is known.
func judgeAsNew(j *harness.Judgement, r *replay.Replay, q *replay.Request, s replay.State, n int32) {
	rv := q.Args.Options.ResourceVersion
	j.Tested++
	if s.Version == replay.None {
		if q.Obj.N <= n {
			j.Fail("404, or what was created later: it was not there at "+rv, at(r.H.Event(q.Return)), q.Call, q.Return)
		}
		return
	}
	if v := &r.Versions[s.Version]; q.Obj.N < v.N {
		j.Fail(fmt.Sprintf("%s, or a newer one: it is the state at %s", name(r, v), rv), at(r.H.Event(q.Return)), causes(v.Call, q.Call, q.Return)...)
	}
}

// judgeGone: as judgeMissed, at a resourceVersion.
func judgeGone(j *harness.Judgement, r *replay.Replay, q *replay.Request, s replay.State, n int32) {
	k := r.H.Event(q.Call).Obj.K
	if s.Version == replay.None {
		j.Tested++
		return
	}
	if m := r.Moments(replay.Looking(k, q.Call, q.Return)); m.Doubt || m.Absent || r.GoneSince(k, n, q.Return) {
		return
	}
	j.Tested++
	j.Fail(name(r, &r.Versions[s.Version])+": it was there from "+q.Args.Options.ResourceVersion+" on", "404", q.Call, q.Return)
}
