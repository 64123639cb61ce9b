package rig

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/harness/history"
)

// Readable returns an error with the line of the first event that no rule for clients could read, up to where the case was
// given up; nil: none, as in all histories that lwtest records. It checks the server's events itself, the others with own.
func Readable(h *history.History, own func(*history.Event) error) error {
	for i := range h.Events {
		e := &h.Events[i]
		look := own
		switch {
		case e.Kind == history.GaveUp:
			return nil
		case IsServer(e.Actor):
			look = served
		}
		if err := look(e); err != nil {
			return fmt.Errorf("line %d: %s: %w", h.Line(e.Num), e.Kind, err)
		}
	}
	return nil
}

// The kinds of a server's events that have a meaning.
var (
	calls   = []string{List, Watch, Other}
	notices = []string{"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR", FaultStruck, SpoiledFrame, End}
	ends    = []string{"clean", "broken", "stopped"}
)

// served checks an event of a server.
func served(e *history.Event) error {
	switch e.Phase {
	case history.Call:
		return errors.Join(history.Spelt(e.Kind, calls), requested(e))
	case history.Return:
		return answered(e)
	}
	if err := history.Spelt(e.Kind, notices); err != nil {
		return err
	}
	switch e.Kind {
	case "ERROR":
		if e.Err() == nil {
			return errors.New("it has no err: copy code, reason and message of its Status")
		}
	case FaultStruck, SpoiledFrame:
		f, err := history.Body[FaultBody](e)
		if err == nil && f.Does == "" {
			err = errors.New("body.does is empty: name the fault as docs/faults.md does")
		}
		return err
	case End:
		b, err := history.Body[EndBody](e)
		if err == nil && !slices.Contains(ends, b.How) {
			err = fmt.Errorf("body.how is %q, want one of %s", b.How, strings.Join(ends, ", "))
		}
		return err
	}
	return nil
}

// requested checks a request. No rule reads the options of other requests than lists and watches.
func requested(e *history.Event) error {
	r, err := history.Args[Request](e)
	if err != nil || e.Kind == Other {
		return err
	}
	return history.Exactly("args.options", r.Options, new(metav1.ListOptions))
}

// answered checks an answer. The body of an answer that is no list is a text.
func answered(e *history.Event) error {
	switch {
	case e.Err() != nil:
		_, err := history.Body[StatusBody](e)
		return err
	case e.Kind != List || e.X != nil && bytes.HasPrefix(e.X.Body, []byte(`"`)):
		return nil
	case history.Items(e) == nil && e.Obj.RV == "":
		return ErrNoItems
	}
	_, err := history.Body[ListBody](e)
	return err
}

// ErrNoItems is the error for a list without items.
var ErrNoItems = errors.New(`it has no items, and no err: write "items":[] for an empty list, and leave the return out if its answer is not known`)
