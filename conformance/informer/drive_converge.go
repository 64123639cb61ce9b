package informer

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
)

// driveEqual writes before the start and after it.
func driveEqual(d *driver) {
	d.put("a", "1")
	d.put("b", "1")
	d.remove("b")
	d.putFixed("fixed")
	d.start()
	d.settle()
	d.lives()
	d.settle()
}

// lives has objects come, change, go, and come again.
func (d *driver) lives() {
	d.put("c", "1")
	d.put("a", "2")
	d.put("c", "2")
	d.remove("a")
	d.put("a", "3")
	d.remove("c")
	d.put("b", "2")
}

// driveAlike has objects whose names are alike be listed, come, change and go: one of each two before the other.
func driveAlike(d *driver) {
	names := rig.Alike()
	each := func(first int, do func(name string)) {
		for i := first; i < len(names); i += 2 {
			do(names[i])
		}
	}
	put := func(content string) func(string) { return func(name string) { d.put(name, content) } }
	each(0, put("1"))
	d.hear()
	d.start()
	d.settle()
	each(1, put("1"))
	d.settle()
	each(0, put("2"))
	d.settle()
	each(0, d.remove)
	d.settle()
	d.away(func() {
		each(1, d.remove)
		each(0, put("3"))
	})
	d.settle()
}

// driveUnseenDeletes deletes behind its back.
func driveUnseenDeletes(d *driver) {
	d.some(6)
	if d.t.Has(Handlers) {
		d.two()
	}
	d.start()
	d.settle()
	d.away(func() {
		d.remove("o0")
		d.put("o1", "unseen")
		d.remove("o1")
		d.remove("o2")
		d.put("o2", "1") // as it was, and another
	})
	d.settle()
	d.gap(func() {
		d.remove("o3")
		d.remove("o2")
		d.put("o0", "back")
	})
	d.settle()
	d.away(d.empty)
	d.settle()
	d.put("o0", "after all")
	d.settle()
}

// empty deletes all that there is.
func (d *driver) empty() {
	for _, key := range slices.Sorted(maps.Keys(d.alive)) {
		ns, name, _ := strings.Cut(key, "/")
		d.removeIn(ns, name)
	}
}

// gap does something while no watch is open, of which the next can still tell.
func (d *driver) gap(f func()) {
	end := d.fault(rig.Fault{Verbs: []string{"list", "watch"}, Status: &rig.Status{Code: 503}})
	d.cut(true)
	f()
	end()
}

func driveRecreated(d *driver) {
	if d.t.Has(Handlers) {
		d.two()
	}
	d.some(3)
	d.start()
	d.settle()
	d.remove("o0")
	d.put("o0", "1")
	d.remove("o1")
	d.put("o1", "other")
	d.settle()
	d.remove("o0")
	d.calm()
	d.put("o0", "1")
	d.settle()
}

// relist makes it list at whichever view answers.
func (d *driver) relist() {
	end := d.fault(rig.Fault{Verbs: []string{"watch"}, Streaming: ptr(false), Times: 1, Status: &gone})
	d.cut(true)
	if d.t.Virtual() {
		d.t.Sleep(time.Minute)
	} else {
		d.t.Sleep(time.Second)
	}
	end()
}

func driveViews(d *driver) {
	if d.t.Has(Handlers) {
		d.two()
	}
	d.some(4)
	d.start()
	d.settle()
	for i := range 3 {
		d.hold(true)
		d.change(i + 1)
		d.remove("o1")
		d.calm()
		d.turn(true)
		if i == 1 {
			d.cut(true)
		} else {
			d.relist()
		}
		d.look()
		d.turn(false)
		d.put("o1", "back")
		d.cut(false)
		d.calm()
		d.look()
		d.hold(false)
		d.settle()
	}
}

// driveViewsStart begins at a view that does not have the last changes.
func driveViewsStart(d *driver) {
	if d.t.Has(Handlers) {
		d.two()
	}
	d.some(4)
	d.turn(true)
	d.hold(true)
	d.change(1)
	d.remove("o1")
	d.start()
	d.t.Sleep(5 * time.Second)
	d.look()
	d.turn(false)
	d.relist()
	d.look()
	d.turn(true)
	d.cut(true)
	d.relist()
	d.look()
	d.hold(false)
	d.settle()
}

// driveSame has two informers of one namespace, of which the second begins when the first has what there is.
func driveSame(d *driver) {
	d.some(3)
	other := d.open(secondActor, d.config)
	if other == nil {
		return
	}
	d.start()
	d.settle()
	other.start()
	d.settled(d.running, other)
	d.change(1)
	d.remove("o1")
	d.settled(d.running, other)
	d.stop()
	d.change(2)
	d.put("o1", "again")
	d.settled(other)
}

// driveTwo has an informer of another namespace beside.
func driveTwo(d *driver) {
	d.some(3)
	d.elsewhere(3)
	other := d.open(secondActor, d.another())
	if other == nil {
		return
	}
	d.start()
	other.start()
	d.settled(d.running, other)
	d.hold(true)
	d.change(1)
	d.elsewhere(5)
	d.turn(true)
	d.relist()
	d.elsewhere(6)
	d.removeIn(d.abroad, "x0")
	d.look()
	other.look()
	d.turn(false)
	d.hold(false)
	d.settled(d.running, other)
	d.stop()
	d.elsewhere(7)
	d.removeIn(d.abroad, "x1")
	d.settled(other)
}
