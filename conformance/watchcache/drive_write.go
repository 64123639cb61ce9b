package watchcache

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// invented is a resourceVersion that no object of this run has ever had: the
// store was there before.
const invented = "1"

// removeAt deletes an object with its resourceVersion as the precondition.
func (d *driver) removeAt(actor string, m *corev1.ConfigMap) *corev1.ConfigMap {
	d.remove(actor, m.Namespace, m.Name, &metav1.Preconditions{ResourceVersion: &m.ResourceVersion})
	return nil
}

// versionsBehind is how many changes the oldest of an object's resourceVersions is behind.
const versionsBehind = 11

// driveConflict tries a write with resourceVersions that do not hold, under a
// watch and with lists that show what it did; in the end one that holds.
func driveConflict(write func(*driver, string, *corev1.ConfigMap) *corev1.ConfigMap) func(*driver) {
	return func(d *driver) {
		a := d.namespaces[0]
		first := d.create("c1", d.object(a, "x", selected))
		rv, ok := d.start("l1", a, nothingElse)
		if !ok || first == nil {
			return
		}
		w := d.follow("w1", a, from(nothingElse, rv))
		second := d.change("c1", first, others)
		stale := []string{invented}
		if first.ResourceVersion != "" { // an empty one is no precondition
			stale = append(stale, first.ResourceVersion)
		}
		for range versionsBehind {
			if second = d.change("c1", second, nil); second == nil {
				return
			}
		}
		for _, rv := range stale {
			d.tryStale(write, a, rv)
		}
		if m := d.get("c1", a, "x"); m != nil && first.ResourceVersion != "" { // what would change nothing
			m.ResourceVersion = first.ResourceVersion
			write(d, "c2", m)
			d.list("l1", a, nothingElse)
		}
		d.remove("c1", a, "x", nil)
		d.create("c1", d.object(a, "x", selected))
		if second != nil && second.ResourceVersion != "" { // of an object that is gone
			d.tryStale(write, a, second.ResourceVersion)
		}
		if m := d.get("c1", a, "x"); m != nil && m.ResourceVersion != "" {
			if d.t.Has(Precondition) { // the uid holds, the resourceVersion does not
				rv := invented
				d.remove("c2", a, "x", &metav1.Preconditions{UID: &m.UID, ResourceVersion: &rv})
			}
			write(d, "c1", d.changed(m, nil))
		}
		d.settle(w)
		w.close()
	}
}

// tryStale writes once with a resourceVersion that does not hold, and looks
// what came of it. Where it came through it makes the object anew.
func (d *driver) tryStale(write func(*driver, string, *corev1.ConfigMap) *corev1.ConfigMap, ns, rv string) {
	m := d.object(ns, "x", selected)
	m.ResourceVersion = rv
	write(d, "c2", m)
	d.list("l1", ns, nothingElse)
	if d.get("c1", ns, "x") == nil {
		d.create("c1", d.object(ns, "x", selected))
	}
}

// driveConflictUID tries updates and deletes for an object that is gone, or
// that never was.
func driveConflictUID(d *driver) {
	a := d.namespaces[0]
	old := d.create("c1", d.object(a, "x", selected))
	d.remove("c1", a, "x", nil)
	now := d.create("c1", d.object(a, "x", selected))
	rv, ok := d.start("l1", a, nothingElse)
	if !ok || old == nil || now == nil {
		return
	}
	w := d.follow("w1", a, from(nothingElse, rv))
	for _, uid := range slices.Compact([]types.UID{old.UID, noUID}) {
		if uid == "" {
			continue
		}
		d.remove("c2", a, "x", &metav1.Preconditions{UID: &uid})
		d.list("l1", a, nothingElse)
		if m := d.get("c1", a, "x"); m != nil {
			now = m
		} else if now = d.create("c1", d.object(a, "x", selected)); now == nil {
			return
		}
		m := d.changed(now, nil)
		m.UID = uid
		d.update("c2", m)
		d.list("l1", a, nothingElse)
		if d.t.Has(PlainUpdate) { // the uid is all that it asks for
			m = d.changed(m, nil)
			m.ResourceVersion = ""
			d.update("c2", m)
			d.list("l1", a, nothingElse)
		}
		if m = d.get("c1", a, "x"); m != nil {
			now = m
		}
	}
	if now.UID != "" { // and one that holds
		d.remove("c1", a, "x", &metav1.Preconditions{UID: &now.UID})
	}
	d.settle(w)
	w.close()
}
