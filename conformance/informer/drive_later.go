package informer

import (
	"fmt"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
)

// later says when to come back.
var later = rig.Status{Code: 429, RetryAfter: 20}

// muchLater is more than a minute away: who waits for that long at most has not done what it was asked to.
var muchLater = rig.Status{Code: 503, RetryAfter: 100}

// driveListLater lists, and lists anew, and each time a request that is a part of that says when to come back.
func driveListLater(f rig.Fault) func(*driver) {
	return func(d *driver) {
		d.some(8)
		for i, lists := range []func(){d.start, func() { d.away(func() { d.change(1) }) }} {
			f.Name, f.Times, f.Status = fmt.Sprint("later-", i), 1, &later
			end := d.fault(f)
			lists()
			d.t.Sleep(2 * time.Minute)
			end()
			d.settle()
		}
	}
}

func drivePageLater(d *driver) {
	defer d.noStreams()()
	driveListLater(rig.Fault{Verbs: []string{"list"}, Continued: ptr(true)})(d)
}

// driveResyncLater gives a handler time to be told again: after a watch has ended, and after a later list.
func driveResyncLater(d *driver) {
	d.some(3)
	d.handle("h1", 0)
	if d.t.Has(HandlerPeriods) {
		d.handle("h2", 25*time.Second)
	}
	d.start()
	d.settle()
	d.put("newer", "1")
	d.calm()
	d.cut(true)
	d.t.Sleep(2 * time.Minute)
	d.away(func() {
		d.put("newest", "1")
		d.put("o1", "2")
		d.remove("o2")
		d.remove("newer")
		d.put("newer", "1")
	})
	d.t.Sleep(2 * time.Minute)
	d.settle()
}

func driveStopPage(d *driver) {
	d.some(8)
	d.noStreams()
	d.fault(rig.Fault{Name: "page", Verbs: []string{"list"}, Continued: ptr(true), Hang: "headers"})
	d.start()
	d.t.Sleep(time.Second)
	d.stop()
}
