package watchcache

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// driveNext asks for the resourceVersion right after the last, in every way, and then writes what has it. A
// server may wait a while for it before it says that it is not there: all ask at once.
func driveNext(d *driver) {
	if _, ok := d.few("c1"); !ok {
		return
	}
	a := d.namespaces[0]
	m := d.create("c1", d.object(a, d.next("n"), selected))
	if m == nil {
		return
	}
	now, next := m.ResourceVersion, ahead(m.ResourceVersion, 1)
	ws := []*watcher{d.watch("now", a, from(nothingElse, now))} // shows what there was to be given
	var asks []func(actor string)
	for i, c := range d.paired(func(c combination) bool { return c.start == atList || c.start == withNone }) {
		ws = append(ws, d.watch(fmt.Sprint("w", i+1), c.within(d), c.options(next, i)))
	}
	for _, name := range []string{"x", "nothing"} {
		asks = append(asks, func(actor string) { d.getAt(actor, a, name, next) })
	}
	for _, o := range d.nextLists(next) {
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
	for range 3 {
		d.create("c1", d.object(a, d.next("n"), selected)) // the first of which shows that it was not there yet
	}
	d.list("l1", a, nothingElse)
	ws = append(ws[:1:1], append(opened, ws[1:]...)...)
	d.quiet(ws...)
	closeAll(ws)
}

// nextLists are the forms of a list of what is not there yet.
func (d *driver) nextLists(rv string) []metav1.ListOptions {
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
