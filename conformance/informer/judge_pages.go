package informer

import (
	"maps"
	"slices"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgePages compares the store while a list comes in pages with the store before: until that list, or another one, is
// complete, nothing changes it.
var judgePages = perInformer(func(v *observed, j *harness.Judgement) {
	for _, r := range v.requests {
		v.watchesIncomplete(j, r)
	}
	v.mixesPages(j)
	for i, x := range v.exchanges {
		if firstOfMany(x) && v.w.trusted(x.Call.Num) {
			v.keepsStore(j, x, v.mayChange(i))
		}
	}
})

// firstOfMany reports whether x is the first page of a list, and further ones follow.
func firstOfMany(x *rig.Exchange) bool {
	return x.IsList() && x.Options.Continue == "" && x.Answer != nil && continueToken(x.Answer) != ""
}

// nextList returns the event with which the first list after an event is complete; the history's end if none is.
func (v *observed) nextList(num int32) int32 {
	for _, l := range v.lists {
		if l.done > num {
			return l.done
		}
	}
	return v.w.end
}

// watchesIncomplete looks for a watch from a list of which not every page has come.
func (v *observed) watchesIncomplete(j *harness.Judgement, r request) {
	if !firstOfMany(r.Exchange) || r.Answer.Obj.RV == r.seen {
		return
	}
	until := v.nextList(r.Answer.Num)
	for _, y := range v.exchanges {
		if y.Call.Num > r.Answer.Num && y.Call.Num < until && plainWatch(y) && y.Options.ResourceVersion == r.Answer.Obj.RV {
			j.FailTested("all pages of a list before a WATCH from it", describe(y), r.Answer.Num, y.Call.Num)
			return
		}
	}
}

// mixesPages looks for a watch from a list whose pages are of two states. If a page has expired, the server may offer the rest
// as it is now. An informer that puts these pages together misses what happened in between.
func (v *observed) mixesPages(j *harness.Judgement) {
	var first *request
	for i := range v.requests {
		r := &v.requests[i]
		switch {
		case !answeredList(r.Exchange):
		case r.Options.Continue == "":
			first = r
		case first == nil || continueToken(r.Answer) != "" || r.Answer.Obj.RV == first.Answer.Obj.RV || v.completes(r.Answer):
		default:
			j.Tested++
			if y := r.next; y != nil && plainWatch(y) && y.Options.ResourceVersion == r.Answer.Obj.RV && first.seen != r.Answer.Obj.RV {
				j.Fail("a new LIST before the WATCH: the first pages were of @"+first.Answer.Obj.RV, describe(y), first.Answer.Num, r.Answer.Num, y.Call.Num)
			}
		}
	}
}

// completes reports whether a page completes a list, each page of which was requested with the token of the one before.
func (v *observed) completes(page *history.Event) bool {
	return slices.ContainsFunc(v.lists, func(l *snapshot) bool { return l.done == page.Num })
}

// mayChange returns the event from which the store may change after the first page of exchange i: a complete list, a watch,
// or the stop.
func (v *observed) mayChange(i int) int32 {
	until := v.nextList(v.exchanges[i].Answer.Num)
	if v.stopped != nil {
		until = min(until, v.stopped.Num)
	}
	for _, y := range v.exchanges[i+1:] {
		if y.IsWatch() {
			return min(until, y.Call.Num)
		}
	}
	return until
}

// keepsStore compares the readings of the store after the first page with the last one before it. If the informer received
// something since it was last at rest, it may apply that late, and nobody knows what the store should have.
func (v *observed) keepsStore(j *harness.Judgement, page *rig.Exchange, until int32) {
	var before *reading
	rest := int32(0)
	for _, l := range v.readings.of(listKind) {
		switch {
		case l.done.Num < page.Call.Num:
			before, rest = l, v.restBefore(l.call.Num)
		case l.call.Num > page.Answer.Num && l.done.Num < until:
			if v.received(rest, page.Answer.Num) {
				return
			}
			j.Tested++
			if got := difference(before, l); got != "" {
				j.Fail("the store as it was before the LIST, which is not complete", got, page.Answer.Num, l.done.Num)
			}
		}
	}
}

// restBefore returns the last moment before an event at which nothing moved; 0: none.
func (v *observed) restBefore(num int32) int32 {
	i, _ := slices.BinarySearch(v.settled, num)
	if i == 0 {
		return 0
	}
	return v.settled[i-1]
}

// received reports whether an informer was sent a list, or an event of an object, between two events.
func (v *observed) received(from, to int32) bool {
	return v.listed(from, to) || slices.ContainsFunc(v.exchanges, func(x *rig.Exchange) bool {
		return slices.ContainsFunc(x.Sent, func(e *history.Event) bool { return isEvent(e) && e.Kind != "BOOKMARK" && e.Num > from && e.Num < to })
	})
}

// difference names an object in which two readings of the store differ; "": none. before may be nil.
func difference(before, now *reading) string {
	versions := map[string]string{}
	if before != nil {
		for _, o := range before.items {
			versions[o.Key] = o.RV
		}
	}
	for _, o := range now.items {
		if versions[o.Key] != o.RV {
			return o.Named()
		}
		delete(versions, o.Key)
	}
	if len(versions) > 0 {
		return "no " + slices.Min(slices.Collect(maps.Keys(versions)))
	}
	return ""
}
