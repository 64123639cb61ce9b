package informer

import (
	"fmt"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeResync looks, within each watch, at the updates that change nothing.
func judgeResync(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, v := range worldOf(h).informers {
		for _, l := range v.handlers {
			if l.every() == 0 || l.returned == nil || l.returned.Err() != nil {
				continue
			}
			for _, x := range v.exchanges {
				if x.IsWatch() && x.Answer != nil && x.Refused() == nil && v.w.sound(x.Call.Num) {
					l.resyncs(&j, x)
				}
			}
		}
	}
	return j
}

// every is the handler's period: its own, or the informer's; 0: none.
func (l *listener) every() time.Duration {
	if l.period > 0 {
		return time.Duration(l.period)
	}
	return l.v.args.Resync
}

// resyncs looks at one watch: no two of an object closer than the period, and one at least in three times as much as
// the period, raised to a multiple of the informer's, may be. What is told in its first second may be of the list before it,
// which may tell of everything again.
func (l *listener) resyncs(j *harness.Judgement, x *rig.Exchange) {
	ended := l.v.last(x)
	if l.removed != nil {
		ended = min(ended, l.removed.Num)
	}
	start, end := max(x.Answer.At, l.call.At), l.v.w.h.Event(ended).At
	long := time.Duration(end-start) >= 3*(l.every()+l.v.args.Resync)
	last := map[string]*notice{}
	for _, n := range l.told() {
		if n.call.Num < x.Answer.Num || n.call.At < x.Answer.At+int64(time.Second) || x.Over != nil && n.call.Num > x.Over.Num || n.kind != Updated || n.Old == nil || *n.Old != n.now {
			continue
		}
		if was := last[n.now.Key]; was != nil {
			j.Tested++
			if apart := time.Duration(n.call.At - was.call.At); apart < l.every()*9/10 {
				j.Fail(fmt.Sprintf("%s between two", l.every()), apart.String(), was.call.Num, n.call.Num)
			}
		}
		last[n.now.Key] = n
	}
	if !long {
		return
	}
	for _, line := range l.v.mine() {
		if w := line.at(max(x.Answer.Num, l.call.Num)); !w.there() || line.removedAfter(0, ended) >= 0 || l.busy(ended) != nil {
			continue
		}
		if j.Tested++; last[line.key] == nil {
			j.Fail(fmt.Sprintf("an update of %s, old equal to new, in %s", line.key, time.Duration(end-start)), "none", x.Answer.Num, ended)
		}
	}
}

// last is the number of the event that ends a watch, or the informer's time.
func (v *observed) last(x *rig.Exchange) int32 {
	num := v.w.end - 1
	if x.Over != nil {
		num = min(num, x.Over.Num)
	}
	if v.stopped != nil {
		num = min(num, v.stopped.Num)
	}
	return num
}
