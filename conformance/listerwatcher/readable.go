package listerwatcher

import (
	"errors"
	"fmt"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness/history"
)

// Readable says what of a history no rule could read, by line: nil if there is nothing. What lwtest records has none.
func Readable(h *history.History) error {
	r := reader{asking: map[string]int32{}, tags: map[int32]string{}, streams: map[int32]bool{}}
	return rig.Readable(h, r.event)
}

// reader is what it knows of the events before one.
type reader struct {
	asking  map[string]int32 // the calls that may still ask, by their tags
	tags    map[int32]string // of calls
	streams map[int32]bool   // calls that may be stopped
}

var kinds = []string{rig.List, rig.Watch, untilKind, stopKind, cancelKind, readKind, rig.Down, rig.Up, rig.Died, rig.Refused, rig.Untrusted, bookmark, errorType, "ADDED", "MODIFIED", "DELETED"}

func (r *reader) event(e *history.Event) error {
	if err := history.Spelt(e.Kind, kinds); err != nil {
		return err
	}
	switch e.Phase {
	case history.Call:
		return r.call(e)
	case history.Return:
		return r.answer(e)
	}
	switch {
	case e.Kind == history.Ended:
		r.over(e.Call)
	case e.Kind == errorType && e.Err() != nil:
		_, err := history.Body[rig.StatusBody](e)
		return err
	}
	return nil
}

func (r *reader) call(e *history.Event) error {
	var a awaited
	var err error
	switch e.Kind {
	case rig.List, rig.Watch:
		a.called, err = history.Args[called](e)
	case untilKind:
		if a, err = history.Args[awaited](e); err == nil && (a.Condition.Type == "" || a.Condition.Name == "") {
			err = errors.New("args.condition lacks its Type, or its Name")
		}
	case stopKind, cancelKind, readKind:
		of, err := history.Args[readArgs](e)
		if _, asked := r.streams[of.Watch]; err == nil && (!asked || e.Kind != cancelKind && !r.streams[of.Watch]) {
			err = fmt.Errorf("args.watch is %d, and that is no %s or %s before it", of.Watch, rig.Watch, untilKind)
		}
		return err
	default:
		return nil
	}
	if err != nil {
		return err
	}
	r.streams[e.Num] = e.Kind != rig.List
	return r.tagged(e, tagOf(a.Options.LabelSelector))
}

// tagged looks whether it can be known which requests are of this call: those with its tag, or without one, while no
// other call may ask so.
func (r *reader) tagged(e *history.Event, tag string) error {
	if of := r.asking[tag]; of != 0 {
		return fmt.Errorf("nothing tells its requests from those of #%d: say %s!=N in the labelSelector of each call, and of what it asks, with an N of its own", of, callTag)
	}
	r.asking[tag], r.tags[e.Num] = e.Num, tag
	return nil
}

// over is of a call that asks for nothing any more.
func (r *reader) over(call int32) {
	if tag, ok := r.tags[call]; ok {
		delete(r.asking, tag)
	}
}

func (r *reader) answer(e *history.Event) error {
	if e.Kind != rig.Watch || e.Err() != nil {
		r.over(e.Call)
	}
	body, err := history.Body[returned](e)
	if err != nil || e.Err() != nil {
		return err
	}
	switch e.Kind {
	case rig.List:
		if history.Items(e) == nil {
			return rig.ErrNoItems
		}
	case untilKind:
		if !body.Held && (body.Met == "" || e.Obj.Key == "") {
			return errors.New("it has no err, and says neither that its precondition held, body.held, nor an event that met its condition: body.met its type, obj the object")
		}
	}
	return nil
}
