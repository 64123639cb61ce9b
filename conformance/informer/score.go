package informer

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness/history"
)

// score counts the classes of what happened between an informer and all around it. Of each request they are the pair of
// what the client was about and what the server did to it, "asks=A got=G":
//
//	A  list (nothing was whole yet), relist, page, stream, restream, watch
//	G  items, nothing; a code; too-large; reset, cut, unreadable, proxy; older (a list, than what was seen)
//	   of a watch, too: ERROR-code; clean or broken with -event, -bookmark, -idle (a second and more) or -at-once; timeout
//	   without the end mark: no-mark; what only a server does that breaks the contract itself: by the fault's name
//
// Of the drive's writes, readings and handlers they are the kind and axes.
func score(h *history.History) map[string]int {
	out := map[string]int{}
	w := worldOf(h)
	for _, v := range w.informers {
		v.asks(out)
		v.reads(out)
		for _, l := range v.handlers {
			l.calls(out)
		}
	}
	w.wrote(out)
	return out
}

func (v *observed) asks(out map[string]int) {
	whole := v.wholes()
	seen := ""
	for i, x := range v.exchanges {
		asks := map[bool]string{true: "list", false: "relist"}[len(whole) == 0 || whole[0].done > x.Call.Num]
		switch {
		case x.Options.Continue != "":
			asks = "page"
		case x.IsStream():
			asks = strings.Replace(asks, "list", "stream", 1)
		case x.IsWatch():
			asks = "watch"
		}
		out["asks="+asks+" got="+got(x, seen)]++
		seen = seenBy(x, seen)
		if i > 0 && x.IsWatch() && x.Asked.URI != "" {
			out["asks over HTTP"]++
		}
	}
}

// got says what the server did to a request.
func got(x *rig.Exchange, seen string) string {
	for _, f := range x.Faults {
		switch what, _, _ := strings.Cut(f.Does, " "); {
		case what == "replace":
			name, _, _ := strings.Cut(f.Name, " ")
			return "replace-" + name
		case slices.Contains(breaks, what):
			return strings.ReplaceAll(f.Does, " ", "-")
		}
	}
	got := x.Got()
	switch {
	case x.IsList() && got == "items" && seen != "" && x.Options.Continue == "" && older(x.Answer.Obj.RV, seen):
		return "older"
	case x.IsStream() && streamed(x) == nil:
		return gotStream(x, got)
	}
	return got
}

// gotStream says how a streaming list ended that has no end mark.
func gotStream(x *rig.Exchange, got string) string {
	switch how, last, _ := strings.Cut(got, "-"); {
	case how != "clean" && how != "broken":
		return got
	case how == "clean" && x.Over.At-x.Call.At > int64(time.Minute):
		return "no-mark"
	case last == "at-once" || last == "idle":
		return "ends-at-once"
	}
	return "ends"
}

// reads counts readings.
func (v *observed) reads(out map[string]int) {
	for _, l := range v.looks {
		switch l.kind {
		case readKind, getKind:
			out[l.kind+" "+map[bool]string{true: "nothing", false: "object"}[l.done.Obj.RV == ""]]++
		case syncedKind:
			out[fmt.Sprintf("SYNCED %t", l.synced)]++
		case versionKind:
			out["VERSION "+map[bool]string{true: "none", false: "some"}[l.version == ""]]++
		default:
			out[l.kind+" "+map[bool]string{true: "nothing", false: "objects"}[len(l.items) == 0]]++
		}
	}
	for _, p := range v.pushes {
		out["PUSH "+map[bool]string{true: "nothing", false: "objects"}[len(p.X.Items) == 0]]++
	}
	out["TOLD"] += len(v.errors)
	out["RUN again"] += len(v.again)
	if v.stopped != nil {
		out["STOP while="+v.doing(v.stopped.Num)]++
	}
	for _, num := range v.w.downs {
		if v.stopped == nil || num < v.stopped.Num {
			out["no connection while="+v.doing(num)]++
		}
	}
	for name, n := range out {
		if n == 0 {
			delete(out, name)
		}
	}
}

// doing is what an informer was about when an event happened.
func (v *observed) doing(num int32) string {
	switch {
	case v.run == nil || v.run.Num > num:
		return "it is not started"
	case v.underWay(num):
		return "a handler is called"
	case len(v.watching(num)) > 0:
		return "it watches"
	}
	for _, x := range slices.Backward(v.exchanges) {
		switch {
		case x.Call.Num > num:
		case x.Answer == nil || x.Answer.Num > num:
			return map[bool]string{true: "it waits for a list", false: "it waits for a watch"}[x.IsList()]
		default:
			return "it pauses after=" + asks(x)
		}
	}
	return "it starts"
}

// asks is what a request asks for, in a class.
func asks(x *rig.Exchange) string {
	switch {
	case x.IsList():
		return "list"
	case x.IsStream():
		return "stream"
	}
	return "watch"
}

// meets are the classes of one who asks for that and meets each of these.
func meets(what string, got ...string) (out []string) {
	for _, g := range got {
		out = append(out, "asks="+what+" got="+g)
	}
	return out
}

// calls counts notifications, and what was done with a handler.
func (l *listener) calls(out map[string]int) {
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
		class := n.kind
		switch n.kind {
		case Added:
			class += fmt.Sprintf(" initial=%t", n.Initial)
		case Updated:
			class += " of=" + n.of()
		case Deleted:
			class += fmt.Sprintf(" unknown=%t", n.Unknown)
		}
		out[class]++
	}
	if l.removed != nil {
		out[fmt.Sprintf("UNHANDLE wait=%t held=%t", l.waits, l.busy(l.removed.Num) != nil)]++
	}
}

// of says what an update brings: a change, another object, or nothing new.
func (n *notice) of() string {
	switch {
	case n.Old == nil:
		return "no old state"
	case n.Old.UID != n.now.UID:
		return "another object"
	case n.Old.RV == n.now.RV:
		return "the same"
	}
	return "a change"
}

// wrote counts the drive's writes: what became of an object, and whether a watch was open.
func (w *world) wrote(out map[string]int) {
	for _, v := range w.informers {
		for _, line := range v.mine() {
			for i, x := range line.writes {
				what := "changed"
				switch {
				case x.gone:
					what = "deleted"
				case i == 0:
					what = "created"
				case line.writes[i-1].gone:
					what = "created anew"
				}
				out[fmt.Sprintf("%s watched=%t", what, len(v.watching(x.done)) > 0)]++
			}
		}
	}
}
