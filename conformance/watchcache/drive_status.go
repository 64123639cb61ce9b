package watchcache

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
)

// updateStatus sends an object to its status subresource. A client that cannot records nothing.
func (d *driver) updateStatus(actor string, m *corev1.ConfigMap) *corev1.ConfigMap {
	return d.updateStatusWith(actor, m, metav1.UpdateOptions{})
}

func (d *driver) updateStatusWith(actor string, m *corev1.ConfigMap, o metav1.UpdateOptions) *corev1.ConfigMap {
	if m == nil {
		return nil
	}
	u, ok := d.in(m.Namespace).(StatusUpdater)
	if !ok {
		d.t.GiveUp("the feature %s is declared, but the client has no UpdateStatus", StatusSubresource)
		return nil
	}
	args := toStatus
	args.DryRun = len(o.DryRun) > 0
	m = m.DeepCopy() // whatever a subject makes of it, the drive's is as it was
	return d.writeWith(harness.Call{Actor: actor, Kind: replay.Update, Obj: d.ref(m), Args: args}, func(ctx context.Context) (*corev1.ConfigMap, error) {
		return u.UpdateStatus(ctx, m, o)
	})
}

func (d *driver) patchStatus(actor string, m *corev1.ConfigMap) *corev1.ConfigMap {
	return d.patchWith(actor, m, toStatus)
}

// stated is an object with another status.
func (d *driver) stated(m *corev1.ConfigMap) *corev1.ConfigMap {
	if m == nil {
		return nil
	}
	m = m.DeepCopy()
	if m.Data == nil {
		m.Data = map[string]string{}
	}
	m.Data[Status] = d.next("s")
	return m
}

// both is an object with another spec and another status.
func (d *driver) both(m *corev1.ConfigMap) *corev1.ConfigMap { return d.changed(d.stated(m), nil) }

// lacking is an object without one of the two.
func lacking(m *corev1.ConfigMap, part string) *corev1.ConfigMap {
	m = m.DeepCopy()
	delete(m.Data, part)
	return m
}

// restateStatus and repatchStatus give what is written another status.
func (d *driver) restateStatus(actor string, m *corev1.ConfigMap) *corev1.ConfigMap {
	return d.updateStatus(actor, d.stated(m))
}

func (d *driver) repatchStatus(actor string, m *corev1.ConfigMap) *corev1.ConfigMap {
	if m == nil {
		return nil
	}
	return d.patchStatus(actor, d.stated(m))
}

// driveStatus writes objects and their status in turn, and looks at what came of each.
func driveStatus(d *driver) {
	d.watched(func(a string) {
		defer d.release(a, "x")
		write := []func(string, *corev1.ConfigMap) *corev1.ConfigMap{d.update, d.updateStatus}
		if d.t.Has(Patch) {
			write = append(write, d.patch, d.patchStatus)
		}
		x := d.create("c1", d.stated(d.object(a, "x", selected)))
		d.lookAt(a, "x")
		x = d.updateStatus("c2", d.stated(x))
		for _, write := range write {
			for range 2 {
				if x == nil {
					return
				}
				x = write("c1", d.both(x))
				d.lookAt(a, "x")
			}
		}
		x = d.statedBeside(x)
		d.partial(x)
		d.deletingStatus(a)
		d.remove("c1", a, "x", nil)
		d.noStatus(a, "x")
		d.noStatus(a, "never")
	})
}

// statedBeside writes status with other labels and an annotation: whether it takes these hangs on the kind.
func (d *driver) statedBeside(x *corev1.ConfigMap) *corev1.ConfigMap {
	if x == nil {
		return nil
	}
	m := d.stated(x)
	m.Labels = others
	newNote(d, m)
	x = d.updateStatus("c1", m)
	d.lookAt(m.Namespace, m.Name)
	return x
}

