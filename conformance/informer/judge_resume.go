package informer

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// request is one of an informer's, with what it knew before and what followed.
type request struct {
	*rig.Exchange
	next *rig.Exchange // what followed its end, or it; nil: none came
	seen string        // the resourceVersion that it had seen for certain when the request ended: of a list, a watch's start, an event
	at   []string      // those at which it may have been then; none: that is not known

	virtual bool // time
	listed  bool // lists were made while it, or a watch before it, was open: the informer makes them for a reason of its own
}

// requests are those of an informer, one after the other, while it is judged by them: until it is stopped, or the
// server breaks the contract.
func (v *observed) requests() []request {
	if v.blurred {
		return nil // some are missing
	}
	var out []request
	var seen string
	var at []string
	listed := false
	for i, x := range v.exchanges {
		if !v.w.sound(x.Call.Num) || v.stopped != nil && v.stopped.Num < x.Call.Num {
			break
		}
		r := request{Exchange: x, virtual: v.w.virtual, listed: listed}
		seen, at = seenBy(x, seen), r.leaves(at)
		r.seen, r.at = seen, at
		for _, y := range v.exchanges[i+1:] {
			if !v.w.sound(y.Call.Num) {
				break
			}
			if !r.amid(y) {
				r.next = y
				break
			}
			if y.IsList() && y.Answer != nil && y.Refused() == nil {
				r.at = append(slices.Clone(r.at), y.Answer.Obj.RV) // from there it may go on, too
			}
			r.listed = r.listed || y.IsList()
		}
		listed = r.listed
		out = append(out, r)
	}
	return out
}

// last is the end of a watch for its client: the ERROR, or what cannot be read, however long it stays open then; nil: it
// has none.
func (r request) last() *history.Event {
	if i := slices.IndexFunc(r.Sent, func(e *history.Event) bool { return !isEvent(e) }); i >= 0 {
		return r.Sent[i]
	}
	return r.Over
}

// amid says that another request was made while this watch was open, and not because it ended. In real time the server may
// tell of the end a moment after the client has heard of it.
func (r request) amid(x *rig.Exchange) bool {
	over := r.last()
	if !r.IsWatch() || over == nil || x.Call.Num > over.Num {
		return false
	}
	return r.virtual || time.Duration(over.At-x.Call.At) >= noPause
}

// brought says that a watch which was opened beside this one has brought a resourceVersion: the next may go on from there.
func (v *observed) brought(r request, rv string) bool {
	return slices.ContainsFunc(v.watches, func(w *openWatch) bool {
		return w.x.Call.Num > r.Call.Num && w.x.Call.Num < r.next.Call.Num &&
			slices.ContainsFunc(w.x.Sent, func(e *history.Event) bool { return e.Obj.RV == rv && e.Num < r.next.Call.Num })
	})
}

// seenBy is what an informer has seen for certain after a request: of a watch that broke off perhaps not its last events.
func seenBy(x *rig.Exchange, before string) string {
	switch {
	case x.Refused() != nil || x.Lost() || x.Answer == nil || continued(x.Answer) != "":
		return before
	case x.IsList():
		return x.Answer.Obj.RV
	case x.IsStream() && streamed(x) == nil:
		return before
	case x.How == "broken":
		return before
	}
	for _, e := range slices.Backward(x.Sent) {
		if e.Obj.RV != "" {
			return e.Obj.RV
		}
	}
	return before
}

// ended is how a watch ended well: cleanly or by breaking off, of which the client hears nothing, and not by an error
// or by the client; nil: it did not.
func (r request) ended() *history.Event {
	if !r.IsWatch() || r.Refused() != nil || r.Failed() != nil || r.How == "stopped" || r.IsStream() && streamed(r.Exchange) == nil || r.spoiled() {
		return nil
	}
	return r.Over
}

func (r request) spoiled() bool {
	return slices.ContainsFunc(r.Sent, func(e *history.Event) bool { return e.Kind == rig.SpoiledFrame })
}

// lived says that a watch has brought an event, or lasted a second and a half, so that nobody takes it for a failure;
// of a streaming list, after its end mark.
func (r request) lived() bool {
	sent, lasted := r.Sent, r.lasted()
	if i := slices.IndexFunc(sent, endMark); i >= 0 {
		lasted -= time.Duration(sent[i].At - r.Answer.At)
		sent = sent[i+1:]
	}
	return slices.ContainsFunc(sent, isEvent) && r.How == "clean" || lasted >= 1500*time.Millisecond
}

func isEvent(e *history.Event) bool { return e.Kind != rig.SpoiledFrame && e.Kind != "ERROR" }

func (r request) lasted() time.Duration {
	if r.Over == nil || r.Answer == nil {
		return 0
	}
	return time.Duration(r.Over.At - r.Answer.At)
}

