package informer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// boundedReading is a reading of the store, of its index, or of one key, with bounds on how old each object in it is.
type boundedReading struct {
	*reading
	items  map[string]*history.Ref
	bounds map[string]bounds // by key; an object in no state that it could have had is missing
}

// bounds are the first and the last write after which an object was as a reading shows it; -1 is before its first write.
type bounds struct{ from, to int }

// boundedReadings returns the readings of an informer in the order of their returns, until the server breaks its contract. No
// object is older in a reading than in one that had returned before it began.
func (v *observed) boundedReadings() []*boundedReading {
	known, objects := map[string]int{}, v.objects() // known: by key, the number of writes that an earlier reading proves
	var all, underWay []*boundedReading
	for _, l := range slices.SortedFunc(slices.Values(v.readings), func(a, b *reading) int { return cmp.Compare(a.call.Num, b.call.Num) }) {
		if !slices.Contains([]string{listKind, indexKind, getKind}, l.kind) || !v.w.trusted(l.done.Num) {
			continue
		}
		underWay = slices.DeleteFunc(underWay, func(b *boundedReading) bool {
			over := b.done.Num < l.call.Num
			for key, s := range b.bounds {
				if over {
					known[key] = max(known[key], s.from+1)
				}
			}
			return over
		})
		b := v.bound(l, objects, known)
		all, underWay = append(all, b), append(underWay, b)
	}
	slices.SortFunc(all, func(a, b *boundedReading) int { return cmp.Compare(a.done.Num, b.done.Num) })
	return all
}

func (v *observed) bound(l *reading, objects []*timeline, known map[string]int) *boundedReading {
	b := &boundedReading{l, map[string]*history.Ref{}, map[string]bounds{}}
	for i := range l.items {
		b.items[l.items[i].Key] = &l.items[i]
	}
	if l.done.Obj.Key != "" {
		b.items[l.done.Obj.Key] = &l.done.Obj
	}
	for _, t := range objects {
		if s, ok := b.boundsOf(t, known[t.key]-1); ok && !v.w.unanswered(t.key, l.done.Num) {
			b.bounds[t.key] = s
		}
	}
	return b
}

// boundsOf searches from a write to the last one that was called before the reading returned.
func (b *boundedReading) boundsOf(t *timeline, from int) (s bounds, ok bool) {
	for i := from; i < len(t.writes) && (i < 0 || t.writes[i].call < b.done.Num); i++ {
		if !b.fits(t, i) {
			continue
		}
		if s.to = i; !ok {
			s.from, ok = i, true
		}
	}
	return s, ok
}

// fits reports whether the reading shows the object as it was after write i.
func (b *boundedReading) fits(t *timeline, i int) bool {
	item := b.items[t.key]
	switch {
	case b.kind == getKind && t.key != b.call.Obj.Key:
		return true
	case item != nil:
		first, last := t.span(stateOf(item))
		return first >= 0 && first <= i && i <= last
	case i < 0 || t.writes[i].deleted:
		return true
	}
	return b.kind == indexKind && t.writes[i].app != b.value
}

// judge judges a reading while something moves: each object is in a state that it had, and not older than in an earlier
// reading.
func (b *boundedReading) judge(v *observed, j *harness.Judgement) {
	for _, key := range slices.Sorted(maps.Keys(b.items)) {
		s := stateOf(b.items[key])
		t := v.timelines[key]
		switch i, _ := t.span(s); {
		case b.kind == indexKind && appOf(b.items[key].Labels) != b.value:
			j.Fail(fmt.Sprintf("under %q only objects with that value", b.value), s.String()+", which has another value", b.done.Num)
		case i < 0 && !v.w.unanswered(key, b.done.Num):
			j.Fail("a state that the object had", s.String(), b.done.Num)
		case i >= 0 && !v.same(t.writes[i], s):
			j.Fail("a state that the object had: "+t.writes[i].state.Body, s.String()+" "+s.Body, b.done.Num)
		}
	}
	if len(j.Bad) > 0 {
		return
	}
	for _, t := range v.objects() {
		if _, ok := b.bounds[t.key]; !ok && !v.w.unanswered(t.key, b.done.Num) {
			j.Fail(fmt.Sprintf("a state that %s had between the earlier readings and this one", t.key), b.show(t.key), b.done.Num)
			return
		}
	}
}

// comparedAtRest reports whether a reading is compared with another one because nothing moved.
func (v *observed) comparedAtRest(l *reading) bool {
	return slices.ContainsFunc(v.quiet, func(q quietMoment) bool { return q.store != nil && slices.Contains(q.near, l) })
}

// show names what the reading has of an object.
func (b *boundedReading) show(key string) string {
	if o := b.items[key]; o != nil {
		return stateOf(o).String()
	}
	return "no " + key
}

// judgeMixed looks for two concurrent readings of which each has one object newer than the other has it: no order of states
// explains both.
func judgeMixed(j *harness.Judgement, all []*boundedReading) {
	for i, b := range all {
		for _, a := range slices.Backward(all[:i]) {
			if a.done.Num < b.call.Num {
				break
			}
			if len(a.items)+len(b.items) > 0 {
				j.Tested++
			}
			if x, y := a.newer(b), b.newer(a); x != "" && y != "" {
				j.Fail("one reading older than the other", fmt.Sprintf("one has %s and %s, the other %s and %s", a.show(x), a.show(y), b.show(x), b.show(y)), a.done.Num, b.done.Num)
				return
			}
		}
	}
}

// newer returns the first object that is certainly newer in b than in o; "": none.
func (b *boundedReading) newer(o *boundedReading) (out string) {
	for key, s := range b.bounds {
		if t, ok := o.bounds[key]; ok && s.from > t.to && (out == "" || key < out) {
			out = key
		}
	}
	return out
}
