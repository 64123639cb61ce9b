package watchcache

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// largeReal and largeVirtual are more objects than a server gives at once, in
// real time, where each takes a moment, and in virtual time.
const (
	largeReal    = 520
	largeVirtual = 1100
)

// driveLarge has more objects than fit a page or a buffer of any usual size,
// lists them in every way, and opens watches that begin with all of them, or
// from before there was any.
func driveLarge(d *driver) {
	a := d.namespaces[0]
	n := largeReal
	if d.t.Virtual() {
		n = largeVirtual
	}
	before, ok := d.start("l0", "", nothingElse)
	if !ok {
		return
	}
	since := d.largeSince(before)
	many := writers
	if !d.t.Has(ComparableRV) {
		many = 1 // else nothing tells in which order
	}
	d.atOnce(many, func(w int) {
		for i := w; i < n; i += many {
			d.largeCreate(contender(w), i)
		}
	})
	at, ok := d.start("l1", "", nothingElse)
	if !ok {
		return
	}
	for _, name := range []string{"p0016", "p0051", "p0255", "p0510"} {
		d.change("c1", d.get("c1", a, name), others)
	}
	d.remove("c1", a, "p0101", nil)
	d.largeLists("l1", at)
	ws := append(d.largeWatches(), d.follow("past", "", from(nothingElse, before)), d.follow("since", a, from(nothingElse, before)),
		d.follow("informer", "", from(d.asInformers(nothingElse), before)))
	d.change("c1", d.get("c1", a, "p0001"), others)
	ws = append(ws, since...)
	d.settle(ws...)
	closeAll(ws)
	if d.t.Has(DeleteCollection) && d.t.Has(ComparableRV) {
		d.create("c1", d.object(d.namespaces[1], "later", others)) // shows that the watches began before all was gone
		d.sweep("c1", a, nothingElse)
		d.list("l1", a, nothingElse)
	}
}

// largeSince are watches that are given everything as changes.
func (d *driver) largeSince(before string) []*watcher {
	ws := []*watcher{d.follow("changes", "", from(d.asInformers(nothingElse), before))}
	if d.t.Has(WatchList) {
		ws = append(ws, d.watch("streamed", "", stream(d.asInformers(nothingElse), "")))
	}
	return ws
}

// largeCreate creates number i: of twenty one is in the other namespace, of three two are selected.
func (d *driver) largeCreate(actor string, i int) {
	ns, labels := d.namespaces[0], selected
	if i%20 == 19 {
		ns = d.namespaces[1]
	}
	if i%3 == 2 {
		labels = others
	}
	d.create(actor, d.object(ns, fmt.Sprintf("p%04d", i), labels))
}

// largeLists takes lists in every form, whole and in pages; at is a resourceVersion of the past.
func (d *driver) largeLists(actor, at string) {
	a := d.namespaces[0]
	d.list(actor, "", nothingElse)
	d.list(actor, a, from(nothingElse, "0"))
	if d.t.Has(LabelWatch) {
		d.list(actor, a, byLabel)
		d.list(actor, "", from(byLabel, "0"))
	}
	if at != "" {
		d.list(actor, a, metav1.ListOptions{ResourceVersion: at, ResourceVersionMatch: metav1.ResourceVersionMatchExact})
	}
	if !d.t.Has(Pages) {
		return
	}
	for _, limit := range []int64{500, 100} {
		d.pages(actor, "", metav1.ListOptions{Limit: limit})
	}
	if d.t.Has(LabelWatch) {
		d.pages(actor, a, metav1.ListOptions{Limit: 100, LabelSelector: byLabel.LabelSelector})
	}
	if first := d.list(actor, a, metav1.ListOptions{Limit: 10}); first != nil && first.Continue != "" {
		d.list(actor, a, metav1.ListOptions{Continue: first.Continue}) // the rest at once
	}
}

// largeWatches are watches that begin with the whole state.
func (d *driver) largeWatches() []*watcher {
	a := d.namespaces[0]
	ws := []*watcher{d.follow("unset", "", nothingElse), d.follow("zero", a, from(nothingElse, "0"))}
	if d.t.Has(LabelWatch) {
		ws = append(ws, d.follow("label", a, from(byLabel, "0")))
	}
	if d.t.Has(WatchList) {
		ws = append(ws, d.watch("stream", "", stream(marked, "")))
	}
	return ws
}
