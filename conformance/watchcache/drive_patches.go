package watchcache

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/lwtest/lwtest/conformance/replay"
)

// Names of labels and annotations as JSON patches have them.
const (
	moreAt    = labelsAt + "lwtest~1more"
	noteAt    = notesAt + "lwtest~1note"
	copyAt    = notesAt + "lwtest~1copy"
	movedAt   = notesAt + "lwtest~1moved"
	labelAt   = labelsAt + "app"
	nothingAt = labelsAt + "lwtest~1nothing"
)

// noteful is a new object with an annotation and an owner.
func (d *driver) noteful(ns, name string) *corev1.ConfigMap {
	m := d.object(ns, name, selected)
	m.Annotations = map[string]string{"lwtest/note": d.next("n")}
	m.OwnerReferences = ownedBy("1")
	return m
}

// driveTests sends JSON patches of which one test does not hold, in the end or at the beginning, also as dry
// runs, and such as hold.
func driveTests(d *driver) {
	d.watched(func(a string) {
		m := d.noteful(a, "x")
		m.OwnerReferences = nil // so that the patches below name all that it has
		old := d.create("c1", m)
		for range 2 {
			x := d.change("c1", old, nil)
			if old == nil || x == nil {
				return
			}
			for _, t := range d.falseTests(old, x) {
				d.tryTest(a, t)
			}
			for _, t := range d.trueTests(x) {
				if x = d.patchJSON("c1", a, "x", replay.WriteArgs{}, append(t, replace(specAt, d.next("v")))...); x == nil {
					return
				}
				d.lookAt(a, "x")
			}
			old = x
		}
		d.remove("c1", a, "x", nil)
		if d.t.Has(UpdateNeedsObject) {
			d.tryTest(a, test(versionAt, invented))
		}
	})
}

// driveTestsRaced is driveRaced with JSON patches; then some are sent at once of which each tests what all the others
// change.
func driveTestsRaced(d *driver) {
	driveRaced((*driver).partAsJSON)(d)
	d.watched(func(a string) {
		d.create("c0", d.noteful(a, "y"))
		for n := range contests {
			x := d.get("c0", a, "y")
			if x == nil {
				d.t.GiveUp("there is nothing to write to: the object is not there")
				return
			}
			holds := []operation{test(specAt, x.Data[Spec]), test(versionAt, x.ResourceVersion), test(noteAt, x.Annotations["lwtest/note"])}
			d.burst(contenders, func(i int) {
				d.patchJSON(contender(i), a, "y", replay.WriteArgs{}, holds[(n+i)%len(holds)], replace(noteAt, d.next("n")), replace(specAt, d.next("v")))
			})
			d.patchJSON("c0", a, "y", replay.WriteArgs{}, holds[n%len(holds)], replace(specAt, d.next("v"))) // whoever was first
		}
	})
}

// tryTest sends a test before and after what is to be changed, and as a dry run.
func (d *driver) tryTest(ns string, t operation) {
	change := func() []operation {
		return []operation{replace(labelAt, "one"), replace(noteAt, d.next("n")), replace(specAt, d.next("v"))}
	}
	d.patchJSON("c2", ns, "x", replay.WriteArgs{}, append([]operation{t}, change()...)...)
	d.lookAt(ns, "x")
	if !slices.Contains([]string{labelAt, noteAt, specAt}, t.Path) { // of these it would see the change
		d.patchJSON("c2", ns, "x", replay.WriteArgs{}, append(change(), t)...)
		d.lookAt(ns, "x")
	}
	if d.t.Has(DryRun) {
		d.patchJSON("dry", ns, "x", replay.WriteArgs{DryRun: true}, append([]operation{t}, change()...)...)
		d.lookAt(ns, "x")
	}
}

// falseTests are such as do not hold of x; old is what it was before.
func (d *driver) falseTests(old, x *corev1.ConfigMap) []operation {
	all := []operation{
		test(specAt, old.Data[Spec]), test(labelAt, "nobody"), test(noteAt, "nothing"), test(nothingAt, "one"), test(versionAt, invented),
	}
	if old.ResourceVersion != x.ResourceVersion {
		all = append(all, test(versionAt, old.ResourceVersion))
	}
	if x.UID != "" {
		all = append(all, test(uidAt, string(noUID)))
	}
	return all
}

// trueTests are such as hold of x, the last of what is made of it by then.
func (d *driver) trueTests(x *corev1.ConfigMap) [][]operation {
	var all [][]operation
	if x.ResourceVersion != "" {
		all = append(all, []operation{test(versionAt, x.ResourceVersion)})
	}
	all = append(all, []operation{test(labelAt, x.Labels["app"]), test(noteAt, x.Annotations["lwtest/note"])})
	if x.UID != "" {
		all = append(all, []operation{test(uidAt, string(x.UID))})
	}
	later := d.next("l")
	return append(all, []operation{replace(labelAt, later), test(labelAt, later), replace(labelAt, "one")})
}

