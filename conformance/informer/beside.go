package informer

import (
	"cmp"
	"math"
	"slices"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness/history"
)

// openWatch is a watch that was open, for its client.
type openWatch struct {
	x     *rig.Exchange
	from  int32         // the event with which it was: the answer; of a streaming list the end mark
	until int64         // when it ended; never: the largest there is
	left  int32         // the event with which the informer itself ended it, in real time by its stop; 0: it did not
	most  [2]*openWatch // of this one and those that were opened before, the two that ended last
}

// opened are those of an informer, in their order.
func (v *observed) opened() (out []*openWatch) {
	for _, x := range v.exchanges {
		if !x.IsWatch() || x.Answer == nil || x.Refused() != nil {
			continue
		}
		w := &openWatch{x: x, from: x.Answer.Num, until: math.MaxInt64}
		if x.IsStream() {
			mark := streamed(x)
			if mark == nil {
				continue
			}
			w.from = mark.done
		}
		if last := (request{Exchange: x}).last(); last != nil {
			w.until = last.At
			byStop := v.stopped != nil && v.stopped.Num < last.Num
			if last == x.Over && x.How == "stopped" && (v.w.virtual || byStop) {
				w.left = last.Num
			}
		}
		out = append(out, w)
	}
	slices.SortStableFunc(out, func(a, b *openWatch) int { return cmp.Compare(a.from, b.from) })
	for i, w := range out {
		w.most[0] = w
		if i == 0 {
			continue
		}
		both := []*openWatch{w, out[i-1].most[0], out[i-1].most[1]}
		both = slices.DeleteFunc(both, func(o *openWatch) bool { return o == nil })
		slices.SortStableFunc(both, func(a, b *openWatch) int { return cmp.Or(cmp.Compare(b.until, a.until), cmp.Compare(b.left, a.left)) })
		w.most = [2]*openWatch{both[0], both[1]}
	}
	return out
}

// follows says that another watch of an informer was open at an event, and went on: what becomes of this request need
// not trouble it then. It may end in the same moment, by the stop that comes next. In real time the server may tell of an
// end a moment after the client has heard of it.
func (v *observed) follows(r request, e *history.Event) bool {
	slack := int64(1)
	if !v.w.virtual {
		slack = int64(noPause)
	}
	i, found := slices.BinarySearchFunc(v.watches, e.Num, func(w *openWatch, num int32) int { return cmp.Compare(w.from, num) })
	if !found {
		i--
	}
	if i < 0 {
		return false
	}
	return slices.ContainsFunc(v.watches[i].most[:], func(w *openWatch) bool {
		return w != nil && w.x != r.Exchange && (w.until-e.At >= slack || w.left > e.Num)
	})
}

// replaced says that a watch was asked for while this one was open which did not come to a good end before it: a list that
// follows may be for what became of that.
func (v *observed) replaced(r request) bool {
	return slices.ContainsFunc(v.exchanges, func(x *rig.Exchange) bool {
		if !x.IsWatch() || x.Call.Num <= r.Call.Num || !r.amid(x) {
			return false
		}
		other := request{Exchange: x}
		over := x.Over != nil && x.Over.Num < r.Over.Num
		return !over || x.How != "stopped" && (other.ended() == nil || !other.lived())
	})
}
