package watchcache

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// missing is the finding that a watch was not given what was due.
func missing(j *harness.Judgement, r *replay.Replay, w *replay.WatchCall, d replay.Due) {
	v := &r.Versions[d.Version]
	kind, got := d.Type, "no "+d.Type
	if kind == "" {
		kind, got = "an event", "no event"
	}
	if e := r.H.Event(d.Witness); e.Kind == history.Settled {
		got += ", though the watch had all the time it needs"
	} else {
		got += fmt.Sprintf(", though %s %s came after it", e.Kind, at(e))
	}
	j.Fail(fmt.Sprintf("%s for %s", kind, name(r, v)), got, causes(v.Call, w.Call, d.Witness)...)
}

// causes are numbers of events in order, without those that are not known.
func causes(nums ...int32) []int32 {
	var out []int32
	for _, n := range nums {
		if n != 0 {
			out = append(out, n)
		}
	}
	return out
}

// judgeFromList looks at the changes between a list and the opening of a watch from it.
func judgeFromList(h *history.History) harness.Judgement {
	r := replay.Of(h)
	j := harness.Judgement{Undecided: r.Unordered}
	if j.Undecided != "" {
		return j
	}
	r.Dues(func(w *replay.WatchCall, _ *replay.Matcher, d replay.Due) {
		if w.List == 0 || r.Versions[d.Version].Call > w.Call {
			return
		}
		j.Tested++
		if d.Given == 0 {
			missing(&j, r, w, d)
		}
	})
	for i := range r.Watches {
		if w := &r.Watches[i]; w.List != 0 && w.Known {
			notBefore(&j, r, w)
		}
	}
	fromUnversioned(&j, r)
	return j
}

// notBefore: nothing at or before the list comes.
func notBefore(j *harness.Judgement, r *replay.Replay, w *replay.WatchCall) {
	for i := range w.Events {
		e := &w.Events[i]
		n := change(r, e)
		if n == 0 || !r.Own(e.K) || n > w.Start {
			continue
		}
		j.Fail("only changes after the list's resourceVersion "+w.Args.Options.ResourceVersion, fmt.Sprintf("%s %s", e.Kind(), at(r.H.Event(e.Num))), w.List, w.Call, e.Num)
	}
}

// judgeScope: what comes is in the scope, and what is in the scope comes: a
// change that a watch without this restriction was given, and this one was not
// (what nobody was given is watch/reliable's). It counts as tested where
// something outside of the scope, but for this aspect, changed while the watch
// was looking.
func judgeScope(aspect string) func(*history.History) harness.Judgement {
	return func(h *history.History) harness.Judgement {
		r := replay.Of(h)
		j := harness.Judgement{Undecided: r.Unordered}
		if j.Undecided != "" {
			return j
		}
		if !slices.ContainsFunc(r.Watches, func(w replay.WatchCall) bool { return w.Scope.Restricted(aspect) }) {
			return j
		}
		given := make([]bool, len(r.Versions)) // to watches without this restriction
		lossy := map[int32]bool{}              // by call: a watch that misses something shows nothing of its scope
		gives := false                         // else it shows nothing, either, that nothing else came
		r.Dues(func(w *replay.WatchCall, _ *replay.Matcher, d replay.Due) {
			if gives = gives || d.Given != 0; d.Given == 0 {
				lossy[w.Call] = true
			} else if !w.Scope.Restricted(aspect) {
				given[d.Version] = true
			}
		})
		if len(lossy) > 0 { // few histories are looked through again
			r.Dues(func(w *replay.WatchCall, _ *replay.Matcher, d replay.Due) {
				if w.Scope.Restricted(aspect) && d.Given == 0 && given[d.Version] {
					missing(&j, r, w, d)
				}
			})
		}
		for i := range r.Watches {
			w := &r.Watches[i]
			if w.Err == nil && w.Scope.Restricted(aspect) {
				tested := outside(&j, r, w, aspect)
				if gives && !lossy[w.Call] {
					j.Tested += tested
				}
			}
		}
		return j
	}
}

// outside looks for events that the aspect does not select, and counts the
// occasions for them.
func outside(j *harness.Judgement, r *replay.Replay, w *replay.WatchCall, aspect string) (tested int) {
	m := replay.NewMatcher(r.H, w.Scope)
	last := int32(0) // N of the last event, or all there was when it was settled
	for i := range w.Events {
		e := &w.Events[i]
		if e.Kind() == history.Settled {
			last = max(last, r.Acked(e.Num))
		}
		if e.IsEvent() && aspect == replay.ByNamespace && strings.HasPrefix(r.H.Key(e.K), replay.Foreign) { // of nobody's namespace here
			j.Tested++
			j.Fail("only what the watch's namespace has", fmt.Sprintf("%s of an object in another namespace @%s", e.Kind(), r.H.Event(e.Num).Obj.RV), w.Call, e.Num)
		}
		if !e.IsEvent() || !r.Own(e.K) {
			continue
		}
		last = max(last, change(r, e))
		if !inAspect(r, m, aspect, e) {
			j.Tested++
			j.Fail(fmt.Sprintf("only what the watch's %s selects", aspect), fmt.Sprintf("%s %s", e.Kind(), describe(r.H.Event(e.Num))), w.Call, e.Num)
		}
	}
	if !w.Known {
		return 0
	}
	for v := range r.Between(w.Start, last) {
		if !v.Gone && m.OutsideBut(aspect, v) {
			tested++
		}
	}
	return tested
}

// inAspect: an event that tells of an object's leaving shows it as it was, or
// as it is: then it must have been inside before.
func inAspect(r *replay.Replay, m *replay.Matcher, aspect string, e *replay.Shown) bool {
	obj := &r.H.Event(e.Num).Obj
	in := m.Matches(obj) || m.MatchesAspect(aspect, obj)
	if in || !e.Deleted() || aspect == replay.ByNamespace || aspect == replay.ByName {
		return in
	}
	v := e.Version
	if v == replay.None || r.Versions[v].Prev == replay.None || r.Versions[v].Hazy {
		return true
	}
	before := r.Versions[r.Versions[v].Prev].Obj
	return before == nil || m.MatchesAspect(aspect, before)
}

func describe(e *history.Event) string {
	s := at(e)
	if e.Obj.Labels != nil {
		s += " {" + e.Obj.Labels.String() + "}"
	}
	return s
}
