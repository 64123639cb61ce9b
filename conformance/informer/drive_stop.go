package informer

import (
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
)

func driveStop(d *driver) {
	d.some(3)
	if d.t.Has(Handlers) {
		d.handle("h1", 0)
	}
	d.start()
	d.settle()
	d.stop()
	d.change(1)
	d.t.Sleep(time.Second)
}

func driveStopHeld(d *driver) {
	d.some(3)
	a, _ := d.two()
	d.start()
	d.settle()
	if a == nil {
		return
	}
	a.gate.hold("")
	d.changes(20)
	d.pause()
	d.halt()
	d.t.Sleep(time.Second)
	a.gate.release()
	d.stopped()
}

func driveStopHanging(d *driver) {
	d.some(3)
	d.fault(rig.Fault{Verbs: []string{"list", "watch"}, Hang: "headers"})
	d.start()
	d.t.Sleep(time.Second)
	d.stop()
}

func driveStopPause(d *driver) {
	d.some(3)
	d.start()
	d.settle()
	d.fault(rig.Fault{Verbs: []string{"list", "watch"}, Status: &rig.Status{Code: 503}})
	d.cut(true)
	d.t.Sleep(3 * time.Minute)
	d.stop()
}

func driveStopEarly(d *driver) {
	d.some(3)
	d.start()
	d.stop()
	r := d.open(secondActor, d.another())
	if r == nil {
		return
	}
	r.start()
	d.pause()
	d.elsewhere(5)
	r.stop()
}

// another is the configuration of an informer of the other namespace.
func (d *driver) another() Config {
	c := d.running.config
	c.Namespace = elsewhere
	return c
}

func driveTwice(d *driver) {
	d.some(3)
	d.start()
	d.settle()
	d.again()
	d.changes(4)
	d.settle()
	d.stop()
	d.again()
	d.stopped()
}

func driveStopped(d *driver) {
	d.some(3)
	d.handle("h1", 0)
	d.start()
	d.settle()
	d.stop()
	d.handle("late", 0)
	d.stopped()
}
