package informer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeIndex compares what the index gives, when nothing moves, with what the store has. At any time it gives what the
// store could have had.
func judgeIndex(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, v := range worldOf(h).informers {
		for _, r := range v.resting() {
			for _, l := range r.near {
				if l.kind == indexKind && r.store != nil {
					l.sameIndex(&j, r.store)
				}
			}
		}
		rest := v.atRest()
		for _, g := range v.glances() {
			if g.kind == indexKind && !rest[g.reading] && len(g.items) > 0 {
				j.Tested++
				g.moving(v, &j)
			}
		}
	}
	return j
}

// sameIndex compares what an index gives with a store that was read beside it, when nothing moved.
func (l *reading) sameIndex(j *harness.Judgement, store *reading) {
	want, got := states(withValue(store.items, l.value)), states(l.items)
	if len(want)+len(got) > 0 {
		j.Tested++
	}
	if !slices.Equal(want, got) {
		j.Fail(fmt.Sprintf("under %q: %s", l.value, telling(want, got)), telling(got, want), store.done.Num, l.done.Num)
	}
}

func withValue(items []history.Ref, value string) []history.Ref {
	return slices.DeleteFunc(slices.Clone(items), func(o history.Ref) bool { return appOf(o.Labels) != value })
}

// states are those of objects, in the order of their keys.
func states(items []history.Ref) []state {
	out := []state{}
	for i := range items {
		out = append(out, stateOf(&items[i]))
	}
	slices.SortStableFunc(out, func(a, b state) int { return cmp.Compare(a.Key, b.Key) })
	return out
}

