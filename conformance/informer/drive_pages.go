package informer

import (
	"fmt"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
)

// drivePages lists anew while each page takes its time.
func drivePages(d *driver) {
	d.some(8)
	defer d.noStreams()()
	for _, lists := range []func(){d.start, func() { d.away(func() { d.change(1) }) }} {
		end := d.slow()
		lists()
		d.poll(400*time.Millisecond, 30)
		end()
		d.settle()
	}
}

// What a further page of a list meets.
var (
	expiredPages = []rig.Fault{{Status: &gone}, {Status: &rig.Status{Code: 410, Reason: "Gone"}}, {Status: &reasonless}, {Status: &gone, Times: 2}}
	failingPages = []rig.Fault{
		{Status: &rig.Status{Code: 500}}, {Status: &rig.Status{Code: 503}}, {Status: &rig.Status{Code: 504}}, {Status: &rig.Status{Code: 429}},
		{Reset: "headers"}, {Reset: "body"}, {Answer: &rig.Answer{Code: 200, Body: "{"}}, {Answer: &statusAs200},
	}
)

// emptyPages have no items, and a token: of three pages the list goes on by itself.
var emptyPages = []rig.Fault{{Empty: true}, {Empty: true}, {Empty: true, Times: 2}}

// driveExpiredPages has pages expire, at last because the server has forgotten the state that they are of: its refusal
// then has a token for the rest of the list, as it is by now.
func driveExpiredPages(d *driver) {
	drivePagesMeet(expiredPages)(d)
	defer d.noStreams()()
	d.secondPageMeets("forgotten", rig.Fault{Latency: rig.Duration(12 * time.Second)}, d.relists(len(expiredPages)+1))
}

// drivePagesMeet lets each fault strike the second page, and the third, of a list: the first of them of the first list,
// and each of one after a watch. Where the second page fails, what the first one had is not true any more at the next attempt.
func drivePagesMeet(faults []rig.Fault) func(*driver) {
	return func(d *driver) {
		d.some(8)
		defer d.noStreams()()
		d.secondPageMeets("first", faults[0], d.starts)
		for i, f := range faults {
			d.secondPageMeets(fmt.Sprint("second-", i), f, d.relists(i+1))
			d.thirdPageMeets(fmt.Sprint("third-", i), f, i+1)
		}
	}
}

func (d *driver) secondPageMeets(name string, f rig.Fault, lists func(arm func())) {
	slow := d.slow()
	f.Verbs, f.Continued, f.Nth = []string{"list"}, ptr(true), 1
	d.midway(name, f, lists)
	slow()
	d.settle()
}

// thirdPageMeets has it list, and look, while a page of its lists meets a fault: the second of those that go on from another.
func (d *driver) thirdPageMeets(name string, f rig.Fault, change int) {
	slow := d.slow()
	f.Name, f.Verbs, f.Continued, f.Nth = name, []string{"list"}, ptr(true), 2
	end := d.fault(f)
	d.away(func() { d.change(change) })
	d.poll(400*time.Millisecond, 20)
	end()
	slow()
	d.settle()
}

// driveManyPages has more objects than informers ask for at a time.
func driveManyPages(d *driver) {
	d.some(505)
	defer d.noStreams()()
	first := d.fault(rig.Fault{Name: "first", Verbs: []string{"list"}, Nth: 1, Status: &gone}) // so that the next is of the most recent, in pages
	d.start()
	d.calm()
	first()
	for i, f := range []rig.Fault{expiredPages[0], failingPages[0], failingPages[1]} {
		slow := d.fault(rig.Fault{Name: fmt.Sprint("slow-", i), Verbs: []string{"list"}, Latency: rig.Duration(time.Second)})
		f.Name, f.Verbs, f.Continued, f.Nth = fmt.Sprint("page-", i), []string{"list"}, ptr(true), 1
		end := d.fault(f)
		d.away(func() { d.change(i + 1) })
		d.t.Sleep(10 * time.Second)
		d.look()
		end()
		slow()
		d.settle()
	}
}
