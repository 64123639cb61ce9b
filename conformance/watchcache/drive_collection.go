package watchcache

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// sweptAtOnce is how many objects a large collection has: more than a server
// that takes them a page at a time would take at once.
const sweptAtOnce = 30

// driveCollectionMore deletes collections of many objects, and by label and
// field at once.
func driveCollectionMore(d *driver) {
	a := d.namespaces[0]
	d.watched(func(string) {
		name := func(i int) string { return fmt.Sprintf("x%02d", i) }
		fill := func() {
			for i := range sweptAtOnce {
				if i < 2 {
					d.create("c1", d.object(a, name(i), others))
				} else {
					d.create("c1", d.object(a, name(i), selected))
				}
			}
		}
		look := func() {
			for _, i := range []int{0, 1, 2, 3, sweptAtOnce - 1} {
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
		d.sweep("c1", a, nothingElse)
		look()
	})
}
