package informer

import (
	"fmt"
	"slices"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
)

// judgeResync looks, within each watch, at the updates that change nothing.
var judgeResync = perHandler(func(l *listener, j *harness.Judgement) {
	if l.resyncPeriod() == 0 || l.returned == nil || l.returned.Err() != nil {
		return
	}
	for _, x := range l.v.exchanges {
		if x.IsWatch() && x.Answer != nil && x.Refused() == nil && !x.IsUnfinished() && l.v.w.trusted(x.Call.Num) {
			l.resyncs(j, x)
		}
	}
})

// resyncPeriod returns the handler's period: its own, or the informer's; 0: none.
func (l *listener) resyncPeriod() time.Duration {
	if l.period > 0 {
		return time.Duration(l.period)
	}
	return l.v.args.Resync
}

// resyncs looks at one watch, of a streaming list after its initial events: two resyncs of an object must not be closer than
// the period. A resync in the first second may be of the list before the watch, which may notify everything again. In real time
// any notification may come late: there they are too often only if so many cannot have come since the handler was added.
func (l *listener) resyncs(j *harness.Judgement, x *rig.Exchange) {
	end := l.v.w.end - 1
	if x.Over != nil {
		end = min(end, x.Over.Num)
	}
	if l.v.stopped != nil {
		end = min(end, l.v.stopped.Num)
	}
	if l.removed != nil {
		end = min(end, l.removed.Num)
	}
	last, count := map[string]*notice{}, map[string]int{}
	for _, n := range l.trustedNotices() {
		if n.call.Num < x.Answer.Num || n.call.At < x.Answer.At+int64(time.Second) || x.Over != nil && n.call.Num > x.Over.Num || n.kind != Updated || n.Old == nil || *n.Old != n.state {
			continue
		}
		count[n.state.Key]++
		if before := last[n.state.Key]; before != nil {
			j.Tested++
			apart, least := time.Duration(n.call.At-before.call.At), l.resyncPeriod()*9/10
			late := !l.v.w.virtual && time.Duration(n.call.At-l.call.At) >= time.Duration(count[n.state.Key])*least
			if apart < least && !late && !l.held(x.Answer.Num, n.call.Num) && !l.waited(before, least-apart) {
				j.Fail(fmt.Sprintf("%s between two resyncs of an object", l.resyncPeriod()), apart.String(), before.call.Num, n.call.Num)
			}
		}
		last[n.state.Key] = n
	}
	if l.v.args.Resync == 0 {
		return // it may do no resyncs at all, not even for a handler that wants some
	}
	for _, t := range l.v.objects() {
		l.isResynced(j, x, t, end, last[t.key] != nil)
	}
}

// isResynced expects a resync of an object that the handler has known for three periods of a watch. The informer's period is
// added to its own, which may be raised to a multiple of it.
func (l *listener) isResynced(j *harness.Judgement, x *rig.Exchange, t *timeline, end int32, resynced bool) {
	known := l.knownSince(t.key, end)
	if known == nil {
		return
	}
	from := max(x.Answer.Num, known.call.Num)
	if x.IsStream() {
		from = max(from, x.Mark.Num)
	}
	lasted := time.Duration(l.v.w.h.Event(end).At - l.v.w.h.Event(from).At)
	if lasted < 3*(l.resyncPeriod()+l.v.args.Resync) || t.deletedAfter(-1, end) >= 0 || l.held(x.Answer.Num, end) {
		return
	}
	if j.Tested++; !resynced {
		j.Fail(fmt.Sprintf("a resync of %s, an UPDATE with equal states, in %s", t.key, lasted), "none", x.Answer.Num, end)
	}
}

// knownSince returns the first notification of an object that the handler knows at an event; nil: it does not know it.
func (l *listener) knownSince(key string, num int32) (known *notice) {
	for _, n := range l.trustedNotices() {
		switch {
		case n.state.Key != key || n.call.Num > num:
		case n.kind == Deleted:
			known = nil
		case known == nil:
			known = n
		}
	}
	return known
}

// waited reports whether a notification may have waited so long behind others: these came one after the other.
func (l *listener) waited(n *notice, long time.Duration) bool {
	first := n.call
	for _, o := range slices.Backward(l.notices[:slices.Index(l.notices, n)]) {
		if time.Duration(first.At-o.call.At) > 2*noPause {
			break
		}
		first = o.call
	}
	return time.Duration(n.call.At-first.At) >= long
}

// held reports whether a call of the handler between two events took more than a second, or does not end.
func (l *listener) held(from, to int32) bool {
	return slices.ContainsFunc(l.notices, func(n *notice) bool {
		over := n.done
		return n.call.Num < to && (over == nil || over.Num > from && over.At-n.call.At > int64(time.Second))
	})
}
