package informer

import (
	"cmp"
	"slices"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness/history"
)

// request is one request of an informer, with what the informer knew and what it requested next.
type request struct {
	*rig.Exchange
	heard     []*history.Event // of a watch: what has certainly reached the informer
	next      *rig.Exchange    // the request that followed its end; nil: none
	seen      string           // the resourceVersion that the informer had certainly seen when the request ended
	positions []string         // the resourceVersions at which the informer may have been then; none: that is not known
	virtual   bool
	doubtful  bool // a list whose answer may not have come
	listed    bool // lists were requested while it, or a watch before it, was open: the informer has reasons of its own for them
}

// findRequests finds the requests by which an informer is judged: until it is stopped, or the server breaks its contract.
func (v *observed) findRequests() {
	if v.uncertain {
		return // some are missing
	}
	var seen string
	var positions []string
	listed := false
	for i, x := range v.exchanges {
		if !v.w.trusted(x.Call.Num) || v.stoppedBy(x.Call.Num) {
			return
		}
		r := request{Exchange: x, heard: v.certainlySeen(x, v.w.end), virtual: v.w.virtual, listed: listed}
		r.doubtful = answeredList(x) && v.w.doubts(x, x.Answer.Num)
		seen, positions = r.seenAfter(seen), r.positionsAfter(positions)
		r.seen, r.positions = seen, positions
		for _, y := range v.exchanges[i+1:] {
			if !v.w.trusted(y.Call.Num) {
				break
			}
			if !r.overlaps(y) {
				r.next = y
				break
			}
			if y.IsList() && y.Answer != nil && y.Refused() == nil {
				r.positions = append(slices.Clone(r.positions), y.Answer.Obj.RV) // it may go on from there, too
			}
			r.listed = r.listed || y.IsList()
		}
		listed = r.listed
		v.requests = append(v.requests, r)
	}
}

// overlaps reports whether x was requested while this watch was open, and not because it had ended. In real time the server
// may record the end a moment after the client has seen it.
func (r request) overlaps(x *rig.Exchange) bool {
	end := r.clientEnd()
	if !r.IsWatch() || end == nil || x.Call.Num > end.Num {
		return false
	}
	return r.virtual || time.Duration(end.At-x.Call.At) >= noPause
}

// clientEnd returns the end of a watch for its client: an ERROR, bytes that it cannot read, or the end of the bytes; nil: none.
func (r request) clientEnd() *history.Event {
	if i := slices.IndexFunc(r.Sent, func(e *history.Event) bool { return !isEvent(e) }); i >= 0 {
		return r.Sent[i]
	}
	return r.Over
}

func isEvent(e *history.Event) bool { return e.Kind != rig.SpoiledFrame && e.Kind != "ERROR" }

// seenAfter returns the resourceVersion that an informer has certainly seen after a request.
func (r request) seenAfter(before string) string {
	switch {
	case r.Refused() != nil || r.Lost() || r.doubtful || r.Answer == nil || continueToken(r.Answer) != "":
		return before
	case r.IsList():
		return r.Answer.Obj.RV
	case r.IsUnfinished():
		return before
	}
	for _, e := range slices.Backward(r.heard) {
		if e.Obj.RV != "" {
			return e.Obj.RV
		}
	}
	return before
}

// certainlySeen returns the events of a watch that have reached the informer at a later event. Those of a watch that broke off may not have, nor
// what was sent after something that it could not read. If the informer itself ended the watch, it need not have read what the
// server had sent, however long before: a slow one drops what waits in its buffer. Then only what it showed counts.
func (v *observed) certainlySeen(x *rig.Exchange, num int32) []*history.Event {
	if x.How == "broken" {
		return nil
	}
	if i := leftAtMark(x); i >= 0 {
		return x.Sent[:i+1]
	}
	end := slices.IndexFunc(x.Sent, func(e *history.Event) bool { return !isEvent(e) })
	if end < 0 {
		end = len(x.Sent)
	}
	for x.How == "stopped" && x.Over.Num < num && end > 0 && !v.showed(x.Sent[end-1], x) {
		end--
	}
	return x.Sent[:end]
}

