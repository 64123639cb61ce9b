package informer

import (
	"fmt"
	"maps"
	"slices"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// gets holds what the store gave under one key, when nothing moved, against what it had as a whole.
func (r rest) gets(j *harness.Judgement) {
	if r.store == nil {
		return
	}
	for _, l := range r.near {
		if l.kind != getKind {
			continue
		}
		want, got := []state{}, []state{}
		if i := slices.IndexFunc(r.store.items, func(o history.Ref) bool { return o.Key == l.call.Obj.Key }); i >= 0 {
			want = states(r.store.items[i : i+1])
		}
		if l.done.Obj.Key != "" {
			got = append(got, stateOf(&l.done.Obj))
		}
		if len(want)+len(got) > 0 {
			j.Tested++
		}
		if !slices.Equal(want, got) {
			j.Fail("under "+l.call.Obj.Key+", as its list has it: "+telling(want, got), "there: "+telling(got, want), r.store.done.Num, l.done.Num)
		}
	}
}

// judgePush looks at what was pushed last, whenever nothing moves, and at each push for what it lacks of the first list,
// or of the push before.
func judgePush(h *history.History) harness.Judgement {
	var j harness.Judgement
	if !slices.Contains(h.Header.Features, string(Pushes)) {
		return j
	}
	for _, v := range worldOf(h).informers {
		v.pushedLast(&j)
		v.pushedWhole(&j)
	}
	return j
}

// pushedLast wants the whole content to have been pushed when nothing moves. It is put to the test where the content is
// another than before.
func (v *observed) pushedLast(j *harness.Judgement) {
	before := []state{}
	for _, r := range v.resting() {
		if r.store == nil {
			continue
		}
		want, got, at := states(r.store.items), []state{}, []int32{r.store.done.Num}
		for _, p := range slices.Backward(v.pushes) {
			if p.Num < r.store.done.Num {
				got, at = states(p.X.Items), append(at, p.Num)
				break
			}
		}
		if !slices.Equal(want, before) {
			j.Tested++
		}
		if before = want; !slices.Equal(want, got) {
			j.Fail("a push of the content: "+telling(want, got), "the last push: "+telling(got, want), at...)
		}
	}
}

// pushedWhole looks for what no object was, and for what a push lacks though it was in the first whole list, or in the
// push before, and neither a delete nor a later list has taken it away.
func (v *observed) pushedWhole(j *harness.Judgement) {
	lists := v.wholes()
	had, at := map[string]state{}, int32(0)
	for _, p := range v.pushes {
		if !v.w.sound(p.Num) {
			return
		}
		if at == 0 && len(lists) > 0 && lists[0].done < p.Num {
			had, at = lists[0].items, lists[0].done
		}
		now := map[string]state{}
		for i := range p.X.Items {
			s := stateOf(&p.X.Items[i])
			now[s.Key] = s
			line := v.w.lines[s.Key]
			if at, _ := line.places(s); at < 0 && !v.w.unanswered(s.Key, p.Num) || at >= 0 && !v.same(line.writes[at], s) {
				j.Fail("a state that "+s.Key+" has had", s.String()+" "+s.Body, p.Num)
			}
		}
		for _, key := range slices.Sorted(maps.Keys(had)) {
			if j.Tested++; now[key] == (state{}) && !v.takenAway(had[key], p.Num, lists) {
				j.Fail("a push of the whole content, which has "+had[key].String(), fmt.Sprintf("%d objects, and not this one", len(now)), at, p.Num)
			}
		}
		if at != 0 {
			had, at = now, p.Num
		}
	}
}

// takenAway says that what an object was may be gone by an event: it was deleted since, or a list after the first lacks it.
func (v *observed) takenAway(s state, num int32, lists []*wholeList) bool {
	line := v.w.lines[s.Key]
	first, _ := line.places(s)
	return first < 0 || line.removedAfter(first, num) >= 0 ||
		slices.ContainsFunc(lists[1:], func(l *wholeList) bool { return l.done < num && l.items[s.Key] == (state{}) })
}
