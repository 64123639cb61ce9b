package informer

import (
	"fmt"
	"maps"
	"slices"

	"github.com/lwtest/lwtest/harness"
)

// judgePush looks at the last push, whenever nothing moves, and at each push for what it lacks.
var judgePush = perInformer(func(v *observed, j *harness.Judgement) {
	if v.w.has(Pushes) {
		v.lastPush(j)
		v.pushesAll(j)
	}
})

// lastPush expects the whole content in the last push when nothing moves. That is a test if the content has changed.
func (v *observed) lastPush(j *harness.Judgement) {
	before := []state{}
	for _, q := range v.quiet {
		if q.store == nil {
			continue
		}
		want, got, at := states(q.store.items), []state{}, []int32{q.store.done.Num}
		for _, p := range slices.Backward(v.pushes) {
			if p.Num < q.store.done.Num {
				got, at = states(p.X.Items), append(at, p.Num)
				break
			}
		}
		if !slices.Equal(want, before) {
			j.Tested++
		}
		if before = want; !slices.Equal(want, got) {
			j.Fail("a push of the content: "+show(want, got), "the last push: "+show(got, want), at...)
		}
	}
}

// pushesAll looks for a state that an object never had, and for an object that a push lacks: it was in the first complete list
// or the push before, was not deleted since, and no later list lacks it.
func (v *observed) pushesAll(j *harness.Judgement) {
	before, at := map[string]state{}, int32(0)
	for _, p := range v.pushes {
		if !v.w.trusted(p.Num) {
			return
		}
		if at == 0 && len(v.lists) > 0 && v.lists[0].done < p.Num {
			before, at = v.lists[0].items, v.lists[0].done
		}
		now := map[string]state{}
		for i := range p.X.Items {
			s := stateOf(&p.X.Items[i])
			now[s.Key] = s
			t := v.timelines[s.Key]
			if first, _ := t.span(s); first < 0 && !v.w.unanswered(s.Key, p.Num) || first >= 0 && !v.same(t.writes[first], s) {
				j.Fail("a state that the object had", s.String()+" "+s.Body, p.Num)
			}
		}
		for _, key := range slices.Sorted(maps.Keys(before)) {
			if j.Tested++; now[key] == (state{}) && !v.mayBeGone(before[key], p.Num) {
				j.Fail("a push of the whole content, with "+before[key].String(), fmt.Sprintf("%d objects, without that one", len(now)), at, p.Num)
			}
		}
		if at != 0 {
			before, at = now, p.Num
		}
	}
}

// mayBeGone reports whether an object may be gone by an event: it was deleted since, or a list after the first lacks it.
func (v *observed) mayBeGone(s state, num int32) bool {
	t := v.timelines[s.Key]
	first, _ := t.span(s)
	return first < 0 || t.deletedAfter(first, num) >= 0 ||
		slices.ContainsFunc(v.lists[1:], func(l *snapshot) bool { return l.done < num && l.items[s.Key] == (state{}) })
}
