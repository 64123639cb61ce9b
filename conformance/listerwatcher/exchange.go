package listerwatcher

import (
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// exchange is one call of the client's, what it asked the server with for it, and what it made of the answers.
type exchange struct {
	h            *history.History
	call, answer *history.Event // answer is nil where it has not returned
	args         called
	body         returned
	requests     []*request
	events       []*history.Event // that the client delivered, in order, ERRORs too
	ended        *history.Event   // the stream, for the consumer
	stopped      *history.Event   // the call of the drive's Stop or cancel
	cancelled    bool             // it was a cancel
	then         *history.Event   // a Stop after that
	released     *history.Event   // the return of the Stop or cancel
	read         *history.Event   // the call by which a story begins to read
	settled      *history.Event   // the last time that it had all the time it needs
	settles      []*history.Event // each time
	down         *history.Event   // connections were refused while it was under way, from this on the last time: the server does not know of all that it asked
	up           *history.Event   // and were taken again after that
}

// request is one that the server was sent for a call.
type request struct{ *rig.Exchange }

// exchanges are those of a history, in the order of the calls.
func exchanges(h *history.History) []*exchange { return history.Derive(h, collect) }

// perCall returns the rule's judge that applies judge to each call.
func perCall(judge func(*exchange, *harness.Judgement)) func(*history.History) harness.Judgement {
	return func(h *history.History) (j harness.Judgement) {
		for _, x := range exchanges(h) {
			judge(x, &j)
		}
		return j
	}
}

// perResumed returns the rule's judge that applies watch to each watch of a client that resumes by itself, and wait to each wait.
func perResumed(watch, wait func(*exchange, *harness.Judgement)) func(*history.History) harness.Judgement {
	return perCall(func(x *exchange, j *harness.Judgement) {
		switch {
		case !has(x.h, Retries):
		case x.call.Kind == rig.Watch && x.failed() == nil:
			watch(x, j)
		case x.call.Kind == untilKind:
			wait(x, j)
		}
	})
}

func collect(h *history.History) []*exchange {
	c := collector{h: h, of: map[int32]*exchange{}, tags: map[string]*exchange{}}
	requests := rig.Exchanges(h)
	for i := range h.Events {
		e := &h.Events[i]
		switch {
		case e.Kind == history.GaveUp:
			return c.all // what comes back after that was called off
		case !rig.IsServer(e.Actor):
			c.client(e)
		case len(requests) > 0 && requests[0].Call == e:
			c.request(requests[0])
			requests = requests[1:]
		}
	}
	return c.all
}

type collector struct {
	h    *history.History
	all  []*exchange
	of   map[int32]*exchange
	tags map[string]*exchange
}

// request assigns a request to the call with its tag, or, without a tag, to the call that has none. The server does not read the options of a request
// that is neither a list nor a watch, or that it refuses for its credentials: whose that is nobody knows.
func (c *collector) request(r *rig.Exchange) {
	if r.Call.Kind == rig.Other && len(r.Asked.Options) == 0 {
		return
	}
	if x := c.tags[tagOf(r.Options.LabelSelector)]; x != nil {
		x.requests = append(x.requests, &request{r})
	}
}

func (c *collector) client(e *history.Event) {
	switch {
	case e.Phase == history.Call && (e.Kind == rig.List || e.Kind == rig.Watch || e.Kind == untilKind):
		x := &exchange{h: c.h, call: e, args: history.ArgsOf[called](e)}
		c.all, c.of[e.Num], c.tags[tagOf(x.args.Options.LabelSelector)] = append(c.all, x), x, x
	case e.Phase == history.Call && (e.Kind == stopKind || e.Kind == cancelKind):
		switch x := c.of[history.ArgsOf[endArgs](e).Watch]; {
		case x == nil:
		case x.stopped == nil:
			x.stopped, x.cancelled = e, e.Kind == cancelKind
		case x.cancelled && e.Kind == stopKind:
			x.then = e
		}
	case e.Phase == history.Return && (e.Kind == stopKind || e.Kind == cancelKind):
		for _, x := range c.all {
			if x.stopped != nil && x.stopped.Num == e.Call {
				x.released = e
			}
		}
	case e.Phase == history.Call && e.Kind == readKind:
		if x := c.of[history.ArgsOf[readArgs](e).Watch]; x != nil {
			x.read = e
		}
	case e.Phase == history.Call && e.Kind == rig.Down:
		for _, x := range c.all {
			if x.ended == nil && (x.answer == nil || x.call.Kind == rig.Watch) {
				x.goesDown(e)
			}
		}
	case e.Phase == history.Call && e.Kind == rig.Up:
		for _, x := range c.all {
			if x.down != nil && x.up == nil {
				x.up = e
			}
		}
	case c.of[e.Call] == nil:
	case e.Phase == history.Return:
		x := c.of[e.Call]
		x.answer = e
		x.body = history.BodyOf[returned](e)
	default:
		c.of[e.Call].notice(e)
	}
}

// goesDown breaks what is open: the server sees no more than that it is closed. Nor has the client read the end of its last
// request yet.
func (x *exchange) goesDown(down *history.Event) {
	x.down, x.up = down, nil
	for _, r := range x.requests {
		if r.Answer != nil && r.Over != nil && (r.Over.Num > down.Num || r == x.last()) {
			cut := *r.Exchange
			cut.How = "broken"
			r.Exchange = &cut
		}
	}
}

func (x *exchange) notice(e *history.Event) {
	switch e.Kind {
	case history.Ended:
		x.ended = e
	case history.Settled:
		x.settled, x.settles = e, append(x.settles, e)
	default:
		x.events = append(x.events, e)
	}
}

// last is the request that decided what came of the call; nil: there was none.
func (x *exchange) last() *request {
	if len(x.requests) == 0 {
		return nil
	}
	return x.requests[len(x.requests)-1]
}

// cutShort reports whether the drive stopped the call, or cancelled it, before it had ended or had all the time that it needs.
func (x *exchange) cutShort() bool {
	return x.stopped != nil && !x.endedItself() && (x.settled == nil || x.settled.Num > x.stopped.Num)
}

// endedItself says that the stream ended before the drive let go of it.
func (x *exchange) endedItself() bool {
	return x.ended != nil && (x.stopped == nil || x.ended.Num < x.stopped.Num)
}

// overInTime says that the stream has ended, and not only by the drive that let go of it when it had had all the time it needs.
func (x *exchange) overInTime() bool {
	return x.ended != nil && (x.endedItself() || x.rested() == nil)
}

// rested is the last time that the call had had all the time it needs before the drive let go of it; nil: it never had.
func (x *exchange) rested() *history.Event {
	for _, s := range slices.Backward(x.settles) {
		if x.stopped == nil || s.Num < x.stopped.Num {
			return s
		}
	}
	return nil
}

// asked are the requests of the call up to where the drive let go of it.
func (x *exchange) asked() []*request {
	if x.stopped == nil {
		return x.requests
	}
	n := slices.IndexFunc(x.requests, func(r *request) bool { return r.Call.Num > x.stopped.Num })
	if n < 0 {
		return x.requests
	}
	return x.requests[:n]
}

// returned says that the call has, without an error or with one.
func (x *exchange) returned() bool { return x.answer != nil }

// failed is the error that the call returned; nil: none.
func (x *exchange) failed() *history.Error {
	if x.answer == nil {
		return nil
	}
	return x.answer.Err()
}

// raw says that a fault answered in place of the server; by what, the answer says.
func (r *request) raw() bool {
	return slices.ContainsFunc(r.Faults, func(f rig.FaultBody) bool { return strings.HasPrefix(f.Does, "answer ") })
}

// strange reports whether a fault answered a watch with 200 and something that is no stream of events.
func (r *request) strange() bool {
	return r.IsWatch() && r.raw() && (r.Refused() == nil || r.Refused().Code == 200)
}

// opened says that a watch was, whatever came of it then.
func (r *request) opened() bool {
	return r.IsWatch() && r.Answer != nil && r.Refused() == nil && !r.raw()
}

// code is what the server refused a request with, and the client heard of; 0: it did not.
func (r *request) code() int {
	if r.Refused() == nil || r.Lost() {
		return 0
	}
	return r.Refused().Code
}

// busy says that an error is one after which a client may ask again: 429, or one of the server's own.
func busy(err *history.Error) bool { return err != nil && (err.Code == 429 || err.Code >= 500) }

// spoiled says that an event of a watch is one that cannot be read.
func spoiled(e *history.Event) bool { return e.Kind == rig.SpoiledFrame }
