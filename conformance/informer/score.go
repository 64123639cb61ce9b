package informer

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness/history"
)

// score counts the classes of events that a history reaches. The class of a request is "asks=A got=G", where
//
//	A  list (no list was complete before), relist, page, stream, restream, watch
//	G  what rig.Got returns, or
//	   older (a list that is older than what the informer has seen),
//	   no-mark, ends, ends-at-once (a streaming list whose initial events did not end), or
//	   the fault of a server that broke its contract
//
// The classes of writes, readings and calls of handlers are their kinds with a few attributes.
func score(h *history.History) map[string]int {
	out := map[string]int{}
	for _, v := range worldOf(h).informers {
		v.scoreRequests(out)
		v.scoreReadings(out)
		v.scoreWrites(out)
		for _, l := range v.handlers {
			l.score(out)
		}
	}
	return out
}

// either returns a if condition holds, and b otherwise.
func either(condition bool, a, b string) string {
	if condition {
		return a
	}
	return b
}

func (v *observed) scoreRequests(out map[string]int) {
	seen := ""
	for i, x := range v.exchanges {
		re := either(len(v.lists) == 0 || v.lists[0].done > x.Call.Num, "", "re")
		asks := re + "list"
		switch {
		case x.Options.Continue != "":
			asks = "page"
		case x.IsStream():
			asks = re + "stream"
		case x.IsWatch():
			asks = "watch"
		}
		out["asks="+asks+" got="+got(x, seen)]++
		for _, way := range x.Carried() {
			out[x.Call.Kind+" "+way]++
		}
		if x.Dead != nil {
			out["died while="+either(x.IsWatch(), "it watches", "it lists")]++
		}
		seen = (request{Exchange: x, heard: v.certainlySeen(x, v.w.end)}).seenAfter(seen)
		if i > 0 && x.IsWatch() && x.Asked.URI != "" {
			out["asks over HTTP"]++
		}
	}
}

// got names what the server did to a request.
func got(x *rig.Exchange, seen string) string {
	for _, f := range x.Faults {
		switch does, _, _ := strings.Cut(f.Does, " "); {
		case does == "replace":
			name, _, _ := strings.Cut(f.Name, " ")
			return "replace-" + name
		case slices.Contains(breaks, does):
			return strings.ReplaceAll(f.Does, " ", "-")
		}
	}
	got := x.Got()
	how, last, _ := strings.Cut(got, "-")
	switch {
	case x.IsList() && got == "items" && seen != "" && x.Options.Continue == "" && older(x.Answer.Obj.RV, seen):
		return "older"
	case !x.IsUnfinished() || how != "clean" && how != "broken":
		return got
	case how == "clean" && x.Over.At-x.Call.At > int64(time.Minute):
		return "no-mark"
	case last == "at-once" || last == "idle":
		return "ends-at-once"
	}
	return "ends"
}

func (v *observed) scoreReadings(out map[string]int) {
	for _, l := range v.readings {
		switch l.kind {
		case readKind, getKind:
			out[l.kind+" "+either(l.done.Obj.RV == "", "nothing", "object")]++
		case syncedKind:
			out[fmt.Sprintf("SYNCED %t", l.synced)]++
		case versionKind:
			out["VERSION "+either(l.version == "", "none", "some")]++
		default:
			out[l.kind+" "+either(len(l.items) == 0, "nothing", "objects")]++
		}
	}
	for _, a := range v.answered {
		out[fmt.Sprintf("ANSWERED late=%t", v.lateAnswer(a) != nil)]++
	}
	for _, p := range v.pushes {
		out["PUSH "+either(len(p.X.Items) == 0, "nothing", "objects")]++
	}
	if n := len(v.errors); n > 0 {
		out["TOLD"] += n
	}
	if n := len(v.laterRuns); n > 0 {
		out["RUN again"] += n
	}
	if v.stopped != nil {
		out["STOP while="+v.activity(v.stopped.Num)]++
	}
	for _, num := range v.w.downs {
		if !v.stoppedBy(num) {
			out["no connection while="+v.activity(num)]++
		}
	}
}

// activity names what an informer was doing when an event happened.
func (v *observed) activity(num int32) string {
	switch {
	case v.run == nil || v.run.Num > num:
		return "it is not started"
	case slices.ContainsFunc(v.handlers, func(l *listener) bool { return l.callAt(num) != nil }):
		return "a handler is called"
	case len(v.openWatches(num)) > 0:
		return "it watches"
	}
	for _, x := range slices.Backward(v.exchanges) {
		switch {
		case x.Call.Num > num:
		case x.Answer == nil || x.Answer.Num > num:
			return either(x.IsList(), "it waits for a list", "it waits for a watch")
		case x.IsList():
			return "it pauses after=list"
		default:
			return "it pauses after=" + either(x.IsStream(), "stream", "watch")
		}
	}
	return "it starts"
}

// meets returns the classes of a request that gets each of these.
func meets(asks string, got ...string) (out []string) {
	for _, g := range got {
		out = append(out, "asks="+asks+" got="+g)
	}
	return out
}

func (l *listener) score(out map[string]int) {
	when := "before"
	switch {
	case l.v.returned != nil && l.v.returned.Num < l.call.Num:
		when = "after the stop"
	case l.v.run != nil && l.v.run.Num < l.call.Num:
		when = "late"
	}
	out["HANDLE "+when]++
	for _, s := range l.synced {
		out[fmt.Sprintf("SYNCED handler %t", s.synced)]++
	}
	for _, n := range l.notices {
		out[n.class()]++
	}
	if l.removed != nil {
		out[fmt.Sprintf("UNHANDLE wait=%t held=%t", l.waits, l.callAt(l.removed.Num) != nil)]++
	}
}

func (n *notice) class() string {
	switch {
	case n.kind == Added:
		return fmt.Sprintf("ADD initial=%t", n.Initial)
	case n.kind == Deleted:
		return fmt.Sprintf("DELETE unknown=%t", n.Unknown)
	case n.kind != Updated:
		return n.kind
	case n.Old == nil:
		return "UPDATE of=no old state"
	case n.Old.UID != n.state.UID:
		return "UPDATE of=another object"
	case n.Old.RV == n.state.RV:
		return "UPDATE of=the same"
	}
	return "UPDATE of=a change"
}

// scoreWrites counts writes: what became of an object, and whether a watch was open.
func (v *observed) scoreWrites(out map[string]int) {
	for _, t := range v.objects() {
		for i, w := range t.writes {
			did := "changed"
			switch {
			case w.deleted:
				did = "deleted"
			case i == 0:
				did = "created"
			case t.writes[i-1].deleted:
				did = "created anew"
			}
			out[fmt.Sprintf("%s watched=%t", did, len(v.openWatches(w.done)) > 0)]++
		}
	}
}
