package informer

import (
	"fmt"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

func syncChecks() []story.Check {
	return []story.Check{
		{
			Name:  "sync/has-synced",
			About: "A first list, or streaming list, of some objects takes its time; HasSynced is asked meanwhile, and ever after.",
			Needs: []harness.Feature{HasSynced, rig.Faults},
			Rules: []harness.Rule{syncHas, convergeEqual},
			Steps: seq(fill(4), slow(), look(), start(), poll(400*time.Millisecond, 16), clearFaults("slow-*"), settle(), lives(), pause(), look(), settle()),
		}, {
			Name:  "sync/has-synced/at-once",
			About: "A first list has many objects: all must be there in the instant in which the informer says that it has synced.",
			Needs: []harness.Feature{HasSynced},
			Rules: []harness.Rule{syncHas, convergeEqual},
			Steps: seq(fill(150), start(), op("await-synced"), settle()),
		}, {
			Name:  "sync/has-synced/empty",
			About: "A first list is empty.",
			Needs: []harness.Feature{HasSynced},
			Rules: []harness.Rule{syncHas},
			Steps: seq(look(), start(), settle(), put("a"), settle()),
		}, {
			Name:  "sync/has-synced/failing",
			About: "First lists fail in every way, before one that does not.",
			Needs: []harness.Feature{HasSynced, rig.Faults},
			Rules: []harness.Rule{syncHas, convergeEqual},
			Span:  30 * time.Minute,
			Steps: seq(fill(4), story.Each(failingLists, func(i int, f rig.Fault) steps {
				f.Nth = i + 1
				return fault(fmt.Sprint("list-", i), lists(f))
			}), fault("list-streams", streams(rig.Fault{Times: 3, Status: status(500)})),
				start(), poll(700*time.Millisecond, 20), advance(15*time.Minute), clearFaults("list-*"), settle()),
		}, {
			Name:  "sync/has-synced/pages",
			About: "A first list comes in pages, each of which takes its time.",
			Needs: []harness.Feature{HasSynced, PageSize, rig.Faults},
			Rules: []harness.Rule{syncHas, convergeEqual},
			Steps: seq(opened(Open{PageSize: 3}), fill(8), slow(), start(), poll(400*time.Millisecond, 30), clearFaults("slow-*"), settle()),
		}, {
			Name:  "sync/handler-synced/relist",
			About: "A later list, or streaming list, takes its time, and a handler is asked meanwhile whether it has synced.",
			Needs: []harness.Feature{Handlers, HandlerSynced, rig.Cuts, rig.Faults},
			Rules: []harness.Rule{syncHandler, convergeEqual},
			Span:  time.Minute,
			Steps: seq(fill(3), handle("h1"), start(), settle(), slow(), whileDisconnected(change(1)),
				poll(400*time.Millisecond, 30), clearFaults("slow-*"), settle()),
		}, {
			Name:  "sync/handler-synced",
			About: "Handlers take their time for one of their first objects, and the first objects of one are deleted before its first call returns.",
			Needs: []harness.Feature{Handlers, ManyHandlers, HandlerSynced},
			Rules: []harness.Rule{syncHandler},
			Steps: seq(fill(3), story.Repeat(3, func(i int) steps {
				h := fmt.Sprint("h", i)
				return seq(handle(h), holdFor(h, fmt.Sprint("o", i)))
			}), handleHeld("h3", ""), look(), start(), catchUp(), look(),
				del("o0", "o1", "o2"), put("o3"), catchUp(), look(), // o3: the end is not empty
				release("h0"), release("h1"), release("h2"), release("h3"), settle()),
		}, {
			Name:  "sync/handler-synced/late",
			About: "The same with handlers that join late: one during the first list, and one that finds nothing.",
			Needs: []harness.Feature{Handlers, ManyHandlers, HandlerSynced},
			Rules: []harness.Rule{syncHandler},
			Steps: seq(fill(3), slow(), start(), advance(500*time.Millisecond), handle("amid"), look(), poll(400*time.Millisecond, 12),
				clearFaults("slow-*"), settle(),
				story.Repeat(3, func(i int) steps {
					h := fmt.Sprint("h", i)
					return seq(handleHeld(h, fmt.Sprint("o", i)), pause(), look(), release(h), settle())
				}),
				handleHeld("h3", ""), pause(), del("o0", "o1", "o2"), catchUp(), look(), release("h3"), settle(),
				handle("finds-nothing"), settle()),
		}, {
			Name: "sync/initial-flag",
			About: "Handlers are there from the start, and join late; objects come right after the first list, later, by a later list, " +
				"and many at once.",
			Needs: []harness.Feature{Handlers, InitialFlag, rig.Cuts, rig.Faults},
			Rules: []harness.Rule{syncInitial, notifyComplete},
			Steps: seq(fill(3), handle("early"), start(), pause(), put("soon"), advance(100*time.Millisecond), put("not-so-soon"), settle(),
				put("later"), settle(), handle("late"), put("after"), settle(),
				whileDisconnected(put("by-list")), settle(),
				atOnce(steps{{Op: "fill", Obj: "at-once-", N: 12}}), settle()),
		}, {
			Name:  "sync/watchlist-refused",
			About: "Streaming lists are refused with each code that an older server, or a proxy, may send.",
			Needs: []harness.Feature{Streams, rig.Faults},
			Rules: []harness.Rule{syncRefused},
			Span:  2 * time.Minute,
			Steps: seq(fill(2), story.Each(refusals, func(i, code int) steps {
				name := fmt.Sprint("refused-", code)
				return seq(fault(name, streams(rig.Fault{Status: status(int32(code))})), startOr(i, expireNext()), settle(), clearFaults(name))
			})),
		}, {
			Name:  "sync/watchlist-fallback/ends",
			About: "Each streaming list ends after its first event, without its end bookmark.",
			Needs: []harness.Feature{Streams, rig.Faults},
			Rules: []harness.Rule{syncFallback},
			Span:  30 * time.Second,
			Grace: time.Hour,
			Steps: streamsMeet(rig.Fault{Events: &rig.Events{Nth: 2, Do: "close"}}, metAtOnce),
		}, {
			Name:  "sync/watchlist-fallback/no-mark",
			About: "No streaming list has an end bookmark.",
			Needs: []harness.Feature{Streams, rig.Faults},
			Rules: []harness.Rule{syncFallback},
			Span:  metByTimeout,
			Grace: time.Hour,
			Steps: streamsMeet(rig.Fault{Events: &rig.Events{Types: []string{"BOOKMARK"}, Do: "drop"}}, metByTimeout),
		}, {
			Name:  "sync/watchlist-fallback/error",
			About: "Each streaming list ends with an ERROR 410.",
			Needs: []harness.Feature{Streams, rig.Faults},
			Rules: []harness.Rule{syncFallback},
			Span:  30 * time.Second,
			Grace: time.Hour,
			Steps: streamsMeet(rig.Fault{Events: &rig.Events{Nth: 1, Do: "error", Status: status(410)}}, metAtOnce),
		}, {
			Name:  "sync/watchlist-fallback/error/other",
			About: "Each streaming list ends with an ERROR: 500 for one informer, 504 for another, 403 for a third.",
			Needs: []harness.Feature{Streams, rig.Faults},
			Rules: []harness.Rule{syncFallback},
			Span:  2 * time.Hour,
			Steps: seq(fill(3), story.Each([]int32{500, 504, 403}, func(i int, code int32) steps {
				actor := nthInformer(informerActor, i+1)
				return seq(open(actor, Open{}), slowStreamsFail(rig.Fault{Events: &rig.Events{Nth: 1, Do: "error", Status: status(code)}}),
					start(actor), advance(40*time.Minute), look(), stop(actor), clearFaults("stream*"))
			})),
		}, {
			Name:  "sync/watchlist-fallback/busy",
			About: "Each streaming list is answered with 429.",
			Needs: []harness.Feature{Streams, rig.Faults},
			Rules: []harness.Rule{syncFallback},
			Span:  5 * time.Minute,
			Grace: time.Hour,
			Steps: streamsMeet(rig.Fault{Status: &rig.Status{Code: 429, RetryAfter: 1}}, metByRetries),
		},
	}
}

// failingLists are what first lists may meet before one is answered.
var failingLists = []rig.Fault{
	{Status: status(500)}, {Status: status(429)}, {Status: status(503)}, {Status: &gone}, {Status: status(403)},
	{Status: status(401)}, {Status: status(404)}, {Status: status(504)}, {Status: &tooLarge},
	{Reset: "headers"}, {Reset: "body"}, {Answer: &statusAs200},
	{Answer: &rig.Answer{Code: 200, Body: `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[`}},
}

// startOr starts the informer in the first round, and does something else in later ones.
func startOr(round int, later steps) steps {
	if round == 0 {
		return start()
	}
	return later
}

// expireNext makes the informer list again: its next watch is refused with 410.
func expireNext() steps {
	return seq(fault("expired", watches(rig.Fault{Nth: 1, Status: status(410)})), cut(), catchUp(), clearFaults("expired"))
}

// nthInformer names the nth informer of a namespace.
func nthInformer(actor string, n int) string {
	if n == 1 {
		return actor
	}
	return fmt.Sprint(actor, "-", n)
}

// Real time in which an informer that does not give up has asked four times for what takes two seconds each time.
const (
	metAtOnce    = 20 * time.Second // with pauses that grow from a second on
	metByRetries = 4 * time.Minute  // when its client itself asks ten times more
	metByTimeout = time.Hour        // when it waits each time until its own timeout ends the stream, ten minutes at most
)

// latency delays answers that would else be repeated in no time.
const latency = rig.Duration(2 * time.Second)

// streamsMeet starts an informer whose streaming lists all meet a fault, and gives it hours, or as much real time as it
// takes to have met it four times.
func streamsMeet(f rig.Fault, realTime time.Duration) steps {
	return seq(fill(3), slowStreamsFail(f), start(), inVirtualTime(advance(40*time.Minute)), inRealTime(advance(realTime)), look())
}

// slowStreamsFail delays all streaming lists, and makes them meet a fault.
func slowStreamsFail(f rig.Fault) steps {
	return seq(fault("streams-slow", streams(rig.Fault{Latency: latency})), fault("streams-fail", streams(f)))
}
