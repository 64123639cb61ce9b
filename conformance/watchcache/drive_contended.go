package watchcache

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	contenders = 4
	contests   = 6
)

// driveContended lets writers loose on one object at once. Most have read it
// just before, so that one of them can have its way, whoever comes first; the
// others write with what is stale already. A watch shows what came of it.
func driveContended(d *driver) {
	a, stale := d.namespaces[0], invented
	rv, ok := d.start("l0", a, nothingElse)
	if !ok {
		return
	}
	w := d.follow("w1", a, from(nothingElse, rv))
	for n := range contests {
		now := d.get("c0", a, "x")
		if now == nil {
			now = d.create("c0", d.object(a, "x", selected))
		}
		if now == nil {
			d.t.GiveUp("there is nothing to contend for: the create was refused")
			break
		}
		d.remove("c0", a, "x", &metav1.Preconditions{ResourceVersion: &stale})
		old := d.changed(now, nil)
		old.ResourceVersion = stale
		d.update("c0", old)
		d.contest(n, now, stale)
		stale = now.ResourceVersion
	}
	d.settle(w)
	w.close()
}

// contest is one round; whose turn it is to delete goes round, too.
func (d *driver) contest(n int, now *corev1.ConfigMap, stale string) {
	d.burst(contenders, func(i int) {
		m := d.changed(now, nil)
		actor := contender(i)
		switch {
		case i == n%contenders:
			d.removeAt(actor, now)
			return
		case i == (n+2)%contenders:
			m.ResourceVersion = stale
		}
		d.update(actor, m)
	})
}
