package listerwatcher

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
)

func driveListFaithful(d *driver) {
	d.list("c1", metav1.ListOptions{})
	for i := range 12 {
		d.put(fmt.Sprint("m", i), fmt.Sprint("content ", i))
	}
	d.put("m3", "changed")
	d.remove("m5")
	d.hold("held")
	d.list("c1", metav1.ListOptions{})
	d.list("c1", metav1.ListOptions{ResourceVersion: "0"})
	d.pages(d.list)
	d.pages(d.listAs) // which without a selector say how many remain
	d.free("held")
}

// driveListMany lists many, which clients that page by themselves have in several pages, and before that a few.
func driveListMany(d *driver) {
	d.many(2)
	d.list("c1", metav1.ListOptions{})
	d.many(600)
	d.list("c1", metav1.ListOptions{})
}

func (d *driver) pages(list func(string, metav1.ListOptions) (int32, *List)) {
	o := metav1.ListOptions{Limit: 5}
	for {
		_, l := list("c1", o)
		if l == nil || l.Continue == "" {
			return
		}
		o.Continue = l.Continue
	}
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

func driveListWhole(d *driver) {
	for i := range 5 {
		d.put(fmt.Sprint("m", i), fmt.Sprint("content ", i))
	}
	cut := d.fault(rig.Fault{Name: "cut", Verbs: []string{"list"}, Reset: "body"})
	d.list("c1", metav1.ListOptions{})
	cut()
	for i, body := range unreadable {
		end := d.fault(rig.Fault{Name: fmt.Sprint("body-", i), Verbs: []string{"list"}, Answer: &rig.Answer{Code: 200, Body: body}})
		d.list("c1", metav1.ListOptions{})
		end()
	}
	for i, f := range []rig.Fault{{Answer: &rig.Answer{Code: 200, Body: failure}}, {Reset: "body"}, {Reset: "headers"}} {
		f.Name, f.Verbs, f.Continued = fmt.Sprint("page-", i), []string{"list"}, ptr(true)
		end := d.fault(f)
		if _, l := d.list("c1", metav1.ListOptions{Limit: 2}); l != nil && l.Continue != "" {
			d.list("c1", metav1.ListOptions{Limit: 2, Continue: l.Continue})
		}
		end()
	}
	d.list("c1", metav1.ListOptions{})
}

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

func driveListErrors(d *driver) {
	for i, f := range refusals {
		f.Name = fmt.Sprint("refusal-", i)
		f.Times = longerThanTries // who asks without a limit comes to an end
		d.ask(f, 2*time.Second)   // too short for any of them to be called silence
	}
	if !d.t.Has(Pages) {
		return
	}
	d.many(5)
	for i, f := range refusals {
		f.Name, f.Verbs, f.Continued, f.Times = fmt.Sprint("page-", i), []string{"list"}, ptr(true), longerThanTries
		end := d.fault(f)
		d.list("c1", metav1.ListOptions{Limit: 2})
		end()
	}
}