// could are the resourceVersions from which the next watch may go on: after a stream that did not end well, any that it sent.
func (r request) could() []string {
	var all []string
	if !r.IsStream() {
		all = append(all, r.Options.ResourceVersion)
	}
	for _, e := range r.Sent {
		if e.Obj.RV != "" {
			all = append(all, e.Obj.RV)
		}
	}
	if len(all) == 0 || r.How != "clean" || r.Failed() != nil || r.spoiled() || r.Lost() {
		return all
	}
	return all[len(all)-1:]
}

// leaves are the resourceVersions at which an informer may be after a request, with those before it. It need not
// believe a list that is older than it is itself.
func (r request) leaves(before []string) []string {
	switch {
	case r.Refused() != nil || r.Answer == nil || r.IsList() && r.Lost():
		return before
	case r.IsList() && (continued(r.Answer) != "" || r.Options.Continue != ""):
		if n := len(before); n > 1 && before[n-1] == r.Answer.Obj.RV {
			return before // of hundreds of pages each says so
		}
		return append(slices.Clone(before), r.Answer.Obj.RV)
	case r.IsList():
		newer := slices.DeleteFunc(slices.Clone(before), func(rv string) bool { return older(rv, r.Answer.Obj.RV) })
		return append(newer, r.Answer.Obj.RV)
	case r.IsStream() && streamed(r.Exchange) == nil:
		return append(slices.Clone(before), r.could()...)
	}
	return slices.DeleteFunc(r.could(), func(rv string) bool { return rv == "" || rv == "0" })
}

// judgeResumeVersion looks at what follows a watch that ended well, and at the watch that follows a whole list.
func judgeResumeVersion(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, v := range worldOf(h).informers {
		for _, r := range v.requests() {
			if r.next == nil || len(r.at) == 0 || v.follows(r, r.next.Call) {
				continue
			}
			rv, after := r.next.Options.ResourceVersion, r.ended()
			from := "@" + strings.Join(r.at, " or @")
			plain := r.next.IsWatch() && !r.next.IsStream()
			if after == nil && plain && r.whole() && r.Answer.Num < r.next.Call.Num {
				after = r.Answer
			}
			switch {
			case after == nil, v.follows(r, after):
				continue
			case plain && !slices.Contains(r.at, rv) && !v.brought(r, rv):
				j.Fail("a WATCH from "+from+", or a list that is not older", "WATCH from "+shownRV(rv), after.Num, r.next.Call.Num)
			case !plain && r.next.Options.Continue == "" && rv != "" && older(rv, r.at[0]):
				j.Fail("a WATCH from "+from+", or a list that is not older", r.next.Call.Kind+" of "+shownRV(rv), r.Over.Num, r.next.Call.Num)
			}
			j.Tested++
		}
	}
	return j
}

// wholeList says that it is a list, all of which came in one answer.
func (r request) whole() bool {
	return r.IsList() && r.Refused() == nil && !r.Lost() && r.Answer != nil && continued(r.Answer) == ""
}

func shownRV(rv string) string {
	if rv == "" {
		return "no resourceVersion"
	}
	return "@" + rv
}

// judgeNoRelist wants a watch after each that lived.
func judgeNoRelist(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, v := range worldOf(h).informers {
		for _, r := range v.requests() {
			if r.ended() == nil || r.next == nil || !r.lived() || v.w.down(r.Call.Num, r.next.Call.Num) || r.next.Call.Num < r.Over.Num {
				continue
			}
			lists := r.next.IsList() || r.next.IsStream()
			if lists && (r.listed || v.replaced(r)) || v.follows(r, r.Over) {
				continue // nobody knows why; or another watch goes on
			}
			if j.Tested++; lists {
				j.Fail("a WATCH", r.next.Call.Kind+" of "+shownRV(r.next.Options.ResourceVersion), r.Over.Num, r.next.Call.Num)
			}
		}
	}
	return j
}

// down says that the network went between two events: what was asked for then, no server has seen.
func (w *world) down(from, to int32) bool {
	return slices.ContainsFunc(w.downs, func(num int32) bool { return num > from && num < to })
}

// failure is the error with which a request ended, as a status or in its stream, and the event that told it; nil: none.
func (r request) failure() (*history.Error, *history.Event) {
	if err := r.Refused(); err != nil {
		return err, r.Answer
	}
	if e := r.Failed(); e != nil {
		return e.Err(), e
	}
	return nil, nil
}

