package informer

import (
	"fmt"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
)

// two adds two handlers, or one where there can be no more; nil: it was refused.
func (d *driver) two() (a, b *handler) {
	a = d.handle("h1", 0)
	if d.t.Has(ManyHandlers) {
		b = d.handle("h2", 0)
	}
	return a, b
}

func driveLives(d *driver) {
	d.put("a", "1")
	d.put("b", "1")
	d.two()
	d.start()
	d.settle()
	d.lives()
	d.pause()
	d.put("b", "3")
	d.settle()
}

func driveRelists(d *driver) {
	d.some(4)
	d.two()
	d.start()
	d.settle()
	for i := range 3 {
		d.away(func() { d.change(i + 1) })
		d.calm()
		d.put("o1", fmt.Sprint("r", i))
		d.settle()
	}
	d.away(func() {})
	d.settle()
	for i := range 4 {
		d.atOnce(func() {
			for n := range 6 {
				d.flip(fmt.Sprint("m", n), 5*i+n)
			}
			d.change(i + 4)
		})
		d.settle()
	}
}

// atOnce does something of which the informer hears all at once, by the watch that it opens when none is refused any
// more. Where a queue lies between watch and store, what comes so fast is taken from it in batches.
func (d *driver) atOnce(f func()) {
	end := d.fault(rig.Fault{Verbs: []string{"watch"}, Status: &rig.Status{Code: 429}})
	d.cut(true)
	f()
	end()
}

// driveRandom draws what happens next: with the same seed always the same.
func driveRandom(d *driver) {
	a, b := d.two()
	d.some(3)
	d.start()
	d.settle()
	for i := range 60 {
		name := fmt.Sprint("o", d.t.Rand().IntN(5))
		switch d.t.Rand().IntN(10) {
		case 0:
			d.cut(d.t.Rand().IntN(2) == 0)
		case 1:
			d.away(func() { d.flip(name, i) })
			d.calm()
		case 2:
			if b != nil { // or all would wait
				a.gate.hold("")
			}
		case 3:
			a.gate.release()
		case 4:
			d.calm()
		default:
			d.flip(name, i)
		}
	}
	a.gate.release()
	d.settle()
}

// flip changes an object or deletes it, if it is there.
func (d *driver) flip(name string, i int) {
	if d.alive[d.home+"/"+name] && i%3 == 0 {
		d.remove(name)
		return
	}
	d.put(name, fmt.Sprint("f", i))
}

func driveHeldIndex(d *driver) {
	d.some(2)
	a, _ := d.two()
	d.start()
	d.settle()
	a.gate.hold("")
	for i, app := range []string{"two", "", "one", "three"} {
		d.label("o0", app)
		d.put("o1", fmt.Sprint("i", i))
		d.pause()
	}
	d.remove("o1")
	d.pause()
	a.gate.release()
	d.settle()
}

func driveDeletes(d *driver) {
	d.some(6)
	d.two()
	d.start()
	d.settle()
	d.put("o0", "last")
	d.remove("o0")
	d.remove("o1")
	d.put("o1", "anew")
	d.settle()
	d.away(func() {
		d.put("o2", "unseen")
		d.remove("o2")
		d.remove("o3")
		d.remove("o4")
		d.put("o4", "anew")
	})
	d.settle()
	d.remove("o4")
	d.settle()
}

func driveLate(d *driver) {
	end := func() {}
	if d.t.Has(rig.Faults) {
		end = d.slow()
	}
	d.some(3)
	d.start()
	d.t.Sleep(1500 * time.Millisecond)
	d.handle("amid", 0)
	end()
	d.settle()
	d.handle("late", 0)
	d.settle()
	d.lives()
	d.handle("busy", 0)
	d.change(1)
	d.settle()
	d.remove("o0")
	d.settle()
}

