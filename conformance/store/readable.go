package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness/history"
)

// Readable says what of a history no rule could read, by line: nil if there is
// nothing. What lwtest records has none.
func Readable(h *history.History) error {
	for i := range h.Events {
		if e := &h.Events[i]; !readable(e) {
			return fmt.Errorf("line %d: %s: there is no such kind: say %s", h.Line(e.Num), e.Kind, strings.ToUpper(e.Kind))
		} else if err := unread(e); err != nil {
			return fmt.Errorf("line %d: %s: %w", h.Line(e.Num), e.Kind, err)
		}
	}
	return nil
}

var kinds = []string{string(Add), string(Update), string(Delete), evOpen, evReplace, evApplyAll, evResync, evBookmark, evGet, evGetByKey, evList, evKeys, evVersion,
	evIndex, evByIndex, evIndexKeys, evIndexValues, evAddIndexers, evPop, evPopBatch, evSynced, evClose, evPush}

// readable says that a kind is not one of ours in other letters.
func readable(e *history.Event) bool {
	return slices.Contains(kinds, e.Kind) || !slices.Contains(kinds, strings.ToUpper(e.Kind))
}

func unread(e *history.Event) error {
	if e.X == nil || !slices.Contains(kinds, e.Kind) {
		return nil
	}
	switch {
	case e.Phase == history.Call:
		return decode("args", e.X.Args, new(args))
	case isPop(e.Kind):
		return decode("body", e.X.Body, new(Popped))
	}
	return decode("body", e.X.Body, new(body))
}

// decode reads JSON of which every field must be known.
func decode(what string, b []byte, into any) error {
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
