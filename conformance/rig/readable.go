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

// Readable says what of a history no rule of a client could read, by line: nil if there is nothing. What its server was
// asked and did is looked at here, all else by own, up to where the case was given up. What lwtest records has none.
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

// The kinds that mean something where a server has them.
var (
	calls   = []string{List, Watch, Other}
	notices = []string{"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR", FaultStruck, SpoiledFrame, End}
	ends    = []string{"clean", "broken", "stopped"}
)

// served looks at an event of a server.
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
			return errors.New("it has no err: say what its Status says")
		}
	case FaultStruck, SpoiledFrame:
		f, err := Body[FaultBody](e)
		if err == nil && f.Does == "" {
			err = errors.New("body.does is empty: say what was done, as docs/faults.md does")
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

// requested looks at what a server was asked. What no rule reads has options of its own.
func requested(e *history.Event) error {
	r, err := Args[Request](e)
	if err != nil || e.Kind == Other {
		return err
	}
	return exactly("args.options", r.Options, new(metav1.ListOptions))
}

// answered looks at an answer. Of what is no list at all the body is a text.
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

// ErrNoItems is of a list that says nothing.
var ErrNoItems = errors.New(`it has no items, and no err: say "items":[] where there were none, and leave the return out where its answer was not kept`)

// Items are those of an event; nil: it does not say.
func Items(e *history.Event) []history.Ref {
	if e.X == nil {
		return nil
	}
	return e.X.Items
}

// Spelt refuses a kind that differs from one of these in the case of its letters alone.
func Spelt(kind string, kinds []string) error {
	for _, k := range kinds {
		if kind != k && strings.EqualFold(kind, k) {
			return fmt.Errorf("there is no such kind: say %s", k)
		}
	}
	return nil
}

// Args are the arguments of a call as some type, of which every field must be known; zero where it has none.
func Args[A any](e *history.Event) (a A, err error) {
	if e.X == nil {
		return a, nil
	}
	return a, exactly("args", e.X.Args, &a)
}

// Body is the body of an event, read as Args are.
func Body[B any](e *history.Event) (b B, err error) {
	if e.X == nil {
		return b, nil
	}
	return b, exactly("body", e.X.Body, &b)
}

// exactly reads JSON of which every field must be known.
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
