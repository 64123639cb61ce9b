package informer

import (
	"fmt"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
)

func driveStop(d *driver) {
	d.some(3)
	d.hear()
	d.start()
	d.settle()
	d.stop()
	d.change(1)
	d.t.Sleep(time.Second)
	d.readSynced()
	for _, h := range d.handlers {
		h.readSynced()
	}
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

// driveStopOpening has a watch get no answer: the first of one informer, and that which another asks for when its own was cut.
func driveStopOpening(d *driver) {
	second := d.open(secondActor, d.another())
	if second == nil {
		return
	}
	d.some(3)
	d.elsewhere(3)
	second.start()
	d.t.Sleep(5 * time.Second)
	// Who does not give the request up is stopped by its answer, four seconds late: in real time that tells more than no end.
	d.fault(rig.Fault{Verbs: []string{"watch"}, Streaming: ptr(false), Hang: "headers", For: rig.Duration(14 * time.Second)})
	d.cut(true)
	d.start()
	d.t.Sleep(10 * time.Second)
	d.halt()
	second.halt()
	d.stopped()
	second.stopped()
}

func driveStopPause(d *driver) {
	d.some(3)
	d.start()
	d.settle()
	d.fault(rig.Fault{Verbs: []string{"list", "watch"}, Status: &rig.Status{Code: 503}})
	d.cut(true)
	d.t.Sleep(3*time.Minute + 10*time.Second) // in the midst of a pause of half a minute, say
	d.stop()
}

// stopPausing has two informers stopped in the midst of what they do where what they ask for comes to nothing, for
// minutes: one might be just about to ask again. The first may have listed before; the second starts when it fails.
func (d *driver) stopPausing(listed bool, fails func()) {
	second := d.open(secondActor, d.another())
	if second == nil {
		return
	}
	d.some(3)
	if listed {
		d.start()
		d.settle()
		fails()
		d.cut(true)
	} else {
		fails()
		d.start()
	}
	d.t.Sleep(6500 * time.Millisecond) // their pauses, twice as long each, never end together
	second.start()
	d.change(1)
	d.elsewhere(1)
	d.t.Sleep(3*time.Minute + 10*time.Second)
	d.halt()
	second.halt()
	d.stopped()
	second.stopped()
}

func driveStopBusy(d *driver) {
	d.stopPausing(false, func() { d.fault(rig.Fault{Verbs: []string{"list", "watch"}, Status: &rig.Status{Code: 429}}) })
}

func driveStopBusyWatch(d *driver) {
	d.stopPausing(true, func() {
		d.fault(rig.Fault{Verbs: []string{"watch"}, Streaming: ptr(false), Status: &rig.Status{Code: 429}})
	})
}

func driveStopBusyStream(d *driver) {
	d.stopPausing(true, func() {
		d.fault(rig.Fault{Verbs: []string{"watch"}, Streaming: ptr(false), Events: &rig.Events{Do: "error", Nth: 1, Status: &rig.Status{Code: 429}}})
	})
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
	c.Namespace = d.abroad
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

// lie is what only a server does that breaks the contract itself.
type lie struct {
	name string
	rig.Events
}

// lies are all of them, of objects of a namespace.
func lies(ns string) []lie {
	instead := func(nth int, event, kind string, rv int) rig.Events { return instead(nth, event, kind, ns, rv) }
	return []lie{
		{"double", rig.Events{Do: "double"}}, {"swap", rig.Events{Do: "swap", Nth: 1}}, {"drop", rig.Events{Do: "drop", Nth: 2}},
		{"lie", rig.Events{Do: "lie", Nth: 2, By: -3}}, {"old", rig.Events{Do: "lie", Types: []string{"BOOKMARK"}, By: -3}}, {"early", rig.Events{Do: "early", Nth: 1}}, {"twice", rig.Events{Do: "double", Types: []string{"BOOKMARK"}}},
		{"unknown", instead(2, "STRANGE", "ConfigMap", 7)}, {"other", instead(2, "ADDED", "Secret", 7)},
		{"modified", instead(1, "MODIFIED", "ConfigMap", 3)}, {"deleted", instead(1, "DELETED", "ConfigMap", 3)},
	}
}

// instead is an event of that type, of an object of that kind, in place of the nth.
func instead(nth int, event, kind, ns string, rv int) rig.Events {
	return rig.Events{Do: "replace", Nth: nth,
		Frame: fmt.Sprintf(`{"type":%q,"object":{"kind":%q,"apiVersion":"v1","metadata":{"name":"odd","namespace":%q,"resourceVersion":"%d"}}}`, event, kind, ns, rv)}
}

// driveLies has watches, and streaming lists, of which each tells another lie, and lists that are older than they may be.
func driveLies(d *driver) {
	d.some(3)
	d.hear()
	d.start()
	d.calm()
	for i, e := range lies(d.home) {
		for _, streaming := range []bool{false, true} {
			end := d.fault(rig.Fault{Name: fmt.Sprint(e.name, " ", streaming), Verbs: []string{"watch"}, Streaming: &streaming, Times: 1, Events: &e.Events})
			if streaming {
				d.away(func() { d.change(i + 1) })
			} else {
				d.cut(true)
				d.change(i + 1)
			}
			d.t.Sleep(3 * time.Minute) // a bookmark comes in the first two
			end()
		}
	}
	d.hold(true)
	d.change(99)
	d.pause()
	d.pretend(true)
	for _, streaming := range []bool{true, false} {
		d.relist()
		end := func() {}
		if !streaming {
			end = d.noStreams()
		}
		d.turn(true)
		d.relist()
		d.turn(false)
		end()
	}
	d.hold(false)
	d.t.Sleep(time.Minute)
	d.stop()
}