// telling tells of states, with the content of those that others do not have.
func telling(all, others []state) string {
	var out []string
	for _, s := range all {
		text := s.String()
		if !slices.Contains(others, s) && slices.ContainsFunc(others, func(o state) bool { return o.Key == s.Key && o.RV == s.RV }) {
			text += " " + s.UID + " " + s.Body
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

// judgeSnapshot looks for a key that a reading, or a push, has twice, and, when nothing moves, for one under which the
// store has something else alone than among all.
func judgeSnapshot(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, v := range worldOf(h).informers {
		for _, l := range v.looks {
			if len(l.items) > 0 && (l.kind == listKind || l.kind == indexKind) {
				j.Tested++
				once(&j, l.items, l.done.Num)
			}
		}
		for _, p := range v.pushes {
			j.Tested++
			once(&j, p.X.Items, p.Num)
		}
		for _, r := range v.resting() {
			r.gets(&j)
		}
		mixed(&j, v.glances())
	}
	return j
}

func once(j *harness.Judgement, items []history.Ref, num int32) {
	seen := map[string]string{}
	for _, o := range items {
		if rv, twice := seen[o.Key]; twice {
			j.Fail("each key once", fmt.Sprintf("%s @%s and @%s", o.Key, rv, o.RV), num)
			return
		}
		seen[o.Key] = o.RV
	}
}

// judgeVersion holds the store against the version that was told before it was read.
func judgeVersion(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, v := range worldOf(h).informers {
		var was *reading
		for i, l := range v.looks {
			if l.kind != versionKind || !v.w.sound(l.done.Num) {
				continue
			}
			if was != nil {
				if j.Tested++; older(l.version, was.version) {
					j.Fail("a version not older than @"+was.version, shownRV(l.version), was.done.Num, l.done.Num)
				}
			}
			if l.version == "" {
				continue
			}
			was = l
			v.foretold(&j, l)
			if store := v.storeAfter(i); store != nil {
				j.Tested++
				v.reached(&j, l, store)
			}
		}
	}
	return j
}

// foretold looks for a change at a version, or before it, that was made only later.
func (v *observed) foretold(j *harness.Judgement, l *reading) {
	for _, w := range v.w.writes {
		if first, _ := v.w.lines[w.now.Key].places(w.now); !w.gone && v.w.lines[w.now.Key].writes[first] != w {
			continue // it changed nothing
		}
		if w.call > l.done.Num && !older(l.version, w.now.RV) {
			j.Fail("a version that has come: "+w.String()+" was written later", shownRV(l.version), l.done.Num, w.call)
			return
		}
	}
}

// reached looks for a change before a version, or at it, that the store does not have.
func (v *observed) reached(j *harness.Judgement, l, store *reading) {
	for _, line := range v.mine() {
		at := -1
		for i, w := range line.writes {
			if !older(l.version, w.now.RV) && w.done < store.done.Num {
				at = i
			}
		}
		if at < 0 {
			continue
		}
		w := line.writes[at]
		i := slices.IndexFunc(store.items, func(o history.Ref) bool { return o.Key == line.key })
		switch {
		case i < 0 && !w.gone && line.removedAfter(at, store.done.Num) < 0:
			j.Fail(fmt.Sprintf("%s: the version told is @%s", w, l.version), "nothing under its key", w.done, l.done.Num, store.done.Num)
		case i < 0:
		default:
			if _, last := line.places(stateOf(&store.items[i])); last < at {
				j.Fail(fmt.Sprintf("%s: the version told is @%s", w, l.version), stateOf(&store.items[i]).String(), w.done, l.done.Num, store.done.Num)
			}
		}
	}
}

// judgeVersionMoves wants, when nothing moves, a version that is not older than all that the informer was sent.
func judgeVersionMoves(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, v := range worldOf(h).informers {
		for _, r := range v.resting() {
			last := v.lastSent(r.num, v.w.has(Bookmarks))
			for _, l := range r.near {
				if l.kind != versionKind || last == nil || last.Kind != "BOOKMARK" && last.Kind != "DELETED" {
					continue
				}
				if j.Tested++; older(l.version, last.Obj.RV) {
					j.Fail(fmt.Sprintf("@%s or newer, after %s", last.Obj.RV, last.Kind), shownRV(l.version), last.Num, l.done.Num)
				}
			}
		}
	}
	return j
}

// lastSent is the event with the highest resourceVersion of those that an informer was sent by another event, on
// watches that did not break off; bookmarks count where the store is given them.
func (v *observed) lastSent(num int32, bookmarks bool) *history.Event {
	var out *history.Event
	for _, x := range v.exchanges {
		if x.How == "broken" || x.IsStream() && streamed(x) == nil {
			continue
		}
		for _, e := range x.Sent {
			if isEvent(e) && (bookmarks && e.Kind == "BOOKMARK" || e.Kind != "BOOKMARK" && v.holds(e.Obj.Key)) && e.Num < num && e.Obj.RV != "" && (out == nil || older(out.Obj.RV, e.Obj.RV)) {
				out = e
			}
		}
	}
	return out
}

// judgeOwnWrites holds what the subject reads against what it wrote.
func judgeOwnWrites(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, v := range worldOf(h).informers {
		for _, l := range v.looks {
			if l.kind != readKind || l.call.Obj.Key == "" {
				continue
			}
			line := v.w.lines[l.call.Obj.Key]
			if line == nil || line.at(l.call.Num) == nil {
				continue
			}
			w := line.at(l.call.Num)
			j.Tested++
			if got := l.done.Obj; w.there() && older(got.RV, w.now.RV) {
				j.Fail(w.String()+" or newer", shownRV(got.RV), w.done, l.done.Num)
			}
		}
	}
	return j
}

// judgeTransform looks for the mark on all that store and handlers have.
func judgeTransform(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, v := range worldOf(h).informers {
		if v.args.Transform != Mark {
			continue
		}
		for _, l := range v.looks {
			for i := range l.items {
				marked(&j, stateOf(&l.items[i]), l.kind, l.done.Num)
			}
		}
		for _, p := range v.pushes {
			for i := range p.X.Items {
				marked(&j, stateOf(&p.X.Items[i]), p.Kind, p.Num)
			}
		}
		for _, l := range v.handlers {
			for _, n := range l.notices {
				n.marked(&j)
			}
		}
	}
	return j
}

func (n *notice) marked(j *harness.Judgement) {
	if n.now.UID != "" {
		marked(j, n.now, n.kind, n.call.Num)
	}
	if n.Old != nil {
		marked(j, *n.Old, "the old state of "+n.kind, n.call.Num)
	}
	if n.Held != nil {
		marked(j, *n.Held, "the store at "+n.kind, n.call.Num)
	}
}

func marked(j *harness.Judgement, s state, where string, num int32) {
	if j.Tested++; !strings.Contains(s.Body, `"`+Marked+`":"yes"`) {
		j.Fail("an object that went through the transform", fmt.Sprintf("%s: %s %s", where, s, s.Body), num)
	}
}
