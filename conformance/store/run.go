package store

import (
	"fmt"
	"maps"
	"slices"

	"github.com/lwtest/lwtest/harness/history"
)

// op is one call and its answer.
type op struct {
	Call, Return int32
	From, To     int64 // when, ns since the start
	Actor, Kind  string
	Obj          history.Ref
	Args         args

	Err    *history.Error
	Found  history.Ref // of GET and VERSION
	Items  []Object
	Body   body
	Popped Popped

	// What newRun adds. It shares the ops with all others who go through the calls.
	Beside  int  // of a POP: other calls that were made while it waited, since it was last seen to wait
	Crowded bool // of a POP: another was under way
	Waiting bool // a POP that had not returned when everything was idle, Return is the event that says so
}

// run is what was asked of one store, one call after the other. A POP has its
// place where it returned, or after the call beside which it did.
type run struct {
	H    *history.History
	Open op // the zero value where the history does not begin with one
	Ops  []*op
	// Overlap says why the run ends before the history does: from there on
	// calls overlap, and nobody can tell their order.
	Overlap string
	// Lost says the same of an answer that never came.
	Lost string
}

// Undecided is why a judge of single steps says nothing, "" where it can.
func (r *run) undecided() string {
	if r.Overlap != "" {
		return r.Overlap
	}
	return r.Lost
}

func isPop(kind string) bool { return kind == evPop || kind == evPopBatch }

func runOf(h *history.History) *run { return history.Derive(h, newRun) }

func newRun(h *history.History) *run {
	r := &run{H: h}
	all, n := history.Derive(h, callsOf), 0
	open := map[int32]*op{}
	var asked *op   // the call that is no POP
	var woken []*op // POPs that returned before the call that woke them
	for i := range h.Events {
		e := &h.Events[i]
		switch {
		case e.Phase == history.Call:
			if why := r.overlap(open, e); why != "" {
				r.Overlap = why
				return r
			}
			o := all[n]
			n++
			o.Crowded = len(open) > 0
			if open[e.Num] = o; !isPop(o.Kind) {
				asked = o
			}
		case e.Phase == history.Return:
			o := open[e.Call]
			delete(open, e.Call)
			if isPop(o.Kind) && asked != nil {
				woken = append(woken, o)
				continue
			}
			r.add(o)
			for _, w := range woken {
				r.add(w)
			}
			asked, woken = nil, nil
		case e.Kind == history.Settled:
			for _, o := range open {
				if o.Actor == e.Actor {
					w := *o
					w.Waiting, w.Return, w.To, w.Err, w.Popped = true, e.Num, e.At, nil, Popped{}
					r.add(&w)
					o.Beside = 0 // nothing that was put before has come to it
				}
			}
		}
	}
	for _, n := range slices.Sorted(maps.Keys(open)) {
		if o := open[n]; !isPop(o.Kind) {
			r.Lost = fmt.Sprintf("%s at #%d was never answered", o.Kind, o.Call)
		}
	}
	return r
}

func (r *run) add(o *op) {
	if o.Kind == evOpen {
		r.Open = *o
		return
	}
	r.Ops = append(r.Ops, o)
}

// overlap says why a call cannot be put in order with those that are open:
// only POPs may wait while something else is asked.
func (r *run) overlap(open map[int32]*op, e *history.Event) string {
	for _, o := range open {
		switch {
		case !isPop(o.Kind):
			return fmt.Sprintf("%s at #%d and %s at #%d overlap", o.Kind, o.Call, e.Kind, e.Num)
		case isPop(e.Kind):
			o.Crowded = true
		default:
			o.Beside++
		}
	}
	return ""
}

func called(e *history.Event) *op {
	return &op{Call: e.Num, From: e.At, Actor: e.Actor, Kind: e.Kind, Obj: e.Obj, Args: history.ArgsOf[args](e)}
}

func (o *op) returned(e *history.Event) {
	o.Return, o.To, o.Err, o.Found = e.Num, e.At, e.Err(), e.Obj
	o.Items = objectsOf(history.Items(e))
	if isPop(o.Kind) {
		o.Popped = history.BodyOf[Popped](e)
	} else {
		o.Body = history.BodyOf[body](e)
	}
}

// Object is the object of the call.
func (o *op) object() Object { return objectOf(o.Obj) }

// keyless says that the key function fails for an object.
func keyless(o Object) bool { return o.Name == NoKey }

func (o *op) keyless() bool {
	switch o.Kind {
	case evReplace:
		return slices.ContainsFunc(o.Args.Objects, keyless)
	case evApplyAll:
		return slices.ContainsFunc(o.Args.Changes, func(c Change) bool { return keyless(c.Object) })
	}
	return keyless(o.object())
}

// made are the changes of single objects that an op asks for, in order; of
// several at once those without a key are left out.
func (o *op) made() []Change {
	switch o.Kind {
	case evApplyAll:
		return slices.DeleteFunc(slices.Clone(o.Args.Changes), func(c Change) bool { return keyless(c.Object) })
	case string(Add), string(Update), string(Delete):
		return []Change{{Verb(o.Kind), o.object(), o.Args.Unknown}}
	}
	return nil
}

// verbOf is what an op does to a key, "" for nothing.
func (o *op) verbOf(key string) string {
	verb := ""
	if o.Kind == evReplace {
		return evReplace
	}
	for _, c := range o.made() {
		if c.Object.Key() == key {
			verb = string(c.Verb)
		}
	}
	return verb
}

// changes says that an op changes content, or would.
func (o *op) changes() bool {
	switch o.Kind {
	case string(Add), string(Update), string(Delete), evReplace, evApplyAll:
		return true
	}
	return false
}
