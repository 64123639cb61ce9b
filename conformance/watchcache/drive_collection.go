package watchcache

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// sweptAtOnce is how many objects a large collection has: more than a server
// that takes them a page at a time would take at once.
const sweptAtOnce = 30

// Which of them have no label, and one with no value.
const (
	unlabelledAt = 4
	blankAt      = 5
)

// blank is the label that selectors ask for, without a value.
var blank = map[string]string{"app": ""}

// driveCollectionMore deletes collections of many objects, and by label and
// field at once.
func driveCollectionMore(d *driver) {
	a := d.namespaces[0]
	d.watched(func(string) {
		name := func(i int) string { return fmt.Sprintf("x%02d", i) }
		fill := func() {
			for i := range sweptAtOnce {
				labels := selected
				switch {
				case i < 2:
					labels = others
				case i == unlabelledAt:
					labels = nil
				case i == blankAt:
					labels = blank
				}
				d.create("c1", d.object(a, name(i), labels))
			}
		}
		look := func() {
			for _, i := range []int{0, 1, 2, 3, unlabelledAt, blankAt, sweptAtOnce - 1} {
				d.get("g1", a, name(i))
			}
			d.list("l1", a, nothingElse)
		}
		fill()
		if d.t.Has(LabelWatch) && d.t.Has(FieldWatch) {
			for _, fields := range []string{"metadata.name=" + name(0), "metadata.name=" + name(2), "metadata.name!=" + name(3)} {
				d.sweep("c1", a, metav1.ListOptions{LabelSelector: byLabel.LabelSelector, FieldSelector: fields})
				look()
			}
			d.sweep("c1", a, nothingElse)
			fill()
		}
		if d.t.Has(LabelWatch) { // what it takes, and nothing: all but these stays
			for _, labels := range []string{"app in (two,three)", "app,app notin (one)", "!app"} {
				d.sweep("c1", a, metav1.ListOptions{LabelSelector: labels})
				look()
			}
		}
		d.sweep("c1", a, nothingElse)
		look()
	})
}

// driveCollectionDeleting deletes collections of which something is being deleted
// already, and a finalizer holds it: in the midst of the others, before them and behind. Another
// has one, and nobody has deleted it before.
func driveCollectionDeleting(d *driver) {
	a := d.namespaces[0]
	names := []string{"a", "m", "z"}
	d.watched(func(string) {
		for _, going := range [][]string{{"m"}, {"a"}, {"z"}, {"a", "m"}} {
			for _, o := range []metav1.ListOptions{nothingElse, byLabel, byField} {
				if o.LabelSelector != "" && !d.t.Has(LabelWatch) || o.FieldSelector != "" && !d.t.Has(FieldWatch) {
					continue
				}
				d.sweepBeside(a, names, going, o)
			}
		}
	})
}

// sweepBeside makes objects of these names, of which some are going, and deletes the collection.
func (d *driver) sweepBeside(ns string, names, going []string, o metav1.ListOptions) {
	for _, name := range names {
		if !slices.Contains(going, name) {
			d.create("c1", d.object(ns, name, selected))
			continue
		}
		d.create("c1", d.held(ns, name, selected, oneFinalizer))
		d.remove("c1", ns, name, nil)
		defer d.release(ns, name)
	}
	const held = "h"
	d.create("c1", d.held(ns, held, selected, oneFinalizer))
	defer d.release(ns, held)
	d.sweep("c1", ns, o)
	for _, name := range append(names, held) {
		d.get("g1", ns, name)
	}
	d.list("l1", ns, nothingElse)
}

// driveCollectionPreconditions deletes collections with preconditions that hold
// of nothing that is selected, and then, of one object alone, that hold of it.
// Where they hold of some objects only, which of these are deleted before the
// refusal hangs on the order in which a server takes them.
func driveCollectionPreconditions(d *driver) {
	a := d.namespaces[0]
	d.watched(func(string) {
		old := d.create("c1", d.object(a, "x", selected))
		d.create("c1", d.object(a, "y", others))
		if old == nil {
			return
		}
		x := d.update("c1", d.changed(old, nil))
		if x == nil {
			return
		}
		nobody := noUID
		for _, o := range []metav1.ListOptions{nothingElse, byLabel, byName} {
			if o.LabelSelector != "" && !d.t.Has(LabelWatch) || o.FieldSelector != "" && !d.t.Has(FieldWatch) {
				continue
			}
			for _, p := range []metav1.Preconditions{
				{ResourceVersion: &old.ResourceVersion}, {UID: &nobody}, {UID: &nobody, ResourceVersion: &x.ResourceVersion}, {UID: &x.UID, ResourceVersion: &old.ResourceVersion},
			} {
				d.sweepWith("c1", a, o, metav1.DeleteOptions{Preconditions: &p})
				for _, name := range []string{"x", "y"} {
					d.get("g1", a, name)
				}
			}
		}
		if d.t.Has(FieldWatch) {
			d.sweepWith("c1", a, byName, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &x.UID, ResourceVersion: &x.ResourceVersion}})
		}
		d.list("l1", a, nothingElse)
	})
}
