package watchcache

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A server may take another way through a write by what it changes, by what the
// object has, and by how it is to be deleted: on each a precondition holds. The
// changes are of one part each, as controllers make them.
var (
	staleUpdates = []step{
		{change: newNote}, {change: moreLabels}, {change: newStatus}, {change: ownersAre("3")}, {true, finalizersAre(oneFinalizer, otherFinalizer)},
	}
	stalePatches = []step{{change: newNote}, {change: moreLabels}, {change: newStatus}, {true, finalizersAre(oneFinalizer, otherFinalizer)}}
	staleDeletes = []metav1.DeleteOptions{
		{PropagationPolicy: new(metav1.DeletePropagationBackground)},
		{PropagationPolicy: new(metav1.DeletePropagationForeground)},
		{GracePeriodSeconds: new(int64(0))},
		{GracePeriodSeconds: new(int64(0)), PropagationPolicy: new(metav1.DeletePropagationBackground)},
	}
)

// driveConflictShapes makes stale writes of every shape of objects of every sort.
func driveConflictShapes(d *driver) {
	d.watched(func(a string) {
		owned := d.object(a, "owned", selected)
		owned.OwnerReferences = ownedBy("1")
		all := []*corev1.ConfigMap{d.object(a, "plain", selected), d.object(a, "bare", nil), owned}
		if d.holds() {
			defer d.release(a, "held")
			all = append(all, d.held(a, "held", selected, oneFinalizer))
		}
		for _, m := range all {
			old := d.create("c1", m)
			if x := d.change("c1", old, nil); x != nil {
				d.tryShapes(x, old.ResourceVersion)
			}
		}
		d.list("l1", a, nothingElse)
	})
}

// tryShapes makes each write of an object with a resourceVersion that it had before.
func (d *driver) tryShapes(x *corev1.ConfigMap, rv string) {
	for _, s := range staleUpdates {
		if !s.held || d.holds() {
			m := x.DeepCopy()
			s.change(d, m)
			m.ResourceVersion = rv
			d.update("c2", m)
		}
	}
	d.get("g1", x.Namespace, x.Name)
	if d.t.Has(Patch) {
		for _, s := range stalePatches {
			if !s.held || d.holds() {
				m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: x.Namespace, Name: x.Name, ResourceVersion: rv}}
				s.change(d, m)
				d.patchOnly("c2", m)
			}
		}
		d.get("g1", x.Namespace, x.Name)
	}
	for _, o := range staleDeletes {
		wrong := noUID
		for _, pre := range []metav1.Preconditions{{ResourceVersion: &rv}, {UID: &wrong}} {
			if pre.UID == nil || x.UID != "" {
				o.Preconditions = &pre
				d.removeWith("c2", x.Namespace, x.Name, o)
				d.get("g1", x.Namespace, x.Name)
			}
		}
	}
}
