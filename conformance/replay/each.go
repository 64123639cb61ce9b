package replay

import (
	"iter"

	"github.com/lwtest/lwtest/harness/history"
)

// All visits what a watch brought, with all that the history has of it.
func (w *WatchCall) All(h *history.History) iter.Seq[*history.Event] {
	return func(yield func(*history.Event) bool) {
		for i := range w.Events {
			if !yield(h.Event(w.Events[i].Num)) {
				return
			}
		}
	}
}

// Looking is a get as Moments takes it: of a key, between two events.
func Looking(k, call, answer int32) *Write {
	return &Write{verb: kindGet, K: k, Call: call, Return: answer, Version: None}
}
