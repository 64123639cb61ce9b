package listerwatcher

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

func watchChecks() []story.Check {
	return []story.Check{
		{
			Name: "watch/faithful",
			About: "Watches from the start, from now, by streaming list and by selector see objects come, change, go and come again. " +
				"The consumer of one is late, with two hundred events waiting.",
			Needs: []harness.Feature{Watches},
			Rules: []harness.Rule{watchFaithful},
			Steps: seq(put("a"), unread("late"), changes(manyEvents), advance(3*time.Second), startReading("late"), settle("late"), end("late"),
				terminating("held"), putWith("fixed", rig.Put{Immutable: true}),
				watch("unset", Options{}), watch("zero", Options{ResourceVersion: "0"}), watch("now", fromNow), watch("stream", streaming),
				fit(Options{ResourceVersion: "now", FieldSelector: "metadata.name=b"}, func(o Options) steps { return watch("named", o) }),
				lives(), del("fixed"), removeFinalizer("held"), terminating("d"), removeFinalizer("d"), settle("unset", "zero", "now", "stream", "named")),
		}, {
			Name:  "watch/faithful/bookmarks",
			About: "Watches that allow bookmarks get some, between events and alone.",
			Needs: []harness.Feature{Watches, rig.Faults},
			Rules: []harness.Rule{watchFaithful},
			Steps: seq(put("a"), during(watches(rig.Fault{Events: &rig.Events{Do: "early"}}),
				watch("marked", Options{ResourceVersion: "now", AllowWatchBookmarks: true}), watch("initial", Options{AllowWatchBookmarks: true}),
				lives(), settle("marked", "initial"))),
		}, {
			Name:  "watch/faithful/long",
			About: "Watches bring objects of 6,000, 80,000 and 600,000 bytes, and short ones between them.",
			Needs: []harness.Feature{Watches},
			Rules: []harness.Rule{watchFaithful},
			Steps: seq(long("there"), watch("unset", Options{}), watch("now", fromNow), long("came"), long("came"), del("there0", "there1", "there2"), settle("unset", "now")),
		}, {
			Name:  "watch/faithful/split",
			About: "Watches bring text of several alphabets in frames of one byte and of some, and in frames that end within characters.",
			Needs: []harness.Feature{Watches, rig.Faults},
			Rules: []harness.Rule{watchFaithful},
			Steps: seq(put("a"), story.Each([]rig.Bytes{{Frame: 1}, {Inside: true}, {Frame: 100, Inside: true}}, func(_ int, b rig.Bytes) steps {
				return during(watches(rig.Fault{Wire: &b}), watch("w1", fromNow), largeAndForeign("a"), finishRead("w1"))
			})),
		}, {
			Name: "watch/faithful/wire",
			About: "Watches bring ASCII in frames of one byte, dozens of events in one frame, and each ends with its connection, which the server closes " +
				"as it says before; by HTTP/2, and by HTTP/1.1 over TLS, too.",
			Needs: []harness.Feature{Watches, rig.Faults},
			Rules: []harness.Rule{watchFaithful},
			Steps: seq(put("a"), during(watches(rig.Fault{Wire: &rig.Bytes{Frame: 1}}), watch("w1", fromNow), changes(3), finishRead("w1")),
				during(watches(rig.Fault{Wire: &rig.Bytes{Gather: rig.Duration(time.Second)}}), watch("w1", fromNow), changes(30), finishRead("w1")),
				during(watches(rig.Fault{Wire: &rig.Bytes{Close: true, Gather: rig.Duration(time.Second)}}), watch("w1", fromNow), changes(3), finishRead("w1")),
				overWires(nil, seq(watch("w1", fromNow), largeAndForeign("a"), changes(30), finishRead("w1")), nil)),
		}, {
			Name:  "watch/dead-connection",
			About: "Over HTTP/2 with TLS the connection of a watch, and then that of a list, dies: nothing comes any more, nobody is told, and a new connection would work.",
			Needs: []harness.Feature{rig.Faults, rig.HTTP2, rig.Deaths, rig.TLS},
			Rules: []harness.Rule{watchDead},
			Span:  10 * time.Minute,
			Steps: seq(op("serve-tls"), put("a"), when(Watches, watch("w1", fromNow), changes(2), kill("w1")),
				when(Lists, during(lists(rig.Fault{Hang: "body", Nth: 1}), beside(list(Options{})), advance(time.Second), kill("c1"), story.Join("c1"))),
				when(Waits, until("u1", "b", Wait{}), advance(begun), kill("u1"), leave("u1"))),
		}, {
			Name:  "watch/faithful/less",
			About: "Objects lose a label, an annotation, a datum, finalizers, owners, and nothing else changes.",
			Needs: []harness.Feature{Watches},
			Rules: []harness.Rule{watchFaithful},
			Steps: seq(partly(false), watch("unset", Options{}), watch("now", fromNow), partly(true), settle("unset", "now")),
		}, {
			Name:  "watch/faithful/quiet",
			About: "Nothing happens for twenty-five minutes, and then something does.",
			Needs: []harness.Feature{Watches},
			Rules: []harness.Rule{watchFaithful},
			Span:  time.Hour,
			Steps: seq(put("a"), watch("quiet", fromNow), watch("quiet-from-the-start", Options{}), changes(1), advance(quiet), changes(2), settle("quiet", "quiet-from-the-start")),
		}, {
			Name:  "watch/in-stream-error",
			About: "Watches end with an ERROR of each code that tells a client what to do, at once and after events.",
			Needs: []harness.Feature{Watches, rig.Faults},
			Rules: []harness.Rule{watchError, watchFaithful},
			Span:  30 * time.Second, // clients that ask again by themselves wait as long as they are told
			Steps: seq(put("a"), story.Each(endings, func(_ int, s rig.Status) steps {
				return story.Each([]int{1, 3}, func(_, nth int) steps {
					return disturbed(rig.Fault{Events: &rig.Events{Nth: nth, Do: "error", Status: &s}}, 4)
				})
			})),
		}, {
			Name: "watch/frame",
			About: "The second of five events is cut, is no frame, or one of an unknown type, of no type, of null, without an object. A watch is answered with a page " +
				"of text, and with a Status that says Failure, both with 200.",
			Needs: []harness.Feature{Watches, rig.Faults},
			Rules: []harness.Rule{watchFrame},
			Span:  30 * time.Second, // a client that does not end its watches is waited for each time
			Steps: unreadableFrames(),
		}, {
			Name:  "watch/frame/json",
			About: "The same, for a client that asks for JSON.",
			Needs: []harness.Feature{Watches, JSON, rig.Faults},
			Rules: []harness.Rule{watchFrame, watchFrameError},
			Span:  30 * time.Second,
			Steps: unreadableFrames(),
		}, {
			Name:  "watch/end",
			About: "The server ends watches, cleanly and by breaking off, at once, after events, while nothing is read.",
			Needs: []harness.Feature{Watches, rig.Faults},
			Rules: []harness.Rule{watchEnd, watchFaithful},
			Steps: seq(put("a"), story.Each([]string{"close", "break"}, func(_ int, do string) steps {
				return story.Each([]int{1, 4}, func(_, nth int) steps {
					f := watches(rig.Fault{Nth: 1, Events: &rig.Events{Nth: nth, Do: do}})
					return seq(during(f, watch("w1", fromNow), changes(5), finish("w1")),
						during(f, unread("w1"), changes(5), advance(time.Second), startReading("w1"), finish("w1")))
				})
			})),
		}, {
			Name: "watch/stop",
			About: "Watches are stopped: while they are idle, twice, before anything was read, with events unread, with events, or an ERROR, that nobody " +
				"ever reads, and beside an event.",
			Needs: []harness.Feature{Watches},
			Rules: []harness.Rule{watchStop, watchFaithful},
			Steps: seq(put("a"), endEach(stop), abandon("abandoned", manyEvents), when(rig.Faults,
				story.Each([]rig.Events{{Nth: 1, Do: "error", Status: &rig.Status{Code: 410}}, {Nth: 1, Do: "garble"}}, func(_ int, e rig.Events) steps {
					return during(watches(rig.Fault{Events: &e}), abandon("abandoned-"+e.Do, 3))
				})), outlast),
		}, {
			Name:  "watch/stop/opening",
			About: "Watches are stopped while the server sends no headers: of the first, and of the one that follows an end.",
			Needs: resuming,
			Rules: []harness.Rule{watchStop},
			Steps: seq(put("a"), during(watches(rig.Fault{Hang: "headers"}), beside(watch("w1", fromNow)), advance(time.Second), stop("w1"), await("w1", endLimit),
				cancel("w1"), await("w1", endLimit), story.Join("w1")), // a call that waits for its answer has nothing to stop
				throughout([]rig.Fault{{Nth: 1, Events: &rig.Events{Nth: 3, Do: "close"}}, {Nth: 2, Times: always, Hang: "headers"}},
					watch("w2", fromNow), changes(3), advance(longPause), stop("w2"), await("w2", endLimit))),
		}, {
			Name: "watch/cancel",
			About: "The contexts of watches end: while they are idle, before anything was read, with events unread, which are read then, or stopped without, " +
				"and beside an event.",
			Needs: []harness.Feature{Watches},
			Rules: []harness.Rule{watchCancel, watchFaithful},
			Steps: seq(put("a"), endEach(cancel), unread("w1"), changes(manyEvents), advance(time.Second), cancel("w1"), stop("w1"), outlast), // nobody reads it any more
		}, {
			Name:  "watch/cancel/opening",
			About: "The context of a watch ends while the server sends no headers.",
			Needs: []harness.Feature{Watches, rig.Faults},
			Rules: []harness.Rule{watchCancel},
			Steps: during(watches(rig.Fault{Hang: "headers"}), beside(watch("w1", fromNow)), advance(time.Second), cancel("w1"), advance(time.Second),
				await("w1", endLimit), story.Join("w1")),
		}, {
			Name: "watch/prompt",
			About: "Watches are stopped, and their contexts end, in the pause after all that they asked for was refused with 429, 500 or 503, broke off before its " +
				"headers, or ended at once, cut or with an ERROR: seconds, and more than a minute, after that began.",
			Needs: resuming,
			Rules: []harness.Rule{watchPrompt, watchStop, watchCancel},
			Span:  40 * time.Minute,
			Grace: graceOfRetries,
			Steps: seq(put("a"), story.Each(busyFaults, endPausing), story.Each(failing, endPausing), endPausing(0, toldLater)),
		}, {
			Name:  "watch/prompt/away",
			About: "They are stopped, and their contexts end, in the pause after connections were refused.",
			Needs: []harness.Feature{Watches, Retries, rig.Faults, rig.Cuts},
			Rules: []harness.Rule{watchPrompt, watchStop, watchCancel},
			Span:  5 * time.Minute,
			Grace: graceOfRetries,
			Steps: seq(put("a"), endDuring(away)),
		},
	}
}

