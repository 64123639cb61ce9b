package watchcache

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeOrdered keeps one number a watch. The initial events of a watch may
// come in any order: they end with their mark, or with the first event that
// cannot be one of them.
func judgeOrdered(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	for i := range r.Watches {
		w := &r.Watches[i]
		initial := w.Initial()
		var top, topAt int32
		for i := range w.Events {
			e := &w.Events[i]
			if e.Num == w.Mark || e.Kind() == history.Settled {
				initial = false
			}
			if !e.IsEvent() || e.N == 0 {
				continue
			}
			if e.Kind() != replay.Added && w.Mark == 0 {
				initial = false
			}
			if !initial && topAt != 0 {
				j.Tested++
				if e.N < top {
					j.Fail("a resourceVersion of at least "+h.RV(top), fmt.Sprintf("%s %s", e.Kind(), at(h.Event(e.Num))), topAt, e.Num)
				}
			}
			if e.N >= top {
				top, topAt = e.N, e.Num
			}
		}
	}
	return j
}

// judgeUnique keeps the last change of each object; only a watch that went
// back is looked through again.
func judgeUnique(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	if r.ByOrder && r.Unordered != "" { // then nothing tells changes apart
		j.Undecided = r.Unordered
		return j
	}
	last := make([]struct{ watch, n, event int32 }, h.Keys())
	for i := range r.Watches {
		w := &r.Watches[i]
		var all map[shown]int32
		for i := range w.Events {
			e := &w.Events[i]
			n := change(r, e)
			if n == 0 {
				continue
			}
			p := &last[e.K]
			if p.watch != w.Call {
				p.watch, p.n, p.event = w.Call, n, e.Num
				continue
			}
			j.Tested++
			before := p.event
			if n < p.n {
				if all == nil {
					all = firstShown(r, w)
				}
				if before = all[shown{e.K, n}]; before == e.Num {
					before = 0 // only now
				}
			}
			if n <= p.n && before != 0 {
				j.Fail("each change once", fmt.Sprintf("%s %s again", e.Kind(), at(h.Event(e.Num))), before, e.Num)
			}
			if n >= p.n {
				p.n, p.event = n, e.Num
			}
		}
	}
	return j
}

// change is the number by which an event's change is known, 0 if it has none.
func change(r *replay.Replay, e *replay.Shown) int32 {
	switch {
	case !e.IsEvent():
		return 0
	case !r.ByOrder:
		return e.N
	case e.Version != replay.None:
		return r.Versions[e.Version].N
	}
	return 0
}

// shown is a change that a watch gave.
type shown struct{ k, n int32 }

// firstShown is where a watch gave each change first.
func firstShown(r *replay.Replay, w *replay.WatchCall) map[shown]int32 {
	out := map[shown]int32{}
	for i := range w.Events {
		e := &w.Events[i]
		if n := change(r, e); n != 0 && out[shown{e.K, n}] == 0 {
			out[shown{e.K, n}] = e.Num
		}
	}
	return out
}

func at(e *history.Event) string { return e.Obj.Named() }

// judgeReliable: what is due must have come; and what comes, due or not, must
// be as it was written.
func judgeReliable(h *history.History) harness.Judgement {
	r := replay.Of(h)
	j := harness.Judgement{Undecided: r.Unordered}
	if j.Undecided != "" {
		return j
	}
	r.Dues(func(w *replay.WatchCall, _ *replay.Matcher, d replay.Due) {
		j.Tested++
		if d.Given == 0 {
			missing(&j, r, w, d)
		}
	})
	for i := range r.Watches {
		w := &r.Watches[i]
		for i := range w.Events {
			judgeContent(&j, r, w, &w.Events[i])
		}
	}
	judgeInvented(&j, r)
	return j
}

// judgeInvented: where nobody else can write, a watch gives no change that nobody here made. What a write has come to
// whose outcome nobody knows cannot always be told; then nothing is said.
func judgeInvented(j *harness.Judgement, r *replay.Replay) {
	if r.Shared() {
		return
	}
	for _, num := range r.Phantoms {
		if e := r.H.Event(num); isEvent(e) && r.Own(e.Obj.K) && !r.BeforeRun(e.Obj.K, e.Obj.N) && !unheardOf(r, e) {
			j.Fail("only changes that were made", told1(e)+": nobody here made it", e.Call, num)
		}
	}
	stranger := strangers(r)
	for i := range r.H.Events {
		if e := &r.H.Events[i]; isEvent(e) && stranger(&e.Obj) {
			j.Fail("only changes that were made", told1(e)+": nobody here made it", e.Call, e.Num)
		}
	}
}

// strangers returns a function that reports whether an object was created during this run, and not by it. The function reports false for all where
// the server does not promise that nobody else writes (sole-writer, in real time), where it makes up names, and for a trace, which may lack requests.
func strangers(r *replay.Replay) func(*history.Ref) bool {
	none := func(*history.Ref) bool { return false }
	if r.H.Header.Check == "" || r.H.Header.Time == history.VirtualTime || !has(r.H, SoleWriter) || r.ByOrder || r.Unordered != "" {
		return none
	}
	touched := map[int32]bool{}
	for i := range r.H.Events {
		e := &r.H.Events[i]
		if e.Phase != history.Call {
			continue
		}
		if e.Kind == replay.Create && generated(&e.Obj) {
			return none
		}
		touched[e.Obj.K] = true
	}
	first := int32(0) // what is older may have been there before the run
	for i := range r.Versions {
		if v := &r.Versions[i]; v.Call != 0 && v.Sure && v.N != 0 && (first == 0 || v.N < first) {
			first = v.N
		}
	}
	if first == 0 {
		return none
	}
	return func(o *history.Ref) bool {
		return o.K != 0 && o.N > first && !touched[o.K] && !strings.HasPrefix(o.Key, replay.Foreign)
	}
}

// unheardOf says that a write of an event's object, called before it, has no answer that tells what came of it.
func unheardOf(r *replay.Replay, e *history.Event) bool {
	return slices.ContainsFunc(r.Writes, func(w replay.Write) bool {
		return w.K == e.Obj.K && w.Outcome == replay.Unknown && w.Call < e.Num && !replay.IsDryRun(r.H.Event(w.Call))
	})
}

// judgeContent compares an event with the write that gave its resourceVersion.
// What an object was before it was deleted is watch/delete-version's.
func judgeContent(j *harness.Judgement, r *replay.Replay, w *replay.WatchCall, s *replay.Shown) {
	if s.Version == replay.None || s.Deleted() || !r.Own(s.K) {
		return
	}
	v, e := &r.Versions[s.Version], r.H.Event(s.Num)
	switch {
	case v.Gone:
	case v.Sure && !sameObject(r, v.Obj, &e.Obj):
		j.Fail(name(r, v)+" as it was written", at(e)+" "+differs(v.Obj, &e.Obj), causes(v.Call, w.Call, e.Num)...)
	case !v.Sure && v.Seen != 0 && !r.ByOrder && !(sameObject(r, v.Obj, &e.Obj) && sameObject(r, &e.Obj, v.Obj)):
		j.Fail(fmt.Sprintf("%s as #%d shows it: it has one state", name(r, v), v.Seen), told1(e)+" with another", causes(v.Seen, w.Call, e.Num)...)
	}
}
