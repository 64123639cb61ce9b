package informer

import (
	"cmp"
	"math"
	"slices"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness/history"
)

// openWatch is a watch while it was open for its client.
type openWatch struct {
	x     *rig.Exchange
	from  int32 // the event that opened it: the answer; of a streaming list, the end of its initial events
	until int64 // when it ended; the largest number: never
	left  int32 // the event with which the informer itself ended it, in real time by its stop; 0: it did not

	endLast [2]*openWatch // the two that ended last, of this watch and those that were opened before it
}

// findWatches finds the watches of an informer, in the order in which they were opened.
func (v *observed) findWatches() {
	for _, x := range v.exchanges {
		if !x.IsWatch() || x.Answer == nil || x.Refused() != nil || x.IsUnfinished() {
			continue
		}
		w := &openWatch{x: x, from: x.Answer.Num, until: math.MaxInt64}
		if x.IsStream() {
			w.from = x.Mark.Num
		}
		if end := (request{Exchange: x}).clientEnd(); end != nil {
			w.until = end.At
			if end == x.Over && x.How == "stopped" && (v.w.virtual || v.stoppedBy(end.Num)) {
				w.left = end.Num
			}
		}
		v.watches = append(v.watches, w)
	}
	slices.SortStableFunc(v.watches, func(a, b *openWatch) int { return cmp.Compare(a.from, b.from) })
	for i, w := range v.watches {
		all := []*openWatch{w}
		if i > 0 {
			all = append(all, v.watches[i-1].endLast[:]...)
		}
		all = slices.DeleteFunc(all, func(o *openWatch) bool { return o == nil })
		slices.SortStableFunc(all, func(a, b *openWatch) int { return cmp.Or(cmp.Compare(b.until, a.until), cmp.Compare(b.left, a.left)) })
		copy(w.endLast[:], all)
	}
}

// otherWatch reports whether another watch was open at an event and went on, so that the informer may not care what becomes
// of r. That watch may end in the same moment if the informer itself ends it. In real time the server may record an end a
// moment after the client has seen it.
func (v *observed) otherWatch(r request, e *history.Event) bool {
	slack := int64(1)
	if !v.w.virtual {
		slack = int64(noPause)
	}
	i, found := slices.BinarySearchFunc(v.watches, e.Num, func(w *openWatch, num int32) int { return cmp.Compare(w.from, num) })
	if !found {
		i--
	}
	return i >= 0 && slices.ContainsFunc(v.watches[i].endLast[:], func(w *openWatch) bool {
		return w != nil && w.x != r.Exchange && (w.until-e.At >= slack || w.left > e.Num)
	})
}

// openWatches returns the calls of the watches that were open at an event.
func (v *observed) openWatches(num int32) (out []int32) {
	for _, x := range v.exchanges {
		if x.IsWatch() && x.Answer != nil && x.Refused() == nil && x.Dead == nil && x.Answer.Num < num && (x.Over == nil || x.Over.Num > num) {
			out = append(out, x.Call.Num)
		}
	}
	return out
}
