package listerwatcher

import (
	"slices"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

var (
	resuming      = []harness.Feature{Watches, Retries, rig.Faults}
	waitsResuming = []harness.Feature{Waits, Retries, rig.Faults}
)

func resumeVersionChecks() []story.Check {
	return []story.Check{
		{
			Name:  "resume/version",
			About: "Watches are ended cleanly, and broken off, before each third event.",
			Needs: resuming,
			Rules: []harness.Rule{resumeVersion, watchFaithful, requestOptions, requestVerb},
			Steps: seq(put("a"), follow(ended("close")), follow(ended("break"))),
		}, {
			Name:  "resume/version/types",
			About: "Watches are ended, and broken off, after an event of each type.",
			Needs: resuming,
			Rules: []harness.Rule{resumeVersion, watchFaithful},
			Steps: seq(put("a"), bothWays(func(how string) steps {
				return story.Each([]int{2, 3, 4}, func(_, nth int) steps {
					return during(watches(rig.Fault{Events: &rig.Events{Nth: nth, Do: how}}), followed(fromNow, put("b", "b"), del("b"), changes(2)))
				})
			})),
		}, {
			Name: "resume/version/initial",
			About: "Watches that begin with the state that there is, without a resourceVersion, at 0 and as a streaming list, are ended, and broken off: " +
				"after changes, and before any, when what came last is not the newest. One that every client can begin is the last. In real time the " +
				"former are broken off, and the latter ended.",
			Needs: resuming,
			Rules: []harness.Rule{resumeVersion, watchFaithful},
			Span:  30 * time.Second,
			Steps: seq(put("a", "b", "a"), bothWays(func(how string) steps {
				changed := func(o Options) steps {
					third := watches(rig.Fault{Nth: 1, Events: &rig.Events{Types: []string{"MODIFIED"}, Nth: 3, Do: how}})
					return during(third, followed(o, advance(begun), changes(5)))
				}
				second := watches(rig.Fault{Nth: 1, Events: &rig.Events{After: after(time.Second), Do: how}})
				virtually := func(unless string, part steps) steps { // both ways of both take too long in real time
					if how == unless {
						return part
					}
					return when(harness.VirtualTime, part)
				}
				return seq(story.Each([]Options{{}, {ResourceVersion: "0"}, streaming}, func(_ int, o Options) steps {
					return seq(virtually("close", during(second, followed(o, advance(2*time.Second), changes(3)))), virtually("break", changed(o)))
				}), virtually("break", changed(fromNow)))
			})),
		}, {
			Name:  "resume/version/bookmark",
			About: "Watches are ended after a bookmark that is ahead of all events.",
			Needs: resuming,
			Rules: []harness.Rule{resumeVersion, watchFaithful},
			Steps: seq(put("a"), followMarked()),
		}, {
			Name:  "resume/version/digits",
			About: "ResourceVersions come to have a digit more, by which they are smaller as texts, by a bookmark and by an event, and watches end.",
			Needs: []harness.Feature{Watches, Retries, rig.Faults, rig.Revisions},
			Rules: []harness.Rule{resumeVersion, watchFaithful},
			Steps: seq(put("a"), oneDigitMore(), followMarked(), bothWays(func(how string) steps { return seq(oneDigitMore(), follow(ended(how))) })),
		}, {
			Name:  "resume/version/large",
			About: "Watches end at resourceVersions that 16 and 32 bits do not have, and a floating-point number not exactly.",
			Needs: []harness.Feature{Watches, Retries, rig.Faults, rig.Revisions},
			Rules: []harness.Rule{resumeVersion, watchFaithful},
			Span:  30 * time.Second,
			Steps: large(5, follow(ended("close"))),
		},
	}
}

func resumeWaitsChecks() []story.Check {
	return patiently([]story.Check{
		{
			Name:  "resume/version/waits/large",
			About: "Watches of waits end at such resourceVersions.",
			Needs: []harness.Feature{Waits, Retries, rig.Faults, rig.Revisions},
			Rules: []harness.Rule{resumeVersion, untilReturns},
			Span:  time.Minute,
			Steps: large(7, goesOn(ended("close"))),
		}, {
			Name:  "resume/version/waits",
			About: "Watches of waits are ended, or broken off, after an event of each type, and after a bookmark that is ahead of all events.",
			Needs: waitsResuming,
			Rules: []harness.Rule{resumeVersion, untilReturns},
			Span:  time.Minute,
			Steps: seq(put("a"), story.Each([]rig.Events{
				{Types: []string{"MODIFIED"}, Object: "b", Nth: 1, Do: "close"}, // and so after the event before it
				{Types: []string{"DELETED"}, Object: "b", Nth: 1, Do: "close"},
				*changing(1, "close"),
				{Types: []string{"DELETED"}, Object: "b", Nth: 1, Do: "break"},
			}, func(_ int, e rig.Events) steps {
				return seq(waitThrough("wanted", []rig.Fault{{Nth: 1, Events: &e}}, put("b", "b"), del("b"), changes(2), advance(longPause), put("wanted")), del("wanted"))
			}), bothWays(func(how string) steps {
				return seq(waitThrough("wanted", []rig.Fault{beforeWanted(how)}, changes(2), put("wanted")), del("wanted"))
			}), waitMarked()),
		}, {
			Name:  "resume/version/waits/digits",
			About: "ResourceVersions come to have a digit more, by which they are smaller as texts, by a bookmark and by an event, and watches of waits end.",
			Needs: []harness.Feature{Waits, Retries, rig.Faults, rig.Revisions},
			Rules: []harness.Rule{resumeVersion, untilReturns},
			Span:  time.Minute,
			Steps: seq(put("a"), oneDigitMore(), waitMarked(), bothWays(func(how string) steps {
				return seq(del("wanted"), put("a"), oneDigitMore(), waitThrough("wanted", []rig.Fault{ended(how)}, changes(5), advance(longPause), put("wanted")))
			})),
		}, {
			Name:  "resume/expired/waits",
			About: "The first watches of waits end with an ERROR 410.",
			Needs: waitsResuming,
			Rules: []harness.Rule{resumeExpired, untilReturns},
			Span:  30 * time.Second,
			Steps: seq(put("a"), goesOn(rig.Fault{Nth: 1, Events: expiring("MODIFIED", "a", 1)}), goesOn(rig.Fault{Nth: 1, Events: expiring("MODIFIED", "a", 3)})),
		}, {
			Name:  "resume/expired/waits/status",
			About: "Watches of waits are refused with 410 when they resume.",
			Needs: waitsResuming,
			Rules: []harness.Rule{resumeExpired, untilReturns},
			Span:  20 * time.Second,
			Steps: seq(put("a"), goesOn(ended("close"), rig.Fault{Nth: 2, Times: 1, Status: &rig.Status{Code: 410, Reason: "Expired"}})),
		}, {
			Name:  "resume/permanent/waits",
			About: "All that waits ask for is refused with 401 and 403, for as long as they ask, when their first watch has ended.",
			Needs: waitsResuming,
			Rules: []harness.Rule{resumePermanent},
			Span:  20 * time.Second,
			Steps: seq(put("a"), story.Each([]int32{401, 403}, func(_ int, code int32) steps {
				return during(watches(rig.Fault{Nth: 1, Events: changing(2, "close")}), until("u1", "never", Wait{}), advance(begun),
					fault("forbidden", everything(rig.Fault{Status: &rig.Status{Code: code}})), changes(3), await("u1", returnLimit), leave("u1"), clearFaults("forbidden"))
			})),
		}, {
			Name:  "resume/errors/waits",
			About: "Watches of waits, from the second on, are refused six times with 429 and with each 5xx, and break off before their headers, and six in a row end without an event.",
			Needs: waitsResuming,
			Rules: []harness.Rule{resumeErrors, untilReturns},
			Span:  5 * time.Minute,
			Steps: seq(put("a"), story.Each(append(slices.Clone(troubles), rig.Fault{Events: &rig.Events{Nth: 1, Do: "close"}}), func(_ int, f rig.Fault) steps {
				f.Nth, f.Times = 2, patience+2
				return seq(goesOn(ended("close"), f), waitThrough("wanted", []rig.Fault{beforeWanted("close"), f}, changes(2), put("wanted")), del("wanted"))
			})),
		}, {
			Name:  "resume/errors/waits/stream",
			About: "Two watches of a wait in a row end with an ERROR 429, and with each 5xx, after events.",
			Needs: waitsResuming,
			Rules: []harness.Rule{resumeErrors, untilReturns},
			Span:  time.Minute,
			Steps: seq(put("a"), story.Each(passing, func(_ int, s rig.Status) steps {
				e := changing(2, "error")
				e.Status = &s
				return goesOn(rig.Fault{Nth: 1, Times: 2, Events: e})
			})),
		},
	})
}

func resumeErrorsChecks() []story.Check {
	return []story.Check{
		{
			Name:  "resume/expired",
			About: "Watches end with an ERROR 410, at once and after events.",
			Needs: resuming,
			Rules: []harness.Rule{resumeExpired},
			Grace: graceOfRetries,
			Steps: seq(put("a"), story.Each([]rig.Status{{Code: 410, Reason: "Expired"}, {Code: 410, Reason: "Gone"}, {Code: 410, Reason: rig.NoReason}}, func(_ int, s rig.Status) steps {
				return story.Each([]int{1, 3}, func(_, nth int) steps {
					return meet(endLimit, rig.Fault{Events: &rig.Events{Nth: nth, Do: "error", Status: &s}})
				})
			})),
		}, {
			Name:  "resume/expired/status",
			About: "Watches are refused with 410, from the first on, and when they resume.",
			Needs: resuming,
			Rules: []harness.Rule{resumeExpired},
			Span:  30 * time.Second,
			Grace: graceOfRetries,
			Steps: seq(put("a"), refusedForEver(rig.Status{Code: 410, Reason: "Expired"}), refusedForEver(rig.Status{Code: 410, Reason: "Gone"})),
		}, {
			Name:  "resume/permanent",
			About: "Watches are refused with 401 and 403, from the first on, and when they resume.",
			Needs: resuming,
			Rules: []harness.Rule{resumePermanent},
			Span:  30 * time.Second,
			Grace: graceOfRetries,
			Steps: seq(put("a"), refusedForEver(rig.Status{Code: 401}), refusedForEver(rig.Status{Code: 403})),
		}, {
			Name: "resume/errors",
			About: "Watches are refused six times with 429 and with each 5xx, and break off before their headers, from the first on, and when they resume. " +
				"One is refused thirty times: a server takes half a minute to come back.",
			Needs: resuming,
			Rules: []harness.Rule{resumeErrors, requestConnections, watchFaithful},
			Span:  4 * time.Minute,
			Steps: seq(put("a"), story.Each(troubles, func(_ int, f rig.Fault) steps {
				first, second := f, f
				first.Nth, first.Times = 1, triesInARow+1
				second.Nth, second.Times = 2, triesInARow+1
				return seq(follow(first), follow(ended("close"), second))
			}), follow(rig.Fault{Nth: 1, Times: 30, Status: &rig.Status{Code: 500}})),
		}, {
			Name: "resume/busy-loop",
			About: "When a watch has ended, for four seconds each, all that follow are refused with 500, break off before their headers, end at once, " +
				"and bring an ERROR 500 at once.",
			Needs: resuming,
			Rules: []harness.Rule{resumeBusy},
			Span:  30 * time.Second,
			Steps: seq(put("a"), story.Each([]rig.Fault{
				{Status: &rig.Status{Code: 500}},
				{Reset: "headers"},
				{Events: &rig.Events{After: &soon, Do: "close"}},
				{Events: &rig.Events{After: &soon, Do: "error", Status: &rig.Status{Code: 500}}},
			}, func(_ int, f rig.Fault) steps {
				f.Nth, f.Times = 2, always
				return throughout([]rig.Fault{{Nth: 1, Events: &rig.Events{Nth: 3, Do: "close"}}, f}, watch("w1", fromNow), changes(3), advance(4*time.Second), end("w1"))
			})),
		}, {
			Name:  "resume/connections",
			About: "Each watch brings one event and then an ERROR 500, and the server leaves its connection open.",
			Needs: resuming,
			Rules: []harness.Rule{resumeConnections},
			Span:  30 * time.Second,
			Steps: seq(put("a"), throughout([]rig.Fault{{Events: &rig.Events{Nth: 2, Do: "error", Status: &rig.Status{Code: 500}, For: rig.Duration(time.Hour)}}},
				watch("w1", fromNow), story.Repeat(12, func(int) steps { return seq(changes(2), advance(begun)) }), end("w1"))),
		}, {
			Name:  "resume/errors/stream",
			About: "Watches end with an ERROR 429 and with each 5xx, after events.",
			Needs: resuming,
			Rules: []harness.Rule{resumeErrors, watchFaithful},
			Span:  30 * time.Second,
			Steps: seq(put("a"), story.Each(passing, func(_ int, s rig.Status) steps {
				return follow(rig.Fault{Nth: 1, Times: 2, Events: &rig.Events{Nth: 3, Do: "error", Status: &s}})
			})),
		}, {
			Name:  "resume/errors/early",
			About: "Eight watches in a row end, cleanly or not, without an event.",
			Needs: resuming,
			Rules: []harness.Rule{resumeErrors, watchFaithful},
			Span:  10 * time.Minute,
			Steps: seq(put("a"), bothWays(func(how string) steps {
				return follow(rig.Fault{Nth: 1, Times: 8, Events: &rig.Events{After: &soon, Do: how}})
			})),
		}, {
			Name:  "resume/errors/away",
			About: "Connections are refused for a second and a half, and for five seconds, and changes are made meanwhile.",
			Needs: []harness.Feature{Watches, Retries, rig.Cuts},
			Rules: []harness.Rule{resumeErrors, resumeVersion, watchFaithful},
			Span:  30 * time.Second,
			Steps: seq(put("a"), story.Each(absences, func(_ int, long time.Duration) steps {
				return followed(fromNow, changes(3), pause(), away.begin, changes(3), advance(long), away.end, changes(2))
			})),
		}, {
			Name:  "resume/errors/waits/away",
			About: "Connections are refused to waits, and what they wait for happens meanwhile, or later.",
			Needs: []harness.Feature{Waits, Retries, rig.Cuts},
			Rules: []harness.Rule{resumeErrors, untilReturns},
			Span:  30 * time.Second,
			Grace: graceOfRetries,
			Steps: seq(put("a"),
				waitFor("meanwhile", Wait{}, changes(2), advance(time.Second), away.begin, changes(3), put("meanwhile"), advance(absences[0]), away.end),
				waitFor("later", Wait{}, changes(2), advance(time.Second), away.begin, changes(3), advance(absences[1]), away.end, put("later"))),
		}, {
			Name:  "resume/unreadable",
			About: "The second event of a watch is of an unknown type, of none, or has no resourceVersion.",
			Needs: resuming,
			Rules: []harness.Rule{resumeUnreadable},
			Grace: graceOfRetries,
			Steps: seq(put("a"), story.Each(strangers, func(_ int, e rig.Events) steps {
				e.Nth, e.Times = 2, 1
				return meet(endLimit, rig.Fault{Nth: 1, Events: &e})
			})),
		},
	}
}

// absences are how long connections are refused: a client that asks once a second asks once, or several times.
var absences = []time.Duration{1500 * time.Millisecond, 5 * time.Second}

// refusedLimit is how long, in real time, is waited for the end of a watch that is refused again and again: a client that asks
// once a second has asked more often by then than patience says. It is waited for four times in a check.
const refusedLimit = 6 * time.Second

// troubles are what a watch may meet on opening, and get over.
var troubles = []rig.Fault{
	{Status: &rig.Status{Code: 429, RetryAfter: 1}},
	{Status: &rig.Status{Code: 500}},
	{Status: &rig.Status{Code: 503, RetryAfter: 1}},
	{Status: &rig.Status{Code: 504}},
	{Answer: &rig.Answer{Code: 504, Body: tooLarge}},
	{Answer: &rig.Answer{Code: 502, Type: "text/html", Body: "<h1>Bad Gateway</h1>"}},
	{Reset: "headers"},
}

// passing are ERRORs that a watch may end with, and go on.
var passing = []rig.Status{{Code: 429, RetryAfter: 3}, {Code: 500}, {Code: 503}, {Code: 504, RetryAfter: 2}}

// strangers are events that no client can go on from.
var strangers = []rig.Events{
	frames[2], frames[3], // of an unknown type, and of none
	{Do: "replace", Frame: `{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"versionless"}}}`},
}

func after(d time.Duration) *rig.Duration { return new(rig.Duration(d)) }

// bothWays plays steps for a clean end, and for one that breaks off.
func bothWays(do func(how string) steps) steps { return seq(do("close"), do("break")) }

// ended ends each watch before its third event.
func ended(how string) rig.Fault { return rig.Fault{Events: &rig.Events{Nth: 3, Do: how}} }

// oneDigitMore leaves out resourceVersions: the second change of a from now is the last before they have a digit more.
func oneDigitMore() steps { return steps{{Op: "leap-to-digit", Obj: "a"}} }

// follow lets a watch meet faults while five changes are made, and stops it when it has everything that is due.
func follow(faults ...rig.Fault) steps {
	return throughout(faults, fit(Options{ResourceVersion: "now", FieldSelector: "metadata.name!=nobody"}, func(o Options) steps { return watch("w1", o) }),
		changes(5), settle("w1"), end("w1"))
}

// throughout plays steps while faults strike watches.
func throughout(faults []rig.Fault, parts ...steps) steps {
	all := make([]rig.Fault, len(faults))
	for i, f := range faults {
		all[i] = watches(f)
	}
	return duringAll(all, parts...)
}

// followed opens a watch, does steps, and stops the watch when all their events have come.
func followed(o Options, happen ...steps) steps {
	return seq(watch("w1", o), seq(happen...), settle("w1"), end("w1"))
}

// meet lets a watch meet faults that it cannot mend, for as long as it tries: in real time, until a limit.
func meet(limit time.Duration, faults ...rig.Fault) steps {
	return throughout(faults, watch("w1", fromNow), changes(5), await("w1", limit), end("w1"))
}

// refusedForEver refuses all watches: from the first on, and from the second, when the first has ended.
func refusedForEver(s rig.Status) steps {
	return seq(meet(refusedLimit, rig.Fault{Nth: 1, Times: always, Status: &s}), meet(refusedLimit, ended("close"), rig.Fault{Nth: 2, Times: always, Status: &s}))
}

// elsewhere is how many objects of another namespace are written.
const elsewhere = 5

// aheadThenEnd sends the first watch a bookmark that is ahead of all its events, after a time, and ends it a second later.
func aheadThenEnd(mark time.Duration) []rig.Fault {
	return []rig.Fault{{Nth: 1, Events: &rig.Events{After: after(mark), Do: "lie", By: elsewhere}}, {Nth: 1, Events: &rig.Events{After: after(mark + time.Second), Do: "close"}}}
}

// followMarked has a watch end after a bookmark whose resourceVersion is that of changes in another namespace.
func followMarked() steps {
	return throughout(aheadThenEnd(2*time.Second), followed(Options{ResourceVersion: "now", AllowWatchBookmarks: true},
		changes(2), others(elsewhere), advance(5*time.Second), changes(2)))
}

// waitMarked has the first watch of a wait end after such a bookmark.
func waitMarked() steps {
	return waitThrough("wanted", aheadThenEnd(begun+2*time.Second), changes(2), others(elsewhere), advance(begun+3*time.Second), changes(2), put("wanted"))
}

// beforeWanted ends the first watch of a wait such that what it waits for is the first event of the next.
func beforeWanted(how string) rig.Fault {
	return rig.Fault{Nth: 1, Events: &rig.Events{Types: []string{"ADDED"}, Object: "wanted", Nth: 1, Do: how}}
}

// goesOn lets a wait meet faults, and then what it waits for come.
func goesOn(faults ...rig.Fault) steps {
	return seq(waitThrough("wanted", faults, changes(5), advance(longPause), put("wanted")), del("wanted"))
}
