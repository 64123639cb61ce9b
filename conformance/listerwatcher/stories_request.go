package listerwatcher

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

func requestChecks() []story.Check {
	return []story.Check{
		{
			Name:  "request/options/list",
			About: "Lists with each option that a caller may set, one at a time and together.",
			Needs: []harness.Feature{Lists},
			Rules: []harness.Rule{requestOptions, requestVerb, requestIsolated, listFaithful},
			Steps: seq(put("a", "b", "c"), story.Each(listOptions, func(_ int, o Options) steps {
				return seq(fit(o, func(o Options) steps { return listAs("first", o) }), list(Options{Limit: 1, Continue: "first"}))
			})),
		}, {
			Name:  "request/options/watch",
			About: "Watches with each option that a caller may set, one at a time and together.",
			Needs: []harness.Feature{Watches},
			Rules: []harness.Rule{requestOptions, requestVerb, requestIsolated},
			Steps: seq(put("a"), story.Each(watchOptions, func(_ int, o Options) steps {
				return seq(fit(o, func(o Options) steps { return watch("w1", o) }), pause(), end("w1")) // it may be opened after the call
			})),
		}, {
			Name:  "request/options/list/large",
			About: "Lists at resourceVersions that 16 and 32 bits do not have, and a floating-point number not exactly.",
			Needs: []harness.Feature{Lists, rig.Revisions},
			Rules: []harness.Rule{requestOptions, listFaithful},
			Steps: large(0, list(Options{}), list(fromNow), list(Options{ResourceVersion: "now", ResourceVersionMatch: metav1.ResourceVersionMatchExact})),
		}, {
			Name:  "request/options/watch/large",
			About: "Watches from such resourceVersions.",
			Needs: []harness.Feature{Watches, rig.Revisions},
			Rules: []harness.Rule{requestOptions, watchFaithful},
			Steps: large(2, watch("w1", fromNow), changes(2), settle("w1"), end("w1")),
		}, {
			Name:   "request/verb",
			About:  "A client is opened for another namespace: two have objects of the same names.",
			Either: []harness.Feature{Lists, Watches, Waits},
			Rules:  []harness.Rule{requestVerb},
			Steps:  seq(openFor("other"), namespaces()),
		}, {
			Name:   "request/verb/all-namespaces",
			About:  "A client is opened for all namespaces: two have objects of the same names.",
			Needs:  []harness.Feature{AllNamespaces},
			Either: []harness.Feature{Lists, Watches, Waits},
			Rules:  []harness.Rule{requestVerb},
			Steps:  seq(openFor("all"), namespaces()),
		}, {
			Name:  "request/isolated/list",
			About: "Eight lists at a time, each with options of its own.",
			Needs: []harness.Feature{Lists},
			Rules: []harness.Rule{requestIsolated, requestOptions, listFaithful},
			Steps: seq(put("a", "b", "c"), story.Repeat(12, eightLists)),
		}, {
			Name:  "request/isolated/watch",
			About: "Watches at the same time, each with options of its own.",
			Needs: []harness.Feature{Watches},
			Rules: []harness.Rule{requestIsolated, requestOptions, watchFaithful},
			Steps: seq(put("a"), story.Each(watchOptions, func(i int, o Options) steps {
				return beside(fit(o, func(o Options) steps { return watch(fmt.Sprint("w", i), o) }))
			}), story.Join(), changes(1), put("b"), del("a"), settle()),
		}, {
			Name:  "request/isolated/ends",
			About: "Of three watches the first, and then the last, is ended: by its Stop, and by its context.",
			Needs: []harness.Feature{Watches},
			Rules: []harness.Rule{requestIsolated, watchFaithful},
			Steps: seq(put("a"), endBeside(stop), endBeside(cancel)),
		}, {
			Name:   "request/retry-after",
			About:  "Lists and watches are answered 429 and 503 with Retry-After, in the Status and as a header alone, once and then twice.",
			Needs:  []harness.Feature{AsksAgain, rig.Faults},
			Either: []harness.Feature{Lists, Watches},
			Rules:  []harness.Rule{requestRetryAfter},
			Span:   4 * time.Minute, // clients that ask again by themselves wait as long as they are told
			Steps: story.Each([]rig.Fault{
				{Status: &rig.Status{Code: 429, RetryAfter: 3}},
				{Status: &rig.Status{Code: 503, RetryAfter: 2}},
				{Answer: &rig.Answer{Code: 503, Type: "text/plain", RetryAfter: "4", Body: "busy"}},
			}, func(_ int, f rig.Fault) steps {
				once, twice := f, f
				once.Nth, once.Times = 1, 1
				twice.Nth, twice.Times = 1, 2
				return seq(refused(once, 12*time.Second), refused(twice, 12*time.Second)) // it asks three times
			}),
		}, {
			Name:  "request/retry-after/long",
			About: "When a watch has ended, fourteen in a row are answered 429 with Retry-After: more than clients ask again within one try.",
			Needs: resuming,
			Rules: []harness.Rule{requestRetryAfter},
			Span:  time.Minute, // fourteen times three seconds
			Steps: seq(put("a"), follow(ended("close"), rig.Fault{Nth: 2, Times: longerThanTries, Status: &rig.Status{Code: 429, RetryAfter: 3}})),
		}, {
			Name:   "request/connections",
			About:  "Twelve lists, or watches of a client without lists, are answered with 403, and twelve are served. Two seconds later there is one more of each, and again four seconds later.",
			Needs:  []harness.Feature{rig.Faults},
			Either: []harness.Feature{Lists, Watches},
			Rules:  []harness.Rule{requestConnections, requestReuse},
			Steps:  seq(put("a"), story.Repeat(12, func(int) steps { return refusedAndServed() }), advance(2*time.Second), refusedAndServed(), advance(4*time.Second), refusedAndServed()),
		},
	}
}