// showed reports whether the informer showed what an event of x brought while x was open, and not before: a handler was told of
// it, or its store or its version had it; or its next request is from there. What came beside x, or what the informer itself wrote,
// proves nothing.
func (v *observed) showed(e *history.Event, x *rig.Exchange) bool {
	if e.Obj.RV == "" {
		return false
	}
	i, _ := slices.BinarySearchFunc(v.exchanges, x.Over.Num, func(y *rig.Exchange, over int32) int { return cmp.Compare(y.Call.Num, over) })
	if i < len(v.exchanges) && v.exchanges[i].Options.ResourceVersion == e.Obj.RV {
		return true
	}
	first := v.shown[e.Obj.RV]
	return first > e.Num && first < x.Over.Num && !slices.ContainsFunc(v.exchanges, func(y *rig.Exchange) bool {
		end := cmp.Or(y.Over, y.Answer)
		return y != x && y.Call.Num < x.Over.Num && (end == nil || end.Num > x.Call.Num)
	})
}

// findShown finds the first event with which the informer showed each resourceVersion.
func (v *observed) findShown() {
	v.shown = map[string]int32{}
	show := func(rv string, num int32) {
		if first, ok := v.shown[rv]; !ok || num < first {
			v.shown[rv] = num
		}
	}
	for _, l := range v.readings {
		show(l.version, l.done.Num)
		for _, o := range l.items {
			show(o.RV, l.done.Num)
		}
	}
	for _, l := range v.handlers {
		for _, n := range l.notices {
			show(n.state.RV, n.call.Num)
		}
	}
	for _, e := range v.pushes {
		for _, o := range e.X.Items {
			show(o.RV, 0)
		}
	}
	for i := range v.w.h.Events {
		if e := &v.w.h.Events[i]; (e.Kind == writeKind || e.Kind == heldKind) && e.Phase == history.Return {
			show(e.Obj.RV, 0)
		}
	}
}

// leftAtMark returns the index of the bookmark that ends the initial events of a streaming list, if the list ended right after it:
// the informer may have ended it there, whatever was sent behind it; -1: it did not.
func leftAtMark(x *rig.Exchange) int {
	i := slices.Index(x.Sent, x.Mark)
	if !x.IsStream() || i < 0 || x.Over == nil || time.Duration(x.Over.At-x.Sent[i].At) >= noPause {
		return -1
	}
	return i
}

// positionsAfter returns the resourceVersions at which an informer may be after a request. It need not take a list that is
// older than what it has.
func (r request) positionsAfter(before []string) []string {
	switch {
	case r.Refused() != nil || r.Answer == nil || r.IsList() && r.Lost():
		return before
	case r.IsList() && (continueToken(r.Answer) != "" || r.Options.Continue != ""):
		if n := len(before); n > 1 && before[n-1] == r.Answer.Obj.RV {
			return before // a list may have hundreds of pages
		}
		return append(slices.Clone(before), r.Answer.Obj.RV)
	case r.doubtful:
		return append(slices.Clone(before), r.Answer.Obj.RV)
	case r.IsList():
		newer := slices.DeleteFunc(slices.Clone(before), func(rv string) bool { return older(rv, r.Answer.Obj.RV) })
		return append(newer, r.Answer.Obj.RV)
	case r.IsUnfinished():
		fresh := slices.DeleteFunc(r.resumePoints(), func(rv string) bool { return slices.Contains(before, rv) })
		return slices.Concat(before, fresh) // each once: a client may ask for thousands of streams
	}
	return slices.DeleteFunc(r.resumePoints(), func(rv string) bool { return rv == "" || rv == "0" })
}

// resumePoints returns the resourceVersions from which the next watch may go on: the last one, or after a stream that did
// not end well any of them.
func (r request) resumePoints() []string {
	var all []string
	if !r.IsStream() {
		all = append(all, r.Options.ResourceVersion)
	}
	all = append(all, rvsOf(r.Sent)...)
	if i := leftAtMark(r.Exchange); i >= 0 && r.How != "broken" {
		return rvsOf(r.Sent[i:])
	}
	if r.wasLeft() {
		if seen := rvsOf(r.heard); len(seen) > 0 {
			return all[slices.Index(all, seen[len(seen)-1]):]
		}
	}
	if len(all) == 0 || r.How != "clean" || r.Failed() != nil || r.spoiled() || r.Lost() {
		return all
	}
	return all[len(all)-1:]
}

// rvsOf returns the resourceVersions of events that have one.
func rvsOf(sent []*history.Event) (out []string) {
	for _, e := range sent {
		if e.Obj.RV != "" {
			out = append(out, e.Obj.RV)
		}
	}
	return out
}

func (r request) spoiled() bool {
	return slices.ContainsFunc(r.Sent, func(e *history.Event) bool { return e.Kind == rig.SpoiledFrame })
}

// failure returns the error with which a request was refused, or its stream ended, and the event that has it; nil: none.
func (r request) failure() (*history.Error, *history.Event) {
	if err := r.Refused(); err != nil {
		return err, r.Answer
	}
	if e := r.Failed(); e != nil && !r.mayHaveLeft() {
		return e.Err(), e
	}
	return nil, nil
}