func driveLateBacklog(d *driver) {
	a := d.handle("h1", 0)
	d.some(3)
	d.start()
	d.settle()
	if a == nil {
		return
	}
	a.gate.hold("")
	d.changes(50)
	for i := range 3 {
		d.put("o1", fmt.Sprint("in a row ", i))
	}
	d.remove("o1")
	d.pause()
	d.handle("late", 0)
	d.changes(10)
	d.pause()
	d.look()
	a.gate.release()
	d.settle()
}

// changes makes so many, of two objects.
func (d *driver) changes(n int) {
	for i := range n {
		d.put(fmt.Sprint("o", 2*(i%2)), fmt.Sprint("n", d.count.Add(1)))
	}
}

func driveRemoved(wait bool) func(*driver) {
	return func(d *driver) {
		d.some(3)
		a, b := d.two()
		c := d.handle("h3", 0)
		d.start()
		d.settle()
		if a == nil || b == nil || c == nil {
			return
		}
		a.remove(wait) // idle
		a.remove(wait)
		d.changes(4)
		d.settle()
		b.gate.hold("")
		c.gate.hold("")
		d.changes(30)
		d.put("o1", "once")
		d.pause()
		if wait {
			d.t.Go(func() {
				d.t.Sleep(time.Second)
				b.gate.release()
			})
			b.remove(true)
			b.remove(true)
		} else {
			b.remove(false)
			b.remove(false) // with a backlog still
			d.changes(5)
			d.pause()
			b.gate.release()
		}
		c.gate.release()
		d.changes(5)
		d.settle()
	}
}

// driveRemovedLast removes the only handler, and adds another after changes that nobody was told of.
func driveRemovedLast(d *driver) {
	d.some(3)
	only := d.handle("h1", 0)
	d.start()
	d.settle()
	if only == nil {
		return
	}
	only.remove(false)
	d.changes(4)
	d.remove("o2")
	d.settle()
	d.handle("h2", 0)
	d.settle()
	d.changes(4)
	d.settle()
	d.away(func() { d.change(3) })
	d.settle()
}

// driveRemovedResync removes handlers that are told of everything again and again.
func driveRemovedResync(wait bool) func(*driver) {
	return func(d *driver) {
		d.some(1)
		a, b := d.two()
		d.start()
		d.settle()
		if a == nil || b == nil {
			return
		}
		d.t.Sleep(4 * time.Second)
		a.remove(wait)
		d.settle()
		d.t.Sleep(10 * time.Second)
		d.changes(2)
		d.settle()
	}
}

// slowBacklog is more than twice what client-go's queue of a handler begins with, and more than a queue of a usual size holds.
const slowBacklog = 2100

func driveSlowHandler(d *driver) {
	d.some(3)
	a, _ := d.two()
	d.start()
	d.settle()
	if a == nil {
		return
	}
	a.gate.hold("")
	d.changes(1)
	d.settle()           // it is in its call when the others come
	d.put("oldest", "1") // which no later change makes up for
	d.changes(slowBacklog)
	d.remove("o1")
	d.settle()
	a.gate.release()
	d.settle()
}

func driveSlowRelist(d *driver) {
	d.some(3)
	a, _ := d.two()
	d.start()
	d.settle()
	if a == nil {
		return
	}
	for i := range 2 {
		a.gate.hold("")
		d.put("o1", fmt.Sprint("s", i))
		d.settle()
		d.away(func() { d.change(i + 1) })
		d.settle()
		a.gate.release()
		d.settle()
	}
}

func driveResync(d *driver) {
	d.some(3)
	d.handle("h1", 0)
	if d.t.Has(HandlerPeriods) {
		d.handle("h2", 25*time.Second)
	}
	d.start()
	d.settle()
	for i := range 5 {
		d.t.Sleep(25 * time.Second)
		d.put("o0", fmt.Sprint("s", i))
	}
	if d.t.Has(HandlerPeriods) {
		d.handle("late", 20*time.Second)
	}
	d.t.Sleep(2 * time.Minute)
	d.settle()
}
