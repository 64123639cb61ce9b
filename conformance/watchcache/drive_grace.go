package watchcache

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
)

// noNode is a node that there is not: what is on it nobody runs, and nobody takes away when its time is over.
const noNode = "lwtest-none"

// onNode is a new object that is on a node, so that it has time left when it is deleted.
func (d *driver) onNode(ns, name string, labels map[string]string, finalizers ...string) *corev1.ConfigMap {
	m := d.held(ns, name, labels, finalizers...)
	m.Data[Node] = noNode
	return m
}

// removeIn deletes an object with a grace period.
func (d *driver) removeIn(actor, ns, name string, seconds int64) {
	d.removeWith(actor, ns, name, metav1.DeleteOptions{GracePeriodSeconds: &seconds})
}

// end deletes an object without a grace period, where it is there, so that nothing stays behind.
func (d *driver) end(ns, name string) {
	d.release(ns, name)
	if d.get("g1", ns, name) != nil {
		d.removeNow("c1", ns, name)
	}
}

// driveGrace deletes objects on a node with all sorts of periods, one after the other, and looks at every step.
func driveGrace(d *driver) {
	d.watched(func(a string) {
		defer d.end(a, "x")
		d.create("c1", d.onNode(a, "x", selected))
		d.remove("c1", a, "x", nil) // as long as the kind has
		d.lookAt(a, "x")
		d.removeIn("c1", a, "x", 3600)
		d.remove("c2", a, "x", nil)
		d.lookAt(a, "x")
		for _, seconds := range []int64{7, 5, 7, 5} {
			d.removeIn("c2", a, "x", seconds)
			d.lookAt(a, "x")
		}
		d.create("c2", d.object(a, "x", selected))
		d.change("c1", d.get("g1", a, "x"), others)
		d.lookAt(a, "x")
		d.removeIn("c1", a, "x", 1)
		d.t.Sleep(2 * time.Second)
		d.lookAt(a, "x") // only who runs it ends it
		d.removeNow("c1", a, "x")
		d.lookAt(a, "x")
		d.graceAsked(a)
		d.graceHeld(a)
	})
}

// graceAsked deletes with a period of the client's from the first, which is longer than the kind's, or none.
func (d *driver) graceAsked(a string) {
	x := d.create("c1", d.onNode(a, "x", selected))
	if x == nil {
		return
	}
	if d.t.Has(DryRun) {
		d.dry(replay.Delete, x)
		d.lookAt(a, "x")
	}
	o := metav1.DeleteOptions{GracePeriodSeconds: new(int64(60))}
	if d.t.Has(Precondition) {
		o.Preconditions = &metav1.Preconditions{UID: &x.UID, ResourceVersion: &x.ResourceVersion}
	}
	d.removeWith("c1", a, "x", o)
	d.lookAt(a, "x")
	d.remove("c1", a, "x", nil)
	d.lookAt(a, "x")
	d.removeIn("c1", a, "x", 45)
	d.lookAt(a, "x")
	d.removeNow("c2", a, "x")
	d.lookAt(a, "x")
	d.create("c1", d.onNode(a, "x", others))
	d.removeNow("c1", a, "x")
	d.lookAt(a, "x")
	d.create("c1", d.object(a, "x", others)) // on no node
	d.remove("c1", a, "x", nil)
	d.lookAt(a, "x")
	d.create("c1", d.object(a, "x", selected))
	d.removeIn("c1", a, "x", 60)
	d.lookAt(a, "x")
}

// graceHeld deletes what a finalizer holds, too: each of the two keeps it.
func (d *driver) graceHeld(a string) {
	if !d.t.Has(Finalizers) {
		return
	}
	for _, first := range []*int64{nil, new(int64(20)), new(int64(0))} {
		d.create("c1", d.onNode(a, "x", selected, oneFinalizer))
		d.removeWith("c1", a, "x", metav1.DeleteOptions{GracePeriodSeconds: first})
		d.lookAt(a, "x")
		d.release(a, "x")
		d.lookAt(a, "x")
		d.end(a, "x")
		d.lookAt(a, "x")
	}
	d.create("c1", d.onNode(a, "x", selected, oneFinalizer))
	d.remove("c1", a, "x", nil)
	d.removeNow("c1", a, "x")
	d.lookAt(a, "x")
	d.release(a, "x")
	d.lookAt(a, "x")
}

// driveGraceShown lists and watches in every form while an object has time left: to readers it is there.
func driveGraceShown(d *driver) {
	d.watched(func(a string) {
		defer d.end(a, "x")
		var ws []*watcher
		d.create("c1", d.object(a, "a", others))
		d.create("c1", d.onNode(a, "x", selected))
		d.create("c1", d.object(a, "z", selected))
		d.remove("c1", a, "x", nil)
		d.readDeleting(a)
		ws = append(ws, d.watchDeleting(a)...)
		d.change("c1", d.get("g1", a, "x"), nil)
		d.removeIn("c1", a, "x", 5)
		d.readDeleting(a)
		ws = append(ws, d.watchDeleting(a)...)
		d.removeNow("c1", a, "x")
		d.list("l1", a, nothingElse)
		d.settle(ws...)
		closeAll(ws)
	})
}

// driveGraceCollection deletes collections of which something is on a node.
func driveGraceCollection(d *driver) {
	d.watched(func(a string) {
		defer d.end(a, "x")
		defer d.end(a, "y")
		d.create("c1", d.onNode(a, "x", selected))
		d.create("c1", d.onNode(a, "y", others))
		d.create("c1", d.object(a, "z", selected))
		for _, o := range d.narrowed() {
			d.sweep("c1", a, o)
			for _, name := range []string{"x", "y", "z"} {
				d.get("g1", a, name)
			}
			d.list("l1", a, nothingElse)
		}
		d.sweep("c1", a, nothingElse)
		d.lookAt(a, "x")
		d.removeIn("c1", a, "x", 5)
		d.sweep("c1", a, nothingElse)
		d.lookAt(a, "x")
		d.removeNow("c1", a, "x")
		d.lookAt(a, "y")
	})
}
