package golden

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/store"
	"github.com/lwtest/lwtest/harness/history"
)

// classes names, for each event, the class of what it delivered: its kind, a
// Pop with the type of its first delta, and what makes it different for the contract:
//
//	open KIND     after what leaves open what is queued: a Close, or a list with an object that has no key
//	beside KIND   of several actors at once
//	early POP     of what came before anything that may be the first list
func classes(h *history.History) []string {
	out := make([]string, len(h.Events)+1)
	open, several, early := false, false, true
	for i := range h.Events {
		e := &h.Events[i]
		name := e.Kind
		switch {
		case e.Phase == history.Return && e.Err() != nil:
			name += " refusal"
		case e.Phase == history.Return && (e.Kind == "POP" || e.Kind == "POP-BATCH"):
			name += " " + firstType(e)
		}
		if e.Phase == history.Return && isQueue(h) {
			asked := h.Event(e.Call)
			open = open || e.Kind == "REPLACE" && strings.Contains(string(asked.X.Args), store.NoKey) || asked.Obj.Key != "" && closedBefore(h, asked)
		}
		if early && e.Phase == history.Return && (name == "POP SyncAll" || name == "POP Bookmark") {
			name = "early " + name
		}
		early = early && (e.Kind != "POP" || strings.HasPrefix(name, "early ") || e.Phase != history.Return)
		several = several || e.Actor[0] == 'u' // these write at once
		switch {
		case e.Actor != "c1" && e.Actor != "pop" && e.Actor != "push", several:
			name = "beside " + name
		case open:
			name = "open " + name
		}
		out[e.Num] = name
	}
	return out
}

func isQueue(h *history.History) bool {
	return slices.Contains(h.Header.Features, string(store.IsQueue))
}

// closedBefore says that a change was made of a closed queue.
func closedBefore(h *history.History, call *history.Event) bool {
	return slices.ContainsFunc(h.Events[:call.Num], func(e history.Event) bool { return e.Kind == "CLOSE" })
}

func firstType(e *history.Event) string {
	var p store.Popped
	if e.X == nil || json.Unmarshal(e.X.Body, &p) != nil || len(p.Deltas) == 0 {
		return "nothing"
	}
	if d := p.Deltas[0]; d.Type == store.Deleted && d.Unknown {
		return "tombstone"
	}
	return p.Deltas[0].Type
}
