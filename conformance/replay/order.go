package replay

import (
	"encoding/json"
	"fmt"

	"github.com/lwtest/lwtest/harness/history"
)

// placeByOrder makes a version of each acknowledged write, in the order of
// calls: where no two overlap, that is the order in which they happened.
func (b *builder) placeByOrder() {
	b.Versions = make([]Version, 0, len(b.Writes))
	last := map[int32]int32{} // by key: its newest version
	end := int32(0)           // return of the write before
	for i := range b.Writes {
		w := &b.Writes[i]
		if w.is(dry) || w.K == 0 || w.Outcome == Refused {
			continue
		}
		switch {
		case w.Outcome == Unknown:
			b.Unordered = fmt.Sprintf("the outcome of the write #%d is unknown, and writes return no resourceVersion to tell it by", w.Call)
			continue
		case w.Call < end:
			b.Unordered = fmt.Sprintf("the write #%d overlaps the one before it, and writes return no resourceVersion to order them by", w.Call)
		}
		end = w.Return
		v := Version{N: int32(len(b.Versions) + 1), K: w.K, Prev: None, Gone: w.verb == kindDelete, Call: w.Call, since: w.Call, By: w.Return, known: w.Return, Sure: true, verb: w.verb}
		v.After, v.Before = v.N-1, v.N
		before, known := last[w.K]
		switch {
		case !v.Gone:
			v.Obj = &b.H.Event(w.Return).Obj
			v.labels, v.fields = setOf(v.Obj.Labels), setOf(v.Obj.Fields)
			if known && !b.Versions[before].Gone && sameContent(v.Obj, b.Versions[before].Obj) {
				v.Sure = false // it changed nothing, and whether it gives an event is write/no-op's
			}
		case known:
			v.Obj = b.Versions[before].Obj
		}
		w.Version = int32(len(b.Versions))
		last[w.K] = w.Version
		b.acknowledge(w.Return, v.N)
		b.Versions = append(b.Versions, v)
	}
}

func sameContent(a, b *history.Ref) bool {
	return a.Body == b.Body && a.Labels == b.Labels && a.Fields == b.Fields
}

// matchByOrder finds for each event of a watch the change that it shows: the
// next one of its key with that content and those labels, else with that content,
// else an earlier one (a repeat).
func (b *builder) matchByOrder() {
	b.matched = make([]int32, len(b.H.Events)+1)
	for i := range b.matched {
		b.matched[i] = None
	}
	for i := range b.Watches {
		w := &b.Watches[i]
		m := NewMatcher(b.H, w.Scope)
		shown := map[int32]int{} // by key: how many of its versions lie behind
		for j := range w.Events {
			e := &w.Events[j]
			if e.IsEvent() && b.own[e.K] {
				b.matchEvent(w, m, e, shown)
			}
		}
	}
}

func (b *builder) matchEvent(w *WatchCall, m *Matcher, e *Shown, shown map[int32]int) {
	of := b.OfKey(e.K)
	from, begun := shown[e.K]
	for !begun && w.Known && from < len(of) && b.Versions[of[from]].N <= w.Start {
		from++
	}
	for _, wholly := range [...]bool{true, false} {
		for j := from; j < len(of) && b.Versions[of[j]].Call < e.Num; j++ {
			if b.shows(m, b.H.Event(e.Num), of[j], wholly) {
				e.Version, b.matched[e.Num], shown[e.K] = of[j], of[j], j+1
				return
			}
		}
	}
	shown[e.K] = from
	for _, wholly := range [...]bool{true, false} {
		for j := min(from, len(of)) - 1; j >= 0; j-- {
			if b.shows(m, b.H.Event(e.Num), of[j], wholly) {
				e.Version, b.matched[e.Num] = of[j], of[j]
				return
			}
		}
	}
	b.Phantoms = append(b.Phantoms, e.Num)
	if e.Kind() != Deleted {
		b.unexplained = append(b.unexplained, glimpse{e.Num, itself, e.K, e.N})
	}
}

// shows says whether an event can be that of version i: a deletion shows the
// last state, what leaves a selector the one before or after that; wholly: the
// labels of what is there are those, too.
func (b *builder) shows(m *Matcher, e *history.Event, i int32, wholly bool) bool {
	v := &b.Versions[i]
	if e.Kind != Deleted {
		return !v.Gone && v.Obj.Body == e.Obj.Body && (!wholly || v.Obj.Labels == e.Obj.Labels)
	}
	if kind, ok := b.Transition(m, i); !v.Gone && (!ok || kind != Deleted) {
		return false
	}
	return v.Obj == nil || v.Obj.Body == e.Obj.Body || v.Prev != None && b.Versions[v.Prev].Obj != nil && b.Versions[v.Prev].Obj.Body == e.Obj.Body
}

func parseListBody(raw json.RawMessage) ListBody {
	l, _ := readListBody(raw) // unreadable: no continue, no count
	return l
}
