package golden

import (
	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness/history"
)

// classes names, for each event, the class of what it delivered: its kind, and
// what makes it different for the contract:
//
//	initial ADDED   before the end mark of its watch
//	last KIND       nothing follows it on its watch, which was not settled after it, or only at an older resourceVersion
//	unmarked KIND   of a watch that does not say where its initial events end
//	END-MARK        the bookmark that ends initial events
//	dry KIND        the answer to a dry run of a create, of an update that would create, or of a patch
//	tried KIND      the answer to a dry run of an update of what is there
//	ending KIND     the answer to who took the last finalizer
//	page            a list that goes on, or continues another
func classes(h *history.History) []string {
	out := make([]string, len(h.Events)+1)
	r := replay.Of(h)
	for i := range h.Events {
		e := &h.Events[i]
		out[e.Num] = e.Kind
		if e.Phase == history.Return {
			out[e.Num] = e.Kind + " answer"
			dry := replay.IsDryRun(h.Event(e.Call))
			creates := e.Kind == replay.Create || e.Kind == replay.Update && e.Obj.RV == ""
			switch {
			case e.Err() != nil:
				out[e.Num] = e.Kind + " refusal"
			case (creates || e.Kind == replay.Patch) && dry:
				out[e.Num] = "dry " + out[e.Num]
			case e.Kind == replay.Update && dry:
				out[e.Num] = "tried " + out[e.Num]
			}
		}
	}
	for i := range r.Watches {
		classesOfWatch(h, &r.Watches[i], out)
	}
	for i := range r.Writes {
		if w := &r.Writes[i]; w.Outcome == replay.Done && w.Ends() && w.Verb() != replay.Delete {
			out[w.Return] = "ending " + out[w.Return]
		}
	}
	for i := range r.Lists {
		l := &r.Lists[i]
		if l.Page || l.Body.Continue != "" {
			out[l.Return] = "page"
		} else {
			out[l.Return] = "list"
		}
	}
	return out
}

func classesOfWatch(h *history.History, w *replay.WatchCall, out []string) {
	last := int32(0)
	for i := range w.Events {
		e := &w.Events[i]
		switch {
		case e.Kind() == history.Settled:
			if last != 0 && (e.N == 0 || h.Event(last).Obj.N <= e.N) {
				last = 0
			}
		case e.Num < w.Mark && e.Kind() == replay.Added:
			out[e.Num] = "initial ADDED"
		case e.Num == w.Mark:
			out[e.Num] = "END-MARK"
		case delivered(e.Kind()) && e.Kind() != replay.Bookmark:
			last = e.Num
		}
	}
	if last != 0 {
		out[last] = "last " + out[last]
	}
	for i := range w.Events {
		if e := &w.Events[i]; !w.Known && delivered(e.Kind()) && e.Kind() != replay.Bookmark {
			out[e.Num] = "unmarked " + e.Kind()
		}
	}
}
