package watchcache

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeListSnapshot compares each list with the state at its resourceVersion.
// Where there are none that can be compared, with the states while it was
// asked for: one of them must fit.
func judgeListSnapshot(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	if r.Unordered != "" {
		j.Undecided = r.Unordered
		return j
	}
	matchers := map[string]*replay.Matcher{} // by scope
	for i := range r.Lists {
		l := &r.Lists[i]
		if l.N == 0 && !r.ByOrder || l.Astray && r.ByOrder {
			continue // version/comparable judges that; or nobody knows when its first page was taken
		}
		m := matchers[l.Scope.String()]
		if m == nil {
			m = replay.NewMatcher(h, l.Scope)
			matchers[l.Scope.String()] = m
		}
		tested, first := 0, []harness.Finding(nil)
		for n := l.N; n <= l.Upto; n++ {
			t, bad := compareList(r, m, l, n)
			tested = max(tested, t)
			if len(bad) == 0 {
				first = nil
				break
			}
			if first == nil {
				first = bad
			}
		}
		if tested > 0 {
			j.Tested++
		}
		j.Bad = append(j.Bad, first...)
	}
	return j
}

// compareList says how many keys could be compared with the state at n, and what does not fit.
func compareList(r *replay.Replay, m *replay.Matcher, l *replay.ListCall, n int32) (tested int, bad []harness.Finding) {
	listed := map[int32]bool{}
	for i := range l.Items {
		item := &l.Items[i]
		if !r.Own(item.K) || !m.Matches(item) { // what is out of scope is list/scope's
			continue
		}
		tested++
		if listed[item.K] {
			bad = append(bad, finding(l, "each object once", item.Key+" twice"))
		}
		listed[item.K] = true
		s := r.StateAt(item.K, n)
		if s.Other || s.Version != replay.None && isVersion(r, s.Version, item) {
			continue
		}
		bad = append(bad, listFinding(r, l, item, s))
	}
	for k := range keysIn(r.H, l.Scope) {
		if !r.Own(k) || !m.MatchesKey(k) || listed[k] || !inPage(r.H.Key(k), l) {
			continue
		}
		s := r.StateAt(k, n)
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

// keysIn are the keys that may be in a scope; of a single name only that one.
func keysIn(h *history.History, s replay.Scope) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		if s.Namespace != "" && s.Name != "" {
			if k, ok := h.KeyOf(s.Namespace + "/" + s.Name); ok {
				yield(k)
			}
			return
		}
		for k := int32(1); int(k) < h.Keys(); k++ {
			if !yield(k) {
				return
			}
		}
	}
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

// sameObject compares what a history keeps of two objects but their resourceVersions.
func sameObject(r *replay.Replay, a, b *history.Ref) bool {
	labels, fields := r.Shows()
	return a.Body == b.Body && (a.Labels == b.Labels || !labels) && (a.Fields == b.Fields || !fields) && (a.UID == b.UID || a.UID == "" || b.UID == "")
}

// differs says what is not as it was written.
func differs(was, is *history.Ref) string {
	var p []string
	say := func(what, was, is string) {
		if was != is {
			p = append(p, fmt.Sprintf("%s %q, which was written as %q", what, is, was))
		}
	}
	say("content", was.Body, is.Body)
	say("labels", was.Labels.String(), is.Labels.String())
	say("fields", was.Fields.String(), is.Fields.String())
	say("uid", was.UID, is.UID)
	return "with " + strings.Join(p, " and ")
}

func listFinding(r *replay.Replay, l *replay.ListCall, item *history.Ref, s replay.State) harness.Finding {
	got := item.Key
	if item.RV != "" {
		got += " @" + item.RV
	}
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

// judgeListMonotonic keeps the newest answer to a most-recent list: no such
// list that was asked for after it may be older. Lists that overlap may.
func judgeListMonotonic(h *history.History) harness.Judgement {
	r := replay.Of(h)
	var j harness.Judgement
	if r.ByOrder {
		j.Undecided = "writes return no resourceVersion that could be compared"
		return j
	}
	var recent []*replay.ListCall // in order of their calls
	for i := range r.Lists {
		if o := &r.Lists[i].Args.Options; o.ResourceVersion == "" && o.Continue == "" && r.Lists[i].N != 0 {
			recent = append(recent, &r.Lists[i])
		}
	}
	answers := slices.Clone(recent)
	slices.SortFunc(answers, func(a, b *replay.ListCall) int { return int(a.Return - b.Return) })
	var top *replay.ListCall
	for _, l := range recent { // in order of their calls
		for ; len(answers) > 0 && answers[0].Return < l.Call; answers = answers[1:] {
			if top == nil || answers[0].N > top.N {
				top = answers[0]
			}
		}
		if top == nil {
			continue
		}
		if len(l.Items) > 0 { // an empty list shows no state that could be old
			j.Tested++
		}
		if l.N < top.N {
			j.Fail("a resourceVersion of at least "+top.RV+", as the list before it had", "a list @"+l.RV, top.Return, l.Call, l.Return)
		}
	}
	return j
}

// name is a version as findings name it.
func name(r *replay.Replay, v *replay.Version) string {
	key := r.H.Key(v.K)
	switch {
	case v.Gone && v.N != 0 && !r.ByOrder:
		return fmt.Sprintf("the deletion of %s @%s", key, r.H.RV(v.N))
	case v.Gone:
		return "the deletion of " + key
	case v.Obj.RV == "":
		return fmt.Sprintf("%s (%s)", key, v.Obj.Body)
	}
	return key + " @" + v.Obj.RV
}
