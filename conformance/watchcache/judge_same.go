package watchcache

import (
	"fmt"
	"slices"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

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
	x, y := changesBetween(r, a, from, upto+1), changesBetween(r, b, from, upto+1)
	compareObjects(j, r, x, y)
	x, y = below(r, x, upto), below(r, y, upto)
	if len(x) == 0 && len(y) == 0 {
		return
	}
	j.Tested++
	for i := range max(len(x), len(y)) {
		switch {
		case i >= len(x):
			j.Fail("what "+a.Actor+" was given: nothing more up to "+r.H.RV(upto), told1(y[i]), a.Call, b.Call, y[i].Num)
		case i >= len(y):
			j.Fail(fmt.Sprintf("%s, as %s was given it", told1(x[i]), a.Actor), "no "+x[i].Kind, a.Call, x[i].Num, b.Call)
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

// below are the changes at lower ranks.
func below(r *replay.Replay, all []*history.Event, n int32) []*history.Event {
	return slices.DeleteFunc(slices.Clone(all), func(e *history.Event) bool { return changeIn(r, e) >= n })
}

// compareObjects looks for a change that shows one watch another object than the other.
func compareObjects(j *harness.Judgement, r *replay.Replay, x, y []*history.Event) {
	type change struct {
		k, n int32
		kind string
	}
	given := map[change]*history.Event{}
	for _, e := range x {
		given[change{e.Obj.K, changeIn(r, e), e.Kind}] = e
	}
	for _, e := range y {
		was := given[change{e.Obj.K, changeIn(r, e), e.Kind}]
		if was == nil {
			continue
		}
		if j.Tested++; was.Obj.UID != e.Obj.UID || !sameObject(r, &was.Obj, &e.Obj) {
			j.Fail(told1(was)+", as the other watch was given it", told1(e)+" with another content, labels, fields or uid", was.Num, e.Num)
		}
	}
}

func told1(e *history.Event) string {
	switch {
	case e.Err() != nil:
		return e.Kind + " " + e.Err().String()
	case e.Obj.Key == "":
		return e.Kind + " @" + e.Obj.RV
	}
	return e.Kind + " " + at(e)
}

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
