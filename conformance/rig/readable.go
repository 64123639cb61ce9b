package rig

import (
	"bytes"
	"encoding/json"
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
		return errors.Join(Spelt(e.Kind, calls), requested(e))
	case history.Return:
		return answered(e)
	}
	if err := Spelt(e.Kind, notices); err != nil {
		return err
	}
	switch e.Kind {
	case "ERROR":
		if e.Err() == nil {
			return errors.New("it has no err: copy code, reason and message of its Status")
		}
	case FaultStruck, SpoiledFrame:
		f, err := Body[FaultBody](e)
		if err == nil && f.Does == "" {
			err = errors.New("body.does is empty: name the fault as docs/faults.md does")
		}
		return err
	case End:
		b, err := Body[EndBody](e)
		if err == nil && !slices.Contains(ends, b.How) {
			err = fmt.Errorf("body.how is %q, want one of %s", b.How, strings.Join(ends, ", "))
		}
		return err
	}
	return nil
}

// requested checks a request. No rule reads the options of other requests than lists and watches.
func requested(e *history.Event) error {
	r, err := Args[Request](e)
	if err != nil || e.Kind == Other {
		return err
	}
	return exactly("args.options", r.Options, new(metav1.ListOptions))
}

// answered checks an answer. The body of an answer that is no list is a text.
func answered(e *history.Event) error {
	switch {
	case e.Err() != nil:
		_, err := Body[StatusBody](e)
		return err
	case e.Kind != List || e.X != nil && bytes.HasPrefix(e.X.Body, []byte(`"`)):
		return nil
	case Items(e) == nil && e.Obj.RV == "":
		return ErrNoItems
	}
	_, err := Body[ListBody](e)
	return err
}

// ErrNoItems is the error for a list without items.
var ErrNoItems = errors.New(`it has no items, and no err: write "items":[] for an empty list, and leave the return out if its answer is not known`)

// Items returns the items of an event; nil: it has no such field, or is none.
func Items(e *history.Event) []history.Ref {
	if e == nil || e.X == nil {
		return nil
	}
	return e.X.Items
}

// Spelt returns an error if a kind differs from one of these only in the case of its letters.
func Spelt(kind string, kinds []string) error {
	for _, k := range kinds {
		if kind != k && strings.EqualFold(kind, k) {
			return fmt.Errorf("there is no such kind: say %s", k)
		}
	}
	return nil
}

// Args returns the arguments of a call as a type, which must have every field of them; zero if there are none.
func Args[A any](e *history.Event) (a A, err error) {
	if e.X == nil {
		return a, nil
	}
	return a, exactly("args", e.X.Args, &a)
}

// Body returns the body of an event as a type, which must have every field of it; zero if there is none.
func Body[B any](e *history.Event) (b B, err error) {
	if e.X == nil {
		return b, nil
	}
	return b, exactly("body", e.X.Body, &b)
}

// ArgsOf returns the arguments of a call as a type; zero if they are none.
func ArgsOf[A any](e *history.Event) (a A) {
	if e.X != nil {
		_ = json.Unmarshal(e.X.Args, &a)
	}
	return a
}

// BodyOf returns the body of an event as a type; zero if it is none. e may be nil.
func BodyOf[B any](e *history.Event) (b B) {
	if e != nil && e.X != nil {
		_ = json.Unmarshal(e.X.Body, &b)
	}
	return b
}

// exactly decodes JSON of which every field must be known.
func exactly(what string, b []byte, into any) error {
	if b == nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
