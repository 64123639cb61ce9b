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
	d.forgotten(len(expiredPages) + 1)
}

// forgotten has the server forget the state that a second page is of.
func (d *driver) forgotten(change int) {
	d.pageMeets(2, "forgotten", rig.Fault{Latency: rig.Duration(12 * time.Second)}, d.relists(change))
}

// drivePagesMeet lets each fault strike the second page, and the third, of a list: the first of them of the first list,
// and each of one after a watch. What the pages before had is not true any more at the next attempt.
func drivePagesMeet(faults []rig.Fault) func(*driver) {
	return func(d *driver) {
		d.some(8)
		defer d.noStreams()()
		d.pageMeets(2, "first", faults[0], d.starts)
		for i, f := range faults {
			d.pageMeets(2, fmt.Sprint("second-", i), f, d.relists(i+1))
			d.pageMeets(3, fmt.Sprint("third-", i), f, d.relists(i+1))
		}
	}
}

// pageMeets has it list, and look, while the nth page of its lists meets a fault.
func (d *driver) pageMeets(nth int, name string, f rig.Fault, lists func(arm func())) {
	slow := d.slow()
	f.Verbs, f.Continued, f.Nth = []string{"list"}, ptr(true), nth-1
	d.midway(name, f, lists)
	slow()
	d.settle()
}

// driveManyPages has more objects than informers ask for at a time.
func driveManyPages(d *driver) { d.pagesOf(505) }

// driveShortPages has pages come that are shorter than is asked for, however long that is, as pages may be; the server
// makes none where a list has no limit.
func driveShortPages(d *driver) {
	defer d.fault(rig.Fault{Name: "short", Verbs: []string{"list"}, Limit: 3})()
	d.pagesOf(8)
}

// pagesOf lists anew so many objects while pages fail and expire.
func (d *driver) pagesOf(objects int) {
	d.some(objects)
	defer d.noStreams()()
	first := d.fault(rig.Fault{Name: "first", Verbs: []string{"list"}, Nth: 1, Status: &gone}) // so that the next is of the most recent, in pages
	d.start()
	d.calm()
	first()
	for i, f := range []rig.Fault{expiredPages[0], failingPages[0], failingPages[1]} {
		d.pageMeets(2, fmt.Sprint("page-", i), f, d.relists(i+1))
	}
	d.forgotten(len(expiredPages))
}
