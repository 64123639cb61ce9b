package informer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness/history"
)

// Readable says what of a history no rule could read, by line: nil if there is nothing. What lwtest records has none.
func Readable(h *history.History) error {
	r := reader{handlers: map[string]bool{}}
	return rig.Readable(h, r.event)
}

// reader is what it knows of the events before one.
type reader struct {
	writing  int32           // a write that has no answer yet; 0: none
	handlers map[string]bool // the actors that have a HANDLE
}

// The kinds of each sort of actor.
var (
	informerKinds = []string{runKind, stopKind, listKind, versionKind, indexKind, errorKind, pushKind, writeKind, readKind}
	writerKinds   = []string{rig.PutKind, rig.DeleteKind}
	handlerKinds  = []string{handleKind, removeKind, Added, Updated, Deleted}
	allKinds      = slices.Concat(informerKinds, writerKinds, handlerKinds, []string{syncedKind, rig.Down, rig.Up})
)

func (r *reader) event(e *history.Event) error {
	err := rig.Spelt(e.Kind, allKinds)
	if err == nil {
		err = r.actor(e)
	}
	switch {
	case err != nil:
		return err
	case e.Phase == history.Return:
		return r.answer(e)
	case e.Phase == history.Call:
		return r.call(e)
	case e.Kind == pushKind && rig.Items(e) == nil:
		return rig.ErrNoItems
	case e.Kind == errorKind:
		_, err = rig.Body[told](e)
	}
	return err
}

// actor looks whether an event's actor is one whose events of that kind are understood.
func (r *reader) actor(e *history.Event) error {
	isInformer := isInformer(e.Actor)
	switch {
	case slices.Contains(informerKinds, e.Kind) && !isInformer:
		return fmt.Errorf("its actor is %s: say %s, or %s for the one of another namespace", e.Actor, informerActor, secondActor)
	case slices.Contains(writerKinds, e.Kind) && e.Actor != rig.WriterActor:
		return fmt.Errorf("its actor is %s: say %s", e.Actor, rig.WriterActor)
	case slices.Contains(handlerKinds, e.Kind) && (isInformer || e.Actor == rig.WriterActor):
		return fmt.Errorf("its actor is %s: give each handler a name of its own", e.Actor)
	case e.Kind == handleKind:
		r.handlers[e.Actor] = true
	case (slices.Contains(handlerKinds, e.Kind) || e.Kind == syncedKind && !isInformer) && !r.handlers[e.Actor]:
		return fmt.Errorf("there is no %s of %s before it", handleKind, e.Actor)
	}
	return nil
}

func (r *reader) call(e *history.Event) error {
	switch e.Kind {
	case rig.PutKind, rig.DeleteKind, writeKind:
		if r.writing != 0 {
			return fmt.Errorf("that of #%d has no answer yet: writes are made one after the other", r.writing)
		}
		r.writing = e.Num
	case runKind:
		_, err := rig.Args[asked](e)
		return err
	case indexKind:
		_, err := rig.Args[sought](e)
		return err
	case removeKind:
		_, err := rig.Args[removal](e)
		return err
	case handleKind:
		a, err := rig.Args[handled](e)
		if err == nil && !isInformer(a.Informer) {
			err = fmt.Errorf("args.informer is %q, want %s or %s", a.Informer, informerActor, secondActor)
		}
		return err
	case Added, Updated, Deleted:
		_, err := rig.Args[notified](e)
		if err == nil && e.Obj.Key == "" {
			err = errors.New("its obj has no key")
		}
		return err
	}
	return nil
}

func (r *reader) answer(e *history.Event) error {
	if r.writing == e.Call {
		r.writing = 0
	}
	if e.Err() != nil {
		return nil
	}
	switch e.Kind {
	case rig.PutKind, rig.DeleteKind:
		if e.Obj.Key == "" || strings.Trim(e.Obj.RV, "0123456789") != "" || e.Obj.RV == "" {
			return errors.New("it has no err, and its obj no key or no decimal rv: say what was stored, or of a deletion an rv by which it is gone")
		}
	case listKind, indexKind:
		if rig.Items(e) == nil {
			return rig.ErrNoItems
		}
	case syncedKind, versionKind:
		if _, err := rig.Body[said](e); err != nil || e.X == nil || e.X.Body == nil {
			return errors.Join(errors.New(`it has no body that says so: {"synced":true}, {"version":"7"}, or {} for neither`), err)
		}
	}
	return nil
}
