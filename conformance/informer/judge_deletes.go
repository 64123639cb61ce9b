package informer

import (
	"fmt"
	"slices"

	"github.com/lwtest/lwtest/harness"
)

// judgeDeletes looks, when nothing moves, for what was deleted while no watch was open.
var judgeDeletes = perInformer(func(v *observed, j *harness.Judgement) {
	before := int32(0)
	for _, q := range v.quiet {
		for _, t := range v.objects() {
			for _, w := range t.writes {
				back := t.at(q.num) // an object that left the selection may be in it again
				if w.deleted && w.call > before && w.done < q.num && len(v.openWatches(w.done)) == 0 && !(back.exists() && back.state.UID == w.state.UID) {
					v.noticesDelete(j, w, q)
				}
			}
		}
		before = q.num
	}
})

// noticesDelete looks for a deleted object in the store, and for a handler that knew it and was not called for its deletion.
func (v *observed) noticesDelete(j *harness.Judgement, w *write, q quietMoment) {
	key, uid := w.state.Key, w.state.UID
	if q.store != nil && v.knew(w.state, w.call) {
		j.Tested++
		if o := q.store.itemOf(key, uid); o != nil {
			j.Fail(fmt.Sprintf("not the old %s: %s", key, w), stateOf(o).String(), w.done, q.store.done.Num)
		}
	}
	for _, l := range v.handlers {
		if n := l.lastNotices(w.call)[key]; n == nil || n.kind == Deleted || n.state.UID != uid || !l.quietAt(q) {
			continue
		}
		j.Tested++
		var deletes []int32
		notified, recreated := false, false
		for _, n := range l.notices {
			if n.state.Key != key || n.call.Num < w.call || n.call.Num > q.num {
				continue
			}
			if n.kind == Deleted && (n.state.UID == "" && !recreated || n.state.UID == uid) {
				deletes = append(deletes, n.call.Num)
			}
			notified = notified || n.kind == Deleted || n.state.UID != uid
			recreated = recreated || n.state.UID != "" && n.state.UID != uid
		}
		switch {
		case !notified:
			j.Fail("DELETE: "+w.String(), "no notification", w.done, q.num)
		case len(deletes) > 1:
			j.Fail("one DELETE", fmt.Sprintf("%d of %s", len(deletes), key), deletes[0], deletes[1])
		}
	}
}

// knew reports whether the store was read, before an event, to have an object with the uid of s.
func (v *observed) knew(s state, num int32) bool {
	return slices.ContainsFunc(v.readings.of(listKind), func(l *reading) bool {
		return l.done.Num < num && l.itemOf(s.Key, s.UID) != nil
	})
}

// quietAt reports whether the handler must have been called for everything at a moment.
func (l *listener) quietAt(q quietMoment) bool {
	next := l.v.w.end
	for _, num := range l.v.settled {
		if num > q.num {
			next = min(next, num)
		}
	}
	return slices.ContainsFunc(l.quiet(), func(num int32) bool { return num > q.num && num < next })
}

// judgeRecreated looks at objects whose uid has changed between two moments at which nothing moved.
var judgeRecreated = perInformer(func(v *observed, j *harness.Judgement) {
	before := int32(0)
	for _, q := range v.quiet {
		for _, t := range v.objects() {
			was, is := t.at(before), t.at(q.num)
			if was.exists() && is.exists() && was.state.UID != is.state.UID {
				v.noticesRecreation(j, was.state, is, q)
			}
		}
		before = q.num
	}
	for _, l := range v.handlers {
		l.oldUIDs(j)
	}
})

// noticesRecreation looks for an object with its old uid in the store and in what handlers know.
func (v *observed) noticesRecreation(j *harness.Judgement, was state, is *write, q quietMoment) {
	if q.store != nil && v.knew(was, is.call) {
		j.Tested++
		if o := q.store.itemOf(was.Key, was.UID); o != nil {
			j.Fail(was.Key+" with the uid of the new object", stateOf(o).String()+" with the uid of the old one", is.done, q.store.done.Num)
		}
	}
	for _, l := range v.handlers {
		n := l.lastNotices(q.num)[was.Key]
		if n == nil || !l.quietAt(q) {
			continue
		}
		if j.Tested++; n.state.UID == was.UID {
			j.Fail("DELETE and ADD, or UPDATE to another uid", "no notification after "+n.String(), is.done, n.call.Num, q.num)
		}
	}
}

// oldUIDs compares the old state of each UPDATE to another uid with the notification before.
func (l *listener) oldUIDs(j *harness.Judgement) {
	l.eachNotice(func(n, before *notice) {
		if n.kind != Updated || before == nil || before.kind == Deleted || before.state.UID == n.state.UID || n.Old == nil && l.v.w.has(NewStateOnly) {
			return
		}
		if j.Tested++; n.Old == nil || n.Old.UID != before.state.UID {
			j.Fail("UPDATE whose old state has the uid of the notification before", n.String()+", whose old state has another uid", before.call.Num, n.call.Num)
		}
	})
}
