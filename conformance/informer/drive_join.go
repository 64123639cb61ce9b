package informer

import (
	"fmt"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
)

// driveJoinRelist has handlers join, one after the other, while a later list is under way.
func driveJoinRelist(d *driver) {
	d.some(3)
	d.two()
	d.start()
	d.settle()
	end := d.slow()
	d.away(func() { d.change(1) })
	for i := range 15 {
		d.t.Sleep(400 * time.Millisecond)
		d.handle(fmt.Sprint("joins-", i), 0)
	}
	end()
	d.settle()
	d.change(2)
	d.settle()
}

// driveRemovedEarly removes a handler before the start, and one before the informer has anything.
func driveRemovedEarly(wait bool) func(*driver) {
	return func(d *driver) {
		d.some(3)
		a, _ := d.two()
		b := d.handle("h3", 0)
		if a == nil || b == nil {
			return
		}
		a.remove(wait)
		end := func() {}
		if d.t.Has(rig.Faults) {
			end = d.slow()
		}
		d.start()
		d.t.Sleep(100 * time.Millisecond)
		b.remove(wait)
		d.look()
		d.t.Sleep(8 * time.Second)
		end()
		d.settle()
		d.changes(3)
		d.settle()
	}
}
