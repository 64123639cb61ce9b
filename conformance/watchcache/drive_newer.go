package watchcache

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// noUID is a uid that no object has.
const noUID = types.UID("00000000-0000-4000-8000-000000000000")

// conflicting are the writes that take a resourceVersion.
func (d *driver) conflicting() []func(*driver, string, *corev1.ConfigMap) *corev1.ConfigMap {
	all := []func(*driver, string, *corev1.ConfigMap) *corev1.ConfigMap{(*driver).update}
	if d.t.Has(Precondition) {
		all = append(all, (*driver).removeAt)
	}
	if d.t.Has(Patch) {
		all = append(all, (*driver).patch)
	}
	return all
}

// driveConflictNewer writes with resourceVersions above the object's: that of
// another object, which was written later, and one that nothing has yet.
func driveConflictNewer(d *driver) {
	d.watched(func(a string) {
		x := d.create("c1", d.object(a, "x", selected))
		for range 2 {
			y := d.create("c1", d.object(a, d.next("y"), others))
			if x == nil || y == nil {
				return
			}
			for _, rv := range []string{y.ResourceVersion, beyond(y.ResourceVersion)} {
				for _, write := range d.conflicting() {
					d.tryStale(write, a, rv)
				}
			}
			x = d.change("c1", d.get("c1", a, "x"), nil)
		}
		if x != nil { // and the one that holds
			d.removeAt("c1", x)
		}
	})
}

// driveConflictBoth gives a uid and a resourceVersion, of which one holds.
func driveConflictBoth(d *driver) {
	d.watched(func(a string) {
		gone := d.create("c1", d.object(a, "x", selected))
		d.remove("c1", a, "x", nil)
		d.create("c1", d.object(a, "x", selected))
		d.change("c1", d.get("g1", a, "x"), nil)
		if gone == nil || gone.UID == "" {
			return
		}
		for _, uid := range []types.UID{gone.UID, noUID} {
			for range 2 { // where one came through, once more with what is there then
				x := d.get("g1", a, "x")
				if x == nil {
					x = d.create("c1", d.object(a, "x", selected))
				}
				if x == nil {
					return
				}
				d.tryBoth(x, uid, x.ResourceVersion)
				d.tryBoth(x, x.UID, gone.ResourceVersion)
			}
		}
		if x := d.get("g1", a, "x"); x != nil {
			d.remove("c1", a, "x", &metav1.Preconditions{UID: &x.UID, ResourceVersion: &x.ResourceVersion})
		}
	})
}

// tryBoth deletes and updates with a uid and a resourceVersion.
func (d *driver) tryBoth(x *corev1.ConfigMap, uid types.UID, rv string) {
	d.remove("c2", x.Namespace, x.Name, &metav1.Preconditions{UID: &uid, ResourceVersion: &rv})
	d.list("l1", x.Namespace, nothingElse)
	m := d.changed(x, others)
	m.UID, m.ResourceVersion = uid, rv
	d.update("c2", m)
	d.list("l1", x.Namespace, nothingElse)
	d.get("g1", x.Namespace, x.Name)
}

// removeHeld deletes an object that nobody has deleted yet with each precondition
// that does not hold of it, and looks whether it is marked.
func (d *driver) removeHeld(old *corev1.ConfigMap) {
	a, wrong := old.Namespace, noUID
	x := d.change("c1", old, nil)
	if x == nil {
		return
	}
	try := func(pre metav1.Preconditions) {
		d.remove("c2", a, x.Name, &pre)
		d.get("g1", a, x.Name)
		d.list("l1", a, nothingElse)
	}
	try(metav1.Preconditions{ResourceVersion: &old.ResourceVersion})
	if x.UID == "" {
		return
	}
	try(metav1.Preconditions{UID: &wrong})
	try(metav1.Preconditions{UID: &x.UID, ResourceVersion: &old.ResourceVersion})
	try(metav1.Preconditions{UID: &wrong, ResourceVersion: &x.ResourceVersion})
}

// driveConflictDeleting writes with what is stale to an object that a finalizer
// holds: deletes before it is deleted, and everything while it is being deleted.
func driveConflictDeleting(d *driver) {
	d.watched(func(a string) {
		defer d.release(a, "x")
		x := d.create("c1", d.held(a, "x", selected, oneFinalizer))
		if x == nil {
			return
		}
		d.removeHeld(x)
		d.remove("c1", a, "x", nil)
		for range 2 {
			for _, write := range d.conflicting() {
				m := d.changed(x, others)
				write(d, "c2", m)
				d.list("l1", a, nothingElse)
				d.get("g1", a, "x")
			}
			uid := noUID
			d.remove("c2", a, "x", &metav1.Preconditions{UID: &uid})
			d.withFinalizers("c2", x, false) // the last, with what is stale
			d.list("l1", a, nothingElse)
			d.change("c1", d.get("g1", a, "x"), nil)
		}
		if m := d.get("g1", a, "x"); m != nil { // what holds is taken, and changes nothing
			d.removeAt("c1", m)
			d.get("g1", a, "x")
		}
	})
}
