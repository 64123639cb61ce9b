package watchcache

import (
	"fmt"
	"slices"
	"sort"
	"strings"

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
		has := map[int32]*history.Event{}
		for e := range w.All(r.H) {
			if isEvent(e) {
				if had := hasUID(r, w, m, has, e); had != "" && e.Kind == replay.Deleted && e.Obj.UID != "" && e.Obj.UID != had {
					j.Tested++
					j.Fail("the object that the watcher has, of uid "+had, "DELETED "+at(e)+" of uid "+e.Obj.UID, w.Call, e.Num)
				}
				has[e.Obj.K] = e
			}
			if e.Kind != replay.Deleted || !r.Own(e.Obj.K) || !m.MatchesKey(e.Obj.K) {
				continue
			}
			if i := r.VersionOf(e); i != replay.None { // else nothing else is known of that resourceVersion
				judgeDeleted(&j, r, w, m, e, i)
			}
		}
	}
	return j
}

// hasUID is the uid of what a watcher has of an event's object before it, empty
// where that is not known: what comes as DELETED is that, whoever writes it.
func hasUID(r *replay.Replay, w *replay.WatchCall, m *replay.Matcher, has map[int32]*history.Event, e *history.Event) string {
	switch had := has[e.Obj.K]; {
	case had != nil && had.Kind != replay.Deleted:
		return had.Obj.UID
	case had != nil || !w.Known || w.Mark != 0 || !r.Own(e.Obj.K):
		return ""
	}
	s := r.StateAtStart(w, e.Obj.K)
	if !s.Certain || s.Version == replay.None || !m.Matches(r.Versions[s.Version].Obj) {
		return ""
	}
	return r.Versions[s.Version].Obj.UID
}

// markedSince says that an object is as it was, but for the first step of its deletion, which nothing has shown.
func markedSince(r *replay.Replay, v *replay.Version, was, is *history.Ref) bool {
	marked := *was
	marked.Body = strings.TrimPrefix(replay.Unmarked(was.Body)+" "+replay.Deleting, " ")
	marked.Meta = is.Meta // the step sets the times of the deletion, and the generation moves
	return v.Gone && has(r.H, Grace) && (sameObject(r, &marked, is) || r.MayBeMarked(is) && was.Labels == is.Labels)
}

// showsAllSince says that what followed a version comes on a watch: it began before that, or has brought it.
func showsAllSince(r *replay.Replay, w *replay.WatchCall, version int32) bool {
	n := r.Versions[version].N
	if w.Known && !w.After(n) || listedAtStart(r, w, version) {
		return true
	}
	first := sort.Search(len(w.Events), func(i int) bool { return w.Events[i].N >= n })
	for _, e := range w.Events[first:] {
		if e.N != n || e.Version == version {
			return e.Version == version
		}
	}
	return false
}

// listedAtStart says that a list has shown a version at the very resourceVersion that a watch begins at, or behind it
// and before all that the watch brought: nobody had changed it by then.
func listedAtStart(r *replay.Replay, w *replay.WatchCall, version int32) bool {
	v := &r.Versions[version]
	return w.Known && slices.ContainsFunc(r.Lists, func(l replay.ListCall) bool {
		return l.N == w.Start && slices.ContainsFunc(l.Items, func(o history.Ref) bool { return o.K == v.K && o.N == v.N })
	})
}

func judgeDeleted(j *harness.Judgement, r *replay.Replay, w *replay.WatchCall, m *replay.Matcher, e *history.Event, i int32) {
	v := &r.Versions[i]
	kind, _ := r.Transition(m, i)
	switch {
	case v.Gone:
		if known := r.Acked(v.Since()); v.N <= known && v.Since() != 0 {
			j.Fail("the resourceVersion of the deletion: more than "+r.H.RV(known)+", which was known before it", "DELETED "+at(e), causes(v.Since(), w.Call, e.Num)...)
		}
	case v.Hazy && m.Leaves():
		return // what came before may have been in the selector, or not
	case kind != replay.Deleted:
		j.Tested++
		j.Fail("the resourceVersion of the deletion", fmt.Sprintf("DELETED %s, which is that of a state that lived", at(e)), causes(v.Call, w.Call, e.Num)...)
		return
	}
	j.Tested++
	if v.Prev == replay.None || v.Hazy || r.Shared() && r.H.Header.Check == "" && !showsAllSince(r, w, v.Prev) {
		return // another client may have changed it before the watch began
	}
	if prev := &r.Versions[v.Prev]; prev.Obj != nil && !sameObject(r, prev.Obj, &e.Obj) && !markedSince(r, v, prev.Obj, &e.Obj) {
		j.Fail("the last state, as it was before the change", at(e)+" "+differs(prev.Obj, &e.Obj), causes(prev.Call, w.Call, e.Num)...)
	}
}
