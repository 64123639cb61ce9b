package informer

import (
	"fmt"
	"slices"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

func resumeChecks() []story.Check {
	return []story.Check{
		{
			Name:   "resume/version",
			About:  "Watches end, cleanly and by breaking off, after events of each type, after a bookmark alone, and idle.",
			Needs:  []harness.Feature{rig.Cuts, rig.Faults},
			Unless: polls,
			Rules:  []harness.Rule{resumeVersion, resumeNoRelist, convergeEqual, convergeTime},
			Span:   10 * time.Minute,
			Steps: seq(fill(3), start(), settle(), story.Each([]bool{true, false, true, false}, func(i int, clean bool) steps {
				end := seq(catchUp(), cutEither(clean), catchUp())
				return seq(put("o0"), end, put("new"), end, del("new"), end, fillOther(i+1), advance(2*time.Minute), cutEither(clean), catchUp()) // bookmarks come
			}), fillOther(5), advance(3*time.Minute), cut(), settle()), // and one beyond the last event
		}, {
			Name:   "resume/version/gap",
			About:  "Watches end, and objects change before the next is open.",
			Needs:  []harness.Feature{rig.Cuts, rig.Faults},
			Unless: polls,
			Rules:  []harness.Rule{resumeVersion, convergeEqual, convergeTime},
			Steps: seq(fill(3), start(), settle(), story.Each([]bool{true, false}, func(_ int, clean bool) steps {
				return seq(put("o1"), catchUp(), fault("busy", rig.Fault{Verbs: []string{"watch"}, Times: 1, Status: status(429)}), cutEither(clean),
					put("o1"), del("o0"), put("o0"), catchUp(), clearFaults("busy"))
			}), settle()),
		}, {
			Name:   "resume/dead-connection",
			About:  "Over HTTP/2 with TLS the informer's connection dies, twice: nothing comes any more, nobody is told, and a new connection would work. Meanwhile objects change.",
			Needs:  []harness.Feature{rig.HTTP2, rig.TLS, rig.Deaths},
			Unless: polls,
			Rules:  []harness.Rule{resumeDead, convergeEqual, convergeTime},
			Span:   10 * time.Minute,
			Steps: seq(op("serve-tls"), opened(Open{}), fill(3), start(), settle(), put("o1"), catchUp(), story.Each([]int{1, 2}, func(n, _ int) steps {
				return seq(op("kill-connections"), change(n), inVirtualTime(advance(rig.DeadBound+time.Second)), inRealTime(steps{{Op: "until-comes", For: story.Duration(rig.DeadBound + time.Second)}}), settle())
			})),
		}, {
			Name:   "resume/silence",
			About:  "Nothing comes of a list, of a watch, or after some events of one, while the connection lives, and the server is well. Meanwhile objects change.",
			Needs:  []harness.Feature{NoticesSilence, rig.Cuts, rig.Faults},
			Unless: polls,
			Rules:  []harness.Rule{resumeSilence, convergeEqual, convergeTime},
			Span:   90 * time.Minute,
			Steps: seq(fill(3), start(), settle(), story.Each([]rig.Fault{watches(rig.Fault{Hang: "headers"}), watches(rig.Fault{Events: &rig.Events{Nth: 2, Do: "stall"}})}, func(n int, f rig.Fault) steps {
				f.Times = 1
				return seq(fault("silent", f), cut(), change(n), advance(silenceBound+time.Minute), settle())
			}), noStreams(), fault("silent", lists(rig.Fault{Hang: "headers", Times: 1})), whileDisconnected(change(3)), advance(silenceBound+time.Minute), clearFaults("no-streams"), settle()),
		}, {
			Name: "resume/version/digits",
			About: "resourceVersions get a digit more, so that as texts they are smaller: by a bookmark, by an event of each type, " +
				"by a list.",
			Needs:  []harness.Feature{rig.Cuts, rig.Faults, rig.Revisions},
			Unless: polls,
			Rules:  []harness.Rule{resumeVersion, convergeEqual, convergeTime},
			Span:   10 * time.Minute,
			Steps: seq(fill(3), handle("h1"), start(), settle(),
				beforeNextDigit(), fillOther(5), advance(3*time.Minute), cut(), settle(), // a bookmark
				story.Each([]steps{put("o1"), put("new"), del("new")}, func(_ int, change steps) steps {
					return seq(beforeNextDigit(), change, catchUp(), cut(), settle())
				}), beforeNextDigit(), whileDisconnected(put("o1")), settle(), cut(), settle()),
		}, {
			Name:   "resume/expired/watch",
			About:  "Watches are refused with 410, and end with an ERROR 410 at once and after events, while objects change.",
			Needs:  []harness.Feature{rig.Cuts, rig.Faults},
			Unless: polls,
			Rules:  []harness.Rule{resumeExpired, convergeEqual, convergeTime},
			Span:   2 * time.Minute,
			Steps: seq(fill(3), handle("h1"), start(), settle(), story.Each(expiredWatches, func(i int, f rig.Fault) steps {
				f.Times = 1
				return seq(fault("expired", watches(f)), cut(), change(i), catchUp(), clearFaults("expired"), settle())
			}), expiresStreaming(), whileDisconnected(change(9)), settle()),
		}, {
			Name:  "resume/expired/list",
			About: "Lists, and streaming lists, are refused with 410: the first, and those after a watch.",
			Needs: []harness.Feature{rig.Cuts, rig.Faults},
			Rules: []harness.Rule{resumeExpired, convergeEqual},
			Span:  30 * time.Second,
			Grace: 16 * time.Minute, // three pauses
			Steps: seq(fill(3), refuseOnce(gone, lists, streams), start(), settle(), clearFaults("once-*"),
				expiresOnLists(0, gone, lists), expiresOnLists(1, gone, streams),
				expiresOnLists(2, rig.Status{Code: 410, Reason: "Gone"}, lists, streams), expiresOnLists(3, reasonless, lists, streams)),
		}, {
			Name:   "resume/expired/stale",
			About:  "The server has forgotten the events since the last one that was seen, and still lists that state exactly.",
			Needs:  []harness.Feature{rig.Cuts, rig.Forgets, rig.Faults},
			Unless: polls,
			Rules:  []harness.Rule{resumeExpired, convergeEqual},
			Span:   30 * time.Second,
			Grace:  time.Hour,
			// An informer that lists after each watch has met no 410 yet: so one more.
			Steps: seq(fill(5), start(), settle(), eventsForgotten(), settle(),
				fault("expired", watches(rig.Fault{Times: 1, Status: &gone})), cut(), put("o0"), settle(), clearFaults("expired"), expiresStreaming()),
		}, {
			Name:  "resume/expired/stale-many",
			About: "The same with more objects than a page of five hundred has.",
			Needs: []harness.Feature{rig.Cuts, rig.Forgets, rig.Faults},
			Rules: []harness.Rule{resumeExpired},
			Span:  3 * time.Minute,
			Steps: seq(fill(505), noStreams(), firstListExpires(), eventsForgotten(), advance(time.Minute), clearFaults("no-streams")),
		}, {
			Name:   "resume/too-large",
			About:  "The informer comes from a server that is up to date to one that is behind.",
			Needs:  []harness.Feature{rig.Cuts, rig.Views, rig.Faults},
			Unless: polls,
			Rules:  []harness.Rule{resumeTooLarge, convergeTime},
			Span:   30 * time.Second,
			// Over HTTP a client may ask again by itself, ten times each: so forty minutes.
			Steps: seq(fill(3), start(), settle(), view(rig.Lag), change(1), catchUp(), view(rig.UseSecond),
				fault("expired", rig.Fault{Verbs: []string{"watch"}, Times: 1, Status: &gone}),
				inVirtualTime(cut(), advance(40*time.Minute)), inRealTime(tooLargeAtOnce(tooLarge, view(rig.UpToDate))),
				look(), clearFaults("expired"), view(rig.UpToDate), settle(), view(rig.UseFirst), watchTooLarge()),
		}, {
			Name: "resume/too-large/spelt",
			About: "Lists, and streaming lists, from a resourceVersion are refused with it, as servers of each age spell it: by the type of a " +
				"cause, by its message, by a message alone.",
			Needs:  []harness.Feature{rig.Cuts, rig.Faults},
			Unless: polls,
			Rules:  []harness.Rule{resumeTooLarge, convergeTime},
			Span:   30 * time.Second,
			Steps: seq(fill(3), start(), settle(),
				inRealTime(tooLargeAtOnce(rig.TooLargeStatuses[len(rig.TooLargeStatuses)-1], fault("expired", watches(rig.Fault{Times: 1, Status: &gone}))), clearFaults("expired"), look()),
				inVirtualTime(story.Each(rig.TooLargeStatuses, func(i int, s rig.Status) steps {
					return seq(tooLargeLists(rig.Fault{Status: &s}), whileDisconnected(change(i+1)), advance(40*time.Minute), clearFaults("too-large-*"), settle())
				})), watchTooLarge()),
		}, {
			Name:  "resume/too-large/watch",
			About: "Watches, lists and streaming lists are refused with it, and end with it, for no reason that the informer could see.",
			Needs: []harness.Feature{rig.Cuts, rig.Faults},
			Rules: []harness.Rule{resumeErrors, convergeEqual, convergeTime},
			Span:  2 * time.Hour,
			Steps: seq(fill(3), start(), settle(),
				watchesFailForLong(1, rig.Fault{Status: &tooLarge}), watchesFailForLong(2, rig.Fault{Events: atStart("error", &tooLarge)}),
				story.Each([]rig.Fault{lists(rig.Fault{Times: 1, Status: &tooLarge}), streams(rig.Fault{Times: 1, Status: &tooLarge})}, func(i int, f rig.Fault) steps {
					return seq(fault("too-large", f), whileDisconnected(change(i+3)), advance(time.Minute), clearFaults("too-large"), settle())
				})),
		}, {
			Name:  "resume/errors",
			About: "Lists and watches fail in every way, one after the other, while objects change.",
			Needs: []harness.Feature{rig.Cuts, rig.Faults},
			Rules: []harness.Rule{resumeErrors, convergeEqual, convergeTime},
			Span:  time.Hour,
			Steps: seq(fill(3), handle("h1"), start(), settle(), eachOften(obstacles, func(i int, f rig.Fault) steps {
				return seq(fault("obstacle", all(f)), cutEither(i%2 == 0), change(i+1), advance(time.Minute), clearFaults("obstacle"), settle())
			})),
		}, {
			Name:   "resume/errors/stream",
			About:  "Watches end with ERRORs, are cut within a frame, and bring what cannot be read.",
			Needs:  []harness.Feature{rig.Cuts, rig.Faults},
			Unless: polls,
			Rules:  []harness.Rule{resumeErrors, convergeEqual, convergeTime},
			Span:   time.Hour,
			Steps: seq(fill(3), handle("h1"), start(), settle(), story.Each(disturbances, func(i int, e rig.Events) steps {
				return story.Each([]int{1, 3}, func(_ int, nth int) steps {
					e.Nth = nth
					return seq(fault("stream", watches(rig.Fault{Times: 1, Events: clone(e)})), cut(), change(i+1), advance(time.Minute), clearFaults("stream"), settle())
				})
			}), streamingEnds(disturbances[0]), streamingEnds(disturbances[1])),
		}, {
			Name:   "resume/connections",
			About:  "Each watch soon brings an ERROR, and the server leaves its connection open. In virtual time everything is refused for twenty minutes. Then the second change of each watch is an ERROR, or cannot be read.",
			Needs:  []harness.Feature{rig.Faults, rig.Cuts},
			Unless: polls,
			Rules:  []harness.Rule{resumeConnections},
			Span:   30 * time.Second,
			Steps: seq(fill(3), fault("left", rig.Fault{Verbs: []string{"watch"}, Events: &rig.Events{Do: "error", After: ptr(rig.Duration(300 * time.Millisecond)), Status: &gone, For: rig.Duration(time.Hour)}}),
				start(), inVirtualTime(advance(20*time.Minute)), clearFaults("left"),
				inVirtualTime(fault("refused", all(rig.Fault{Status: status(500)})), cut(), advance(20*time.Minute), clearFaults("refused")), cut(), put("o1"), settle(), stop(),
				story.Each([]rig.Events{{Do: "error", Nth: 2, Status: status(500), For: rig.Duration(time.Hour)}, {Do: "garble", Nth: 2}}, newInformerLeaves)),
		}, {
			Name: "resume/busy-loop",
			About: "All requests are refused for five seconds. So are watches alone, in virtual time. Then each watch brings an ERROR 410 at once, for five seconds. " +
				"New informers, with pauses of the first failure, then meet for a second and a half each: 401, 403, 404, connections that break, watches that end at once. " +
				"Last a new informer meets an event of each type.",
			Needs:  []harness.Feature{rig.Cuts, rig.Faults},
			Unless: polls, // a poll may come in none of these seconds
			Rules:  []harness.Rule{resumeBusy, convergeEqual},
			Span:   30 * time.Second,
			Steps: seq(fill(2), start(), settle(), fiveSecondsOf(all(rig.Fault{Status: status(500)})), inVirtualTime(fiveSecondsOf(watches(rig.Fault{Status: status(503)}))),
				fiveSecondsOf(watches(rig.Fault{Events: atStart("error", &gone)})),
				stop(), story.Each([]rig.Fault{all(rig.Fault{Status: status(401)}), all(rig.Fault{Status: status(403)}), all(rig.Fault{Status: status(404)}),
					all(rig.Fault{Reset: "headers"}), watches(rig.Fault{Events: atStart("close", nil)})}, newInformerMeets),
				open("informer-7", Open{}), start("informer-7"), catchUp(), put("o0"), put("new"), del("new"), advance(time.Second), stop("informer-7")),
		}, {
			Name:  "resume/errors/lists",
			About: "Lists, and streaming lists, fail in every way, one after the other, while objects change.",
			Needs: []harness.Feature{rig.Cuts, rig.Faults},
			Rules: []harness.Rule{resumeErrors, convergeEqual, convergeTime},
			Span:  time.Hour,
			Steps: seq(fill(3), start(), settle(),
				eachOften(slices.Concat(obstacles, []rig.Fault{{Status: status(401)}, {Status: status(404)}}), func(i int, f rig.Fault) steps {
					return seq(fault("list", lists(f)), fault("list-stream", streams(f)), whileDisconnected(change(i+1)), advance(time.Minute), clearFaults("list*"), settle())
				})),
		}, {
			Name: "resume/errors/streaming-lists",
			About: "Streaming lists, the very first too, end with ERRORs, are cut, and bring what cannot be read: before anything came, and after " +
				"some, which is not true any more at the next attempt.",
			Needs: []harness.Feature{Streams, rig.Cuts, rig.Faults},
			Rules: []harness.Rule{resumeErrors, convergeEqual, convergeTime},
			Span:  time.Hour,
			Steps: seq(streamsFailMidway(), story.Each(slices.Concat(disturbances, []rig.Events{{Do: "error", Status: &gone}, {Do: "error", Status: &tooLarge}}), func(i int, e rig.Events) steps {
				return story.Each([]int{0, 2}, func(_ int, nth int) steps {
					e.Nth, e.After = nth, nil
					if nth == 0 && slices.Contains([]string{"close", "break", "error"}, e.Do) {
						e.After = ptr(rig.Duration(0)) // before anything came
					}
					return seq(fault("streamed", streams(rig.Fault{Times: 1, Events: clone(e)})), whileDisconnected(change(i+1)), advance(time.Minute), clearFaults("streamed"), settle())
				})
			})),
		}, {
			Name:  "resume/errors/refused",
			About: "Connections are refused: at the start, while a watch is open, and during a list.",
			Needs: []harness.Feature{rig.Cuts, rig.Faults},
			Rules: []harness.Rule{convergeEqual, convergeTime}, // also resume/errors, if a request reaches the server
			Span:  10 * time.Minute,
			Steps: seq(fill(3), handle("h1"), refuse(), start(), pause(), refuse(), // again: now they have been for a while
				advance(30*time.Second), look(), accept(), settle(),
				refuse(), change(1), advance(time.Minute), accept(), settle(),
				story.Each([]string{"list", "watch"}, func(_ int, verb string) steps {
					return seq(fault("slow", rig.Fault{Verbs: []string{verb}, Latency: rig.Duration(5 * time.Second)}), whileDisconnected(change(2)),
						advance(2*time.Second), refuse(), advance(time.Minute), accept(), clearFaults("slow"), settle())
				})),
		}, {
			Name:  "resume/pace",
			About: "Lists and watches are refused for half an hour: the server is busy, down, or forbids them.",
			Needs: []harness.Feature{rig.Cuts, rig.Faults},
			Rules: []harness.Rule{resumePace, resumeErrors, convergeEqual},
			Span:  4 * time.Hour,
			Steps: seq(fill(2), handle("h1"), start(), settle(),
				story.Each([]rig.Fault{{Status: status(429)}, {Status: status(503)}, {Status: status(500)}, {Status: status(403)}, {Reset: "headers"}}, func(_ int, f rig.Fault) steps {
					return seq(fault("refused", all(f)), cut(), advance(halfHour/2), look(), advance(halfHour/2), clearFaults("refused"), put("o0"), settle())
				}),
				watchesMeet(rig.Fault{Events: atStart("close", nil)}, 5*time.Minute),
				watchesMeet(rig.Fault{Events: atStart("error", status(500))}, halfHour),
				watchesMeet(rig.Fault{Status: &gone}, halfHour)),
		}, {
			Name:  "resume/pace/many",
			About: "A hundred requests in a row are refused, for up to nine hours.",
			Needs: []harness.Feature{rig.Cuts, rig.Faults},
			Rules: []harness.Rule{resumePace, resumeErrors, convergeEqual},
			Span:  12 * time.Hour,
			// An informer that never pauses for longer than five minutes needs eight hours.
			Steps: seq(fill(2), handle("h1"), start(), settle(), fault("refused", all(rig.Fault{Status: status(503), Times: 100})), cut(),
				advance(9*time.Hour), clearFaults("refused"), put("o0"), settle()),
		}, {
			Name:  "resume/pace/streams",
			About: "Streaming lists end at once, or are refused with 410, for minutes.",
			Needs: []harness.Feature{Streams, rig.Faults},
			Rules: []harness.Rule{resumePace},
			Span:  5 * time.Minute,
			Steps: seq(fill(2), fault("slow", streams(rig.Fault{Latency: rig.Duration(50 * time.Millisecond)})),
				story.Each([]rig.Fault{{Status: &gone}, {Events: &rig.Events{Nth: 2, Do: "close"}}, {Events: &rig.Events{Nth: 1, Do: "error", Status: &gone}}}, func(i int, f rig.Fault) steps {
					return seq(fault("stream", streams(f)), startOr(i, expireNext()), advance(20*time.Second), clearFaults("stream"), settle())
				}), clearFaults("slow")),
		}, {
			Name:  "resume/retry-after",
			About: "Lists, watches and streams say when to come back: in twenty seconds, and in more than a minute.",
			Needs: []harness.Feature{rig.Cuts, rig.Faults},
			Rules: []harness.Rule{resumeRetryAfter, convergeEqual},
			Span:  time.Hour,
			Steps: seq(fill(3), start(), settle(), story.Each([]rig.Fault{
				{Status: &later}, {Status: &laterUnavailable}, {Events: atStart("error", &later)}, {Events: atStart("error", &laterUnavailable)},
				{Status: &muchLater}, {Events: atStart("error", &muchLater)},
			}, func(_ int, f rig.Fault) steps {
				f.Times = 1
				return seq(fault("later", watches(f)), cut(), advance(2*time.Minute), clearFaults("later"), put("o0"), settle())
			}), story.Each([]rig.Status{later, muchLater}, func(i int, at rig.Status) steps {
				return seq(refuseOnce(at, lists, streams), whileDisconnected(change(i+1)), advance(4*time.Minute), clearFaults("once-*"), settle())
			})),
		}, {
			Name:  "resume/retry-after/page",
			About: "A further page of the first list, and of a later one, says when to come back.",
			Needs: []harness.Feature{PageSize, rig.Cuts, rig.Faults},
			Rules: []harness.Rule{resumeRetryAfter, convergeEqual},
			Span:  5 * time.Minute,
			Steps: seq(opened(Open{PageSize: 3}), noStreams(), listsComeLater(lists(rig.Fault{Continued: ptr(true)})), clearFaults("no-streams")),
		}, {
			Name:  "resume/retry-after/stream",
			About: "The first streaming list, and a later one, says when to come back.",
			Needs: []harness.Feature{Streams, rig.Cuts, rig.Faults},
			Rules: []harness.Rule{resumeRetryAfter, convergeEqual},
			Span:  5 * time.Minute,
			Steps: listsComeLater(streams(rig.Fault{})),
		}, {
			Name:  "resume/permanent",
			About: "Lists and watches are answered with 401, 403 and 404 for a while.",
			Needs: []harness.Feature{ErrorHook, rig.Cuts, rig.Faults},
			Rules: []harness.Rule{resumePermanent, resumeErrors, convergeEqual},
			Span:  time.Hour,
			Steps: seq(fill(2), start(), settle(), story.Each([]int32{401, 403, 404}, func(_ int, code int32) steps {
				return seq(fault("refused", all(rig.Fault{Status: status(code)})), cut(), advance(10*time.Minute), clearFaults("refused"), put("o0"), settle())
			})),
		},
	}
}

// The statuses of a resourceVersion that has expired: as a kube-apiserver sends it, and with a code alone.
var (
	gone       = rig.Status{Code: 410}
	reasonless = rig.Status{Code: 410, Reason: rig.NoReason}
)

// tooLarge is the status of a resourceVersion that the server has not seen yet.
var tooLarge = rig.TooLargeStatuses[0]

// later says when to come back. muchLater is more than a minute away: a client that waits a minute at most breaks it.
var (
	later            = rig.Status{Code: 429, RetryAfter: 20}
	laterUnavailable = rig.Status{Code: 503, RetryAfter: 20}
	muchLater        = rig.Status{Code: 503, RetryAfter: 100}
)

// statusAs200 is a refusal that comes with the code 200, as a proxy may send it.
var statusAs200 = rig.Answer{Code: 200, Body: `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"not now","reason":"InternalError","code":500}`}

// expiredWatches are the ways in which a watch can be told that its resourceVersion has expired.
var expiredWatches = []rig.Fault{
	{Status: &gone}, {Status: &rig.Status{Code: 410, Reason: "Gone"}}, {Status: &reasonless}, {Events: atStart("error", &gone)},
	{Events: &rig.Events{Nth: 2, Do: "error", Status: &reasonless}},
	{Events: &rig.Events{Nth: 2, Do: "error", Status: &rig.Status{Code: 410, Reason: "Gone"}}},
}

// obstacles are what a request may meet, whatever it asks for.
var obstacles = []rig.Fault{
	{Status: status(429)}, {Status: status(500)}, {Status: status(503)}, {Status: status(504)},
	{Reset: "headers"}, {Reset: "body"},
	{Answer: &rig.Answer{Code: 502, Type: "text/html", Body: "<html>bad gateway</html>"}},
	{Answer: &rig.Answer{Code: 200, Body: "{"}}, {Answer: &rig.Answer{Code: 200, Type: "text/html", Body: "<html>log in</html>"}}, {Answer: &statusAs200},
}

// disturbances are what may happen to a watch that is open.
var disturbances = []rig.Events{
	{Do: "error", Status: status(429)}, {Do: "error", Status: status(500)}, {Do: "error", Status: status(504)}, {Do: "error", Status: status(403)},
	{Do: "close"}, {Do: "break"}, {Do: "truncate"}, {Do: "garble"},
}

// halfHour is how long a fault lasts that is there for long.
const halfHour = 30 * time.Minute

// eachOften plays steps for each fault twice: it strikes once, and three times.
func eachOften(all []rig.Fault, play func(i int, f rig.Fault) steps) steps {
	return story.Each(all, func(i int, f rig.Fault) steps {
		return story.Each([]int{1, 3}, func(_ int, n int) steps {
			f.Times = n
			return play(i, f)
		})
	})
}

func clone(e rig.Events) *rig.Events { return &e }

// beforeNextDigit writes o1 until it has the last resourceVersion with so many digits.
func beforeNextDigit() steps {
	return seq(put("o1"), leapToDigit("o1"), put("o1"), put("o1"), catchUp())
}

// streamingEnds lets a watch that began as a streaming list end in place of a change of o0: an informer that always
// streams has no other.
func streamingEnds(e rig.Events) steps {
	e.Types, e.Object, e.Nth = []string{"MODIFIED"}, "o0", 1
	return seq(fault("streaming", streams(rig.Fault{Events: &e})), cut(), settle(), put("o0"), settle(), clearFaults("streaming"))
}

func expiresStreaming() steps { return streamingEnds(rig.Events{Do: "error", Status: &gone}) }

// refuseOnce refuses the next list, or streaming list, or both.
func refuseOnce(s rig.Status, which ...func(rig.Fault) rig.Fault) steps {
	return story.Each(which, func(i int, strike func(rig.Fault) rig.Fault) steps {
		return fault(fmt.Sprint("once-", i), strike(rig.Fault{Times: 1, Status: &s}))
	})
}

// expiresOnLists makes the informer list again after the nth change, and refuses it once.
func expiresOnLists(n int, s rig.Status, which ...func(rig.Fault) rig.Fault) steps {
	return seq(refuseOnce(s, which...), whileDisconnected(change(n)), settle(), clearFaults("once-*"))
}

// firstListExpires starts the informer, and refuses its first list with 410: its next is of the most recent state, in pages.
func firstListExpires() steps {
	return seq(fault("first", lists(rig.Fault{Nth: 1, Status: &gone})), start(), catchUp(), clearFaults("first"))
}

// eventsForgotten refuses each watch from where it is now, until it has moved. A watch that may have been opened this very
// moment has brought something before it ends: else client-go lists again, for it takes that for a failure.
func eventsForgotten() steps {
	return seq(put("o3"), fault("busy", rig.Fault{Verbs: []string{"watch"}, Status: status(429)}), cut(), change(1), forgetEvents(), clearFaults("busy"))
}

// fourPauses are as long as client-go's take until it has asked four times: 1.6, 3.2, 6.4 and 12.8 seconds at most.
const fourPauses = 24500 * time.Millisecond

// tooLargeAtOnce refuses lists at once. In real time it stands for a view that is behind: that makes a client wait for three
// seconds each time, and tells it to come again, which some clients do ten times by themselves. With client-go's semantics
// four refusals are enough; else all lists that name a resourceVersion are refused. If the informer does not get over it in
// time the story ends: it may take half a minute until it asks again.
func tooLargeAtOnce(s rig.Status, armed steps) steps {
	s.RetryAfter = 0
	return seq(story.When(ClientGoSemantics, tooLargeLists(rig.Fault{Times: occasions, Status: &s})...), story.When("!"+ClientGoSemantics, tooLargeLists(rig.Fault{Status: &s})...),
		armed, cut(), steps{{Op: "until-comes", For: story.Duration(fourPauses)}}, clearFaults("too-large-*"))
}

// tooLargeLists strikes lists and streaming lists that name a resourceVersion.
func tooLargeLists(f rig.Fault) steps {
	f.Versioned = ptr(true)
	return seq(fault("too-large-list", lists(f)), fault("too-large-stream", streams(f)))
}

// watchTooLarge refuses a watch with it: also an informer that lists the most recent state at once meets it so. In real time
// the list from a resourceVersion that it then asks for is refused, too.
func watchTooLarge() steps {
	refuse := fault("watch", watches(rig.Fault{Times: 1, Status: &tooLarge}))
	return seq(inVirtualTime(refuse, cut(), put("o0"), advance(time.Minute)), inRealTime(tooLargeAtOnce(tooLarge, refuse)), clearFaults("watch"), settle())
}

// watchesFailForLong fails watches for as long as it takes to try often. Each takes a moment, or it would do so in no time.
func watchesFailForLong(n int, f rig.Fault) steps {
	return seq(fault("fails-slowly", watches(rig.Fault{Latency: latency})), fault("fails", watches(f)), cut(), change(n), advance(40*time.Minute), clearFaults("fails*"), settle())
}

// watchesMeet lets all watches meet a fault for some time.
func watchesMeet(f rig.Fault, long time.Duration) steps {
	return seq(fault("watches", watches(f)), cut(), advance(long), clearFaults("watches"), settle())
}

// fiveSecondsOf lets requests fail for five seconds.
func fiveSecondsOf(f rig.Fault) steps {
	return seq(fault("refused", f), cut(), advance(5*time.Second), clearFaults("refused"), put("o0"), settle())
}

// newInformerMeets lets a new informer, which has not begun to pause for longer, meet a fault for a second and a half. Its watch has
// brought something when it is cut: else that counts as its first failure. One that pauses for a fiftieth of a second passes.
func newInformerMeets(i int, f rig.Fault) steps {
	name := fmt.Sprint(informerActor, "-", i+2)
	return seq(open(name, Open{}), start(name), catchUp(), fault("refused", f), cut(), advance(1500*time.Millisecond), clearFaults("refused"), stop(name))
}

// newInformerLeaves starts a new informer. Each of its watches brings one change, and then something after which the informer has to end
// the watch, since the server does not.
func newInformerLeaves(i int, e rig.Events) steps {
	name := fmt.Sprint(informerActor, "-", i+2)
	return seq(open(name, Open{}), start(name), catchUp(), fault("left", watches(rig.Fault{Events: &e})), cut(), story.Each([]int{1, 2, 3, 4, 5, 6}, func(int, int) steps {
		return seq(change(3), inVirtualTime(advance(time.Minute)), inRealTime(advance(1500*time.Millisecond)))
	}), clearFaults("left"), cut(), settle(), stop(name))
}

// listsComeLater lists, and lists again, and each time a request that is a part of that says when to come back.
func listsComeLater(f rig.Fault) steps {
	f.Times, f.Status = 1, &later
	later := fault("later", f)
	return seq(fill(8), later, start(), advance(2*time.Minute), clearFaults("later"), settle(),
		later, whileDisconnected(change(1)), advance(2*time.Minute), clearFaults("later"), settle())
}
