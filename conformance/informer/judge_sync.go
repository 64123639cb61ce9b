package informer

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
)

const neverBack = "true: it was true before"

// listFirstSlack is how long after its first watch an informer may ask for its first list: it may do both at once.
const listFirstSlack = time.Second

// judgeListFirst looks whether an informer whose first request is a watch asks for a list soon after that.
var judgeListFirst = perInformer(func(v *observed, j *harness.Judgement) {
	if v.uncertain || len(v.exchanges) == 0 {
		return
	}
	first := v.exchanges[0]
	soon := first.Call.At + int64(listFirstSlack)
	list := slices.IndexFunc(v.exchanges, func(x *rig.Exchange) bool { return !plainWatch(x) })
	switch {
	case plainWatch(first) && first.Options.ResourceVersion != "" && first.Options.ResourceVersion != "0": // it has kept a version
	case list >= 0 && v.exchanges[list].Call.At <= soon:
		j.Tested++
	case v.w.h.Events[len(v.w.h.Events)-1].At > soon && !v.stoppedBefore(soon):
		j.FailTested("a LIST, or a streaming list, first", describe(first), first.Call.Num)
	}
})

// stoppedBefore reports whether the informer was stopped before a time.
func (v *observed) stoppedBefore(at int64) bool { return v.stopped != nil && v.stopped.At <= at }

// judgeHasSynced compares each "true" with a complete list that came before it, and with the store read after it.
var judgeHasSynced = perInformer(func(v *observed, j *harness.Judgement) {
	var synced *reading
	for i, l := range v.readings {
		if l.kind != syncedKind || !v.w.trusted(l.done.Num) {
			continue
		}
		j.Tested++
		switch {
		case l.synced:
			synced = l
			v.hasList(j, l, v.storeAfter(i))
		case synced != nil && !v.stoppedBy(l.done.Num): // no clause says what it returns after the stop
			j.Fail(neverBack, "false", synced.done.Num, l.done.Num)
		}
	}
	for _, q := range v.quiet {
		if near := q.near.of(syncedKind); len(near) > 0 {
			if j.Tested++; !near[0].synced {
				j.Fail("true: everything has come, and nothing fails", "false", q.num, near[0].done.Num)
			}
		}
	}
})

// hasList looks for a complete list that is in the store, and so explains that the informer has synced.
func (v *observed) hasList(j *harness.Judgement, l, store *reading) {
	if v.uncertain {
		return
	}
	why, at := "no list was complete", l.done.Num
	for _, s := range v.lists {
		if s.done > l.done.Num {
			continue
		}
		if store == nil {
			return
		}
		lacks := v.lacks(store, s)
		if lacks == "" {
			return
		}
		why, at = lacks, store.done.Num
	}
	j.Fail("true only when a complete list is in the store", "true: "+why, l.done.Num, at)
}

// lacks names an object of a complete list that a reading of the store lacks; "": none.
func (v *observed) lacks(store *reading, list *snapshot) string {
	for _, key := range slices.Sorted(maps.Keys(list.items)) {
		t, s := v.timelines[key], list.items[key]
		first, _ := t.span(s)
		if first < 0 {
			continue // nobody wrote it
		}
		switch got := store.behind(t, first); got {
		case "":
		case notInStore:
			return s.String() + " is not in the store"
		default:
			return fmt.Sprintf("the store has %s, the list had %s", got, s)
		}
	}
	return ""
}

// initial returns the objects of a handler's initial list, and the event from which they are known; ok is false if they are
// not.
func (l *listener) initial() (items map[string]state, from int32, ok bool) {
	if l.v.uncertain {
		return nil, 0, false
	}
	if all := l.v.lists; len(all) > 0 && all[0].done > l.call.Num {
		return all[0].items, all[0].done, !all[0].doubtful
	}
	store := l.v.storeBefore(l.call.Num)
	if l.returned == nil || store == nil {
		return nil, 0, false
	}
	items = map[string]state{}
	for i := range store.items {
		items[store.items[i].Key] = stateOf(&store.items[i])
	}
	return items, l.returned.Num, true
}

// judgeHandlerSynced looks, at each "true" of a handler, for an ADD from which it has not returned.
var judgeHandlerSynced = perHandler(func(l *listener, j *harness.Judgement) {
	items, from, ok := l.initial()
	var synced *reading
	for _, s := range l.synced {
		if !l.v.w.trusted(s.done.Num) {
			continue
		}
		switch {
		case !ok:
			if s.synced && !l.v.uncertain && len(l.v.lists) == 0 {
				j.FailTested("false: there was no list yet", "true", s.done.Num)
			}
			continue
		case !s.synced && synced != nil && l.removed == nil && !l.v.stoppedBy(s.done.Num):
			j.Fail(neverBack, "false", synced.done.Num, s.done.Num)
		case s.synced && s.done.Num < from:
			j.Fail("false: its first list is not complete yet", "true", s.done.Num, from)
		case s.synced:
			synced = s
			l.hasReturned(j, items, s)
		}
		j.Tested++
	}
	l.syncedAtRest(j)
})

// hasReturned looks for an object of the initial list from whose ADD the handler had not returned when it said that it had
// synced.
func (l *listener) hasReturned(j *harness.Judgement, items map[string]state, s *reading) {
	for _, key := range slices.Sorted(maps.Keys(items)) {
		t := l.v.timelines[key]
		first, _ := t.span(items[key])
		if first < 0 || t.deletedAfter(first, s.done.Num) >= 0 {
			continue
		}
		i := slices.IndexFunc(l.notices, func(n *notice) bool { return n.state.Key == key })
		switch {
		case i < 0 || l.notices[i].call.Num > s.done.Num:
			j.Fail("false: the handler was not called for "+key, "true", s.done.Num)
		case l.notices[i].done == nil || l.notices[i].done.Num > s.done.Num:
			j.Fail("false: the handler has not returned from the ADD of "+key, "true", l.notices[i].call.Num, s.done.Num)
		}
	}
}

// syncedAtRest expects that a handler that is not held has synced when nothing moves.
func (l *listener) syncedAtRest(j *harness.Judgement) {
	for _, num := range l.quiet() {
		i := slices.IndexFunc(l.synced, func(s *reading) bool { return s.call.Num >= num && !l.v.w.written(num, s.done.Num) })
		if i < 0 {
			continue
		}
		if j.Tested++; !l.synced[i].synced {
			j.Fail("true: the handler was called for everything", "false", num, l.synced[i].done.Num)
		}
	}
}

// judgeInitialFlag looks at each ADD of an object that certainly existed when the handler began, or was certainly created later.
var judgeInitialFlag = perHandler(func(l *listener, j *harness.Judgement) {
	items, from, ok := l.initial()
	if !ok {
		return
	}
	for _, n := range l.trustedNotices() {
		t := l.v.timelines[n.state.Key]
		first, _ := t.span(n.state)
		if n.kind != Added || first < 0 {
			continue
		}
		created := t.createdBy(first)
		switch s, there := items[n.state.Key]; {
		case created.call > from:
			if j.Tested++; n.Initial {
				j.Fail("an ADD that is not marked as initial: the object came later", n.String()+", marked", created.done, n.call.Num)
			}
		case there && s.UID == n.state.UID:
			if j.Tested++; !n.Initial {
				j.Fail("an ADD that is marked as initial: the object was there", n.String()+", not marked", l.call.Num, n.call.Num)
			}
		}
	}
})

// createdBy returns the write that created the object that write i changed.
func (t *timeline) createdBy(i int) *write {
	for i > 0 && t.writes[i-1].exists() {
		i--
	}
	return t.writes[i]
}
