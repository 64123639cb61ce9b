package informer

import (
	"fmt"
	"slices"

	"github.com/lwtest/lwtest/harness"
)

// trustedNotices returns the notifications while the server kept its contract.
func (l *listener) trustedNotices() []*notice {
	i := slices.IndexFunc(l.notices, func(n *notice) bool { return !l.v.w.trusted(n.call.Num) })
	if i < 0 {
		return l.notices
	}
	return l.notices[:i]
}

// eachNotice calls f with each trusted notification and the one before it of the same object; nil: it is the first.
func (l *listener) eachNotice(f func(n, before *notice)) {
	last := map[string]*notice{}
	for _, n := range l.trustedNotices() {
		f(n, last[n.state.Key])
		last[n.state.Key] = n
	}
}

// judgeOrder compares each notification with what the handler knows.
var judgeOrder = perHandler(func(l *listener, j *harness.Judgement) {
	l.eachNotice(func(n, known *notice) {
		j.Tested++
		if known != nil && known.kind == Deleted {
			known = nil
		}
		switch {
		case n.kind == Added && known != nil:
			j.Fail(fmt.Sprintf("UPDATE, or nothing: the handler knows %s", known.state), n.String(), known.call.Num, n.call.Num)
		case n.kind == Added:
		case known == nil:
			j.Fail("ADD first", n.String(), n.call.Num)
		case n.kind == Updated && n.Old == nil && l.v.w.has(NewStateOnly):
		case n.kind == Updated && n.Old == nil:
			j.Fail(fmt.Sprintf("UPDATE with the old state %s", known.state), "no old state", known.call.Num, n.call.Num)
		case n.kind == Updated && *n.Old != known.state:
			j.Fail(fmt.Sprintf("UPDATE whose old state is %s %s", known.state, known.state.Body), fmt.Sprintf("%s %s", n.Old, n.Old.Body), known.call.Num, n.call.Num)
		}
	})
})

// judgeSequential looks for a call that began before the one before it had returned.
var judgeSequential = perHandler(func(l *listener, j *harness.Judgement) {
	for i := 1; i < len(l.notices); i++ {
		before, n := l.notices[i-1], l.notices[i]
		if j.Tested++; before.done == nil || before.done.Num > n.call.Num {
			j.Fail("the next call after this one has returned", n.String()+" during it", before.call.Num, n.call.Num)
		}
	}
})

// judgeAfterStore looks at what the store, and the index, had when the handler was called.
var judgeAfterStore = perHandler(func(l *listener, j *harness.Judgement) {
	notified := map[string]int{} // by key: the write that the handler was called for last
	for _, n := range l.trustedNotices() {
		t := l.v.timelines[n.state.Key]
		if n.kind == Deleted {
			if i, ok := notified[n.state.Key]; ok {
				l.storeHasLost(j, n, t, i)
			}
			continue
		}
		first, last := t.span(n.state)
		if first < 0 {
			continue
		}
		notified[n.state.Key] = last
		j.Tested++
		switch {
		case n.Held == nil && t.deletedAfter(first, n.call.Num) < 0:
			j.Fail(fmt.Sprintf("%s or newer in the store", n.state), notInStore, n.call.Num)
		case n.Held != nil:
			if _, held := t.span(*n.Held); held < first {
				j.Fail(fmt.Sprintf("%s or newer in the store", n.state), n.Held.String(), n.call.Num)
			} else if held <= last {
				l.indexHas(j, n, t, last)
			}
		}
	}
})

// storeHasLost looks for an object that the store still has at its DELETE; the handler was called for its write i before.
func (l *listener) storeHasLost(j *harness.Judgement, n *notice, t *timeline, i int) {
	j.Tested++
	if n.Held == nil {
		return
	}
	deletion := t.deletedAfter(i, n.call.Num)
	if _, held := t.span(*n.Held); held < deletion {
		j.Fail("a store without the object: "+t.writes[deletion].String(), n.Held.String(), t.writes[deletion].done, n.call.Num)
	}
}

// indexHas looks for the object in the index, if it has not changed since write i.
func (l *listener) indexHas(j *harness.Judgement, n *notice, t *timeline, i int) {
	app := appOf(n.call.Obj.Labels)
	changed := slices.ContainsFunc(t.writes[i+1:], func(w *write) bool { return w.call < n.call.Num })
	if changed || l.v.args.Index == "" || app == "" {
		return
	}
	j.Tested++
	if !slices.Contains(n.Indexed, n.state.Key) {
		j.Fail(fmt.Sprintf("an index that has %s under %q", n.state.Key, app), fmt.Sprint(n.Indexed), n.call.Num)
	}
}

// lastNotices returns the last notification of each object before an event, by key.
func (l *listener) lastNotices(num int32) map[string]*notice {
	last := map[string]*notice{}
	for _, n := range l.notices {
		if n.call.Num < num {
			last[n.state.Key] = n
		}
	}
	return last
}

// quiet returns the moments at which the handler must have been called for everything.
func (l *listener) quiet() []int32 {
	end := slices.IndexFunc(l.settled, func(num int32) bool {
		return l.removed != nil && l.removed.Num < num || !l.v.w.trusted(num) || l.v.stoppedBy(num)
	})
	if end < 0 {
		return l.settled
	}
	return l.settled[:end]
}

