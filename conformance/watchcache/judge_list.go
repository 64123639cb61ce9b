package watchcache

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeListSnapshot compares each list with the state at its resourceVersion.
// Where there are none that can be compared, one of the most recent state is
// compared with the states while it was asked for: one of them must fit.
func judgeListSnapshot(h *history.History) harness.Judgement {
	return judgeSnapshots(h, func(*listed) bool { return true })
}

// judgeSnapshots is list/snapshot for some lists, also where none has a resourceVersion.
func judgeSnapshots(h *history.History, picks func(*listed) bool) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	if r.Unordered != "" {
		j.Undecided = r.Unordered
		return j
	}
	matchers := map[string]*replay.Matcher{} // by scope
	found := make([][]harness.Finding, len(r.Lists))
	sweep := r.Sweep()
	for _, i := range byVersion(r.Lists) {
		l := &r.Lists[i]
		if !picks(l) {
			continue
		}
		if l.N == 0 && !r.ByOrder || !l.Recent && r.ByOrder {
			continue // version/comparable judges that; or nobody knows of when its state is
		}
		m := matchers[l.Scope.String()]
		if m == nil {
			m = replay.NewMatcher(h, l.Scope)
			matchers[l.Scope.String()] = m
		}
		tested, first := 0, []harness.Finding(nil)
		for n := l.N; n <= l.Upto; n++ {
			sweep.To(n)
			t, bad := compareList(r, sweep, m, l, n)
			tested = max(tested, t)
			if len(bad) == 0 {
				first = nil
				break
			}
			if first == nil {
				first = bad
			}
		}
		if tested > 0 && (len(l.Items) > 0 || len(first) > 0) { // an empty list of what is gone shows nothing
			j.Tested++
		}
		found[i] = first
	}
	j.Bad = slices.Concat(found...)
	return j
}

// judgeAny: a list of any state is a snapshot, and no resourceVersion can be too large for it.
func judgeAny(h *history.History) harness.Judgement {
	j := onState(judgeListWhere(func(l *listed) bool { return l.Args.Options.ResourceVersion == "0" && !l.Page }))(h)
	for _, q := range replay.Asked(h) {
		if q.Kind == replay.List && q.Args.Options.ResourceVersion == "0" && q.Refused() && q.TooLarge() {
			j.Tested++
			j.Fail("any state", answer(h, &q), q.Call, q.Return)
		}
	}
	return j
}

// byVersion are the places of lists in order of their resourceVersions.
func byVersion(lists []replay.ListCall) []int {
	out := make([]int, len(lists))
	for i := range out {
		out[i] = i
	}
	slices.SortStableFunc(out, func(i, j int) int { return cmp.Compare(lists[i].N, lists[j].N) })
	return out
}

// compareList says how many keys could be compared with the state at n, and what does not fit.
func compareList(r *replay.Replay, states *replay.Sweep, m *replay.Matcher, l *replay.ListCall, n int32) (tested int, bad []harness.Finding) {
	listed := map[int32]bool{}
	for i := range l.Items {
		item := &l.Items[i]
		if !r.Own(item.K) {
			continue
		}
		if m.MatchesKey(item.K) {
			tested++
		}
		switch {
		case listed[item.K]:
			bad = append(bad, finding(l, "each object once", item.Key+" twice"))
		case l.Page && !l.Astray && item.Key <= l.From: // the page before ended there
			bad = append(bad, finding(l, "each object once: this page begins after "+l.From, item.Key+" again"))
		}
		listed[item.K] = true
		s := states.StateAt(item.K, n)
		if !s.Other && (s.Version == replay.None || !isVersion(r, s.Version, item)) {
			bad = append(bad, listFinding(r, l, item, s))
		}
	}
	for k := range keysOn(r.H, l) {
		if !r.Own(k) || !m.MatchesKey(k) || listed[k] || !inPage(r.H.Key(k), l) {
			continue
		}
		s := states.StateAt(k, n)
		if s.Certain && begun(r, k, n) {
			tested++
		}
		if s.Version != replay.None && !s.Gone && m.Matches(r.Versions[s.Version].Obj) {
			v := &r.Versions[s.Version]
			bad = append(bad, finding(l, name(r, v)+" in the list"+since(r, l, v), "it is missing", v.Call))
		}
	}
	return tested, bad
}

// declaredOf is a scope without the selectors that the subject declares not to know: nobody asks whether it keeps those.
func declaredOf(h *history.History, s replay.Scope) replay.Scope {
	if h.Header.Features == nil {
		return s
	}
	if !has(h, LabelWatch) {
		s.Labels = labels.Everything()
	}
	if !has(h, FieldWatch) {
		s.Name, s.Fields = "", fields.Everything()
	}
	return s
}

// selects says whether an item is what a list asks for, as far as the history
// keeps what that takes.
func selects(r *replay.Replay, m *replay.Matcher, item *history.Ref) bool {
	labels, fields := r.Shows()
	if !labels && !m.Scope.Labels.Empty() || !fields && m.AsksFields() {
		return m.MatchesKey(item.K)
	}
	return m.Matches(item)
}

func describeItem(item *history.Ref) string {
	s := item.Named()
	if item.Labels != nil {
		s += " {" + item.Labels.String() + "}"
	}
	return s
}

// begun says that something of a key had happened by n: that nothing is listed
// of what never was tests nothing.
func begun(r *replay.Replay, k, n int32) bool {
	of := r.OfKey(k)
	return len(of) > 0 && r.Versions[of[0]].Before <= n
}

// isVersion: where objects have no resourceVersion, equal content has to do.
func isVersion(r *replay.Replay, v int32, item *history.Ref) bool {
	o := r.Versions[v].Obj
	return (r.ByOrder || o.N == item.N) && sameObject(r, o, item)
}

// inPage says whether a key that is not listed should have been on this page,
// or on one before it. Where a page ends with foreign objects, whose order is
// not known, it is taken to end with the last that is not; the rest is the next page's.
func inPage(key string, l *replay.ListCall) bool {
	if l.Astray || l.Page && l.From != "" && key <= l.From {
		return false
	}
	if l.Body.Continue == "" {
		return true
	}
	last := replay.LastOwn(l.Items)
	return last != "" && key < last
}

func listFinding(r *replay.Replay, l *replay.ListCall, item *history.Ref, s replay.State) harness.Finding {
	got := item.Named()
	if s.Version == replay.None {
		return finding(l, item.Key+" not in the list: it did not exist at that resourceVersion", got)
	}
	v := &r.Versions[s.Version]
	if !r.ByOrder && v.Obj.N == item.N {
		return finding(l, name(r, v)+" as it was written", got+" "+differs(v.Obj, item), v.Call)
	}
	return finding(l, name(r, v)+since(r, l, v), got, v.Call)
}

func since(r *replay.Replay, l *replay.ListCall, v *replay.Version) string {
	if r.ByOrder || v.Call == 0 {
		return ""
	}
	return fmt.Sprintf(", which is the state of %s at the list's resourceVersion %s", v.Obj.Key, l.RV)
}

func finding(l *replay.ListCall, want, got string, cause ...int32) harness.Finding {
	var at []int32
	for _, c := range cause {
		if c != 0 {
			at = append(at, c)
		}
	}
	return harness.Finding{At: append(at, l.Call, l.Return), Want: want, Got: got}
}
