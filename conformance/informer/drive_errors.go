package informer

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
)

// statusAs200 is a refusal that comes as if it were what was asked for, as a proxy may send it.
var statusAs200 = rig.Answer{Code: 200, Body: `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"not now","reason":"InternalError","code":500}`}

// obstacles are what a request may meet, whatever it asks for.
var obstacles = []rig.Fault{
	{Status: &rig.Status{Code: 429}}, {Status: &rig.Status{Code: 500}}, {Status: &rig.Status{Code: 503}}, {Status: &rig.Status{Code: 504}},
	{Reset: "headers"}, {Reset: "body"},
	{Answer: &rig.Answer{Code: 502, Type: "text/html", Body: "<html>bad gateway</html>"}},
	{Answer: &rig.Answer{Code: 200, Body: "{"}}, {Answer: &rig.Answer{Code: 200, Type: "text/html", Body: "<html>log in</html>"}}, {Answer: &statusAs200},
}

// hear adds a handler, where it has any.
func (d *driver) hear() {
	if d.t.Has(Handlers) {
		d.handle("h1", 0)
	}
}

// driveErrors lets each obstacle strike the requests after a watch that has ended: the next, or the next three.
func driveErrors(d *driver) {
	d.some(3)
	d.hear()
	d.start()
	d.settle()
	for i, f := range obstacles {
		for _, times := range []int{1, 3} {
			f.Name, f.Times = fmt.Sprint("obstacle-", i, "-", times), times
			f.Verbs = []string{"list", "watch"}
			end := d.fault(f)
			d.cut(i%2 == 0)
			d.change(i + 1)
			d.t.Sleep(time.Minute)
			end()
			d.settle()
		}
	}
}

// driveListErrors lets each obstacle strike a list, or streaming list: the next, or the next three.
func driveListErrors(d *driver) {
	d.some(3)
	d.start()
	d.settle()
	for i, f := range append(obstacles, rig.Fault{Status: &rig.Status{Code: 401}}, rig.Fault{Status: &rig.Status{Code: 404}}) {
		for _, times := range []int{1, 3} {
			name := fmt.Sprint("list-", i, "-", times)
			f.Times = times
			f.Name, f.Verbs, f.Streaming = name, []string{"list"}, nil
			one := d.fault(f)
			f.Name, f.Verbs, f.Streaming = name+"-streamed", []string{"watch"}, ptr(true)
			two := d.fault(f)
			d.away(func() { d.change(i + 1) })
			d.t.Sleep(time.Minute)
			one()
			two()
			d.settle()
		}
	}
}

// driveStreamedErrors lets streaming lists, one of each sort, end as watches may.
func driveStreamedErrors(d *driver) {
	driveStreamsMidway(d)
	for i, e := range append(disturbances, rig.Events{Do: "error", Status: &gone}, rig.Events{Do: "error", Status: &tooLargeStatus}) {
		for _, nth := range []int{0, 2} {
			e.Nth = nth
			if nth == 0 && slices.Contains([]string{"close", "break", "error"}, e.Do) {
				e.After = ptr(rig.Duration(0)) // before anything came
			}
			end := d.fault(rig.Fault{Name: fmt.Sprint("streamed-", i, "-", nth), Verbs: []string{"watch"}, Streaming: ptr(true), Times: 1, Events: &e})
			d.away(func() { d.change(i + 1) })
			d.t.Sleep(time.Minute)
			end()
			d.settle()
			e.After = nil
		}
	}
}

// driveRefused has connections be refused for a while, amid changes, and while it lists.
func driveRefused(d *driver) {
	d.some(3)
	d.hear()
	up := d.refuse()
	d.start()
	d.pause()
	d.refuse() // it has been for a while
	d.t.Sleep(30 * time.Second)
	d.look()
	up()
	d.settle()
	up = d.refuse()
	d.change(1)
	d.t.Sleep(time.Minute)
	up()
	d.settle()
	for _, verb := range []string{"list", "watch"} {
		end := d.fault(rig.Fault{Name: "slow-" + verb, Verbs: []string{verb}, Latency: rig.Duration(5 * time.Second)})
		d.away(func() { d.change(2) })
		d.t.Sleep(2 * time.Second)
		up = d.refuse()
		d.t.Sleep(time.Minute)
		up()
		end()
		d.settle()
	}
}

// tooLargeStatus is the status of a resourceVersion that the server has not seen yet.
var tooLargeStatus = rig.Status{Code: 504, Reason: "Timeout", Message: "Too large resource version: 99, current: 9", RetryAfter: 1, Cause: string(metav1.CauseTypeResourceVersionTooLarge)}

// disturbances are what may happen to a watch that is open.
var disturbances = []rig.Events{
	{Do: "error", Status: &rig.Status{Code: 429}}, {Do: "error", Status: &rig.Status{Code: 500}}, {Do: "error", Status: &rig.Status{Code: 504}}, {Do: "error", Status: &rig.Status{Code: 403}},
	{Do: "close"}, {Do: "break"}, {Do: "truncate"}, {Do: "garble"},
}

func driveStreamEnds(d *driver) {
	d.some(3)
	d.hear()
	d.start()
	d.settle()
	for i, e := range disturbances {
		for _, nth := range []int{1, 3} {
			e.Nth = nth
			end := d.fault(rig.Fault{Name: fmt.Sprint("stream-", i, "-", nth), Verbs: []string{"watch"}, Streaming: ptr(false), Times: 1, Events: &e})
			d.cut(true)
			d.change(i + 1)
			d.t.Sleep(time.Minute)
			end()
			d.settle()
		}
	}
	for i, e := range disturbances[:2] {
		d.endsStreaming(fmt.Sprint("stream-", i), e)
	}
}