const (
	quiet      = 25 * time.Minute        // as long as a server lets any watch be
	manyEvents = 200                     // more than any client has room for
	endLimit   = 3 * time.Second         // how long, in real time, is waited for an end that may never come: of nine in one check
	begun      = 1500 * time.Millisecond // what a client may take to open its first watch
	longPause  = 3 * time.Second         // and its next
	always     = 1_000_000               // more often than any client asks
)

// outlast waits, in real time, until the request of each watch that was stopped or cancelled must have ended.
var outlast = without(harness.VirtualTime, advance(releaseSlack+time.Second))

// streaming is a streaming list.
var streaming = Options{SendInitialEvents: new(true), ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true}

// endings are the errors that a watch may end with.
var endings = []rig.Status{
	{Code: 410, Reason: "Expired"}, {Code: 410, Reason: "Gone"}, {Code: 410}, {Code: 429, RetryAfter: 2}, {Code: 500}, {Code: 504, RetryAfter: 1}, {Code: 403},
	{Code: 504, Reason: "Timeout", RetryAfter: 1, Cause: string(metav1.CauseTypeResourceVersionTooLarge)},
	invalid,
}

// frames are what no client can read, and what it cannot know the meaning of.
var frames = []rig.Events{
	{Do: "truncate"},
	{Do: "garble"},
	{Do: "replace", Frame: `{"type":"STRANGE","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"strange","resourceVersion":"7"}}}`},
	{Do: "replace", Frame: `{"object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"typeless","resourceVersion":"7"}}}`},
	{Do: "replace", Frame: `{"type":"ADDED","object":null}`},
	{Do: "replace", Frame: `{"type":"ADDED","object":"none"}`},
	{Do: "replace", Frame: `[]`},
}

