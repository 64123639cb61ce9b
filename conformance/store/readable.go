package store

import (
	"errors"
	"fmt"
	"slices"

	"github.com/lwtest/lwtest/harness/history"
)

// Readable returns an error with the line of the first event that no rule could read; nil: there is none, as in all histories that
// lwtest records.
func Readable(h *history.History) error {
	for i := range h.Events {
		e := &h.Events[i]
		if err := errors.Join(history.Spelt(e.Kind, kinds), unread(e)); err != nil {
			return fmt.Errorf("line %d: %s: %w", h.Line(e.Num), e.Kind, err)
		}
	}
	return nil
}

var kinds = []string{string(Add), string(Update), string(Delete), evOpen, evReplace, evApplyAll, evResync, evBookmark, evGet, evGetByKey, evList, evKeys, evVersion,
	evIndex, evByIndex, evIndexKeys, evIndexValues, evAddIndexers, evPop, evPopBatch, evSynced, evClose, evPush}

func unread(e *history.Event) (err error) {
	switch {
	case !slices.Contains(kinds, e.Kind):
	case e.Phase == history.Call:
		_, err = history.Args[args](e)
	case isPop(e.Kind):
		_, err = history.Body[Popped](e)
	default:
		_, err = history.Body[body](e)
	}
	return err
}
