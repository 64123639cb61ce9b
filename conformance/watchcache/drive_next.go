package watchcache

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// driveNext asks for the resourceVersion right after the last, in every way, and then writes what has it. A
// server may wait a while for it before it says that it is not there: all ask at once. Where others write, it may
// be there by then; what lies far beyond is not.
func driveNext(d *driver) {
	if _, ok := d.few("c1"); !ok {
		return
	}
	m := d.create("c1", d.object(d.namespaces[0], d.next("n"), selected))
	if m == nil {
		return
	}
	opened := d.nextReads(m.ResourceVersion)
	now := d.watch("now", d.namespaces[0], from(nothingElse, m.ResourceVersion)) // shows what there was to be given
	m = d.create("c1", d.object(d.namespaces[0], d.next("n"), selected))         // shows that it was not there yet
	if m == nil {
		return
	}
	ws := append([]*watcher{now}, opened...)
	for i, c := range d.paired(func(c combination) bool { return c.start == atList || c.start == withNone }) {
		ws = append(ws, d.watch(fmt.Sprint("w", i+1), c.within(d), c.options(ahead(m.ResourceVersion, 1), i)))
	}
	for range 3 {
		d.create("c1", d.object(d.namespaces[0], d.next("n"), selected))
	}
	d.list("l1", d.namespaces[0], nothingElse)
	d.quiet(ws...)
	closeAll(ws)
}

// nextReads gets, lists and opens streaming lists at the resourceVersion after this one, all at once.
func (d *driver) nextReads(rv string) []*watcher {
	a, next := d.namespaces[0], ahead(rv, 1)
	asks := []func(actor string){func(actor string) { d.list(actor, a, metav1.ListOptions{ResourceVersion: beyond(rv)}) }}
	for _, name := range []string{"x", "nothing"} {
		asks = append(asks, func(actor string) { d.getAt(actor, a, name, next) })
	}
	for _, o := range nextLists(next) {
		for _, ns := range d.within() {
			asks = append(asks, func(actor string) { d.list(actor, ns, o) })
		}
	}
	streams := d.paired(func(c combination) bool { return c.start == withAll })
	opened := make([]*watcher, len(streams))
	for i, c := range streams {
		c.start = withAllAt
		asks = append(asks, func(string) { opened[i] = d.watch(fmt.Sprint("s", i+1), c.within(d), c.options(next, i)) })
	}
	d.atOnce(len(asks), func(i int) { asks[i](fmt.Sprint("l", i+1)) })
	return opened
}

// nextLists are the forms of a list of what is not there yet.
func nextLists(rv string) []metav1.ListOptions {
	return []metav1.ListOptions{
		{ResourceVersion: rv},
		{ResourceVersion: rv, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan},
		exactlyAt(metav1.ListOptions{}, rv),
		{ResourceVersion: rv, Limit: 2},
		{ResourceVersion: rv, LabelSelector: byLabel.LabelSelector},
		exactlyAt(metav1.ListOptions{LabelSelector: byLabel.LabelSelector}, rv),
		{ResourceVersion: rv, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, Limit: 2, FieldSelector: byField.FieldSelector},
	}
}
