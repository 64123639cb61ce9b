package informer

import (
	"fmt"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

func stopChecks() []story.Check {
	return []story.Check{
		{
			Name:  "stop/clean",
			About: "The informer is stopped when nothing moves, and objects change after that.",
			Rules: []harness.Rule{stopClean, stopPrompt},
			Steps: seq(fill(3), handle("h1"), start(), settle(), stop(), change(1), advance(time.Second), with("look", Look{SyncedOnly: true})),
		}, {
			Name:  "stop/clean/handler",
			About: "It is stopped while a handler is held with a backlog.",
			Needs: []harness.Feature{Handlers},
			Rules: []harness.Rule{stopClean, stopPrompt},
			Steps: seq(fill(3), twoHandlers(), start(), settle(), hold("h1"), churn(20), pause(), cancel(), advance(time.Second), release("h1"), awaitStop()),
		}, {
			Name:  "stop/clean/list",
			About: "It is stopped while its first list, or streaming list, gets no answer.",
			Needs: []harness.Feature{rig.Faults},
			Rules: []harness.Rule{stopClean, stopPrompt},
			Spans: oneList,
			Steps: seq(fill(3), fault("hang", all(rig.Fault{Hang: "headers"})), start(), advance(time.Second), stop()),
		}, {
			Name:  "stop/clean/page",
			About: "It is stopped while a further page of its first list gets no answer.",
			Needs: []harness.Feature{PageSize, rig.Faults},
			Rules: []harness.Rule{stopClean, stopPrompt},
			Spans: oneList,
			Steps: seq(opened(Open{PageSize: 3}), fill(8), noStreams(), fault("page", lists(rig.Fault{Continued: ptr(true), Hang: "headers"})),
				start(), advance(time.Second), stop()),
		}, {
			Name:  "stop/clean/watch",
			About: "Two are stopped while a watch gets no answer: the first watch of one, and a later one of the other.",
			Needs: []harness.Feature{rig.Cuts, rig.Faults},
			Rules: []harness.Rule{stopPrompt, stopClean},
			// An informer that does not cancel the request is stopped by its answer, four seconds late: in real time that tells
			// more than no end.
			Steps: seq(open(secondActor, Open{}), fill(3), fillOther(3), start(secondActor), advance(5*time.Second),
				fault("hang", watches(rig.Fault{Hang: "headers", For: rig.Duration(14 * time.Second)})), cut(), start(), advance(10*time.Second), stopBoth()),
		}, {
			Name:  "stop/prompt",
			About: "It is stopped in the pause after many failures.",
			Needs: []harness.Feature{rig.Cuts, rig.Faults},
			Rules: []harness.Rule{stopPrompt, stopClean},
			Span:  10 * time.Minute,
			Steps: seq(fill(3), start(), settle(), fault("refused", all(rig.Fault{Status: status(503)})), cut(), advance(minutes), stop()),
		}, {
			Name:  "stop/prompt/busy",
			About: "Two are stopped in the pause after each list and watch was refused with 429, from the first on.",
			Needs: []harness.Feature{rig.Faults},
			Rules: []harness.Rule{stopPrompt, stopClean},
			Span:  10 * time.Minute,
			Steps: stopPausing(false, fault("busy", all(rig.Fault{Status: status(429)}))),
		}, {
			Name:  "stop/prompt/busy/watch",
			About: "One that has listed, and one that starts then, are stopped in the pause after each watch was refused with 429.",
			Needs: []harness.Feature{rig.Cuts, rig.Faults},
			Rules: []harness.Rule{stopPrompt, stopClean},
			Span:  10 * time.Minute,
			Steps: stopPausing(true, fault("busy", watches(rig.Fault{Status: status(429)}))),
		}, {
			Name:  "stop/prompt/busy/stream",
			About: "One that has listed, and one that starts then, are stopped in the pause after each watch ended with a 429 in the stream.",
			Needs: []harness.Feature{rig.Cuts, rig.Faults},
			Rules: []harness.Rule{stopPrompt, stopClean},
			Span:  10 * time.Minute,
			Steps: stopPausing(true, fault("busy", watches(rig.Fault{Events: &rig.Events{Do: "error", Nth: 1, Status: status(429)}}))),
		}, {
			Name: "stop/prompt/away",
			About: "Two are stopped in the pause after connections were refused for minutes, from the first on; then one that had listed before " +
				"that.",
			Needs: []harness.Feature{rig.Cuts},
			Rules: []harness.Rule{stopPrompt, stopClean},
			Span:  10 * time.Minute,
			Steps: seq(stopPausing(false, refuse()), accept(), open("informer-2", Open{}), start("informer-2"), advance(5*time.Second),
				refuse(), advance(untilAmid), stop("informer-2")),
		}, {
			Name: "stop/prompt/failing",
			About: "One pair after the other is stopped in the pause after what it meets from the start on: lists that are refused with 403, 410, 503 " +
				"or 504, or cut; further pages with 410, 429 or 503; watches with 403, 410 or 504, or cut, or that end with an ERROR 410 or 500.",
			Needs: []harness.Feature{rig.Faults},
			Rules: []harness.Rule{stopPrompt, stopClean},
			Span:  30 * time.Minute,
			Steps: seq(fill(8), steps{{Op: "fill", Obj: "other/x", N: 8, With: rig.Put{Bare: true}}}, story.Each(failings, stopFailing)),
		}, {
			Name:  "stop/prompt/resync",
			About: "Two are stopped: shortly after its handler is due to be notified of everything again, and shortly before.",
			Needs: []harness.Feature{Handlers, Resync},
			Rules: []harness.Rule{stopPrompt, stopClean},
			Steps: seq(opened(resyncing), open(secondActor, resyncing), fill(1), fillOther(1), handle("h1"),
				steps{{Op: "handle", Actor: "h2", With: Handle{Informer: secondActor}}},
				start(), advance(3*time.Second), start(secondActor), advance(7500*time.Millisecond), cancel(), pause(), cancel(secondActor), awaitStop(informerActor, secondActor)),
		}, {
			Name:  "stop/clean/at-once",
			About: "One is stopped as it starts, and one amid changes.",
			Rules: []harness.Rule{stopClean, stopPrompt},
			Spans: oneList,
			Steps: seq(fill(3), start(), stop(), open(secondActor, Open{}), start(secondActor), pause(), fillOther(5), stop(secondActor)),
		}, {
			Name:  "stop/clean/liar",
			About: "The server breaks the contract in many ways; then the informer is stopped.",
			Needs: []harness.Feature{rig.Cuts, rig.Views, rig.Faults},
			Rules: []harness.Rule{stopClean, stopPrompt},
			Span:  time.Hour,
			Steps: seq(fill(3), handle("h1"), start(), catchUp(), story.Each(lies, meetLie), view(rig.Lag), change(99), pause(), view(rig.AnswerOld),
				listAgain(), view(rig.UseSecond), listAgain(), view(rig.UseFirst),
				listAgain(), noStreams(), view(rig.UseSecond), listAgain(), view(rig.UseFirst), clearFaults("no-streams"),
				view(rig.UpToDate), advance(time.Minute), stop()),
		}, {
			Name:  "lifecycle/twice",
			About: "It is started a second time while it runs, and once more after it has stopped.",
			Needs: []harness.Feature{Restarts},
			Rules: []harness.Rule{lifecycleTwice, convergeEqual},
			Steps: seq(fill(3), start(), settle(), startAgain(), churn(4), settle(), stop(), startAgain(), awaitStop()),
		}, {
			Name:  "lifecycle/stopped",
			About: "A handler is added after the stop.",
			Needs: []harness.Feature{Handlers, ManyHandlers},
			Rules: []harness.Rule{lifecycleStopped, stopClean},
			Steps: seq(fill(3), handle("h1"), start(), settle(), stop(), handle("late"), awaitStop()),
		},
	}
}

const (
	minutes = 3*time.Minute + 10*time.Second // in the middle of a pause of half a minute, say
	apart   = 6500 * time.Millisecond        // pauses of two that start so, each twice as long as the last, never end together
	// untilAmid is in the middle of a pause if these begin with a second, and each is twice as long, up to half a minute. No
	// pause ends with it.
	untilAmid = 40303 * time.Millisecond
)

var resyncing = Open{Resync: story.Duration(10 * time.Second)}

func stopBoth() steps {
	return seq(cancel(informerActor, secondActor), awaitStop(informerActor, secondActor))
}

// stopPausing stops two informers when all their requests have failed for minutes: one might be just about to ask again. The
// first may have listed before; the second starts when requests fail.
func stopPausing(listed bool, fails steps) steps {
	first := seq(fails, start())
	if listed {
		first = seq(start(), settle(), fails, cut())
	}
	return seq(open(secondActor, Open{}), fill(3), first, advance(apart), start(secondActor), change(1), fillOther(1), advance(minutes), stopBoth())
}

// failings are what informers meet from their start on, one each: every list and streaming list, lists alone, further
// pages, or every watch that follows a list.
var failings = []rig.Fault{
	all(rig.Fault{Status: status(403)}), all(rig.Fault{Status: status(503)}), all(rig.Fault{Status: status(504)}),
	lists(rig.Fault{Status: &gone}), lists(rig.Fault{Reset: "body"}),
	lists(rig.Fault{Continued: ptr(true), Status: &gone}), lists(rig.Fault{Continued: ptr(true), Status: status(429)}), lists(rig.Fault{Continued: ptr(true), Status: status(503)}),
	watches(rig.Fault{Status: status(403)}), watches(rig.Fault{Status: &gone}), watches(rig.Fault{Status: status(504)}),
	watches(rig.Fault{Events: atStart("break", nil)}), watches(rig.Fault{Events: atStart("error", &gone)}), watches(rig.Fault{Events: atStart("error", status(500))}),
}

// stopFailing stops the nth pair of informers: one might be just about to ask again. Their pages are small if further pages
// fail, and pages can be.
func stopFailing(i int, f rig.Fault) steps {
	a, b := nthInformer(informerActor, i+1), nthInformer(secondActor, i+1)
	pair := seq(open(a, Open{}), open(b, Open{}))
	if f.Continued != nil {
		small := Open{PageSize: 3}
		pair = seq(story.When(PageSize, seq(open(a, small), open(b, small))...), story.When("!"+PageSize, pair...))
	}
	return seq(pair, fault("failing", f), noStreams(), start(a), advance(apart), start(b), advance(untilAmid-apart),
		cancel(a), pause(), cancel(b), awaitStop(a, b), clearFaults("no-streams"), clearFaults("failing"))
}

// lie is what only a server does that breaks the contract itself. The scorecard names some by their fault.
type lie struct {
	name string
	rig.Events
}

var lies = []lie{
	{"double", rig.Events{Do: "double"}}, {"swap", rig.Events{Do: "swap", Nth: 1}}, {"drop", rig.Events{Do: "drop", Nth: 2}},
	{"ahead", rig.Events{Do: "lie", Nth: 2, By: -3}}, {"old", rig.Events{Do: "lie", Types: []string{"BOOKMARK"}, By: -3}}, {"early", rig.Events{Do: "early", Nth: 1}},
	{"twice", rig.Events{Do: "double", Types: []string{"BOOKMARK"}}},
	{"unknown", instead(2, "STRANGE", "ConfigMap", 7)}, {"other", instead(2, "ADDED", "Secret", 7)},
	{"modified", instead(1, "MODIFIED", "ConfigMap", 3)}, {"deleted", instead(1, "DELETED", "ConfigMap", 3)},
}

// instead is an event of that type, with an object of that kind, in place of the nth.
func instead(nth int, event, kind string, rv int) rig.Events {
	return rig.Events{Do: "replace", Nth: nth,
		Frame: fmt.Sprintf(`{"type":%q,"object":{"kind":%q,"apiVersion":"v1","metadata":{"name":"odd","namespace":"$NAMESPACE","resourceVersion":"%d"}}}`, event, kind, rv)}
}

// meetLie lets a watch tell a lie, and then a streaming list.
func meetLie(i int, l lie) steps {
	threeMinutes := advance(3 * time.Minute) // a bookmark comes in the first two
	return seq(fault(l.name, watches(rig.Fault{Times: 1, Events: &l.Events})), cut(), change(i+1), threeMinutes, clearFaults(l.name),
		fault(l.name, streams(rig.Fault{Times: 1, Events: &l.Events})), whileDisconnected(change(i+1)), threeMinutes, clearFaults(l.name))
}
