package watchcache

import (
	"slices"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	contenders = 4
	contests   = 6
)

// driveContended lets writers loose on one object at once. Most have read it
// just before, so that one of them can have its way, whoever comes first; the
// others write with what is stale already. Then objects are replaced by others while
// some name the one before. A watch shows what came of it.
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
	if d.get("c0", a, "x") == nil {
		d.create("c0", d.object(a, "x", selected))
	}
	for n := range races {
		if now := d.get("c0", a, "x"); now != nil {
			d.replaced(n, now)
		}
	}
	d.remove("c0", a, "x", nil)
	d.settle(w)
	w.close()
}

// replaced is one round in which an object is deleted and another one created, while the others have read the first
// one just before, and name it: by its uid, its resourceVersion or both, all in the same way. The next one they must
// not touch.
func (d *driver) replaced(n int, was *corev1.ConfigMap) {
	ns, name := was.Namespace, was.Name
	d.burst(contenders, func(i int) {
		actor := contender(i)
		if i == n/namings {
			d.remove(actor, ns, name, nil)
			d.create(actor, d.object(ns, name, selected))
			return
		}
		d.writeNamed(actor, n%namings, was)
	})
	if d.get("c0", ns, name) == nil {
		d.create("c0", d.object(ns, name, selected))
	}
	d.writeNamed("c0", n%namings, was) // whoever was first: it is gone now
}

// readReplaced deletes an object and creates another, several times, while others get what a cache has of them.
func (d *driver) readReplaced(n int, was *corev1.ConfigMap) {
	var done atomic.Bool
	d.atOnce(n, func(i int) {
		for read := 0; i > 0 && read < mostReads && !done.Load(); read++ {
			d.getAt(contender(i), was.Namespace, was.Name, "0")
			d.t.Sleep(time.Millisecond) // lets the others have their turn
		}
		for replaced := 0; i == 0 && replaced < contests; replaced++ {
			d.remove(contender(i), was.Namespace, was.Name, nil)
			d.create(contender(i), d.full(was.Namespace, was.Name, selected)) // the larger, the longer it takes to prepare
			d.t.Sleep(time.Millisecond)
		}
		if i == 0 {
			done.Store(true)
		}
	})
}

// mostReads bounds the reads of a client in readReplaced.
const mostReads = 500

// relabelled are the objects of pageChanged.
var relabelled = []string{"p0", "p1", "p2", "p3", "p4", "p5"}

// pageChanged gives objects another label, one after the other, while others list with a limit what has it.
func (d *driver) pageChanged(n int, ns string) {
	objects := map[string]*corev1.ConfigMap{}
	for _, name := range relabelled {
		objects[name] = d.get(contender(0), ns, name)
	}
	d.atOnce(n, func(i int) {
		if i > 0 {
			for range contests {
				d.list(contender(i), ns, metav1.ListOptions{LabelSelector: byLabel.LabelSelector, Limit: 2})
				d.t.Sleep(time.Millisecond) // lets the others have their turn
			}
			return
		}
		for _, labels := range []map[string]string{selected, labelSets["two"]} {
			for _, name := range slices.Backward(relabelled) { // the last first: whoever looks for a page reads on
				objects[name] = d.change(contender(i), objects[name], labels)
				d.t.Sleep(time.Millisecond)
			}
		}
	})
}

// namings are the ways to name an object in writeNamed.
const namings = 4

// writeNamed deletes an object by its uid, its resourceVersion or both, or updates it by its uid alone.
func (d *driver) writeNamed(actor string, way int, was *corev1.ConfigMap) {
	if was.UID == "" { // it has no other name
		way = 1
	}
	pre := metav1.Preconditions{UID: &was.UID, ResourceVersion: &was.ResourceVersion}
	switch way {
	case 0:
		pre.ResourceVersion = nil
	case 1:
		pre.UID = nil
	case 2:
		if d.t.Has(PlainUpdate) {
			m := d.changed(was, nil)
			m.ResourceVersion = ""
			d.update(actor, m)
			return
		}
	}
	d.remove(actor, was.Namespace, was.Name, &pre)
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
