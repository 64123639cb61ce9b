package informer

import (
	"fmt"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
)

// large is how many objects there are where there are many: more than anybody keeps room for, of each third, too.
const large = 310

// driveNotifyLarge has many objects be listed; a third of them be deleted, and another changed, and as many come, while
// no request is answered; those that are left change at once, while a watch is open and a handler joins.
func driveNotifyLarge(d *driver) {
	d.some(large)
	d.handle("h1", 0)
	d.start()
	d.settle()
	d.away(func() {
		for i := range large {
			switch name := fmt.Sprint("o", i); i % 3 {
			case 0:
				d.remove(name)
				d.put(fmt.Sprint("n", i), "1")
			case 1:
				d.put(name, "2")
			}
		}
	})
	d.settle()
	for i := range large {
		if i%3 != 0 {
			d.put(fmt.Sprint("o", i), "3")
		}
	}
	if d.t.Has(ManyHandlers) {
		d.handle("late", 0)
	}
	d.settle()
}

// driveResyncLarge has as many periods of a handler go by as one watch has.
func driveResyncLarge(d *driver) {
	d.some(large / 2)
	d.handle("h1", 0)
	d.start()
	d.settle()
	d.t.Sleep(4 * time.Minute)
	d.settle()
}

// driveLong has objects of more bytes than one reads at once be listed, change and come on a watch, change unseen, and go.
func driveLong(d *driver) {
	for i, n := range rig.Sizes {
		d.putLong(fmt.Sprint("listed", i), "1", n)
	}
	d.hear()
	d.start()
	d.settle()
	for i, n := range rig.Sizes {
		d.putLong(fmt.Sprint("came", i), "1", n)
		d.putLong(fmt.Sprint("listed", i), "2", n)
		d.put("short", fmt.Sprint(i))
	}
	d.settle()
	d.away(func() { d.putLong("came1", "2", rig.Sizes[1]) })
	d.settle()
	for i := range rig.Sizes {
		d.remove(fmt.Sprint("listed", i))
	}
	d.settle()
}
