package watchcache

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// driveDeleting lists and watches in every form while an object is being
// deleted, and a finalizer holds it: to readers it is there.
func driveDeleting(d *driver) {
	d.watched(func(a string) {
		defer d.release(a, "x")
		var ws []*watcher
		for range 2 {
			d.create("c1", d.object(a, "a", others))
			d.create("c1", d.held(a, "x", selected, oneFinalizer))
			d.create("c1", d.object(a, "z", selected))
			d.remove("c1", a, "x", nil)
			d.readDeleting(a)
			ws = append(ws, d.watchDeleting(a)...)
			d.change("c1", d.get("g1", a, "x"), nil)
			d.readDeleting(a)
			d.release(a, "x")
			d.list("l1", a, nothingElse)
			d.remove("c1", a, "a", nil)
			d.remove("c1", a, "z", nil)
		}
		d.settle(ws...)
		closeAll(ws)
	})
}

// readDeleting gets and lists.
func (d *driver) readDeleting(a string) {
	now := d.get("g1", a, "x")
	d.getAt("g1", a, "x", "0")
	for _, o := range d.narrowed() {
		d.list("l1", a, o)
		d.list("l1", "", o)
		d.list("l1", a, from(o, "0"))
		if now != nil {
			d.list("l1", a, from(o, now.ResourceVersion))
			exact := from(o, now.ResourceVersion)
			exact.ResourceVersionMatch = metav1.ResourceVersionMatchExact
			d.list("l1", a, exact)
		}
		if d.t.Has(Pages) {
			o.Limit = 2
			d.pages("l1", a, o)
		}
	}
}

// watchDeleting watches from nothing, from "0" and as a stream.
func (d *driver) watchDeleting(a string) []*watcher {
	var ws []*watcher
	for _, o := range d.narrowed() {
		name := d.next("w")
		ws = append(ws, d.watch(fmt.Sprint(name, "u"), a, from(o, "")), d.watch(fmt.Sprint(name, "z"), a, from(o, "0")))
		if d.t.Has(WatchList) {
			o.AllowWatchBookmarks = true
			ws = append(ws, d.watch(fmt.Sprint(name, "s"), a, stream(o, "")))
		}
	}
	return ws
}

// narrowed is everything, and what has the object that is being deleted.
func (d *driver) narrowed() []metav1.ListOptions {
	all := []metav1.ListOptions{nothingElse}
	if d.t.Has(LabelWatch) {
		all = append(all, byLabel)
	}
	if d.t.Has(FieldWatch) {
		all = append(all, byName, byField)
	}
	return all
}
