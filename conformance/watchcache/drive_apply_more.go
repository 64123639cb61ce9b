package watchcache

import (
	corev1 "k8s.io/api/core/v1"
)

// driveApplyDry applies as a dry run what never was, what was, and what is there: by the manager that has
// applied it, by another, by force, with what is stale, and for another object.
func driveApplyDry(d *driver) {
	d.watched(func(a string) {
		d.unheard(a, "x")
		for range 2 {
			d.dryApply(manager1, d.object(a, "x", selected), false)
			d.lookAt(a, "x")
			d.dryApply(manager1, d.object(a, "x", selected), true)
			d.lookAt(a, "x")
			old := d.apply(manager1, d.object(a, "x", selected), false)
			x := d.apply(manager1, d.object(a, "x", selected), false)
			if old == nil || x == nil {
				return
			}
			for _, force := range []bool{false, true} {
				d.dryApply(manager1, d.object(a, "x", others), force)
				d.lookAt(a, "x")
				d.dryApply(manager2, d.object(a, "x", nil), force)
				d.lookAt(a, "x")
				d.dryApply(manager1, again(d.object(a, "x", others), x.ResourceVersion), force)
				d.lookAt(a, "x")
				d.dryApply(manager1, again(d.object(a, "x", others), old.ResourceVersion), force)
				d.lookAt(a, "x")
				if x.UID != "" {
					m := d.object(a, "x", others)
					m.UID = noUID
					d.dryApply(manager1, m, force)
					d.lookAt(a, "x")
				}
			}
			d.remove("c1", a, "x", nil)
		}
	})
}

// driveApplyStale applies with resourceVersions that do not hold, and for an object that is not the one:
// with another value and with the same, and by force, too.
func driveApplyStale(d *driver) {
	d.watched(func(a string) {
		d.unheard(a, "x")
		old := d.apply(manager1, d.object(a, "x", selected), false)
		for range 2 {
			m := d.object(a, "x", others)
			x := d.apply(manager1, m, false)
			if old == nil || x == nil || x.UID == "" {
				return
			}
			for _, rv := range []string{invented, old.ResourceVersion, beyond(x.ResourceVersion)} {
				d.tryApply(again(d.object(a, "x", selected), rv))
			}
			d.tryApply(again(m, old.ResourceVersion)) // what would change nothing
			for _, rv := range []string{"", x.ResourceVersion, old.ResourceVersion} {
				another := again(d.object(a, "x", selected), rv)
				another.UID = noUID
				d.tryApply(another)
			}
			x = d.get("g1", a, "x")
			if x == nil {
				return
			}
			right := again(d.object(a, "x", selected), x.ResourceVersion)
			right.UID = x.UID
			d.apply(manager1, right, true)
			old = x
		}
	})
}

// tryApply applies once as the manager of what is there, by force and not, and once as another, by force.
func (d *driver) tryApply(m *corev1.ConfigMap) {
	d.apply(manager1, m, false)
	d.lookAt(m.Namespace, m.Name)
	d.apply(manager1, m, true)
	d.lookAt(m.Namespace, m.Name)
	d.apply(manager2, m, true)
	d.lookAt(m.Namespace, m.Name)
}

// driveFinalizersApplied applies an object with finalizers, deletes it, and takes them away by applies that leave
// them out: of other things, of one after the other, as a dry run, at the object's resourceVersion and at none.
func driveFinalizersApplied(d *driver) {
	d.watched(func(a string) {
		defer d.release(a, "x")
		d.unheard(a, "x")
		holding := func(finalizers ...string) *corev1.ConfigMap { return d.held(a, "x", selected, finalizers...) }
		for _, conditional := range []bool{false, true} {
			d.apply(manager1, holding(oneFinalizer, otherFinalizer), false)
			d.lookAt(a, "x")
			d.remove("c1", a, "x", nil)
			d.lookAt(a, "x")
			d.apply(manager1, holding(oneFinalizer, otherFinalizer, lateFinalizer), false)
			d.lookAt(a, "x")
			d.apply(manager2, d.noted(a, "x", "lwtest/other"), false) // it never named them
			d.lookAt(a, "x")
			d.apply(manager1, holding(oneFinalizer), false)
			d.lookAt(a, "x")
			if d.t.Has(DryRun) {
				d.dryApply(manager1, holding(), false)
				d.lookAt(a, "x")
			}
			last := holding()
			if x := d.get("g1", a, "x"); x != nil && conditional {
				d.apply(manager1, again(last, invented), false)
				d.lookAt(a, "x")
				last.ResourceVersion = x.ResourceVersion
			}
			d.apply(manager1, last, false)
			d.lookAt(a, "x")
		}
		d.apply(manager1, holding(), false)
		d.lookAt(a, "x")
		d.remove("c1", a, "x", nil)
	})
}