// driveResponsesJSON changes an object by JSON patches, each of something else, and looks what is there.
func driveResponsesJSON(d *driver) {
	d.watched(func(a string) {
		d.missingJSON(a)
		for range 2 {
			x := d.create("c1", d.noteful(a, "x"))
			if x == nil {
				return
			}
			patch := func(ops ...operation) *corev1.ConfigMap {
				m := d.patchJSON("c1", a, "x", replay.WriteArgs{}, ops...)
				d.lookAt(a, "x")
				return m
			}
			note := x.Annotations["lwtest/note"]
			patch(replace(labelAt, "two"), replace(specAt, d.next("v")))
			patch(operation{Op: "add", Path: moreAt, Value: d.next("l")})
			x = patch(test(noteAt, note), operation{Op: "copy", From: noteAt, Path: copyAt}, operation{Op: "add", Path: specAt, Value: d.next("v")})
			if x == nil {
				return
			}
			patch(replace(versionAt, x.ResourceVersion), test(copyAt, note), operation{Op: "move", From: copyAt, Path: movedAt})
			patch(operation{Op: "remove", Path: moreAt}, operation{Op: "remove", Path: movedAt})
			if d.change("c1", d.get("c1", a, "x"), nil) == nil {
				return
			}
			patch(operation{Op: "add", Path: ownersAt + "/-", Value: ownedBy("2")[0]}) // beside the one that it has
			if d.t.Has(DryRun) {
				d.patchJSON("dry", a, "x", replay.WriteArgs{DryRun: true}, replace(labelAt, "one"), replace(specAt, d.next("v")))
				d.lookAt(a, "x")
				d.patchJSON("dry", a, "x", replay.WriteArgs{DryRun: true}, operation{Op: "remove", Path: noteAt})
				d.lookAt(a, "x")
			}
			patch(operation{Op: "remove", Path: noteAt})
			d.remove("c1", a, "x", nil)
			d.lookAt(a, "x")
		}
		d.sameAgain(a, (*driver).patchAsJSON)
		d.heldJSON(a)
	})
}

// missingJSON patches what never was.
func (d *driver) missingJSON(ns string) {
	d.unheard(ns, "x")
	if d.t.Has(UpdateNeedsObject) {
		d.patchAsJSON("c1", d.object(ns, "x", selected))
		d.lookAt(ns, "x")
	}
}

// sameAgain patches an object to what it is, and then to something else.
func (d *driver) sameAgain(ns string, patch func(*driver, string, *corev1.ConfigMap) *corev1.ConfigMap) {
	x := d.create("c1", d.object(ns, "same", selected))
	for range 2 {
		if x == nil {
			return
		}
		same := again(x, "")
		same.UID = ""
		patch(d, "c1", same)
		d.lookAt(ns, "same")
		x = patch(d, "c1", d.changed(x, nil))
	}
}

// heldJSON deletes an object that has a finalizer, and takes that away.
func (d *driver) heldJSON(ns string) {
	if !d.holds() {
		return
	}
	defer d.release(ns, "held")
	d.create("c1", d.held(ns, "held", selected, oneFinalizer))
	d.remove("c1", ns, "held", nil)
	d.lookAt(ns, "held")
	d.patchJSON("c1", ns, "held", replay.WriteArgs{}, replace(labelAt, "two"))
	d.lookAt(ns, "held")
	d.patchJSON("c1", ns, "held", replay.WriteArgs{}, operation{Op: "remove", Path: holdersAt})
	d.lookAt(ns, "held")
}

// driveResponsesStrategic changes an object by strategic merge patches, each of something else.
func driveResponsesStrategic(d *driver) {
	d.watched(func(a string) {
		d.unheard(a, "x")
		if d.t.Has(UpdateNeedsObject) {
			d.patchStrategically("c1", d.object(a, "x", selected))
			d.lookAt(a, "x")
		}
		for range 2 {
			d.create("c1", d.noteful(a, "x"))
			d.patchStrategically("c1", d.object(a, "x", others))
			d.lookAt(a, "x")
			more := onlyName(a, "x")
			more.Labels = map[string]string{moreLabel: d.next("l")}
			more.Annotations = map[string]string{"lwtest/copy": d.next("n")}
			x := d.patchPart("c1", more, strategic)
			d.lookAt(a, "x")
			if x = d.change("c1", x, nil); x == nil {
				return
			}
			owned := onlyName(a, "x") // beside the owner that it has: the list is merged by the uids
			owned.ResourceVersion, owned.OwnerReferences = x.ResourceVersion, ownedBy("2")
			d.patchPart("c1", owned, strategic)
			d.lookAt(a, "x")
			nothing := strategic
			nothing.Removes = []string{label + moreLabel, annotation + "lwtest/copy"}
			if d.t.Has(DryRun) {
				dry := nothing
				dry.DryRun = true
				d.removeFromWith("dry", a, "x", dry)
				d.lookAt(a, "x")
			}
			d.removeFromWith("c1", a, "x", nothing)
			d.lookAt(a, "x")
			d.remove("c1", a, "x", nil)
			d.lookAt(a, "x")
		}
		d.sameAgain(a, (*driver).patchStrategically)
		d.heldStrategic(a)
	})
}

// heldStrategic is heldJSON by strategic merge patches.
func (d *driver) heldStrategic(ns string) {
	if !d.holds() {
		return
	}
	defer d.release(ns, "held")
	d.create("c1", d.held(ns, "held", selected, oneFinalizer))
	d.remove("c1", ns, "held", nil)
	d.lookAt(ns, "held")
	d.patchStrategically("c1", d.object(ns, "held", others))
	d.lookAt(ns, "held")
	last := strategic
	last.Removes = []string{finalizersWord}
	d.removeFromWith("c1", ns, "held", last)
	d.lookAt(ns, "held")
}
