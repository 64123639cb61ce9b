package listerwatcher

import (
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

func untilChecks() []story.Check {
	return patiently([]story.Check{
		{
			Name:  "until/returns",
			About: "Waits for an object to come, to change and to go, among much that is not it, two at a time, and for one of 80,000 bytes.",
			Needs: []harness.Feature{Waits},
			Rules: []harness.Rule{untilReturns, requestOptions},
			Steps: seq(put("a"), waitFor("b", Wait{}, lives()), put("a"), waitFor("a", Wait{Type: "MODIFIED"}, lives()), waitFor("a", Wait{Type: "DELETED"}, lives()),
				until("u1", "one", Wait{}), until("u2", "two", Wait{}), advance(begun), // what the second waits for comes first
				put("two"), await("u2", returnLimit), put("one"), await("u1", returnLimit), leave("u1"), leave("u2"),
				waitFor("long", Wait{}, putWith("long", rig.Put{Bytes: rig.Sizes[1]}))),
		}, {
			Name:  "until/returns/quiet",
			About: "Nothing happens for twenty-five minutes, and then comes what is waited for.",
			Needs: []harness.Feature{Waits},
			Rules: []harness.Rule{untilReturns},
			Span:  time.Hour,
			Steps: seq(put("a"), waitFor("quiet", Wait{}, advance(quiet), put("quiet"))),
		}, {
			Name:  "until/returns/context",
			About: "The contexts of waits end, before anything has come, and after what they do not wait for.",
			Needs: []harness.Feature{Waits},
			Rules: []harness.Rule{untilReturns},
			Steps: seq(put("a"), story.Each([]steps{nil, lives()}, func(_ int, happen steps) steps {
				return seq(until("u1", "never", Wait{}), advance(begun), happen, pause(), leave("u1"))
			})),
		}, {
			Name:  "until/returns/opening",
			About: "The contexts of waits end while the server sends no headers of a watch: of the first, and of the one that follows an end.",
			Needs: []harness.Feature{Waits, rig.Faults},
			Rules: []harness.Rule{untilReturns},
			Steps: seq(put("a"), story.Each([]int{1, 2}, func(_, nth int) steps {
				return waitThrough("never", []rig.Fault{{Nth: 1, Events: changing(1, "close")}, {Nth: nth, Times: always, Hang: "headers"}}, changes(2), advance(longPause))
			})),
		}, {
			Name: "until/prompt",
			About: "The contexts of waits end in the pause after all that they asked for was refused with 500 or 503 or broke off before its headers, or their " +
				"watches ended at once, cut or with an ERROR, from the first on, and when one had broken off: seconds, and more than a minute, after that began.",
			Needs: waitsResuming,
			Rules: []harness.Rule{untilPrompt, untilReturns},
			Span:  time.Hour,
			Steps: seq(put("a"), story.Each(failing, func(_ int, f rig.Fault) steps {
				return seq(leavePausing(strike(f), outage{}), leavePausing(outage{fault("broken", watches(ended("break"))), clearFaults("broken")}, strike(f)))
			})),
		}, {
			Name:  "until/prompt/busy",
			About: "They end in the pause after all was refused with 429.",
			Needs: waitsResuming,
			Rules: []harness.Rule{untilPrompt, untilReturns},
			Span:  10 * time.Minute,
			Steps: seq(put("a"), story.Each(busyFaults, func(_ int, f rig.Fault) steps { return leavePausing(strike(f), outage{}) })),
		}, {
			Name:  "until/prompt/away",
			About: "They end in the pause after connections were refused, before the waits had been given anything, and when their watches were open.",
			Needs: []harness.Feature{Waits, Retries, rig.Faults, rig.Cuts},
			Rules: []harness.Rule{untilPrompt, untilReturns},
			Span:  10 * time.Minute,
			Steps: seq(put("a"), leavePausing(strike(busyFaults[0]), away), leavePausing(outage{}, away)),
		}, {
			Name:  "until/returns/precondition",
			About: "Two waits need not begin, as an object exists, or does not. Two must, though another does.",
			Needs: []harness.Feature{Waits, Preconditions},
			Rules: []harness.Rule{untilReturns},
			Steps: seq(put("a"), waitFor("never", Wait{Unless: "a"}), waitFor("never", Wait{Unless: "b", Gone: true}),
				waitFor("a", Wait{Type: "MODIFIED", Unless: "a", Gone: true}, changes(2)), waitFor("a", Wait{Type: "DELETED", Unless: "b"}, del("a"))),
		}, {
			Name:  "until/returns/troubles",
			About: "Watches end, break off and are refused before what is waited for comes.",
			Needs: []harness.Feature{Waits, rig.Faults},
			Rules: []harness.Rule{untilReturns},
			Steps: seq(put("a"), story.Each([][]rig.Fault{
				{ended("close")}, {ended("break")}, {ended("close"), {Nth: 2, Times: 2, Status: &rig.Status{Code: 500}}},
				{{Nth: 1, Times: 1, Events: &rig.Events{Nth: 3, Do: "error", Status: &rig.Status{Code: 500}}}},
			}, func(_ int, faults []rig.Fault) steps {
				return seq(waitThrough("wanted", faults, changes(5), put("wanted")), del("wanted"))
			})),
		}, {
			Name:  "until/returns/expired",
			About: "Watches end with an ERROR 410 at a change: two that nothing else ends, and two with the ERROR in place of the event that is waited for.",
			Needs: []harness.Feature{Waits, rig.Faults},
			Rules: []harness.Rule{untilReturns},
			Span:  30 * time.Second, // who goes on by lists waits each time
			Steps: seq(put("a"), story.Each([]int{1, 3}, func(_, nth int) steps {
				return waitThrough("never", []rig.Fault{{Events: expiring("MODIFIED", "a", nth)}}, changes(5))
			}),
				during(watches(rig.Fault{Nth: 1, Events: expiring("ADDED", "b", 1)}), waitFor("b", Wait{}, put("b"), changes(2))),
				during(watches(rig.Fault{Nth: 1, Events: expiring("DELETED", "b", 1)}), waitFor("b", Wait{Type: "DELETED"}, del("b"), changes(2)))),
		}, {
			Name:  "until/returns/expired/status",
			About: "Watches are refused with 410, six in a row: more would have a client that lists by watches ask without end.",
			Needs: []harness.Feature{Waits, rig.Faults},
			Rules: []harness.Rule{untilReturns},
			Steps: seq(put("a"), story.Each([]string{"Expired", "Gone"}, func(_ int, reason string) steps {
				return waitThrough("never", []rig.Fault{ended("close"), {Nth: 2, Times: patience + 2, Status: &rig.Status{Code: 410, Reason: reason}}}, changes(5))
			})),
		},
	})
}

// waitThrough lets a wait for an object to come meet faults of its watches while steps happen.
func waitThrough(obj string, faults []rig.Fault, happen ...steps) steps {
	return throughout(faults, waitFor(obj, Wait{}, happen...))
}

// expiring ends a watch with an ERROR 410 in place of such an event.
func expiring(of, object string, nth int) *rig.Events {
	return &rig.Events{Types: []string{of}, Object: object, Nth: nth, Do: "error", Status: &rig.Status{Code: 410, Reason: "Expired"}}
}

// changing does something in place of the nth change of the object a.
func changing(nth int, do string) *rig.Events {
	return &rig.Events{Types: []string{"MODIFIED"}, Object: "a", Nth: nth, Do: do}
}

// leavePausing lets waits, one after another, begin in one outage and meet another, and their contexts end.
func leavePausing(first, then outage) steps {
	var meet steps
	if then.begin != nil {
		meet = seq(advance(begun), then.begin, changes(3))
	}
	return story.Each(moments, func(_ int, later time.Duration) steps {
		return seq(first.begin, until("u1", "never", Wait{}), meet, advance(later), leave("u1"), then.end, first.end)
	})
}
