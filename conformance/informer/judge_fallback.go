package informer

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeStreamFallback waits for a list after streaming lists that were answered, and did not come to their end; and for
// that list to be taken.
func judgeStreamFallback(h *history.History) harness.Judgement {
	j := judgeStreams(h, unfinished)
	for _, v := range worldOf(h).informers {
		v.fallsBack(&j)
	}
	return j
}

// unfinished says that a streaming list was answered, or told to come again, and did not come to its end. A connection
// that breaks before the answer says nothing of streaming lists.
func unfinished(x *rig.Exchange) bool {
	switch err := x.Refused(); {
	case err != nil:
		return err.Code != 0 && !slices.Contains(refusals, err.Code) && !rig.TooLarge(x.Answer)
	case x.Answer == nil:
		return false
	case x.Failed() != nil:
		return streamed(x) == nil && !rig.TooLarge(x.Failed())
	case x.Over == nil:
		return false
	}
	return streamed(x) == nil
}

// takenIn is how long an informer may need at most, in virtual time, to have in its store what it has listed.
const takenIn = 10 * time.Minute

// fallsBack holds what is read, long after a list that came in the place of streaming lists, against that list.
func (v *observed) fallsBack(j *harness.Judgement) {
	begun := slices.IndexFunc(v.exchanges, func(x *rig.Exchange) bool { return x.IsStream() && unfinished(x) })
	if begun < 0 || !v.w.virtual { // real time may stand still for anybody
		return
	}
	lists := slices.DeleteFunc(v.wholes(), func(w *wholeList) bool { return w.pages == 0 || w.begun < v.exchanges[begun].Call.Num })
	for _, l := range v.looks {
		var last *wholeList
		for _, w := range lists {
			if time.Duration(l.call.At-v.w.h.Events[w.done-1].At) >= takenIn {
				last = w
			}
		}
		switch {
		case last == nil:
		case l.kind == syncedKind:
			if j.Tested++; !l.synced {
				j.Fail("true: a LIST came, where streaming lists did not", "false", last.done, l.done.Num)
			}
		case l.kind == listKind:
			j.Tested++
			v.lacksOf(j, last, l)
		}
	}
}

// lacksOf looks for what a list had, and the store does not have, or only in an older state.
func (v *observed) lacksOf(j *harness.Judgement, w *wholeList, l *reading) {
	for _, key := range slices.Sorted(maps.Keys(w.items)) {
		line := v.w.lines[key]
		first, _ := line.places(w.items[key])
		if first < 0 || line.removedAfter(first, l.done.Num) >= 0 {
			continue
		}
		got := "nothing under its key"
		if i := slices.IndexFunc(l.items, func(o history.Ref) bool { return o.Key == key }); i >= 0 {
			is := stateOf(&l.items[i])
			if _, last := line.places(is); last < 0 || last >= first {
				continue
			}
			got = is.String()
		}
		j.Fail(fmt.Sprintf("%s, which the LIST had that came in the place of streaming lists", w.items[key]), got, w.done, l.done.Num)
	}
}
