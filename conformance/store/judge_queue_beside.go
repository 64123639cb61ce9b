package store

import (
	"fmt"
	"maps"
	"math"
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
	puts []*op
	by   []*op // the POP of each, nil for none
}

// beside judges calls that overlap, where nothing but Adds and Updates were
// put, by one actor: what another popped is what was put, in the order given,
// and nothing of it before it was put. Several may pop: see inOrder.
type beside struct {
	verdicts
	gathers bool
	several bool // consumers
	lanes   map[string]*lane
	first   *op // that was put
	shut    *op // the CLOSE
	ended   *op // the first POP that failed
}

func judgeQueueBeside(h *history.History) besideVerdicts {
	b := beside{verdicts: verdicts{}, gathers: has(h, IsDelta), lanes: map[string]*lane{}}
	end, why := b.puzzling(h)
	each := func(f func(*op)) {
		each(h, func(o *op) {
			if o.Call < end {
				f(o.until(end))
			}
		})
	}
	each(b.put)
	each(b.answer)
	if b.several {
		b.inOrder()
	}
	for i := range h.Events[:min(int(end), len(h.Events)+1)-1] {
		e := &h.Events[i]
		if e.Kind == history.Settled && !b.missing("nothing: the Pop still waits", e.Num, e.Num) && b.shut != nil && b.shut.Return < e.Num {
			b.fail(ruleClose, "an error: the queue is closed", "nothing: the Pop still waits", b.shut.Call, e.Num)
		}
	}
	if b.ended != nil {
		b.missing(b.ended.Err.String(), b.ended.Return, math.MaxInt32)
	}
	for _, j := range b.verdicts {
		if len(j.Bad) > 0 {
			why = "" // whatever comes then
		}
	}
	return besideVerdicts{b.verdicts, why}
}

// until returns what is known of a call before an event.
func (o *op) until(end int32) *op {
	if o.Return < end {
		return o
	}
	open := &op{Call: o.Call, From: o.From, Actor: o.Actor, Kind: o.Kind, Obj: o.Obj, Args: o.Args}
	if o.changes() || o.Kind == evClose {
		open.Return = math.MaxInt32
	}
	return open
}

// puzzling returns the first call from which on such a history cannot be judged, and why.
func (b *beside) puzzling(h *history.History) (end int32, why string) {
	end = math.MaxInt32
	producer, consumer, put, twice, shut := "", "", map[string]bool{}, end, false
	each(h, func(o *op) {
		switch {
		case o.Call > end:
		case isPop(o.Kind):
			b.several = b.several || consumer != "" && consumer != o.Actor
			consumer = o.Actor
		case o.Kind == evClose:
			shut = true
		case (o.Kind == string(Add) || o.Kind == string(Update)) && (shut || o.keyless()):
			end, why = o.Call, fmt.Sprintf("what %s at #%d puts, without a key or after Close, is open", o.Kind, o.Call)
		case o.Kind == string(Add) || o.Kind == string(Update):
			if producer != "" && producer != o.Actor || o.Return == 0 {
				end, why = o.Call, "several put at once, or nobody knows what was put"
			}
			producer = o.Actor
			if what := deltaOf(o).String(); put[what] {
				twice = min(twice, o.Call)
			} else {
				put[what] = true
			}
		case o.Kind != evOpen && o.Kind != evSynced:
			end, why = o.Call, fmt.Sprintf("what %s at #%d does beside others is not known", o.Kind, o.Call)
		}
	})
	if b.several && twice < end {
		return twice, "one thing was put twice, and of several Pops nobody knows which took which"
	}
	return end, why
}

// missing blames what had been put at a moment, and had not popped: its Pop returned after it, or came later than another.
func (b *beside) missing(got string, at, before int32) (some bool) {
	for _, key := range slices.Sorted(maps.Keys(b.lanes)) {
		l := b.lanes[key]
		for i, put := range l.puts {
			if by := l.by[i]; put.Return < at && (by == nil || by.Return > before || by.Call > at) {
				b.fail(ruleOrder, deltaOf(put).String()+": what is left pops", got, put.Call, at)
				some = true
				break
			}
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
		l.puts, l.by = append(l.puts, o), append(l.by, nil)
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

// deltaOf is what a change of one object queues.
func deltaOf(o *op) Delta {
	x := o.object()
	return Delta{Type: map[string]string{string(Add): Added, string(Update): Updated, string(Delete): Deleted}[o.Kind], Object: &x, Unknown: o.Args.Unknown}
}

func (b *beside) answer(o *op) {
	switch {
	case o.Return == 0:
	case o.Kind == evClose && o.Err != nil:
		b.fail(ruleClose, "no error", o.Err.String(), o.Call, o.Return)
	case o.Kind == evSynced:
		b.synced(o)
	case isPop(o.Kind) && o.Err != nil:
		if b.ended == nil {
			b.ended = o
		}
		if b.shut == nil || o.Return < b.shut.Call {
			b.fail(ruleClose, "what is next, or that the queue is closed", o.Err.String(), o.Call, o.Return)
		}
	case isPop(o.Kind):
		b.pop(o)
	}
}

// synced: an Add or Update comes first, and makes it so.
func (b *beside) synced(o *op) {
	switch {
	case o.Body.Synced == nil:
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
	got, batch := o.Popped.Deltas, o.Kind == evPopBatch
	switch {
	case b.ended != nil && b.ended.Return < o.Call:
		b.fail(ruleClose, "an error, as before", deltaTexts(got), b.ended.Return, o.Return)
	case len(got) == 0 || !b.gathers && !batch && len(got) > 1:
		b.fail(ruleOrder, "what is next", deltaTexts(got), o.Call, o.Return)
	case o.Popped.Initial:
		b.fail(ruleInitial, "initial: false", "initial: true", o.Call, o.Return)
	}
	for _, d := range got {
		if !batch && keyOf(d) != keyOf(got[0]) {
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
	next := slices.Index(l.by, nil)
	if b.several {
		next = slices.IndexFunc(l.puts, func(put *op) bool { return deltaOf(put).String() == d.String() })
	}
	if next < 0 || l.by[next] != nil || l.puts[next].Call > o.Return {
		b.fail(ruleOrder, "nothing of it: it was not queued, or has been popped", d.String(), o.Call, o.Return)
		return
	}
	put := l.puts[next]
	if l.by[next] = o; deltaOf(put).String() != d.String() {
		b.fail(ruleOrder, deltaOf(put).String(), d.String(), put.Call, o.Call, o.Return)
	} else if next > 0 || b.several { // of several each may take what another misses
		b.tested(ruleOrder)
	}
}

// inOrder judges what several consumers popped: nothing had to wait for a Pop
// that began when what came after it in its lane had popped.
func (b *beside) inOrder() {
	for _, key := range slices.Sorted(maps.Keys(b.lanes)) {
		l := b.lanes[key]
		for i, by := range l.by {
			late := slices.IndexFunc(l.by[:i], func(before *op) bool { return by != nil && before != nil && before.Call > by.Return })
			if late >= 0 {
				b.fail(ruleOrder, deltaOf(l.puts[late]).String(), deltaOf(l.puts[i]).String(), l.puts[late].Call, by.Call, by.Return)
				return
			}
		}
	}
}
