package informer

import (
	"fmt"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
)

// lapses are what a watch may meet that says nothing of its resourceVersion, before it has brought anything.
var lapses = []rig.Fault{
	{Events: &rig.Events{After: ptr(rig.Duration(0)), Do: "error", Status: &rig.Status{Code: 500}}},
	{Events: &rig.Events{After: ptr(rig.Duration(0)), Do: "error", Status: &rig.Status{Code: 504}}},
	{Events: &rig.Events{After: ptr(rig.Duration(0)), Do: "close"}},
	{Status: &rig.Status{Code: 500}}, {Status: &rig.Status{Code: 503}}, {Status: &rig.Status{Code: 403}},
}

// driveViewsLapse brings it to the view that is behind by what makes many list again, though nothing has expired.
func driveViewsLapse(d *driver) {
	if d.t.Has(Handlers) {
		d.two()
	}
	d.some(4)
	d.start()
	d.settle()
	for i, f := range lapses {
		d.hold(true)
		d.change(i + 1)
		d.calm()
		d.look()
		d.turn(true)
		f.Name, f.Verbs, f.Streaming, f.Times = fmt.Sprint("lapse-", i), []string{"watch"}, ptr(false), 1
		end := d.fault(f)
		d.cut(true)
		d.t.Sleep(20 * time.Second)
		d.look()
		end()
		d.turn(false)
		d.hold(false)
		d.settle()
	}
}

// driveNamespaces is of an informer of all namespaces, two of which have objects of one name.
func driveNamespaces(d *driver) {
	if d.t.Has(Handlers) {
		d.two()
	}
	d.some(3)
	d.elsewhereToo("1")
	d.start()
	d.settle()
	d.elsewhereToo("2")
	d.change(1)
	d.removeIn(d.abroad, "o1")
	d.settle()
	d.away(func() {
		d.change(2)
		d.remove("o1")
		d.elsewhereToo("3")
		d.removeIn(d.abroad, "o0")
	})
	d.settle()
	d.removeIn(d.abroad, "o2")
	d.settle()
}

// driveIndexNamespaces has objects of one name in two namespaces, with the same value of an index and with another.
func driveIndexNamespaces(d *driver) {
	both := func(name, app, abroad string) {
		d.label(name, app)
		d.labelIn(d.abroad, name, abroad)
	}
	both("a", "one", "one")
	both("b", "one", "two")
	d.start()
	d.settle()
	both("c", "two", "two")
	d.labelIn(d.abroad, "a", "two")
	d.removeIn(d.abroad, "b")
	d.settle()
	d.away(func() {
		d.removeIn(d.abroad, "c")
		d.label("a", "two")
		d.labelIn(d.abroad, "b", "one")
	})
	d.settle()
}

// elsewhereToo puts objects whose names are those of others in the first namespace.
func (d *driver) elsewhereToo(content string) {
	for i := range 3 {
		d.putIn(d.abroad, fmt.Sprint("o", i), "elsewhere "+content, map[string]string{"app": "two"})
	}
}

// everywhere makes the informer one of all namespaces.
func everywhere(c *Config) { c.Namespace = "" }