// strange are bodies that are no watch, with status 200.
var strange = []string{"no JSON at all", failure}

func unreadableFrames() steps {
	return seq(put("a"), story.Each(frames, func(_ int, e rig.Events) steps {
		e.Nth, e.Times = 2, 1
		return disturbed(rig.Fault{Events: &e}, 5)
	}), story.Each(strange, func(_ int, body string) steps {
		return disturbed(rig.Fault{Answer: &rig.Answer{Code: 200, Body: body}}, 5)
	}))
}

// disturbed lets one watch meet a fault while n changes are made.
func disturbed(f rig.Fault, n int) steps {
	f.Nth = 1
	return during(watches(f), watch("w1", fromNow), changes(n), finish("w1"))
}

// finish waits for the end of a watch. A client that goes on by itself gets what is due, and is stopped then.
func finish(actor string) steps {
	return seq(without(Retries, await(actor, endLimit)), when(Retries, settle(actor), end(actor)))
}

// endEach ends watches: while they are idle; after three events that were read, or are read only then; with many events
// unread; and beside an event.
func endEach(end func(actor string) steps) steps {
	over := await("w1", endLimit)
	unreadUntil := func(events int) steps {
		return seq(unread("w1"), changes(events), pause(), end("w1"), startReading("w1"), over)
	}
	open := func(events int) steps { return seq(watch("w1", fromNow), changes(events), pause()) }
	return seq(watch("w1", fromNow), pause(), end("w1"), over, watch("w1", fromNow), pause(), end("w1"), end("w1"), over,
		open(3), end("w1"), over, unreadUntil(3), unreadUntil(manyEvents), open(3), beside(changes(3)), end("w1"), over, story.Join())
}