// judgeComplete compares what each handler knows with what was written, whenever nothing moves.
var judgeComplete = perHandler(func(l *listener, j *harness.Judgement) {
	for _, num := range l.quiet() {
		l.completeAt(j, num)
	}
})

func (l *listener) completeAt(j *harness.Judgement, num int32) {
	last := l.lastNotices(num)
	for _, t := range l.v.objects() {
		w, n := t.at(num), last[t.key]
		known := n != nil && n.kind != Deleted
		if w.exists() || known {
			j.Tested++
		}
		switch {
		case l.v.w.pending(t.key, num): // it may have happened
		case !w.exists() && !known:
		case !w.exists():
			j.Fail("DELETE: "+w.String(), "no notification after "+n.String(), w.done, n.call.Num, num)
		case !known:
			j.Fail("ADD: "+w.String(), "no notification", w.done, num)
		case n.state.UID != w.state.UID || n.state.RV != w.state.RV:
			j.Fail("UPDATE: "+w.String(), "no notification after "+n.String(), w.done, n.call.Num, num)
		}
	}
}

// completeAfter compares what a handler knows at its first quiet moment after an event with what was written.
func (l *listener) completeAfter(j *harness.Judgement, num int32) {
	all := l.quiet()
	if i := slices.IndexFunc(all, func(at int32) bool { return at > num }); i >= 0 {
		l.completeAt(j, all[i])
	}
}

// judgeLate looks at handlers that were added after the start.
var judgeLate = perHandler(func(l *listener, j *harness.Judgement) {
	if l.v.run == nil || l.call.Num < l.v.run.Num {
		return
	}
	l.eachNotice(func(n, before *notice) {
		if n.kind == Added && before != nil && before.kind != Deleted {
			j.Fail("one ADD", n.String()+" again", before.call.Num, n.call.Num)
		}
	})
	l.completeAfter(j, 0)
})

// judgeRemoved looks at what came after a removal had returned, and at what the other handlers know then.
var judgeRemoved = perHandler(func(l *listener, j *harness.Judgement) {
	if l.gone == nil || l.gone.Err() != nil {
		return
	}
	for _, e := range l.more {
		if j.Tested++; e.Err() != nil {
			j.Fail("no error: the handler was removed before", e.Err().Msg, l.gone.Num, e.Num)
		}
	}
	if !slices.ContainsFunc(l.v.writes, func(w *write) bool { return w.call > l.gone.Num }) {
		return
	}
	for _, other := range l.v.handlers {
		if other != l {
			other.completeAfter(j, l.gone.Num)
		}
	}
	all := l.trustedNotices()
	if len(all) > 0 {
		j.Tested++
	}
	for _, n := range all {
		l.afterRemoval(j, n)
	}
})

// afterRemoval looks at one notification of a handler that was removed.
func (l *listener) afterRemoval(j *harness.Judgement, n *notice) {
	removed := l.gone.Num
	late, cause := n.call.Num > removed, l.cause(n)
	switch {
	case late && l.waits:
		j.Fail("no notification: the removal, which waits, has returned", n.String(), removed, n.call.Num)
	case late && !l.v.uncertain && !l.v.received(0, removed):
		j.Fail("no notification: the informer had received nothing when the handler was removed", n.String(), removed, n.call.Num)
	case late && l.emptied(n.call.Num):
		j.Fail("no notification: nothing moved any more after the removal", n.String(), removed, n.call.Num)
	case cause > removed:
		j.Fail("no notification of a change that came after the removal", n.String(), removed, cause, n.call.Num)
	case l.waits && (n.done == nil || n.done.Num > removed):
		j.Fail("a removal that waits for the running call", "it returned during "+n.String(), n.call.Num, removed)
	}
}

// emptied reports whether there was a moment between the removal and an event at which nothing moved, so that nothing can be
// left in the handler's queue. In real time such a moment is only seen of the other handlers.
func (l *listener) emptied(num int32) bool {
	return l.v.w.virtual && slices.ContainsFunc(l.v.settled, func(at int32) bool { return at > l.gone.Num && at < num && l.callAt(at) == nil })
}

// cause returns the call of the write that a notification is about; 0: not known.
func (l *listener) cause(n *notice) int32 {
	t := l.v.timelines[n.state.Key]
	first, _ := t.span(n.state)
	switch {
	case n.kind != Deleted && first >= 0:
		return t.writes[first].call
	case n.kind == Deleted && t != nil:
		for _, w := range t.writes { // one without a uid may be the first
			if w.deleted && w.call < n.call.Num && (n.state.UID == "" || n.state.UID == w.state.UID) {
				return w.call
			}
		}
	}
	return 0
}

// judgeSlow looks at moments at which one handler is held: all others know everything, and that one does later.
var judgeSlow = perInformer(func(v *observed, j *harness.Judgement) {
	for _, q := range v.quiet {
		for _, slow := range v.handlers {
			n := slow.callAt(q.num)
			if n == nil || !slices.ContainsFunc(v.writes, func(w *write) bool { return w.done > n.call.Num && w.done < q.num }) {
				continue
			}
			for _, l := range v.handlers {
				l.completeAfter(j, q.num)
			}
		}
	}
})

// callAt returns the call from which a handler had not returned at an event; nil: none.
func (l *listener) callAt(num int32) *notice {
	i := slices.IndexFunc(l.notices, func(n *notice) bool { return n.call.Num < num && (n.done == nil || n.done.Num > num) })
	if i < 0 {
		return nil
	}
	return l.notices[i]
}