var forbidden = rig.Fault{Status: &rig.Status{Code: 403}}

// refusedAndServed asks twice. It is refused, and served.
func refusedAndServed() steps {
	watched := seq(watch("w1", fromNow), pause(), end("w1"))
	return seq(during(lists(forbidden), list(Options{})), list(Options{}), without(Lists, during(watches(forbidden), watched), watched))
}

// reserved has characters that mean something else in a URL.
const reserved = "metadata.name!=a+b&c%41#d;e?f/g"

// listOptions are those that a caller may set on a list.
var listOptions = []Options{
	{},
	{ResourceVersion: "0"},
	{ResourceVersion: "now"},
	{ResourceVersion: "now", ResourceVersionMatch: metav1.ResourceVersionMatchExact},
	{ResourceVersion: "now", ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan},
	{LabelSelector: "app in (one,two)"},
	{FieldSelector: "metadata.name=a"},
	{FieldSelector: reserved},
	{Limit: 1},
	{Limit: 100_000}, // more than any page has
	{TimeoutSeconds: new(int64(33))},
	{TimeoutSeconds: new(int64(0))},
	{AllowWatchBookmarks: true},
	{ResourceVersion: "now", ResourceVersionMatch: metav1.ResourceVersionMatchExact, LabelSelector: "app=one", FieldSelector: "metadata.name!=b", Limit: 2, TimeoutSeconds: new(int64(34))},
}

// watchOptions are those that a caller may set on a watch.
var watchOptions = []Options{
	{ResourceVersion: "now"},
	{ResourceVersion: "now", AllowWatchBookmarks: true},
	{ResourceVersion: "now", LabelSelector: "app in (one,two)"},
	{ResourceVersion: "now", FieldSelector: "metadata.name=a"},
	{ResourceVersion: "now", FieldSelector: reserved},
	{ResourceVersion: "now", TimeoutSeconds: new(int64(333))},
	{ResourceVersion: "now", TimeoutSeconds: new(int64(0))},
	{ResourceVersion: "now", Limit: 2},
	{ResourceVersion: "now", ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, SendInitialEvents: new(true), AllowWatchBookmarks: true},
	{ResourceVersion: "now", ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, SendInitialEvents: new(false)},
	{ResourceVersion: "now", LabelSelector: "app=one", FieldSelector: "metadata.name!=b", TimeoutSeconds: new(int64(334)), AllowWatchBookmarks: true},
}

// fit makes steps of options; those of clients whose calls take no field selector are without it.
func fit(o Options, do func(Options) steps) steps {
	if o.FieldSelector == "" {
		return do(o)
	}
	bare := o
	bare.FieldSelector = ""
	return seq(when(FieldCalls, do(o)), without(FieldCalls, do(bare)))
}

// large plays steps at resourceVersions that an int16, and an int32, does not hold, and at ones that a float64 does not have
// exactly: at an odd one and at an even one. The steps make so many writes.
func large(writes int, parts ...steps) steps {
	again := put("a")
	if writes%2 == 1 {
		again = put("a", "a")
	}
	return seq(put("a"), story.Each([]int{1 << 15, 1 << 31, 1 << 53}, func(_, by int) steps {
		return seq(steps{{Op: "leap", N: by}}, put("a", "a"), seq(parts...), again, seq(parts...))
	}))
}

// namespaces has objects of the same names in two namespaces, and asks in each way that the client has.
func namespaces() steps {
	both := func(name string) steps {
		labelled := rig.Put{App: "namespaces"}
		return seq(putWith(name, labelled), putWith("other/"+name, labelled))
	}
	of := Options{LabelSelector: "app=namespaces"} // nobody else's objects
	from := of
	from.ResourceVersion = "now"
	return seq(both("a"), list(of), watch("w1", from), when(Watches, both("a"), both("b"), when(harness.VirtualTime, settle("w1")), pause(), end("w1")),
		when(Waits, waitFor("wanted", Wait{}, both("a"), both("wanted"))))
}

// eightLists makes eight lists at once, with other options in each round.
func eightLists(round int) steps {
	return seq(story.Repeat(8, func(i int) steps {
		return beside(fit(listOptions[(i+round)%len(listOptions)], func(o Options) steps { return steps{{Op: "list", Actor: fmt.Sprint("c", i), With: o}} }))
	}), story.Join())
}

// endBeside ends watches beside one that goes on.
func endBeside(end func(actor string) steps) steps {
	gone := func(actor string) steps { return seq(changes(2), advance(begun), end(actor), advance(begun)) }
	return seq(watch("first", fromNow), watch("between", fromNow), watch("last", fromNow), gone("first"), gone("last"),
		changes(2), settle("between"), stop("between"), pause())
}
