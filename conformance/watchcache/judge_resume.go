package watchcache

import (
	"fmt"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// resumed says, by call, which watches go on where another of the same scope
// left off: at the resourceVersion of its last event or bookmark.
func resumed(r *replay.Replay) map[int32]bool {
	type place struct{ scope, rv string }
	last := map[place]bool{}
	out := map[int32]bool{}
	for i := range r.Watches {
		w := &r.Watches[i]
		rv := w.Args.Options.ResourceVersion
		if rv != "" && rv != "0" && last[place{w.Scope.String(), rv}] && w.Err == nil && !w.Initial() {
			out[w.Call] = true
		}
		at := ""
		for e := range w.All(r.H) {
			if isEvent(e) || e.Kind == replay.Bookmark {
				at = e.Obj.RV
			}
		}
		if at != "" {
			last[place{w.Scope.String(), at}] = true
		}
	}
	return out
}

// judgeResumable: what is due to a watch that goes on comes, and nothing before it.
func judgeResumable(h *history.History) harness.Judgement {
	r := replay.Of(h)
	j := harness.Judgement{Undecided: r.Unordered}
	if j.Undecided != "" {
		return j
	}
	goes := resumed(r)
	r.Dues(func(w *replay.WatchCall, _ *replay.Matcher, d replay.Due) {
		if !goes[w.Call] {
			return
		}
		j.Tested++
		if d.Given == 0 {
			missing(&j, r, w, d)
		}
	})
	for i := range r.Watches {
		w := &r.Watches[i]
		if !goes[w.Call] || !w.Known {
			continue
		}
		for e := range w.All(r.H) {
			if n := changeIn(r, e); n != 0 && n <= w.Start && r.Own(e.Obj.K) {
				j.Fail("only changes after "+w.Args.Options.ResourceVersion+", where the watch before it ended", fmt.Sprintf("%s %s", e.Kind, at(e)), w.Call, e.Num)
			}
		}
	}
	return j
}

// judgeSelectorExit looks at the changes by which something enters or leaves a selector.
func judgeSelectorExit(h *history.History) harness.Judgement {
	r := replay.Of(h)
	j := harness.Judgement{Undecided: r.Unordered}
	if j.Undecided != "" {
		return j
	}
	r.Dues(func(w *replay.WatchCall, m *replay.Matcher, d replay.Due) {
		v := &r.Versions[d.Version]
		if v.Gone || v.Prev == replay.None || r.Versions[v.Prev].Gone || d.Type == replay.Modified || d.Type == "" {
			return
		}
		j.Tested++
		if d.Given == 0 {
			missing(&j, r, w, d)
			return
		}
		if e := h.Event(d.Given); e.Kind != d.Type {
			move := "enters"
			if d.Type == replay.Deleted {
				move = "leaves"
			}
			j.Fail(fmt.Sprintf("%s for %s, by which it %s the selector", d.Type, name(r, v), move), e.Kind+" "+at(e), causes(v.Call, w.Call, d.Given)...)
		}
	})
	return j
}

// judgeDeleteVersion: a DELETED at the resourceVersion of a state that lived
// has not the deletion's own, unless the object left the selector by it; and
// what it shows was stored last.
func judgeDeleteVersion(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	if r.ByOrder {
		j.Undecided = "deletions have no resourceVersion"
		return j
	}
	for i := range r.Watches {
		w := &r.Watches[i]
		m := replay.NewMatcher(h, w.Scope)
		for e := range w.All(r.H) {
			if e.Kind != replay.Deleted || !r.Own(e.Obj.K) {
				continue
			}
			v := r.VersionOf(e)
			if v == replay.None {
				continue // at a resourceVersion of which nothing else is known
			}
			j.Tested++
			kind, _ := r.Transition(m, v)
			prev := r.Versions[v].Prev
			switch {
			case !r.Versions[v].Gone && kind != replay.Deleted:
				j.Fail("the resourceVersion of the deletion", fmt.Sprintf("DELETED %s, which is that of a state that lived", at(e)), causes(r.Versions[v].Call, w.Call, e.Num)...)
			case prev == replay.None || r.Versions[prev].Obj == nil || r.Versions[v].Hazy:
			case !sameObject(r, r.Versions[prev].Obj, &e.Obj):
				j.Fail("the last state, as it was before the change", at(e)+" "+differs(r.Versions[prev].Obj, &e.Obj), causes(r.Versions[prev].Call, w.Call, e.Num)...)
			}
		}
	}
	return j
}

// judgeSameForAll compares watches of one scope in what both were there for:
// from the later start to where the first of them ended.
func judgeSameForAll(h *history.History) harness.Judgement {
	r := replay.Of(h)
	j := harness.Judgement{Undecided: r.Unordered}
	if j.Undecided != "" {
		return j
	}
	first := map[string]*replay.WatchCall{}
	for i := range r.Watches {
		w := &r.Watches[i]
		if w.Err != nil || !w.Known {
			continue
		}
		other := first[w.Scope.String()]
		if other == nil {
			first[w.Scope.String()] = w
			continue
		}
		compareWatches(&j, r, other, w)
		if top(r, w) > top(r, other) {
			first[w.Scope.String()] = w
		}
	}
	return j
}

func top(r *replay.Replay, w *replay.WatchCall) int32 {
	n := int32(0)
	for e := range w.All(r.H) {
		n = max(n, changeIn(r, e))
	}
	return n
}

// compareWatches holds one against the other. The last revision that both have
// may not have come whole to one of them, and changes of one revision have no order.
func compareWatches(j *harness.Judgement, r *replay.Replay, a, b *replay.WatchCall) {
	from, upto := max(a.Start, b.Start), min(top(r, a), top(r, b))
	x, y := changesBetween(r, a, from, upto), changesBetween(r, b, from, upto)
	if len(x) == 0 && len(y) == 0 {
		return
	}
	j.Tested++
	for i := range max(len(x), len(y)) {
		switch {
		case i >= len(x):
			j.Fail("what "+a.Actor+" was given: nothing more up to "+r.H.RV(upto), told1(y[i]), a.Call, b.Call, y[i].Num)
		case i >= len(y):
			j.Fail(fmt.Sprintf("%s, as %s was given it", told1(x[i]), a.Actor), "nothing of it", a.Call, x[i].Num, b.Call)
		case x[i].Obj.K != y[i].Obj.K && changeIn(r, x[i]) == changeIn(r, y[i]):
			continue
		case x[i].Obj.K != y[i].Obj.K || changeIn(r, x[i]) != changeIn(r, y[i]) || x[i].Kind != y[i].Kind:
			j.Fail(fmt.Sprintf("%s next, as %s was given it", told1(x[i]), a.Actor), told1(y[i]), a.Call, x[i].Num, b.Call, y[i].Num)
		default:
			continue
		}
		return
	}
}

func told1(e *history.Event) string { return e.Kind + " " + at(e) }

// changesBetween are what a watch gave above rank from and below upto.
func changesBetween(r *replay.Replay, w *replay.WatchCall, from, upto int32) []*history.Event {
	var out []*history.Event
	for e := range w.All(r.H) {
		if n := changeIn(r, e); n > from && n < upto && e.Num > w.Mark {
			out = append(out, e)
		}
	}
	return out
}

// judgeAtomic looks at revisions of which a watch gave more than one change.
func judgeAtomic(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	shared := sharedRevisions(r)
	for i := range r.Watches {
		w := &r.Watches[i]
		m := replay.NewMatcher(h, w.Scope)
		got, splitAt, rank := 0, int32(0), int32(0)
		for e := range w.All(r.H) {
			if e.Num < w.Mark {
				continue
			}
			switch {
			case isEvent(e) && e.Obj.N == rank:
				if got++; splitAt != 0 {
					j.Fail("the changes of the revision "+h.RV(rank)+" in one piece", told1(e)+", behind a bookmark", w.Call, splitAt, e.Num)
				}
			case isEvent(e):
				got, splitAt, rank = 1, 0, e.Obj.N
			case e.Kind == replay.Bookmark && rank != 0 && e.Obj.N >= rank:
				splitAt = e.Num
			case e.Kind == history.Ended:
				if want := dueAt(r, m, shared[rank]); got > 0 && got < want {
					j.Fail(fmt.Sprintf("all %d changes of the revision %s before the end", want, h.RV(rank)), fmt.Sprintf("%d of them", got), w.Call, e.Num)
				}
			}
			if got > 1 && isEvent(e) {
				j.Tested++
			}
		}
	}
	return j
}

// sharedRevisions are the versions of each revision that has more than one.
func sharedRevisions(r *replay.Replay) map[int32][]int32 {
	out := map[int32][]int32{}
	for i := range r.Versions {
		if n := r.Versions[i].N; n != 0 {
			out[n] = append(out[n], int32(i))
		}
	}
	for n, vs := range out {
		if len(vs) < 2 {
			delete(out, n)
		}
	}
	return out
}

// dueAt counts the changes of a revision that a scope has.
func dueAt(r *replay.Replay, m *replay.Matcher, vs []int32) int {
	n := 0
	for _, v := range vs {
		if _, ok := r.Transition(m, v); ok && m.MatchesKey(r.Versions[v].K) {
			n++
		}
	}
	return n
}
