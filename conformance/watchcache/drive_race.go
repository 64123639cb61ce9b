package watchcache

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// driveTaken lets writers create one name at once, and then delete what came of
// it at once: of each sort one can have its way.
func driveTaken(d *driver) {
	d.watched(func(a string) {
		for n := range contests {
			d.burst(contenders, func(i int) {
				d.create(contender(i), d.object(a, "x", selected))
			})
			now := d.get("c0", a, "x")
			if now == nil {
				d.t.GiveUp("there is nothing to contend for: nobody could create it")
				return
			}
			d.create("c0", d.object(a, "x", selected)) // whoever was first: it is there now
			d.burst(contenders, func(i int) {
				d.remove(contender(i), a, "x", d.condition(n+i, now))
			})
			d.remove("c0", a, "x", nil)
		}
	})
}

// condition is what a delete demands of an object: nothing, its resourceVersion or its uid, in turn.
func (d *driver) condition(turn int, now *corev1.ConfigMap) *metav1.Preconditions {
	if !d.t.Has(Precondition) {
		return nil
	}
	switch turn % 3 {
	case 1:
		return &metav1.Preconditions{ResourceVersion: &now.ResourceVersion}
	case 2:
		return &metav1.Preconditions{UID: &now.UID}
	}
	return nil
}

// driveFinalizersRaced gives an object a finalizer while others delete it, in every second race with preconditions: whoever comes first, what has one is
// marked, and stays until it is taken.
func driveFinalizersRaced(d *driver) {
	d.watched(func(a string) {
		for n := range races {
			x := d.create("c0", d.object(a, "x", selected))
			if x == nil {
				d.t.GiveUp("there is nothing to contend for: the create was refused")
				return
			}
			d.burst(contenders, func(i int) {
				if i == n%contenders {
					d.withFinalizers(contender(i), x, n < races/2, oneFinalizer)
				} else if n%2 == 0 {
					d.remove(contender(i), a, "x", nil)
				} else {
					d.remove(contender(i), a, "x", d.condition(n+i, x))
				}
			})
			d.release(a, "x")
			d.remove("c0", a, "x", nil)
		}
		d.create("c0", d.held(a, "x", selected, oneFinalizer)) // of one it is certain that it came before the delete
		d.remove("c0", a, "x", nil)
		d.release(a, "x")
	})
}
