package listerwatcher

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

func listChecks() []story.Check {
	return []story.Check{
		{
			Name:  "list/faithful",
			About: "Lists of nothing, of objects with every part that one can have, of a page and of the next.",
			Needs: []harness.Feature{Lists},
			Rules: []harness.Rule{listFaithful},
			Steps: seq(list(Options{}), fill(12), put("m3"), del("m5"), terminating("held"), putWith("fixed", rig.Put{Immutable: true}),
				list(Options{}), list(Options{ResourceVersion: "0"}), pages(Options{}), pages(Options{Untagged: true}), // which without a selector say how many remain
				removeFinalizer("held")),
		}, {
			Name:  "list/faithful/many",
			About: "A list of two objects, and one of six hundred, without a limit: clients that page by themselves have several pages of these.",
			Needs: []harness.Feature{Lists},
			Rules: []harness.Rule{listFaithful},
			Span:  30 * time.Second, // a server elsewhere may take ten milliseconds for each
			Steps: seq(fill(2), list(Options{}), fill(600), list(Options{})),
		}, {
			Name:  "list/faithful/long",
			About: "Lists, and pages, of objects of 6,000, 80,000 and 600,000 bytes.",
			Needs: []harness.Feature{Lists},
			Rules: []harness.Rule{listFaithful},
			Steps: seq(long("m"), list(Options{}), long("m"), pages(Options{})),
		}, {
			Name:  "list/faithful/less",
			About: "Lists, and pages, before and after objects lose a label, an annotation, a datum, finalizers, owners.",
			Needs: []harness.Feature{Lists},
			Rules: []harness.Rule{listFaithful},
			Steps: seq(partly(false), list(Options{}), pages(Options{}), partly(true), list(Options{}), pages(Options{})),
		}, {
			Name: "list/faithful/wire",
			About: "Lists, and pages, of objects with text of several alphabets, 900 KB of data or 250 KB in an annotation come in frames of one byte and of many, which end " +
				"within characters, compressed and not, each on the last use of its connection; by HTTP/2, and by HTTP/1.1 over TLS.",
			Needs: []harness.Feature{Lists, rig.Faults},
			Rules: []harness.Rule{listFaithful},
			Steps: seq(overWires(largeAndForeign("m"), seq(list(Options{Limit: 1}), list(Options{})), lists)),
		}, {
			Name: "list/whole",
			About: "Lists whose body breaks off in the middle, is empty, is no JSON, is half of some, or is a Status that says Failure with 200. " +
				"So is a further page, or it breaks off before its headers.",
			Needs: []harness.Feature{Lists, rig.Faults},
			Rules: []harness.Rule{listWhole},
			Steps: seq(fill(5), during(lists(rig.Fault{Reset: "body"}), list(Options{})),
				story.Each(unreadable, func(_ int, body string) steps {
					return during(lists(rig.Fault{Answer: &rig.Answer{Code: 200, Body: body}}), list(Options{}))
				}), story.Each([]rig.Fault{{Answer: &rig.Answer{Code: 200, Body: failure}}, {Reset: "body"}, {Reset: "headers"}}, secondPage), list(Options{})),
		}, {
			Name:   "list/error-text",
			About:  "Lists and watches are refused, and a watch ends, with messages in several alphabets, which come in frames that end within characters.",
			Needs:  []harness.Feature{rig.Faults},
			Either: []harness.Feature{Lists, Watches},
			Rules:  []harness.Rule{listErrorText},
			Steps: seq(put("a"), fault("wire", everything(rig.Fault{Wire: &rig.Bytes{Frame: 3}})), when(Lists, during(lists(rig.Fault{Status: &foreign}), list(Options{}))),
				when(Watches, without(Retries, during(watches(rig.Fault{Status: &foreign}), watch("w1", fromNow), finish("w1"))),
					disturbed(rig.Fault{Events: &rig.Events{Nth: 1, Do: "error", Status: &foreignEnd}}, 2))),
		}, {
			Name:   "list/errors",
			About:  "Lists, further pages and watches are refused with each code that tells a client what to do, by a Status with causes, and by a proxy's page.",
			Needs:  []harness.Feature{rig.Faults},
			Either: []harness.Feature{Lists, Watches},
			Rules:  []harness.Rule{listErrors},
			Spans:  map[harness.Feature]time.Duration{Retries: time.Minute, AsksAgain: 5 * time.Minute}, // who asks ten times more waits as long as it is told
			Steps: seq(story.Each(refusals, func(_ int, f rig.Fault) steps {
				f.Times = longerThanTries        // who asks without a limit comes to an end
				return refused(f, 2*time.Second) // too short for any of them to be called silence
			}), when(Pages, fill(5), story.Each(refusals, func(_ int, f rig.Fault) steps {
				f.Continued, f.Times = new(true), longerThanTries
				return during(lists(f), list(Options{Limit: 2}))
			}))),
		},
	}
}