// judgeExpired looks at what follows each 410, up to the first request that is answered.
func judgeExpired(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, v := range worldOf(h).informers {
		all := v.requests()
		for i, r := range all {
			err, at := r.failure()
			if err == nil || err.Code != 410 || r.next == nil || v.follows(r, at) {
				continue
			}
			j.Tested++
			for _, next := range all[i+1:] {
				if r.amid(next.Exchange) {
					continue
				}
				if bad := r.after410(next); bad != "" {
					j.Fail("a list that may be newer: not older than "+shownRV(r.seen)+", or most recent", bad, at.Num, next.Call.Num)
					break
				}
				if next.IsStream() && streamed(next.Exchange) != nil {
					break // it is as good as a list: what fails then is a watch
				}
				if err, _ := next.failure(); err == nil && !next.useless() || err != nil && err.Code == 410 {
					break
				}
			}
		}
	}
	return j
}

// after410 says what is wrong with a request that follows; "": nothing.
func (r request) after410(next request) string {
	o := next.Options
	what := fmt.Sprintf("%s of %s", next.Call.Kind, shownRV(o.ResourceVersion))
	exactly := o.ResourceVersion != "" && o.ResourceVersion != "0"
	again := exactly && o.ResourceVersion == r.Options.ResourceVersion && r.Refused() != nil
	switch {
	case next.IsWatch() && !next.IsStream():
		return "WATCH from " + shownRV(o.ResourceVersion)
	case o.Continue != "":
		return what + ", by a continue token"
	case exactly && o.ResourceVersionMatch == "Exact":
		return what + ", exactly"
	case exactly && o.ResourceVersionMatch == "" && o.Limit > 0:
		return fmt.Sprintf("%s with limit %d, which a server takes for exactly that", what, o.Limit)
	case again && r.IsList(), again && r.IsStream() && next.IsStream():
		return what + ", which was refused"
	case o.ResourceVersion != "" && older(o.ResourceVersion, r.seen):
		return what
	}
	return ""
}

// judgeTooLarge counts refusals in a row until it asks for the most recent. One that is given what it asks for, as a list where
// watches are refused, had no need to; where lists of the same were refused before, nobody knows whether it would have.
func judgeTooLarge(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, v := range worldOf(h).informers {
		var row []int32
		lists := 0 // of those in the row, or streaming lists
		for _, r := range v.requests() {
			if r.IsStream() && streamed(r.Exchange) != nil && r.Options.ResourceVersion != "" {
				row, lists = nil, 0 // it is as good as a list: what fails then is a watch
			}
			_, at := r.failure()
			switch {
			case at != nil && v.follows(r, at):
			case rig.TooLarge(at) && r.Options.ResourceVersion != "":
				if r.IsList() || r.IsStream() && streamed(r.Exchange) == nil {
					lists++
				}
				if row = append(row, at.Num); len(row) == v.w.chances(r.Exchange) {
					j.Tested++
					j.Fail("a list with resourceVersion unset, in the end", fmt.Sprintf("%s of %s again, %d times", r.Call.Kind, shownRV(r.Options.ResourceVersion), len(row)), row[0], at.Num)
				}
			case len(row) > 0 && r.Options.ResourceVersion == "" && (r.IsList() || r.IsStream()):
				j.Tested++
				row, lists = nil, 0
			case len(row) > 0 && r.caughtUp():
				if j.Tested++; lists > 0 && len(j.Bad) == 0 {
					j.Undecided = fmt.Sprintf("lists of %s were refused %d times, and then given: too few to say that it would ask for ever", shownRV(r.Options.ResourceVersion), lists)
				}
				row, lists = nil, 0
			}
		}
		if lists > 0 && len(j.Bad) == 0 && j.Undecided == "" {
			j.Undecided = fmt.Sprintf("lists were refused %d times, and the most recent was not asked for: too few to say that it never will be", lists)
		}
	}
	return j
}

// caughtUp says that the server had what was asked for: a list came, or a watch was opened.
func (r request) caughtUp() bool {
	return r.Answer != nil && r.Refused() == nil && !r.Lost() && !r.IsStream()
}

// struck is the event by which an answer did not come as it should, or a watch ended with an error; nil: it did not.
func (r request) struck() *history.Event {
	switch _, at := r.failure(); {
	case at != nil:
		return at
	case r.Lost() || r.spoiled() || r.IsStream() && streamed(r.Exchange) == nil:
		return r.Over
	}
	return nil
}

// judgeErrors wants another request after each that failed.
func judgeErrors(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, v := range worldOf(h).informers {
		rests := v.resting()
		for _, r := range v.requests() {
			at := r.struck()
			if at == nil {
				continue
			}
			i := slices.IndexFunc(rests, func(x rest) bool { return x.num > at.Num })
			if i < 0 {
				continue
			}
			none := r.next == nil || r.next.Call.Num > rests[i].num
			if none && v.follows(r, &h.Events[rests[i].num-1]) {
				continue
			}
			if j.Tested++; none {
				j.Fail("another request", "none, though nothing goes wrong any more", at.Num, rests[i].num)
			}
		}
	}
	return j
}
