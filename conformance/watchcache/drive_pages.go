package watchcache

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// many makes n objects of which each third is selected, and gives the
// resourceVersion at the end; the last of them are of the other namespace.
func (d *driver) many(actor string, n int) {
	for i := range n {
		labels := others
		if i%3 == 0 {
			labels = selected
		}
		d.create(actor, d.object(d.namespaces[0], fmt.Sprintf("p%02d", i), labels))
	}
	for i := range 3 {
		d.create(actor, d.object(d.namespaces[1], fmt.Sprintf("p%02d", i), selected))
	}
}

// stir changes, deletes and creates before and behind where a page ends.
func (d *driver) stir(actor string, round int) {
	a := d.namespaces[0]
	d.change(actor, d.get(actor, a, "p01"), nil)
	d.change(actor, d.get(actor, a, "p08"), nil)
	if round == 0 {
		d.remove(actor, a, "p02", nil)
		d.remove(actor, a, "p07", nil)
		d.create(actor, d.object(a, "p00-new", selected))
		d.create(actor, d.object(a, "p08-new", selected))
	}
}

// drivePages takes the same list in pages of every size; between two pages
// things change, and the list does not.
func drivePages(d *driver) {
	d.many("c1", 10)
	a := d.namespaces[0]
	for round, limit := range []int64{3, 1, 4, 10, 11} {
		for _, ns := range []string{a, ""} {
			first := d.list("l1", ns, metav1.ListOptions{Limit: limit})
			if first == nil || first.Continue == "" {
				continue
			}
			d.stir("c1", round)
			d.pages("l1", ns, metav1.ListOptions{Limit: limit, Continue: first.Continue})
			// a larger page, and all the rest at once
			d.pages("l2", ns, metav1.ListOptions{Limit: limit})
			if first = d.list("l3", ns, metav1.ListOptions{Limit: limit}); first != nil && first.Continue != "" {
				d.list("l3", ns, metav1.ListOptions{Continue: first.Continue})
			}
		}
	}
	if first := d.list("l4", a, metav1.ListOptions{Limit: 2}); first != nil {
		d.pages("l4", a, metav1.ListOptions{Limit: 2, ResourceVersion: first.ResourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchExact})
		d.pages("l4", a, metav1.ListOptions{Limit: 3, ResourceVersion: first.ResourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan})
	}
}

// drivePagesWithSelector takes pages of what is selected.
func drivePagesWithSelector(d *driver) {
	d.many("c1", 10)
	a := d.namespaces[0]
	for round, o := range []metav1.ListOptions{
		{LabelSelector: byLabel.LabelSelector, Limit: 1},
		{LabelSelector: "app!=one", Limit: 2},
		{FieldSelector: "metadata.name!=p03", Limit: 2},
		{LabelSelector: byLabel.LabelSelector, FieldSelector: "metadata.name!=p03", Limit: 1},
		{LabelSelector: byLabel.LabelSelector, Limit: 4},
		{LabelSelector: byLabel.LabelSelector, Limit: 500},
	} {
		for _, ns := range []string{a, ""} {
			first := d.list("l1", ns, o)
			if first == nil || first.Continue == "" {
				continue
			}
			d.stir("c1", round)
			more := o
			more.Continue = first.Continue
			d.pages("l1", ns, more)
		}
	}
}

// drivePageSize asks for pages of every size.
func drivePageSize(d *driver) {
	d.many("c1", 6)
	a := d.namespaces[0]
	for _, limit := range []int64{1, 2, 5, 6, 7, 500} {
		d.pages("l1", a, metav1.ListOptions{Limit: limit})
		d.list("l1", a, metav1.ListOptions{Limit: limit, ResourceVersion: "0"})
		d.list("l1", "", metav1.ListOptions{Limit: limit})
	}
	for _, limits := range [][2]int64{{4, 1}, {1, 3}} { // the next pages smaller, and larger
		if first := d.list("l2", a, metav1.ListOptions{Limit: limits[0]}); first != nil && first.Continue != "" {
			d.pages("l2", a, metav1.ListOptions{Limit: limits[1], Continue: first.Continue})
		}
	}
}

// offer is what a token is answered with that has expired. One that is to be tried again later is.
func (d *driver) offer(actor, ns string, o metav1.ListOptions) string {
	answered, next := d.listOffer(actor, ns, o)
	for n := 1; d.t.Virtual() && !answered && next == "" && n < mostTroubles; n++ {
		d.t.Sleep(mostPutOff / 2)
		answered, next = d.listOffer(actor, ns, o)
	}
	return next
}

// versionOf is that of a list of a namespace; "": it was not answered.
func (d *driver) versionOf(ns string) string {
	if l := d.list("l1", ns, nothingElse); l != nil {
		return l.ResourceVersion
	}
	return ""
}

// statesAt lists states of the past in the ways that ask for nothing else.
func (d *driver) statesAt(at []string) {
	for _, rv := range at {
		for _, ns := range []string{d.namespaces[0], ""} {
			if rv != "" {
				d.list("l1", ns, metav1.ListOptions{ResourceVersion: rv, ResourceVersionMatch: metav1.ResourceVersionMatchExact})
				d.list("l1", ns, metav1.ListOptions{ResourceVersion: rv, Limit: 2})
			}
		}
	}
}

// driveContinueExpired begins lists, lets their history go, and goes on.
func driveContinueExpired(d *driver) {
	a := d.namespaces[0]
	d.many("c1", 10)
	at := []string{d.versionOf(a)}
	d.create("c1", d.object(a, "p99", others))
	at = append(at, d.versionOf(a))
	d.statesAt(at)
	var begun []metav1.ListOptions
	for _, o := range []metav1.ListOptions{{Limit: 2}, {Limit: 4}, {Limit: 2, LabelSelector: byLabel.LabelSelector}, {Limit: 2, FieldSelector: "metadata.name!=p03"}} {
		if first := d.list("l1", a, o); first != nil && first.Continue != "" {
			o.Continue = first.Continue
			begun = append(begun, o)
		}
	}
	d.stir("c1", 0)
	if !d.compact() {
		return
	}
	d.statesAt(at)
	for _, o := range begun {
		next := d.offer("l1", a, o)
		if next == "" {
			continue
		}
		o.Continue = next
		d.stir("c1", 1)
		d.pages("l1", a, o)
	}
}