// abandon stops a watch with events that nobody ever reads. Its context never ends: Stop must do without.
func abandon(actor string, events int) steps {
	return seq(unread(actor), changes(events), advance(time.Second), stop(actor))
}

// outage is what keeps a client from going on, and its end.
type outage struct{ begin, end steps }

// strike is a fault that strikes everything it can.
func strike(f rig.Fault) outage {
	return outage{fault("trouble", everything(f)), clearFaults("trouble")}
}

// away breaks connections, and refuses new ones.
var away = outage{op("refuse-connections"), op("accept-connections")}

// moments are how long after an outage began a call is ended: soon, when no client has given up, and after more than a minute,
// when pauses are long. No usual pause ends then: of some seconds, of twice as long each time, of twenty seconds.
var moments = []time.Duration{1300 * time.Millisecond, 4900 * time.Millisecond, 100300 * time.Millisecond, 106600 * time.Millisecond}

// busyFaults refuse what is asked for, for now.
var busyFaults = []rig.Fault{{Status: &rig.Status{Code: 429}}, {Status: &rig.Status{Code: 429, RetryAfter: 20}}}

// failing are other faults that a client gets over by asking again.
var failing = []rig.Fault{
	{Status: &rig.Status{Code: 500}},
	{Status: &rig.Status{Code: 503}},
	{Status: &rig.Status{Code: 503, RetryAfter: 20}},
	{Reset: "headers"},
	{Events: &rig.Events{After: &soon, Do: "break"}},
	{Events: &rig.Events{After: &soon, Do: "error", Status: &rig.Status{Code: 500}}},
}

// toldLater ends watches with an ERROR that says when to come back.
var toldLater = rig.Fault{Events: &rig.Events{After: &soon, Do: "error", Status: &rig.Status{Code: 500, RetryAfter: 20}}}

// soon is how long a watch is open that ends early.
var soon = rig.Duration(time.Millisecond)

func endPausing(_ int, f rig.Fault) steps { return endDuring(strike(f)) }

// endDuring lets watches, one after another, break off when they have delivered events, meet an outage then, and be stopped
// and cancelled in turn.
func endDuring(o outage) steps {
	return story.Each(moments, func(n int, later time.Duration) steps {
		leave := stop
		if n%2 == 1 {
			leave = cancel
		}
		return seq(fault("broken", watches(ended("break"))), watch("w1", fromNow), advance(begun), o.begin, changes(3), advance(later),
			leave("w1"), await("w1", endLimit), o.end, clearFaults("broken"))
	})
}
