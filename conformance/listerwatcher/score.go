package listerwatcher

import (
	"encoding/json"
	"fmt"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness/history"
)

// score counts the classes of what happened between a client, its callers and its server. Of each request they are the
// pair of what it was for and what the server did to it, "asks=A got=G":
//
//	A  list, page (for whoever gave the token); next (a further one, which its caller knows nothing of), relist (from
//	   the beginning, by itself); watch, stream (a streaming list), rewatch (by itself); wait-list, wait-watch
//	G  see rig.Exchange.Got
//
// Of each call they are what its caller set, what came of it, and how it was let go of.
func score(h *history.History) map[string]int {
	out := map[string]int{}
	all := exchanges(h)
	for i, x := range all {
		x.sets(out)
		for n, r := range x.requests {
			out["asks="+x.asks(n)+" got="+r.Got()]++
		}
		x.waited(out)
		x.carried(out)
		x.gave(out)
		x.letGoOf(out, has(h, Retries))
		if i > 0 && all[i-1].underWay(x.call.Num) {
			out[x.call.Kind+" at-once"]++
		}
	}
	return out
}

// sets counts what a caller asked for, and with all the rest left unset.
func (x *exchange) sets(out map[string]int) {
	o := x.args.Options
	o.LabelSelector = untagged(o.LabelSelector)
	var set map[string]any
	if json.Unmarshal([]byte(inWords(o)), &set) != nil {
		return // it says an error
	}
	if rv := o.ResourceVersion; rv == "0" {
		out[x.call.Kind+" sets=resourceVersion-0"]++
		delete(set, "resourceVersion")
	}
	for name, to := range set {
		class := x.call.Kind + " sets=" + name
		if name == "resourceVersionMatch" || name == "sendInitialEvents" || name == "timeoutSeconds" && to == 0.0 {
			class += fmt.Sprint("-", to)
		}
		out[class]++
	}
	if len(set) == 0 && o.ResourceVersion == "" {
		out[x.call.Kind+" sets=nothing"]++
	}
}

// asks says what a request of the call was for.
func (x *exchange) asks(n int) string {
	r := x.requests[n]
	switch {
	case x.call.Kind == untilKind:
		return map[bool]string{true: "wait-list", false: "wait-watch"}[r.IsList()]
	case r.IsList() && r.further(x):
		return "next"
	case r.IsList() && n > 0:
		return "relist"
	case r.IsList() && r.Options.Continue != "":
		return "page"
	case r.IsList():
		return "list"
	case n > 0:
		return "rewatch"
	case r.IsStream():
		return "stream"
	}
	return "watch"
}

// carried counts how its requests and answers went over the wire.
func (x *exchange) carried(out map[string]int) {
	for _, r := range x.requests {
		for _, way := range r.Carried() {
			out[r.Call.Kind+" "+way]++
		}
		if r.Dead != nil {
			out["died under="+r.Call.Kind]++
		}
	}
}

// waited counts what told a client that asked again when to do so.
func (x *exchange) waited(out map[string]int) {
	for n, r := range x.requests {
		if r.retryAfter() == 0 || n+1 == len(x.requests) {
			continue
		}
		by := "Status"
		switch {
		case r.Failed() != nil:
			by = "ERROR"
		case r.raw():
			by = "header"
		}
		out["retry-after="+by]++
	}
}

// gave counts what came of a call.
func (x *exchange) gave(out map[string]int) {
	for _, e := range x.events {
		out["gives="+e.Kind]++
	}
	if x.ended != nil {
		out["gives="+history.Ended]++
	}
	switch kind := x.call.Kind; {
	case x.answer == nil:
		out[kind+" gives=no-answer"]++
	case x.failed() != nil && x.failed().Code == 0:
		out[kind+" gives=error"]++
	case x.failed() != nil:
		out[kind+" gives=status"]++
	case kind == untilKind:
		out[kind+" gives=met"]++
	case kind == rig.List && len(history.Items(x.answer)) == 0:
		out[kind+" gives=nothing"]++
	case kind == rig.List:
		out[kind+" gives=items"]++
		if x.body.Continue != "" {
			out[kind+" gives=continue"]++
		}
		if x.body.Remaining != nil {
			out[kind+" gives=remaining"]++
		}
	}
}

// letGoOf says what a call was about when it was stopped, or cancelled.
func (x *exchange) letGoOf(out map[string]int, retries bool) {
	if x.stopped == nil {
		return
	}
	of := "idle"
	switch {
	case x.answer == nil || x.answer.Num > x.stopped.Num:
		of = "opening"
		if x.call.Kind == untilKind && retries && x.pauses() {
			of = "pause"
		}
	case x.ended != nil && x.ended.Num < x.stopped.Num:
		of = "ended"
	case retries && x.pauses():
		of = "pause"
	case len(x.before(x.stopped)) < x.sentBefore(x.stopped.Num):
		of = "unread"
	case len(x.before(x.stopped)) > 0:
		of = "read"
	}
	out[x.stopped.Kind+" of="+of]++
}

// pauses says that all it had asked for was at an end when it was let go of.
func (x *exchange) pauses() bool {
	r := x.lastBy(x.stopped)
	if r == nil {
		return false
	}
	end := r.Over
	if r.code() >= 400 || r.Lost() && end == nil {
		end = r.Answer
	}
	return end != nil && end.Num < x.stopped.Num
}

// sentBefore counts what was sent before an event.
func (x *exchange) sentBefore(num int32) (n int) {
	for _, r := range x.requests {
		for _, e := range r.Sent {
			if e.Num < num {
				n++
			}
		}
	}
	return n
}

// underWay says that a call had no answer when an event happened.
func (x *exchange) underWay(num int32) bool { return x.answer == nil || x.answer.Num > num }
