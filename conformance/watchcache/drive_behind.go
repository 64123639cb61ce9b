package watchcache

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// writesBehind writes to x while the cache does not have its last change: with
// what a stale view shows of it, which no longer holds, and with what holds,
// which the cache has not seen yet.
func (d *driver) writesBehind(a string) {
	for _, write := range d.conflicting() {
		shown := d.shown("q", a, "x")
		d.change("c1", d.get("c1", a, "x"), nil)
		if shown != nil {
			write(d, "q", d.changed(shown, nil))
			d.look(a)
		}
		now := d.get("c1", a, "x")
		if now == nil {
			now = d.create("c1", d.object(a, "x", selected))
		}
		if now = d.change("c1", now, nil); now != nil {
			write(d, "q", d.changed(now, nil))
			d.look(a)
		}
		if d.get("c1", a, "x") == nil { // by that, while the cache still has it
			d.create("c1", d.object(a, "x", selected))
		}
	}
	d.anotherBehind(a)
}

// anotherBehind writes to x with the uid that a stale view shows, when there is
// another object of that name.
func (d *driver) anotherBehind(a string) {
	shown := d.shown("q", a, "x")
	d.remove("c1", a, "x", nil)
	now := d.create("c1", d.object(a, "x", selected))
	if shown == nil || now == nil || shown.UID == "" || !d.t.Has(Precondition) {
		return
	}
	d.remove("q", a, "x", &metav1.Preconditions{UID: &shown.UID})
	d.look(a)
	m := d.changed(now, nil)
	m.UID = shown.UID
	d.update("q", m)
	d.look(a)
	d.remove("q", a, "x", &metav1.Preconditions{UID: &now.UID})
	d.look(a)
	d.create("c1", d.object(a, "x", selected))
}

// shown is an object as a list shows it that may be stale, nil where that has none.
func (d *driver) shown(actor, ns, name string) *corev1.ConfigMap {
	l := d.list(actor, ns, from(nothingElse, "0"))
	if l == nil {
		return nil
	}
	for i := range l.Items {
		if m := &l.Items[i]; m.Name == name && m.Namespace == ns {
			return m
		}
	}
	return nil
}

// look shows what a write has done.
func (d *driver) look(a string) {
	d.list("l1", a, nothingElse)
	d.get("g1", a, "x")
}

// sweepBehind deletes, alone and as collections, what the cache does not have
// yet, beside what it has.
func (d *driver) sweepBehind(a string) {
	d.create("c1", d.object(a, "new", selected))
	d.remove("q", a, "new", nil)
	d.get("g1", a, "new")
	if !d.t.Has(DeleteCollection) {
		return
	}
	for _, o := range d.scopes() {
		d.create("c1", d.object(a, "x", selected)) // where the one before has taken it
		d.create("c1", d.object(a, "y", others))
		d.create("c1", d.object(a, "new", selected))
		d.change("c1", d.get("c1", a, "y"), others)
		d.sweep("q", a, o)
		d.look(a)
		d.get("g1", a, "y")
		d.get("g1", a, "new")
	}
	d.create("c1", d.object(a, "x", selected))
	d.create("c1", d.object(a, "y", others))
}

// sameBehind writes what the cache shows, when something else is there by now: it changes that.
func (d *driver) sameBehind(a string) {
	for _, write := range d.unconditional() {
		shown := d.shown("q", a, "x")
		if now := d.change("c1", d.get("c1", a, "x"), nil); shown == nil || now == nil {
			return
		} else {
			m := shown.DeepCopy()
			if d.t.Has(StatusSubresource) {
				delete(m.Data, Status) // else nobody could tell whether that was taken, or is what a server makes of the rest
			}
			write(m, now)
		}
		d.look(a)
	}
}

// unconditional are writes of an object of which something else is stored: with the resourceVersion of that, and with none.
func (d *driver) unconditional() []func(m, now *corev1.ConfigMap) {
	all := []func(m, now *corev1.ConfigMap){func(m, now *corev1.ConfigMap) {
		m.ResourceVersion = now.ResourceVersion
		d.update("q", m)
	}}
	if d.t.Has(PlainUpdate) {
		all = append(all, func(m, _ *corev1.ConfigMap) {
			m.ResourceVersion = ""
			d.update("q", m)
		})
	}
	if d.t.Has(Patch) {
		all = append(all, func(m, _ *corev1.ConfigMap) {
			m.ResourceVersion = ""
			d.patch("q", m)
		})
	}
	return all
}

// heldBehind deletes what has a finalizer, of which the cache does not know yet.
func (d *driver) heldBehind(a string) {
	if !d.holds() {
		return
	}
	d.withFinalizers("c1", d.get("c1", a, "held"), false, oneFinalizer)
	d.remove("q", a, "held", nil)
	d.look(a)
	d.get("g1", a, "held")
	d.release(a, "held")
	d.get("g1", a, "held")
}
