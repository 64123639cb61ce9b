package store

import (
	"fmt"
	"maps"
	"slices"

	"github.com/lwtest/lwtest/harness/history"
)

// besideVerdicts are of a queue into which one actor puts while another pops.
type besideVerdicts struct {
	verdicts
	undecided string
}

// lane is what must pop one after the other: in a queue that gathers deltas
// what was put of a key, in a log everything.
type lane struct {
	puts   []*op
	popped int
}

// beside judges calls that overlap, where nothing but Adds and Updates were
// put, by one actor: what another popped is what was put, in the order given,
// and nothing of it before it was put.
type beside struct {
	verdicts
	gathers bool
	lanes   map[string]*lane
	first   *op   // that was put
	shut    *op   // the CLOSE
	ended   *op   // the POP that failed
	last    int32 // number of the last answer
}

func judgeQueueBeside(h *history.History) besideVerdicts {
	b := beside{verdicts: verdicts{}, gathers: has(h, IsDelta), lanes: map[string]*lane{}}
	why, actors := "", map[bool]string{} // by whether they pop
	each(h, func(o *op) {
		switch o.Kind {
		case evOpen, evSynced, evClose:
			return
		case evPop, string(Add), string(Update):
		default:
			why = fmt.Sprintf("what %s at #%d does beside others is not known", o.Kind, o.Call)
		}
		if a, ok := actors[isPop(o.Kind)]; ok && a != o.Actor || o.Return == 0 && !isPop(o.Kind) {
			why = "several put or pop at once, or nobody knows what was put"
		}
		actors[isPop(o.Kind)] = o.Actor
	})
	if why != "" {
		return besideVerdicts{undecided: why}
	}
	each(h, b.put)
	each(h, b.answer)
	for i := range h.Events {
		e := &h.Events[i]
		if e.Kind == history.Settled && e.Num > b.last && !b.missing("nothing: the Pop still waits", e.Num) && b.shut != nil {
			b.fail(ruleClose, "an error: the queue is closed", "nothing: the Pop still waits", b.shut.Call, e.Num)
		}
	}
	if b.ended != nil {
		b.missing(b.ended.Err.String(), b.ended.Return)
	}
	return besideVerdicts{verdicts: b.verdicts}
}

// missing blames what was put and has not popped.
func (b *beside) missing(got string, at int32) (some bool) {
	for _, key := range slices.Sorted(maps.Keys(b.lanes)) {
		if l := b.lanes[key]; l.popped < len(l.puts) {
			put := l.puts[l.popped]
			b.fail(ruleOrder, deltaOf(put).String()+": what is left pops", got, put.Call, at)
			some = true
		}
	}
	return some
}

// put notes what was put, and refuses a refusal.
func (b *beside) put(o *op) {
	switch {
	case o.Kind == evClose:
		b.shut = o
	case o.Kind != string(Add) && o.Kind != string(Update):
	case o.Err != nil:
		b.fail(ruleOrder, "no error: it is what every queue takes", o.Err.String(), o.Call, o.Return)
	default:
		if b.first == nil {
			b.first = o
		}
		l := b.laneOf(o.object())
		l.puts = append(l.puts, o)
	}
}

func (b *beside) laneOf(x Object) *lane {
	key := ""
	if b.gathers {
		key = x.Key()
	}
	if b.lanes[key] == nil {
		b.lanes[key] = &lane{}
	}
	return b.lanes[key]
}

func deltaOf(o *op) Delta {
	x := o.object()
	return Delta{Type: map[string]string{string(Add): Added, string(Update): Updated}[o.Kind], Object: &x}
}

func (b *beside) answer(o *op) {
	b.last = max(b.last, o.Return)
	switch {
	case o.Return == 0:
	case o.Kind == evClose && o.Err != nil:
		b.fail(ruleClose, "no error", o.Err.String(), o.Call, o.Return)
	case o.Kind == evSynced:
		b.synced(o)
	case o.Kind == evPop && o.Err != nil:
		if b.ended = o; o.Err.Reason != reasonClosed || b.shut == nil || o.Return < b.shut.Call {
			b.fail(ruleClose, "what is next, or that the queue is closed", o.Err.String(), o.Call, o.Return)
		}
	case o.Kind == evPop:
		b.pop(o)
	}
}

// synced: an Add or Update comes first, and makes it so.
func (b *beside) synced(o *op) {
	switch {
	case o.Err != nil || o.Body.Synced == nil:
		b.fail(ruleSynced, "an answer", fmt.Sprint(o.Err), o.Call, o.Return)
	case !*o.Body.Synced && b.first != nil && b.first.Return < o.Call:
		b.fail(ruleSynced, "true", "false", b.first.Call, o.Call, o.Return)
	case *o.Body.Synced && (b.first == nil || b.first.Call > o.Return):
		b.fail(ruleSynced, "false", "true", o.Call, o.Return)
	case *o.Body.Synced:
		b.tested(ruleSynced)
	}
}

func (b *beside) pop(o *op) {
	got := o.Popped.Deltas
	switch {
	case b.ended != nil:
		b.fail(ruleClose, "an error, as before", deltaTexts(got), b.ended.Return, o.Return)
	case len(got) == 0 || !b.gathers && len(got) > 1:
		b.fail(ruleOrder, "what is next", deltaTexts(got), o.Call, o.Return)
	case o.Popped.Initial:
		b.fail(ruleInitial, "initial: false", "initial: true", o.Call, o.Return)
	}
	for _, d := range got {
		if keyOf(d) != keyOf(got[0]) {
			b.fail(ruleOrder, "deltas of one key", deltaTexts(got), o.Call, o.Return)
			return
		}
		b.delta(o, d)
	}
}

func (b *beside) delta(o *op, d Delta) {
	l := &lane{}
	if d.Object != nil {
		l = b.laneOf(*d.Object)
	}
	if l.popped == len(l.puts) || l.puts[l.popped].Call > o.Return {
		b.fail(ruleOrder, "nothing of it: it was not queued, or has been popped", d.String(), o.Call, o.Return)
		return
	}
	next := l.puts[l.popped]
	if l.popped++; deltaOf(next).String() != d.String() {
		b.fail(ruleOrder, deltaOf(next).String(), d.String(), next.Call, o.Call, o.Return)
	} else if l.popped > 1 {
		b.tested(ruleOrder)
	}
}