// halfHour is how long what is wrong stays so.
const halfHour = 30 * time.Minute

func drivePace(d *driver) {
	d.some(2)
	d.hear()
	d.start()
	d.settle()
	for i, f := range []rig.Fault{{Status: &rig.Status{Code: 429}}, {Status: &rig.Status{Code: 503}}, {Status: &rig.Status{Code: 500}}, {Status: &rig.Status{Code: 403}}, {Reset: "headers"}} {
		f.Name, f.Verbs = fmt.Sprint("down-", i), []string{"list", "watch"}
		end := d.fault(f)
		d.cut(true)
		d.t.Sleep(halfHour / 2)
		d.look() // what cannot be asked for is there all the same
		d.t.Sleep(halfHour / 2)
		end()
		d.put("o0", fmt.Sprint("p", i))
		d.settle()
	}
	short := d.fault(rig.Fault{Name: "short", Verbs: []string{"watch"}, Streaming: ptr(false), Events: &rig.Events{After: ptr(rig.Duration(0)), Do: "close"}})
	d.cut(true)
	d.t.Sleep(5 * time.Minute)
	short()
	d.settle()
	spoilt := d.fault(rig.Fault{Name: "watches-error", Verbs: []string{"watch"}, Streaming: ptr(false), Events: &rig.Events{After: ptr(rig.Duration(0)), Do: "error", Status: &rig.Status{Code: 500}}})
	d.cut(true)
	d.t.Sleep(halfHour)
	spoilt()
	d.settle()
	end := d.fault(rig.Fault{Name: "watches-410", Verbs: []string{"watch"}, Streaming: ptr(false), Status: &gone})
	d.cut(true)
	d.t.Sleep(halfHour)
	end()
	d.settle()
}

// driveManyRefusals refuses a hundred requests in a row, which takes as long as the client pauses: of one that never pauses for
// longer than five minutes, eight hours.
func driveManyRefusals(d *driver) {
	d.some(2)
	d.hear()
	d.start()
	d.settle()
	end := d.fault(rig.Fault{Name: "down", Verbs: []string{"list", "watch"}, Status: &rig.Status{Code: 503}, Times: 100})
	d.cut(true)
	d.t.Sleep(9 * time.Hour)
	end()
	d.put("o0", "2")
	d.settle()
}

// driveStreamPace lets no streaming list come to its end.
func driveStreamPace(d *driver) {
	d.some(2)
	slow := d.fault(rig.Fault{Name: "slow", Verbs: []string{"watch"}, Streaming: ptr(true), Latency: rig.Duration(50 * time.Millisecond)})
	defer slow()
	for i, f := range []rig.Fault{
		{Status: &gone},
		{Events: &rig.Events{Nth: 2, Do: "close"}}, {Events: &rig.Events{Nth: 1, Do: "error", Status: &gone}},
	} {
		f.Name, f.Verbs, f.Streaming = fmt.Sprint("stream-", i), []string{"watch"}, ptr(true)
		end := d.fault(f)
		if i == 0 {
			d.start() // some ask for a streaming list at the start alone
		} else {
			d.again410()
		}
		d.t.Sleep(20 * time.Second)
		end()
		d.settle()
	}
}

func driveRetryAfter(d *driver) {
	d.some(3)
	d.start()
	d.settle()
	unavailable := rig.Status{Code: 503, RetryAfter: 20}
	for i, f := range []rig.Fault{
		{Verbs: []string{"watch"}, Streaming: ptr(false), Status: &later}, {Verbs: []string{"watch"}, Streaming: ptr(false), Status: &unavailable},
		{Verbs: []string{"watch"}, Streaming: ptr(false), Events: &rig.Events{After: ptr(rig.Duration(0)), Do: "error", Status: &later}},
		{Verbs: []string{"watch"}, Streaming: ptr(false), Events: &rig.Events{After: ptr(rig.Duration(0)), Do: "error", Status: &unavailable}},
		{Verbs: []string{"watch"}, Streaming: ptr(false), Status: &muchLater},
		{Verbs: []string{"watch"}, Streaming: ptr(false), Events: &rig.Events{After: ptr(rig.Duration(0)), Do: "error", Status: &muchLater}},
	} {
		f.Name, f.Times = fmt.Sprint("later-", i), 1
		end := d.fault(f)
		d.cut(true)
		d.t.Sleep(2 * time.Minute)
		end()
		d.put("o0", fmt.Sprint("r", i))
		d.settle()
	}
	for i, at := range []rig.Status{later, muchLater} {
		one := d.fault(rig.Fault{Name: fmt.Sprint("list-later-", i), Verbs: []string{"list"}, Times: 1, Status: &at})
		two := d.fault(rig.Fault{Name: fmt.Sprint("stream-later-", i), Verbs: []string{"watch"}, Streaming: ptr(true), Times: 1, Status: &at})
		d.away(func() { d.change(i + 1) })
		d.t.Sleep(4 * time.Minute)
		one()
		two()
		d.settle()
	}
}

func drivePermanent(d *driver) {
	d.some(2)
	d.start()
	d.settle()
	for _, code := range []int32{401, 403, 404} {
		end := d.fault(rig.Fault{Name: fmt.Sprint("no-", code), Verbs: []string{"list", "watch"}, Status: &rig.Status{Code: code}})
		d.cut(true)
		d.t.Sleep(10 * time.Minute)
		end()
		d.put("o0", fmt.Sprint("q", code))
		d.settle()
	}
}
