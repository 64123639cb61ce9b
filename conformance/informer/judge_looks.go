package informer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// glance is a reading of the store, of its index, or of one key, and how far each object had come by it.
type glance struct {
	*reading
	items map[string]*history.Ref
	spans map[string]span // by key; an object that was at no place is not among them
}

// span are the places of an object's line between which a reading found it: -1 is before its first write.
type span struct{ from, to int }

// glances are the readings of an informer, in the order of their returns, until the server breaks the contract. No
// object is further back in one than it was in another that had returned before this one began.
func (v *observed) glances() []*glance {
	low, lines := map[string]int{}, v.mine()
	var all, under []*glance // under way, for all that is known
	for _, l := range slices.SortedFunc(slices.Values(v.looks), func(a, b *reading) int { return cmp.Compare(a.call.Num, b.call.Num) }) {
		if !slices.Contains([]string{listKind, indexKind, getKind}, l.kind) || !v.w.sound(l.done.Num) {
			continue
		}
		under = slices.DeleteFunc(under, func(g *glance) bool {
			over := g.done.Num < l.call.Num
			for key, s := range g.spans {
				if over {
					low[key] = max(low[key], s.from+1)
				}
			}
			return over
		})
		g := v.glanceOf(l, lines, low)
		all, under = append(all, g), append(under, g)
	}
	slices.SortFunc(all, func(a, b *glance) int { return cmp.Compare(a.done.Num, b.done.Num) })
	return all
}

// glanceOf is that of a reading, of objects that were no further back than at places, less one, that are known.
func (v *observed) glanceOf(l *reading, lines []*line, low map[string]int) *glance {
	g := &glance{l, map[string]*history.Ref{}, map[string]span{}}
	for i := range l.items {
		g.items[l.items[i].Key] = &l.items[i]
	}
	if l.done.Obj.Key != "" {
		g.items[l.done.Obj.Key] = &l.done.Obj
	}
	for _, line := range lines {
		if s, ok := g.spanOf(line, low[line.key]-1); ok && !v.w.unanswered(line.key, l.done.Num) {
			g.spans[line.key] = s
		}
	}
	return g
}

// spanOf looks from a place on, up to what had been called when the reading returned.
func (g *glance) spanOf(l *line, low int) (s span, ok bool) {
	for at := low; at < len(l.writes) && (at < 0 || l.writes[at].call < g.done.Num); at++ {
		if !g.shows(l, at) {
			continue
		}
		if s.to = at; !ok {
			s.from, ok = at, true
		}
	}
	return s, ok
}

// shows says that a reading is as it would be with the object at a place.
func (g *glance) shows(l *line, at int) bool {
	item := g.items[l.key]
	switch {
	case g.kind == getKind && l.key != g.call.Obj.Key:
		return true
	case item != nil:
		first, last := l.places(stateOf(item))
		return first >= 0 && first <= at && at <= last
	case at < 0 || l.writes[at].gone:
		return true
	}
	return g.kind == indexKind && l.writes[at].app != g.value
}

// moving judges a reading by itself: all that it gives the objects were, and none of them is behind what an earlier
// reading had.
func (g *glance) moving(v *observed, j *harness.Judgement) {
	for _, key := range slices.Sorted(maps.Keys(g.items)) {
		s := stateOf(g.items[key])
		line := v.w.lines[key]
		switch at, _ := line.places(s); {
		case g.kind == indexKind && appOf(g.items[key].Labels) != g.value:
			j.Fail(fmt.Sprintf("under %q what has that value", g.value), s.String()+", which has not", g.done.Num)
		case at < 0 && !v.w.unanswered(key, g.done.Num):
			j.Fail("a state that the object had", s.String(), g.done.Num)
		case at >= 0 && !v.same(line.writes[at], s):
			j.Fail("a state that the object had: "+line.writes[at].now.Body, s.String()+" "+s.Body, g.done.Num)
		}
	}
	if len(j.Bad) > 0 {
		return
	}
	for _, line := range v.mine() {
		if _, ok := g.spans[line.key]; !ok && !v.w.unanswered(line.key, g.done.Num) {
			j.Fail(fmt.Sprintf("what %s was when it was read, or later", line.key), g.has(line.key), g.done.Num)
			return
		}
	}
}

// atRest are the readings that are held against each other because nothing moved.
func (v *observed) atRest() map[*reading]bool {
	out := map[*reading]bool{}
	for _, r := range v.resting() {
		for _, l := range r.near {
			out[l] = r.store != nil
		}
	}
	return out
}

func (g *glance) has(key string) string {
	if o := g.items[key]; o != nil {
		return stateOf(o).String()
	}
	return key + " is not there"
}

// mixed looks, among readings beside each other, for two of which each has one object further than the other has it:
// no order of states gives both.
func mixed(j *harness.Judgement, all []*glance) {
	for i, b := range all {
		for _, a := range slices.Backward(all[:i]) {
			if a.done.Num < b.call.Num {
				break
			}
			if len(a.items)+len(b.items) > 0 {
				j.Tested++
			}
			if x, y := a.ahead(b), b.ahead(a); x != "" && y != "" {
				j.Fail("one state before the other", fmt.Sprintf("%s here, %s there; and %s here, %s there", a.has(x), b.has(x), a.has(y), b.has(y)), a.done.Num, b.done.Num)
				return
			}
		}
	}
}

// ahead is the first of the objects that a reading has further than another has; "": none.
func (g *glance) ahead(of *glance) (out string) {
	for key, s := range g.spans {
		if o, ok := of.spans[key]; ok && s.from > o.to && (out == "" || key < out) {
			out = key
		}
	}
	return out
}
