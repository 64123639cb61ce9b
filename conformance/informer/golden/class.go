package golden

import (
	"encoding/json"
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
// what makes it different for the contract:
//
//	UPDATE to the same    old and new are one state
//	KIND, then DELETE     the next of that object is its delete
//	overtaken KIND        the object had been deleted when its handler was called
//	moving KIND           a reading while something may still be under way
//	late STORE            such a reading, which has what had been deleted by then
//	last KIND             after it nothing is known to have come to the handler: it was stopped
//	overtaken PUSH        another came before anything was at rest
//	PUSH of the same      the push before had the same
//	closing RUN           its end, for which nobody waited; of a second start, too
//	STREAM                a streaming list
//	first KIND            the first request
//	refused STREAM        of which nothing came
//	unsure WATCH          after a watch of which the informer may not have had all, or of one of two informers of a namespace
func classes(h *history.History) []string {
	out := make([]string, len(h.Events)+1)
	for i := range h.Events {
		e := &h.Events[i]
		out[e.Num] = e.Kind
		switch {
		case isNotice(e):
			out[e.Num] = classOf(h, e)
		case e.Kind == "STORE" || e.Kind == "INDEX" || e.Kind == "GET" || e.Kind == "VERSION" || e.Kind == "SYNCED":
			switch {
			case atRest(h, e):
			case e.Kind == "STORE" && slices.ContainsFunc(history.Items(e), func(o history.Ref) bool { return deleted(h, e, o.Key) }):
				out[e.Num] = "late STORE"
			default:
				out[e.Num] = "moving " + e.Kind
			}
		case e.Kind == "PUSH" && overtaken(h, e):
			out[e.Num] = "overtaken PUSH"
		case e.Kind == "PUSH" && same(h, e):
			out[e.Num] = "PUSH of the same"
		case e.Kind == "RUN" && (!slices.ContainsFunc(h.Events[i:], settled(e.Actor)) || slices.ContainsFunc(h.Events[:max(0, e.Call-1)], starts(e.Actor))):
			out[e.Num] = "closing RUN"
		}
	}
	var before *rig.Exchange
	twins := haveTwins(h)
	for _, x := range rig.Exchanges(h) {
		if x.IsList() || x.IsWatch() {
			out[x.Call.Num] = classOfRequest(x, before)
			before = x
			if twins && out[x.Call.Num] == rig.Watch {
				out[x.Call.Num] = "unsure WATCH"
			}
		}
	}
	return out
}

// haveTwins says that two informers of one namespace ran at the same time: whose a request is nobody can tell.
func haveTwins(h *history.History) bool {
	running := map[string]string{} // by actor what it was started with
	for i := range h.Events {
		switch e := &h.Events[i]; {
		case e.Phase == history.Call && e.Kind == "RUN" && e.X != nil:
			for actor, with := range running {
				if actor != e.Actor && with == string(e.X.Args) {
					return true
				}
			}
			running[e.Actor] = string(e.X.Args)
		case e.Phase == history.Call && e.Kind == "STOP":
			delete(running, e.Actor)
		}
	}
	return false
}

// overtaken says that a push is followed by another before its informer is at rest, or that it is not seen at rest.
func overtaken(h *history.History, e *history.Event) bool {
	for _, o := range h.Events[e.Num:] {
		if o.Actor == e.Actor && (o.Kind == "PUSH" || o.Kind == "STOP" || o.Kind == history.Settled) {
			return o.Kind != history.Settled
		}
	}
	return true
}

// same says that a push has what the one before it had.
func same(h *history.History, e *history.Event) bool {
	for _, o := range slices.Backward(h.Events[:e.Num-1]) {
		if o.Actor == e.Actor && o.Kind == "PUSH" {
			return slices.EqualFunc(history.Items(&o), history.Items(e), func(a, b history.Ref) bool { return a.Key == b.Key && a.UID == b.UID && a.RV == b.RV })
		}
	}
	return false
}

// deleted says that an object had been deleted by an event.
func deleted(h *history.History, e *history.Event, key string) bool {
	return slices.ContainsFunc(h.Events[:e.Num], func(o history.Event) bool {
		return o.Phase == history.Call && o.Kind == "DELETE-OBJECT" && o.Obj.Key == key
	})
}

func settled(actor string) func(history.Event) bool {
	return func(e history.Event) bool { return e.Actor == actor && e.Kind == history.Settled }
}

func starts(actor string) func(history.Event) bool {
	return func(e history.Event) bool { return e.Actor == actor && e.Kind == "RUN" }
}

func classOf(h *history.History, e *history.Event) string {
	var n struct {
		Old struct {
			RV string `json:"rv"`
		} `json:"old"`
	}
	_ = json.Unmarshal(e.X.Args, &n) // a drive wrote it
	i := slices.IndexFunc(h.Events[e.Num:], func(o history.Event) bool { return o.Actor == e.Actor && isNotice(&o) && o.Obj.Key == e.Obj.Key })
	switch {
	case e.Kind == informer.Updated && n.Old.RV == e.Obj.RV:
		return "UPDATE to the same"
	case !slices.ContainsFunc(h.Events[e.Num:], settled(e.Actor)):
		return "last " + e.Kind
	case i >= 0 && h.Events[int(e.Num)+i].Kind == informer.Deleted:
		return e.Kind + ", then DELETE"
	case e.Kind != informer.Deleted && deleted(h, e, e.Obj.Key):
		return "overtaken " + e.Kind
	}
	return e.Kind
}

// atRest says that a reading came after all was settled, with nothing written between.
func atRest(h *history.History, e *history.Event) bool {
	for _, o := range slices.Backward(h.Events[:e.Num]) {
		switch {
		case o.Actor == "writer" || rig.IsServer(o.Actor):
			return false
		case o.Actor == e.Actor && o.Kind == history.Settled:
			return true
		}
	}
	return false
}

func classOfRequest(x, before *rig.Exchange) string {
	kind := x.Call.Kind
	if x.IsStream() {
		kind = "STREAM"
	}
	switch {
	case x.IsStream() && x.Refused() != nil:
		return "refused " + kind
	case before == nil:
		return "first " + kind
	case kind == "WATCH" && before.IsWatch() && before.How != "clean":
		return "unsure WATCH"
	}
	return kind
}