// mayHaveLeft reports whether an ERROR was sent behind the bookmark at which the informer may have ended a streaming list, and a
// watch from there followed.
func (r request) mayHaveLeft() bool {
	i := leftAtMark(r.Exchange)
	return i >= 0 && r.next != nil && plainWatch(r.next) && r.next.Options.ResourceVersion == r.Sent[i].Obj.RV
}

// goodEnd returns the end of a watch that was neither an error nor the client's doing: the server ended it, or the connection
// broke; nil: it had none.
func (r request) goodEnd() *history.Event {
	if !r.IsWatch() || r.Refused() != nil || r.Failed() != nil || r.How == "stopped" || r.IsUnfinished() || r.spoiled() || r.lostAt() != nil {
		return nil
	}
	return r.Over
}

// lostAt returns the event with which a watch was lost in a way that clients take for an error: its connection died, or its stream of HTTP/2 was
// reset, which is no end of a body; nil: it was not.
func (r request) lostAt() *history.Event {
	switch {
	case !r.IsWatch():
		return nil
	case r.Dead != nil:
		return r.Dead
	case r.Asked.HTTP2 && r.How == "broken":
		return r.Over
	}
	return nil
}

// wasLeft reports whether the informer itself ended a watch that had not failed.
func (r request) wasLeft() bool {
	return r.IsWatch() && r.Refused() == nil && r.Failed() == nil && r.How == "stopped" && !r.IsUnfinished() && !r.spoiled()
}

// leftAt returns the last event of a watch that the informer ended as it came, after a silence; nil: it did not.
func (r request) leftAt() *history.Event {
	n := len(r.Sent) - 1
	if n < 0 || !r.wasLeft() || r.Sent[n].Obj.RV == "" || time.Duration(r.Over.At-r.Sent[n].At) >= noPause {
		return nil
	}
	before := r.Answer
	if n > 0 {
		before = r.Sent[n-1]
	}
	if time.Duration(r.Sent[n].At-before.At) < noPause {
		return nil
	}
	return r.Sent[n]
}

// worked reports whether a watch had an event and a clean end, or lasted a second and a half, so that nobody takes it for a
// failure; of a streaming list, after its initial events.
func (r request) worked() bool {
	sent, lasted := r.Sent, r.lasted()
	if i := slices.Index(sent, r.Mark); i >= 0 {
		lasted -= time.Duration(sent[i].At - r.Answer.At)
		sent = sent[i+1:]
	}
	return slices.ContainsFunc(sent, isEvent) && r.How == "clean" || lasted >= 1500*time.Millisecond
}

func (r request) lasted() time.Duration {
	if r.Over == nil || r.Answer == nil {
		return 0
	}
	return time.Duration(r.Over.At - r.Answer.At)
}

// took returns how long a request took from its beginning to the end of its bytes, as informers measure it; 0: it has not ended.
func (r request) took() time.Duration {
	if r.Over == nil {
		return 0
	}
	return time.Duration(r.Over.At - r.Call.At)
}

// what names the kind of a request.
func what(x *rig.Exchange) string {
	switch {
	case x.IsStream():
		return "streaming list"
	case x.IsWatch():
		return "watch"
	case x.Options.Continue != "":
		return "page"
	}
	return "list"
}

// plainWatch reports whether x is a watch and no streaming list.
func plainWatch(x *rig.Exchange) bool { return x.IsWatch() && !x.IsStream() }

// describe names a request and its resourceVersion.
func describe(x *rig.Exchange) string {
	of := " of "
	if plainWatch(x) {
		of = " from "
	}
	return x.Call.Kind + of + showRV(x.Options.ResourceVersion)
}

// occasions is how often an informer must have had the occasion to do something before it is blamed for not doing it.
const occasions = 4

// attempts returns how many requests like x make enough occasions: a client over HTTP may itself repeat a request up to ten
// times. After "too large" without Retry-After client-go does not (rest.Request), others do: fabric8's client repeats ten
// times after every 5xx, kube-rs's RetryPolicy three times after every 504.
func (w *world) attempts(x *rig.Exchange) int {
	err := x.Refused()
	if err != nil && w.has(ClientGoSemantics) && rig.TooLarge(x.Answer) && history.BodyOf[rig.StatusBody](x.Answer).RetryAfter == 0 {
		return occasions
	}
	if x.Asked.URI != "" && (x.Lost() || err != nil && (err.Code == 429 || err.Code >= 500)) {
		return 11 * occasions
	}
	return occasions
}