// partial writes what changes nothing, what leaves a part out, and as a dry run.
func (d *driver) partial(x *corev1.ConfigMap) {
	if x == nil {
		return
	}
	for range 2 {
		d.updateStatus("c2", d.changed(x, nil))
		d.update("c2", d.stated(x))
		d.lookAt(x.Namespace, x.Name)
		if d.t.Has(DryRun) {
			d.updateStatusWith("dry", d.both(x), metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
			d.dry(replay.Update, d.both(x))
			d.lookAt(x.Namespace, x.Name)
		}
		if x = d.update("c1", d.changed(lacking(x, Status), nil)); x == nil {
			return
		}
		d.lookAt(x.Namespace, x.Name)
		if x = d.updateStatus("c1", d.stated(lacking(x, Spec))); x == nil {
			return
		}
		d.lookAt(x.Namespace, x.Name)
	}
}

// deletingStatus writes the status of what is being deleted: who takes it apart tells of it there.
func (d *driver) deletingStatus(a string) {
	x := d.get("g1", a, "x")
	if x == nil || !d.holds() {
		return
	}
	d.withFinalizers("c1", x, false, oneFinalizer)
	d.remove("c1", a, "x", nil)
	for range 2 {
		if x = d.get("g1", a, "x"); x == nil {
			return
		}
		if x = d.updateStatus("c2", d.stated(x)); x == nil {
			return
		}
		d.list("l1", a, nothingElse)
		if d.t.Has(Patch) {
			d.patchStatus("c2", d.stated(x))
		}
	}
	d.release(a, "x")
	d.lookAt(a, "x")
}

// noStatus writes the status of what is not there.
func (d *driver) noStatus(ns, name string) {
	m := d.stated(d.object(ns, name, selected))
	m.ResourceVersion = invented
	d.updateStatus("c2", m)
	if d.t.Has(Patch) {
		m.ResourceVersion = ""
		d.patchStatus("c2", m)
	}
	d.lookAt(ns, name)
}

// driveStatusApplied applies an object as one manager, and its status as another, by force, as controllers do.
func driveStatusApplied(d *driver) {
	d.watched(func(a string) {
		d.unheard(a, "x")
		status := toStatus
		status.FieldManager, status.Force = manager2, true
		d.applyWith("c1", d.stated(d.object(a, "x", nil)), status) // creates nothing
		d.lookAt(a, "x")
		x := d.apply(manager1, d.stated(d.object(a, "x", selected)), false)
		for range 2 {
			if x == nil {
				return
			}
			m := d.stated(d.object(a, "x", nil))
			m.ResourceVersion = x.ResourceVersion
			x = d.applyWith("c1", m, status)
			d.lookAt(a, "x")
			if x == nil {
				return
			}
			m = d.stated(d.object(a, "x", selected))
			m.ResourceVersion = x.ResourceVersion
			x = d.apply(manager1, m, false)
			d.lookAt(a, "x")
		}
		d.remove("c1", a, "x", nil)
		d.lookAt(a, "x")
	})
}

// driveConflictStatus is driveConflict for a write of status, which also tries resourceVersions that nothing
// has yet, and a uid that no object has.
func driveConflictStatus(write func(*driver, string, *corev1.ConfigMap) *corev1.ConfigMap) func(*driver) {
	stale := driveConflict(write)
	return func(d *driver) {
		stale(d)
		d.watched(func(a string) {
			x := d.get("g1", a, "x")
			y := d.create("c1", d.object(a, "y", others))
			if x == nil || y == nil {
				return
			}
			if d.t.Has(ComparableRV) {
				d.tryStale(write, a, y.ResourceVersion)
				d.tryStale(write, a, beyond(y.ResourceVersion))
			}
			if x.UID != "" && d.t.Has(Precondition) {
				m := x.DeepCopy()
				m.UID = noUID
				d.restateStatus("c2", m)
				d.list("l1", a, nothingElse)
			}
			write(d, "c1", d.get("c1", a, "x"))
			d.lookAt(a, "x")
		})
	}
}
