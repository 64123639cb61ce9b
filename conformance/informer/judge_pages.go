package informer

import (
	"fmt"
	"maps"
	"slices"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgePages compares what the store has while a list comes in pages with what it had before: until the list is whole,
// or another is, no request of the informer's brings anything else.
func judgePages(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, v := range worldOf(h).informers {
		for _, r := range v.requests() {
			v.takenForWhole(&j, r)
		}
		v.ofTwoStates(&j, v.requests())
		for i, x := range v.exchanges {
			if x.IsList() && x.Options.Continue == "" && x.Answer != nil && continued(x.Answer) != "" && v.w.sound(x.Call.Num) {
				v.amid(&j, x, v.wholeAfter(i, x))
			}
		}
	}
	return j
}

// takenForWhole looks for a watch that goes on from a list of which not every page has come.
func (v *observed) takenForWhole(j *harness.Judgement, r request) {
	if !r.IsList() || r.Options.Continue != "" || r.Answer == nil || continued(r.Answer) == "" || r.Answer.Obj.RV == r.seen {
		return
	}
	until := v.w.end
	for _, w := range v.wholes() {
		if w.done > r.Answer.Num {
			until = w.done
			break
		}
	}
	for _, y := range v.exchanges {
		if y.Call.Num > r.Answer.Num && y.Call.Num < until && y.IsWatch() && !y.IsStream() && y.Options.ResourceVersion == r.Answer.Obj.RV {
			j.Tested++
			j.Fail("the further pages of a list before a watch from it", "WATCH "+shownRV(y.Options.ResourceVersion), r.Answer.Num, y.Call.Num)
			return
		}
	}
}

// ofTwoStates looks for a watch that goes on from a list whose pages are of two states: where one has expired, the server
// may offer the rest as it is by now, and who takes that beside the pages of before never hears of what was between.
func (v *observed) ofTwoStates(j *harness.Judgement, all []request) {
	var first *request
	for i := range all {
		r := &all[i]
		switch {
		case !r.IsList() || r.Answer == nil || r.Refused() != nil || r.Lost():
		case r.Options.Continue == "":
			first = r
		case first == nil || continued(r.Answer) != "" || r.Answer.Obj.RV == first.Answer.Obj.RV || v.whole(r.Answer):
		default:
			j.Tested++
			if y := r.next; y != nil && y.IsWatch() && !y.IsStream() && y.Options.ResourceVersion == r.Answer.Obj.RV && first.seen != r.Answer.Obj.RV {
				j.Fail("a list anew before a watch: the first pages were of @"+first.Answer.Obj.RV, "WATCH "+shownRV(r.Answer.Obj.RV), first.Answer.Num, r.Answer.Num, y.Call.Num)
			}
		}
	}
}

// wholeList says that with this page a list was whole, each of its pages asked for with the token of the one before.
func (v *observed) whole(page *history.Event) bool {
	return slices.ContainsFunc(v.wholes(), func(w *wholeList) bool { return w.done == page.Num })
}

// wholeAfter is the event with which the store may become another: a whole list, or a watch that is open.
func (v *observed) wholeAfter(i int, x *rig.Exchange) int32 {
	until := v.w.end
	if v.stopped != nil {
		until = v.stopped.Num
	}
	for _, w := range v.wholes() {
		if w.done > x.Answer.Num {
			until = min(until, w.done)
			break
		}
	}
	for _, y := range v.exchanges[i+1:] {
		if y.IsWatch() {
			return min(until, y.Call.Num)
		}
	}
	return until
}

// amid compares the readings of the store from the first page on with the last before that. Where the informer was sent
// something since it was known to be at rest, it may apply that late, and nobody knows what the store has.
func (v *observed) amid(j *harness.Judgement, x *rig.Exchange, until int32) {
	var before *reading
	from := int32(0)
	for _, l := range v.looks {
		switch {
		case l.kind != listKind:
		case l.done.Num < x.Call.Num:
			before, from = l, v.restBefore(l.call.Num)
		case l.call.Num > x.Answer.Num && l.done.Num < until:
			if v.given(from, x.Answer.Num) {
				return
			}
			j.Tested++
			if bad := differs(before, l); bad != "" {
				j.Fail("the store as it was before the list began, which is not whole yet", bad, x.Answer.Num, l.done.Num)
			}
		}
	}
}

// restBefore is the last moment before an event at which nothing moved; 0: there was none.
func (v *observed) restBefore(num int32) int32 {
	i, _ := slices.BinarySearch(v.rests, num)
	if i == 0 {
		return 0
	}
	return v.rests[i-1]
}

// given says that an informer was sent a list, or an event of an object, between two events.
func (v *observed) given(from, to int32) bool {
	return v.listed(from, to) || slices.ContainsFunc(v.exchanges, func(x *rig.Exchange) bool {
		return slices.ContainsFunc(x.Sent, func(e *history.Event) bool { return isEvent(e) && e.Kind != "BOOKMARK" && e.Num > from && e.Num < to })
	})
}

func differs(before, now *reading) string {
	was := map[string]string{}
	if before != nil {
		for _, o := range before.items {
			was[o.Key] = o.RV
		}
	}
	for _, o := range now.items {
		if was[o.Key] != o.RV {
			return fmt.Sprintf("%s @%s", o.Key, o.RV)
		}
		delete(was, o.Key)
	}
	if len(was) > 0 {
		return "it has lost " + slices.Min(slices.Collect(maps.Keys(was)))
	}
	return ""
}
