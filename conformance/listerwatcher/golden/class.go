package golden

import (
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/golden"
	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness/history"
)

// classes names, for each event, the class of what it delivered: its kind, and
// what makes it different for the contract:
//
//	left KIND       of a watch that the drive let go of, or too late for anybody to wait for it
//	cut KIND        sent on a connection that broke
//	page refusal    the server, or a proxy before it, refused without a Status
//	own refusal     of what was answered with 200, and no list
//	own WATCH       of what was answered so, and no watch
//	own ERROR       that the server did not send
//	resumed KIND    of a watch that goes on by itself
//	metadata KIND   of a client that has only the metadata of objects
//	asked KIND      a request; of who goes on by itself, or waits, or takes pages: asked again
func classes(h *history.History) []string {
	out := make([]string, len(h.Events)+1)
	resumes := slices.Contains(h.Header.Features, "retries") || slices.Contains(h.Header.Features, "waits")
	again := resumes || slices.Contains(h.Header.Features, "pages")
	for i := range h.Events {
		e := &h.Events[i]
		out[e.Num] = e.Kind
		switch {
		case rig.IsServer(e.Actor) && again:
			out[e.Num] = "asked again " + e.Kind
		case rig.IsServer(e.Actor):
			out[e.Num] = "asked " + e.Kind
		case e.Phase == history.Return && e.Err() != nil && accepted(h, e):
			out[e.Num] = "own refusal"
		case e.Phase == history.Return && e.Kind == rig.Watch && accepted(h, e):
			out[e.Num] = "own WATCH"
		case e.Phase == history.Return && e.Err() != nil && page(h, e):
			out[e.Num] = "page refusal"
		case e.Phase == history.Return && e.Err() != nil:
			out[e.Num] = e.Kind + " refusal"
		case e.Phase == history.Notice && left(h, e):
			out[e.Num] = "left " + e.Kind
		case e.Kind == "ERROR" && !slices.ContainsFunc(h.Events[:i], func(s history.Event) bool {
			return rig.IsServer(s.Actor) && s.Err() != nil && e.Err() != nil && s.Err().Code == e.Err().Code && s.Err().Reason == e.Err().Reason
		}):
			out[e.Num] = "own ERROR"
		case e.Phase == history.Notice && e.Obj.Key != "" && cut(h, e):
			out[e.Num] = "cut " + e.Kind
		case e.Phase != history.Call && resumes:
			out[e.Num] = "resumed " + e.Kind
		case e.Phase != history.Call && slices.Contains(h.Header.Features, "metadata-only"):
			out[e.Num] = "metadata " + e.Kind
		}
	}
	return out
}

// page says that what was refused last, by an event, was without a Status.
func page(h *history.History, e *history.Event) bool {
	for _, o := range slices.Backward(h.Events[:e.Num]) {
		if rig.IsServer(o.Actor) && o.Err() != nil {
			return o.Err().Reason == "" && !strings.HasPrefix(o.Err().Msg, "{")
		}
	}
	return false
}

// accepted says that what was answered last, by an event, was refused by nobody, and was something else than was asked for.
func accepted(h *history.History, e *history.Event) bool {
	for _, o := range slices.Backward(h.Events[:e.Num]) {
		if rig.IsServer(o.Actor) && o.Phase == history.Return {
			return o.Err() != nil && o.Err().Code == 200
		}
	}
	return false
}

// left says that nobody is owed an event of a watch: that all had its time nothing says, or not before it was stopped.
func left(h *history.History, e *history.Event) bool {
	if e.Kind != history.Ended && slices.ContainsFunc(h.Events[:e.Num], func(o history.Event) bool { return stops(&o, e) }) {
		return true
	}
	for _, o := range h.Events[e.Num:] {
		switch {
		case o.Kind == history.Settled && o.Call == e.Call:
			return false
		case stops(&o, e) && e.Kind != history.Ended:
			return true
		}
	}
	return true
}

// stops says that an event is the drive's letting go of the watch of another.
func stops(o, e *history.Event) bool {
	return o.Phase == history.Call && (o.Kind == "STOP" || o.Kind == "CANCEL") && golden.Args(o)["watch"] == float64(e.Call)
}

// cut says that an event was sent on a connection that broke.
func cut(h *history.History, e *history.Event) bool {
	for i := range h.Events {
		s := &h.Events[i]
		if rig.IsServer(s.Actor) && s.Phase == history.Notice && s.Kind == e.Kind && s.Obj.Key == e.Obj.Key && s.Obj.RV == e.Obj.RV {
			return slices.ContainsFunc(h.Events[s.Num:], func(o history.Event) bool {
				return o.Call == s.Call && o.Kind == rig.End && golden.Body(&o)["how"] == "broken"
			})
		}
	}
	return false
}