// secondPage lists two pages; a fault strikes the second.
func secondPage(_ int, f rig.Fault) steps {
	f.Continued = new(true)
	return during(lists(f), listAs("first", Options{Limit: 2}), list(Options{Limit: 2, Continue: "first"}))
}

// longerThanTries is more than the eleven requests that client-go makes of one.
const longerThanTries = 14

// refused lets a list and a watch meet a fault. A client that resumes by itself is stopped after the time that it may try.
func refused(f rig.Fault, tries time.Duration) steps {
	return seq(during(lists(f), list(Options{})), during(watches(f), watch("w1", fromNow), when(Retries, advance(tries)), end("w1")))
}

// unreadable are bodies that are no list, with status 200.
var unreadable = []string{
	"",
	"no JSON at all",
	`{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"a"`,
	`{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":"none"}`,
	failure,
}

// failure is what a proxy, or an aggregated API, may give with a status of 200.
const failure = `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"no upstream","reason":"InternalError","code":500}`

// refusals are what a server says to a client that it does not serve.
var refusals = []rig.Fault{
	{Status: &rig.Status{Code: 400}},
	{Status: &rig.Status{Code: 401}},
	{Status: &rig.Status{Code: 403}},
	{Status: &rig.Status{Code: 404}},
	{Status: &rig.Status{Code: 410, Reason: "Expired"}},
	{Status: &rig.Status{Code: 410, Reason: "Gone"}},
	{Status: &rig.Status{Code: 422}},
	{Status: &rig.Status{Code: 429, RetryAfter: 1}},
	{Status: &rig.Status{Code: 500}},
	{Status: &rig.Status{Code: 503, RetryAfter: 2}},
	{Status: &rig.Status{Code: 504, RetryAfter: 1}},
	{Status: &rig.Status{Code: 504, Reason: "Timeout", RetryAfter: 1, Cause: string(metav1.CauseTypeResourceVersionTooLarge)}},
	{Status: &invalid},
	{Answer: &rig.Answer{Code: 504, Body: tooLarge}},
	{Answer: &rig.Answer{Code: 429, Type: "text/plain", Body: "busy"}},
	{Answer: &rig.Answer{Code: 502, Type: "text/html", Body: "<h1>Bad Gateway</h1>"}},
	{Answer: &rig.Answer{Code: 503, Type: "text/plain", Body: "none here"}},
}

// invalid has a cause for each field that is wrong.
var invalid = rig.Status{Code: 422, Causes: []metav1.StatusCause{
	{Type: metav1.CauseTypeFieldValueRequired, Message: "Required value", Field: "metadata.name"},
	{Type: metav1.CauseTypeFieldValueInvalid, Message: "Invalid value: -1", Field: "spec.replicas"},
}}

// tooLarge is how a server refuses a resourceVersion that it has not come to.
const tooLarge = `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Timeout: Too large resource version: 900, current: 3","reason":"Timeout",` +
	`"details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1},"code":504}`
