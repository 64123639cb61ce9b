package informer

import (
	"fmt"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

func pagesChecks() []story.Check {
	return []story.Check{
		{
			Name:  "pages/complete",
			About: "A first list, and later ones, come in small pages that take their time.",
			Needs: []harness.Feature{PageSize, rig.Cuts, rig.Faults},
			Rules: []harness.Rule{pagesComplete, convergeEqual, convergeTime},
			Span:  5 * time.Minute,
			Steps: seq(opened(Open{PageSize: 3}), fill(8), noStreams(), story.Each([]steps{start(), whileDisconnected(change(1))}, func(_ int, list steps) steps {
				return seq(slow(), list, poll(400*time.Millisecond, 30), clearFaults("slow-*"), settle())
			})),
		}, {
			Name: "pages/complete/expired",
			About: "The second page, or the third, of the first list and of later ones expires, with a token to go on by or without, and objects " +
				"change before the next attempt.",
			Needs: []harness.Feature{PageSize, rig.Cuts, rig.Faults},
			Rules: []harness.Rule{pagesComplete, convergeEqual, convergeTime},
			Span:  time.Hour,
			// At last they expire because the server has forgotten their state: its refusal then has a token for the rest of the
			// list, as it is by now.
			Steps: seq(opened(Open{PageSize: 3}), pagesMeet(expiredPages), noStreams(), stateForgotten(len(expiredPages)+1), clearFaults("no-streams")),
		}, {
			Name:  "pages/complete/failing",
			About: "Such a page is refused, breaks off, or cannot be read, and objects change before the next attempt.",
			Needs: []harness.Feature{PageSize, rig.Cuts, rig.Faults},
			Rules: []harness.Rule{pagesComplete, convergeEqual, convergeTime},
			Span:  time.Hour,
			Steps: seq(opened(Open{PageSize: 3}), pagesMeet(failingPages)),
		}, {
			Name:  "pages/complete/empty",
			About: "Such a page has no items, and a continue token.",
			Needs: []harness.Feature{PageSize, rig.Cuts, rig.Faults},
			Rules: []harness.Rule{pagesComplete, convergeEqual, convergeTime},
			Span:  time.Hour,
			Steps: seq(opened(Open{PageSize: 3}), pagesMeet(emptyPages)),
		}, {
			Name:  "pages/complete/many",
			About: "More objects than a page of five hundred has are listed again while pages take their time, fail and expire.",
			Needs: []harness.Feature{rig.Cuts, rig.Faults},
			Rules: []harness.Rule{convergeEqual, convergeTime},
			Span:  3 * time.Minute,
			Steps: pagesOf(505),
		}, {
			Name:  "pages/complete/short",
			About: "Pages of three objects, however many are asked for, take their time, fail and expire.",
			Needs: []harness.Feature{rig.Cuts, rig.Faults},
			Rules: []harness.Rule{convergeEqual, convergeTime},
			Span:  3 * time.Minute,
			// Pages may be shorter than asked for. The server makes none if a list has no limit.
			Steps: seq(fault("short", lists(rig.Fault{Limit: 3})), pagesOf(8), clearFaults("short")),
		},
	}
}

// What a further page of a list meets.
var (
	expiredPages = []rig.Fault{{Status: &gone}, {Status: &rig.Status{Code: 410, Reason: "Gone"}}, {Status: &reasonless}, {Status: &gone, Times: 2}}
	failingPages = []rig.Fault{
		{Status: status(500)}, {Status: status(503)}, {Status: status(504)}, {Status: status(429)},
		{Reset: "headers"}, {Reset: "body"}, {Answer: &rig.Answer{Code: 200, Body: "{"}}, {Answer: &statusAs200},
	}
	emptyPages = []rig.Fault{{Empty: true}, {Empty: true}, {Empty: true, Times: 2}} // with a token: of three pages the list goes on by itself
)

// pagesMeet lets each fault strike the second page, and the third, of a list: the first of them of the first list, and each
// of one after a watch. What the pages before had is not true any more at the next attempt.
func pagesMeet(faults []rig.Fault) steps {
	return seq(fill(8), noStreams(), pageMeets(2, "first", faults[0], 0), story.Each(faults, func(i int, f rig.Fault) steps {
		return seq(pageMeets(2, fmt.Sprint("second-", i), f, i+1), pageMeets(3, fmt.Sprint("third-", i), f, i+1))
	}), clearFaults("no-streams"))
}

// pageMeets makes the informer list, and look, while the nth page of its lists meets a fault.
func pageMeets(nth int, name string, f rig.Fault, change int) steps {
	f.Continued, f.Nth = ptr(true), nth-1
	return seq(slow(), midway(name, lists(f), change), clearFaults("slow-*"), settle())
}

// stateForgotten makes the server forget the state that a second page is of.
func stateForgotten(change int) steps {
	return pageMeets(2, "forgotten", rig.Fault{Latency: rig.Duration(12 * time.Second)}, change)
}

// pagesOf lists so many objects again while pages fail and expire.
func pagesOf(objects int) steps {
	return seq(fill(objects), noStreams(), firstListExpires(),
		story.Each([]rig.Fault{expiredPages[0], failingPages[0], failingPages[1]}, func(i int, f rig.Fault) steps {
			return pageMeets(2, fmt.Sprint("page-", i), f, i+1)
		}), stateForgotten(len(expiredPages)), clearFaults("no-streams"))
}

// midway lets a list fail when a part of it has come, and delays what is asked for after it. Meanwhile objects of that part
// are deleted, changed and created again. The informer lists because it starts (change 0), or because it has missed the
// nth change. A part with a latency is one that the server has forgotten by then. It comes later if the informer asks first
// for a list that nobody has any more: so there are deletions in the middle of that, too.
func midway(name string, part rig.Fault, changed int) steps {
	slowly := rig.Duration(10 * time.Second)
	again := rig.Fault{Verbs: part.Verbs, Streaming: part.Streaming, Latency: slowly, Nth: 2, Times: 1000} // a further attempt
	more := steps{}
	if part.Streaming != nil {
		more = fault(name+"-list", lists(rig.Fault{Latency: slowly}))
	} else {
		again.Continued = ptr(false)
	}
	list := seq(fault(name, part), fault(name+"-again", again), more)
	forgets := steps{}
	if part.Latency != 0 {
		forgets = forget()
	}
	if changed == 0 {
		list = seq(list, start())
	} else {
		list = whileDisconnected(change(changed), list)
	}
	return seq(list, poll(800*time.Millisecond, 10), del("o0"), put("o1"), del("o2"), put("o2"), forgets,
		poll(800*time.Millisecond, 10), del("o1"), op("delete-created"), advance(time.Minute), clearFaults(name+"*"))
}

// streamsFailMidway lets streaming lists fail when a part has come, which is not true any more at the next attempt.
func streamsFailMidway() steps {
	endings := []rig.Events{{Do: "error", Status: status(429)}, {Do: "error", Status: &gone}, {Do: "close"}, {Do: "error", Status: status(500)}}
	return seq(fill(3), story.Each(endings, func(i int, e rig.Events) steps {
		e.Nth = 3
		return seq(midway(fmt.Sprint("midway-", i), streams(rig.Fault{Times: 1, Events: &e}), i), settle(),
			whileDisconnected(put("o1")), settle()) // the next attempt of an informer that has fallen back to a list
	}))
}
