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
	d.start()
	d.settle()
	end := d.slow()
	d.away(func() { d.change(1) })
	d.poll(400*time.Millisecond, 30)
	end()
	d.settle()
}

// What a further page of a list meets.
var (
	expiredPages = []rig.Fault{{Status: &gone}, {Status: &rig.Status{Code: 410, Reason: "Gone"}}, {Status: &reasonless}}
	failingPages = []rig.Fault{
		{Status: &rig.Status{Code: 500}}, {Status: &rig.Status{Code: 504}}, {Status: &rig.Status{Code: 429}},
		{Reset: "body"}, {Answer: &rig.Answer{Code: 200, Body: "{"}},
	}
)

// emptyPages have no items, and a token: of three pages the list goes on by itself.
var emptyPages = []rig.Fault{{Empty: true}, {Empty: true}, {Empty: true, Times: 2}}

// drivePagesMeet lets each fault strike the second page, and the third, of a list: the first of them of the first list,
// and each of one after a watch.
func drivePagesMeet(faults []rig.Fault) func(*driver) {
	return func(d *driver) {
		d.some(8)
		defer d.noStreams()()
		d.pageMeets("first", faults[0], 1, d.start)
		for i, f := range faults {
			for nth := range 2 {
				d.pageMeets(fmt.Sprint("page-", i, "-", nth), f, nth+1, func() { d.away(func() { d.change(i + 1) }) })
			}
		}
	}
}

// pageMeets has it list, and look, while a page of its lists meets a fault: the nth of those that go on from another.
func (d *driver) pageMeets(name string, f rig.Fault, nth int, lists func()) {
	slow := d.slow()
	f.Name, f.Verbs, f.Continued, f.Nth = name, []string{"list"}, ptr(true), nth
	end := d.fault(f)
	lists()
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
