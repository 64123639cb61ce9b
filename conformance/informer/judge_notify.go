package informer

import (
	"fmt"
	"slices"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// each judges every handler of a history.
func each(judge func(*listener, *harness.Judgement)) func(*history.History) harness.Judgement {
	return func(h *history.History) harness.Judgement {
		var j harness.Judgement
		for _, v := range worldOf(h).informers {
			for _, l := range v.handlers {
				judge(l, &j)
			}
		}
		return j
	}
}

var (
	judgeOrder       = each((*listener).inOrder)
	judgeSequential  = each((*listener).oneByOne)
	judgeAfterStore  = each((*listener).afterStore)
	judgeComplete    = each((*listener).complete)
	judgeDeleteState = each((*listener).deleteState)
	judgeLate        = each((*listener).late)
	judgeRemoved     = each((*listener).afterRemoval)
)

// told are the notices while the server kept the contract.
func (l *listener) told() []*notice {
	i := slices.IndexFunc(l.notices, func(n *notice) bool { return !l.v.w.sound(n.call.Num) })
	if i < 0 {
		return l.notices
	}
	return l.notices[:i]
}

// inOrder follows what the handler knows.
func (l *listener) inOrder(j *harness.Judgement) {
	knows := map[string]*notice{}
	for _, n := range l.told() {
		j.Tested++
		was := knows[n.now.Key]
		switch {
		case n.kind == Added && was != nil:
			j.Fail("an update, or nothing: it knows "+was.now.String(), "ADD "+n.now.String(), was.call.Num, n.call.Num)
		case n.kind == Added:
		case was == nil:
			j.Fail("an add first", n.kind+" "+n.now.String(), n.call.Num)
		case n.kind == Updated && n.Old == nil && l.v.w.has(NewStateOnly):
		case n.kind == Updated && n.Old == nil:
			j.Fail("an update with the old state "+was.now.String(), "none", was.call.Num, n.call.Num)
		case n.kind == Updated && *n.Old != was.now:
			j.Fail(fmt.Sprintf("an update whose old state is %s %s", was.now, was.now.Body), fmt.Sprintf("%s %s", n.Old, n.Old.Body), was.call.Num, n.call.Num)
		}
		if n.kind == Deleted {
			delete(knows, n.now.Key)
		} else {
			knows[n.now.Key] = n
		}
	}
}

// oneByOne looks for a call that began before the one before had returned.
func (l *listener) oneByOne(j *harness.Judgement) {
	for i, n := range l.notices {
		if i == 0 {
			continue
		}
		before := l.notices[i-1]
		if j.Tested++; before.done == nil || before.done.Num > n.call.Num {
			j.Fail("the next call when this one has returned", n.kind+" "+n.now.String()+" beside it", before.call.Num, n.call.Num)
		}
	}
}

// afterStore looks at what the store, and the index, had when the handler was called.
func (l *listener) afterStore(j *harness.Judgement) {
	last := map[string]int{} // by key: the place of what it was told before
	for _, n := range l.told() {
		line := l.v.w.lines[n.now.Key]
		first, end := line.places(n.now)
		if n.kind == Deleted {
			l.storeHasLost(j, n, last)
			continue
		}
		if first < 0 {
			continue
		}
		last[n.now.Key] = end
		j.Tested++
		switch {
		case n.Held == nil && line.removedAfter(first, n.call.Num) < 0:
			j.Fail("a store that has "+n.now.String()+" or a later state", "nothing under its key", n.call.Num)
		case n.Held != nil:
			if _, held := line.places(*n.Held); held < first {
				j.Fail("a store that has "+n.now.String()+" or a later state", n.Held.String(), n.call.Num)
			} else if held <= end {
				l.indexHas(j, n, line, end)
			}
		}
	}
}

func (l *listener) storeHasLost(j *harness.Judgement, n *notice, last map[string]int) {
	place, ok := last[n.now.Key]
	if !ok {
		return
	}
	j.Tested++
	if n.Held == nil {
		return
	}
	line := l.v.w.lines[n.now.Key]
	gone := line.removedAfter(place, n.call.Num)
	if _, held := line.places(*n.Held); held < gone {
		j.Fail("a store without it: "+line.writes[gone].String(), n.Held.String(), line.writes[gone].done, n.call.Num)
	}
}

// indexHas looks for the object in the index, where it has not changed since.
func (l *listener) indexHas(j *harness.Judgement, n *notice, line *line, place int) {
	for _, w := range line.writes[place+1:] {
		if w.call < n.call.Num {
			return
		}
	}
	app := appOf(n.call.Obj.Labels)
	if l.v.args.Index == "" || app == "" {
		return
	}
	j.Tested++
	if !slices.Contains(n.Indexed, n.now.Key) {
		j.Fail(fmt.Sprintf("an index that has %s under %q", n.now.Key, app), fmt.Sprint(n.Indexed), n.call.Num)
	}
}

// knowledge is what a handler has been told by an event: the last notice of each object.
func (l *listener) knowledge(num int32) map[string]*notice {
	knows := map[string]*notice{}
	for _, n := range l.notices {
		if n.call.Num < num {
			knows[n.now.Key] = n
		}
	}
	return knows
}

// restful are the moments at which a handler must have been told of everything.
func (l *listener) restful() []int32 {
	var out []int32
	for _, num := range l.rests {
		if l.removed != nil && l.removed.Num < num || !l.v.w.sound(num) || l.v.stopped != nil && l.v.stopped.Num < num {
			break
		}
		out = append(out, num)
	}
	return out
}

func (l *listener) complete(j *harness.Judgement) {
	for _, num := range l.restful() {
		l.lacks(j, num)
	}
}

// lacks compares what a handler knows with what was written.
func (l *listener) lacks(j *harness.Judgement, num int32) {
	knows := l.knowledge(num)
	for _, line := range l.v.mine() {
		w, n := line.at(num), knows[line.key]
		known := n != nil && n.kind != Deleted
		if w.there() || known {
			j.Tested++
		}
		switch {
		case l.v.w.pending(line.key, num): // it may have happened
		case !w.there() && !known:
		case !w.there():
			j.Fail("a delete: "+w.String(), "nothing after "+n.kind+" "+n.now.String(), w.done, n.call.Num, num)
		case !known:
			j.Fail("an add: "+w.String(), "nothing", w.done, num)
		case n.now.UID != w.now.UID || n.now.RV != w.now.RV:
			j.Fail("an update: "+w.String(), "nothing after "+n.kind+" "+n.now.String(), w.done, n.call.Num, num)
		}
	}
}

// late looks at handlers that joined after the start.
func (l *listener) late(j *harness.Judgement) {
	if l.v.run == nil || l.call.Num < l.v.run.Num {
		return
	}
	knows := map[string]*notice{}
	for _, n := range l.told() {
		if was := knows[n.now.Key]; n.kind == Added && was != nil && was.kind != Deleted {
			j.Fail("one add", "ADD "+n.now.String()+" again", was.call.Num, n.call.Num)
		}
		knows[n.now.Key] = n
	}
	if all := l.restful(); len(all) > 0 {
		l.lacks(j, all[0])
	}
}

// removedAgain looks for a further removal that failed.
func (l *listener) removedAgain(j *harness.Judgement) {
	for _, e := range l.more {
		if l.gone.Err() != nil {
			continue // it was not removed before
		}
		if j.Tested++; e.Err() != nil {
			j.Fail("no error: it was removed before", e.Err().Msg, l.gone.Num, e.Num)
		}
	}
}

// afterRemoval looks at what came after the removal had returned, and at what the others know then.
func (l *listener) afterRemoval(j *harness.Judgement) {
	l.removedAgain(j)
	if l.gone == nil || l.gone.Err() != nil || !slices.ContainsFunc(l.v.w.writes, func(w *write) bool { return w.call > l.gone.Num }) {
		return
	}
	for _, other := range l.v.handlers {
		if other != l {
			other.nonetheless(j, l.gone.Num)
		}
	}
	told := l.told()
	if len(told) > 0 {
		j.Tested++
	}
	for _, n := range told {
		switch {
		case n.call.Num > l.gone.Num && l.waits:
			j.Fail("nothing: the removal, which waits, has returned", n.kind+" "+n.now.String(), l.gone.Num, n.call.Num)
		case n.call.Num > l.gone.Num && !l.v.given(0, l.gone.Num):
			j.Fail("nothing: when the handler was removed, the informer had nothing to tell", n.kind+" "+n.now.String(), l.gone.Num, n.call.Num)
		case n.call.Num > l.gone.Num && l.emptied(n.call.Num):
			j.Fail("nothing: since the handler was removed, nothing was left to tell", n.kind+" "+n.now.String(), l.gone.Num, n.call.Num)
		case l.cause(n) > l.gone.Num:
			j.Fail("nothing that was not queued when the handler was removed", n.kind+" "+n.now.String(), l.gone.Num, l.cause(n), n.call.Num)
		case l.waits && (n.done == nil || n.done.Num > l.gone.Num):
			j.Fail("a removal that waits for the call under way", "it returned beside "+n.kind+" "+n.now.String(), n.call.Num, l.gone.Num)
		}
	}
}

// emptied says that since its removal, and before an event, there was a moment at which nothing moved: of what was queued
// for it nothing can be left. In real time such a moment is seen of the other handlers alone.
func (l *listener) emptied(num int32) bool {
	return l.v.w.virtual && slices.ContainsFunc(l.v.rests, func(rest int32) bool { return rest > l.gone.Num && rest < num && l.busy(rest) == nil })
}

// cause is the call of the write that a notice tells of; 0: not known.
func (l *listener) cause(n *notice) int32 {
	line := l.v.w.lines[n.now.Key]
	first, _ := line.places(n.now)
	switch {
	case n.kind != Deleted && first >= 0:
		return line.writes[first].call
	case n.kind == Deleted && line != nil:
		for _, w := range slices.Backward(line.writes) {
			if w.gone && w.call < n.call.Num {
				return w.call
			}
		}
	}
	return 0
}

// judgeSlow looks at moments at which one handler is held: all others know everything; and so does that one, later.
func judgeSlow(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, v := range worldOf(h).informers {
		for _, r := range v.resting() {
			for _, slow := range v.handlers {
				n := slow.busy(r.num)
				if n == nil || !slices.ContainsFunc(v.w.writes, func(w *write) bool { return w.done > n.call.Num && w.done < r.num }) {
					continue
				}
				for _, other := range v.handlers {
					other.nonetheless(&j, r.num)
				}
			}
		}
	}
	return j
}

// busy is the call that a handler has not returned from when an event happens.
func (l *listener) busy(num int32) *notice {
	for _, n := range l.notices {
		if n.call.Num < num && (n.done == nil || n.done.Num > num) {
			return n
		}
	}
	return nil
}

// nonetheless wants a handler to know everything at the first moment after an event at which it is not held itself.
func (l *listener) nonetheless(j *harness.Judgement, num int32) {
	for _, at := range l.restful() {
		if at > num {
			l.lacks(j, at)
			return
		}
	}
}
