package informer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness/history"
)

// Readable returns an error with the line of the first event that no rule could read; nil: there is none, as in all histories
// that lwtest records.
func Readable(h *history.History) error {
	r := reader{handlers: map[string]bool{}}
	return rig.Readable(h, r.event)
}

// reader is what is known of the events before one.
type reader struct {
	writing  int32           // the write that has no answer yet; 0: none
	handlers map[string]bool // actors that have a HANDLE
}

// The kinds of each sort of actor.
var (
	informerKinds = []string{runKind, stopKind, listKind, versionKind, indexKind, errorKind, pushKind, writeKind, readKind, heldKind, answeredKind}
	writerKinds   = []string{rig.PutKind, rig.DeleteKind}
	handlerKinds  = []string{handleKind, removeKind, Added, Updated, Deleted}
	allKinds      = slices.Concat(informerKinds, writerKinds, handlerKinds, []string{syncedKind, rig.Down, rig.Up, rig.Died, rig.Refused, rig.Untrusted})
)

func (r *reader) event(e *history.Event) error {
	if err := history.Spelt(e.Kind, allKinds); err != nil {
		return err
	}
	if err := r.actor(e); err != nil {
		return err
	}
	switch {
	case e.Phase == history.Return:
		return r.answer(e)
	case e.Phase == history.Call:
		return r.call(e)
	case e.Kind == pushKind && history.Items(e) == nil:
		return rig.ErrNoItems
	case e.Kind == errorKind:
		_, err := history.Body[errorBody](e)
		return err
	}
	return nil
}

// actor checks that the actor of an event can have events of that kind.
func (r *reader) actor(e *history.Event) error {
	isInformer := isInformer(e.Actor)
	switch {
	case slices.Contains(informerKinds, e.Kind) && !isInformer:
		return fmt.Errorf("its actor is %s, want %s, or %s for the informer of the other namespace", e.Actor, informerActor, secondActor)
	case slices.Contains(writerKinds, e.Kind) && e.Actor != rig.WriterActor:
		return fmt.Errorf("its actor is %s, want %s", e.Actor, rig.WriterActor)
	case slices.Contains(handlerKinds, e.Kind) && (isInformer || e.Actor == rig.WriterActor):
		return fmt.Errorf("its actor is %s: give each handler a name of its own", e.Actor)
	case e.Kind == handleKind:
		r.handlers[e.Actor] = true
	case (slices.Contains(handlerKinds, e.Kind) || e.Kind == syncedKind && !isInformer) && !r.handlers[e.Actor]:
		return fmt.Errorf("there is no %s of %s before it", handleKind, e.Actor)
	}
	return nil
}

func (r *reader) call(e *history.Event) (err error) {
	switch e.Kind {
	case rig.PutKind, rig.DeleteKind, writeKind, heldKind:
		if r.writing != 0 {
			return fmt.Errorf("write #%d has no answer yet: writes must not overlap", r.writing)
		}
		r.writing = e.Num
	case runKind:
		_, err = history.Args[runArgs](e)
	case indexKind:
		_, err = history.Args[indexArgs](e)
	case removeKind:
		_, err = history.Args[removeArgs](e)
	case handleKind:
		var a handleArgs
		if a, err = history.Args[handleArgs](e); err == nil && !isInformer(a.Informer) {
			err = fmt.Errorf("args.informer is %q, want %s or %s", a.Informer, informerActor, secondActor)
		}
	case Added, Updated, Deleted:
		if _, err = history.Args[noticeArgs](e); err == nil && e.Obj.Key == "" {
			err = errors.New("its obj has no key")
		}
	}
	return err
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
			return errors.New("it has no err, and its obj has no key or no decimal rv: record the stored object, or of a deletion the rv of the DELETED event")
		}
	case listKind, indexKind:
		if history.Items(e) == nil {
			return rig.ErrNoItems
		}
	case syncedKind, versionKind:
		if _, err := history.Body[readingBody](e); err != nil || e.X == nil || e.X.Body == nil {
			return errors.Join(errors.New(`it has no body with a result, want {"synced":true}, {"version":"7"}, or {} for false and no version`), err)
		}
	}
	return nil
}
