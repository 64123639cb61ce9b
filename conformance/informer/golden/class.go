package golden

import (
	"slices"

	"github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness/history"
)

var notices = []string{informer.Added, informer.Updated, informer.Deleted}

// isNotice says that an event is the call of a handler.
func isNotice(e *history.Event) bool {
	return e.Phase == history.Call && slices.Contains(notices, e.Kind)
}

// isRequest says that an event is a list or a watch that the informer asked for.
func isRequest(e *history.Event) bool {
	return e.Phase == history.Call && rig.IsServer(e.Actor) && (e.Kind == rig.List || e.Kind == rig.Watch)
}

// classes names, for each event, the class of what it delivered: its kind, and
// what makes it different for the contract.
func classes(h *history.History) []string {
	out := make([]string, len(h.Events)+1)
	for i := range h.Events {
		e := &h.Events[i]
		out[e.Num] = e.Kind
	}
	return out
}
