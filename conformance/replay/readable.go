package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness/history"
)

// Readable says what of a history no rule could read, and would pass over or
// take for something else: nil if there is nothing. A trace of somebody's own
// may have such; what lwtest records has none.
func Readable(h *history.History) error {
	for i := range h.Events {
		e := &h.Events[i]
		err := readable(e)
		if err == nil && h.Header.Check == "" {
			err = answered(e)
		}
		if err != nil {
			return fmt.Errorf("line %d: %s: %w", h.Line(e.Num), e.Kind, err)
		}
	}
	return nil
}

func readable(e *history.Event) error {
	if word := meant(e.Kind); word != e.Kind {
		return fmt.Errorf("there is no such kind: say %s", word)
	}
	if e.Kind == List && e.Phase == history.Return && e.Err() == nil && e.Obj.RV == "" && itemsOf(e) == nil {
		return errors.New("it has neither items nor a resourceVersion, and no err: say \"items\":[] where the list was empty, and leave the return out where its answer was not kept")
	}
	if e.X == nil {
		return nil
	}
	switch e.Kind {
	case List, Watch, Get, DeleteCollection:
		if e.Phase == history.Call {
			_, err := ParseArgs(e.X.Args)
			return misread("args", err)
		}
		if e.Kind == List && e.Phase == history.Return && e.X.Err == nil {
			_, err := readListBody(e.X.Body)
			return misread("body", err)
		}
	case Create, Update, Patch, Delete:
		if e.Phase == history.Call {
			_, err := readWriteArgs(e.X.Args)
			return misread("args", err)
		}
	}
	return nil
}

// answered refuses the answer to a write or a get that has no object: of somebody's own trace nobody knows whether the
// server gave none, or the trace does not keep it.
func answered(e *history.Event) error {
	switch e.Kind {
	case Create, Update, Patch, Get:
		if e.Phase == history.Return && e.Err() == nil && e.Obj == (history.Ref{}) {
			return errors.New("it has neither obj nor err: say what the answer was, as much as is known of it, such as \"obj\":{\"key\":\"shop/cart\"}, and leave the return out where it was not kept")
		}
	}
	return nil
}

// words are all kinds of event that mean something to a rule.
var words = slices.Concat(kindTexts[kindAdded:], []string{Compact, MoveWindow, Restart, Paused, Resumed, history.Left, history.GaveUp, history.Panic, history.Exited, history.ProtocolError})

// meant is the word that differs from a kind only in the case of its letters;
// the kind itself if there is none.
func meant(kind string) string {
	for _, w := range words {
		if strings.EqualFold(w, kind) {
			return w
		}
	}
	return kind
}

// misread says in a trace's own words which field is of a wrong type.
func misread(field string, err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err
	}
	if wrong.Field != "" {
		field += "." + strings.TrimPrefix(wrong.Field, "ListOptions.")
	}
	want := "an object"
	switch k := wrong.Type.Kind(); {
	case k == reflect.String:
		want = "a string"
	case k == reflect.Bool:
		want = "true or false"
	case k >= reflect.Int && k <= reflect.Uint64:
		want = "an integer"
	}
	return fmt.Errorf("%s is a JSON %s, want %s", field, wrong.Value, want)
}
