package informer

import (
	"fmt"
	"time"
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
