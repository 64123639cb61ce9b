package watchcache

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// driveRestart restarts the server under watches, and goes on where they ended:
// with writes that hold and that do not, with lists that were begun before, and
// with requests of every sort from before.
func driveRestart(d *driver) {
	a := d.namespaces[0]
	x := d.create("c1", d.object(a, "x", selected))
	d.create("c1", d.object(a, "y", others))
	stale, right := d.written(a)
	rv, ok := d.start("l1", a, nothingElse)
	if !ok || x == nil {
		return
	}
	ws := []*watcher{d.watch("w1", a, from(nothingElse, rv)), d.watch("w2", "", from(nothingElse, rv))}
	x = d.change("c1", x, nil)
	d.settle(ws...)
	last := ws[0].last()
	x = d.change("c1", x, nil) // what is older may be compacted by now
	at, ok := d.start("l1", a, nothingElse)
	if !ok {
		return
	}
	goOn := d.begunLists(a)
	x = d.change("c1", x, nil)
	d.remove("c1", a, "y", nil)
	lost, ok := d.restartAmid(a)
	if !ok {
		return
	}
	for _, w := range ws {
		w.wait(10 * time.Second)
	}
	closeAll(ws)
	d.list("l1", a, nothingElse)
	d.list("l1", "", nothingElse)
	for i, write := range d.conflicting() { // the first that the server hears of each
		d.writeOver(write, stale[i], right[i])
	}
	d.makeSure(a, lost)
	goOn()
	d.readsFrom(a, rv, at)
	again := append(d.watchesFrom(a, rv), d.watch("r2", a, from(nothingElse, last)), d.watch("r3", "", from(nothingElse, rv)))
	if now, ok := d.start("l1", a, nothingElse); ok {
		again = append(again, d.watch("r4", a, from(nothingElse, now)))
	}
	if lost != "" {
		d.remove("c1", a, lost, nil)
		d.get("g1", a, lost)
	}
	x = d.change("c1", x, others)
	d.change("c1", x, selected)
	d.create("c1", d.object(a, "z", selected))
	d.remove("c1", a, "z", nil)
	d.list("l1", a, nothingElse)
	d.settle(again...)
	closeAll(again)
}

// restartAmid restarts the server while objects are created, one after the
// other: the answer to one of them may be lost. It gives the name of that one,
// "" for none.
func (d *driver) restartAmid(ns string) (lost string, ok bool) {
	over, done := make(chan struct{}), make(chan struct{})
	d.turns.Of("c3", "admin")
	d.t.Go(func() {
		defer close(done)
		for n := 1; ; n++ {
			select {
			case <-over:
				return
			default:
			}
			d.turn("c3") // contents differ by a count that all share
			m := d.object(ns, fmt.Sprint("amid", n), selected)
			if d.create("c3", m) == nil {
				lost = m.Name
				return
			}
		}
	})
	ok = d.restart()
	close(over)
	<-done
	return lost, ok
}

// makeSure creates again what nobody knows of whether it was created.
func (d *driver) makeSure(ns, name string) {
	if name == "" {
		return
	}
	d.get("g1", ns, name)
	d.create("c1", d.object(ns, name, selected))
	d.get("g1", ns, name)
	d.list("l1", ns, nothingElse)
}

// written makes an object for each sort of write that takes a resourceVersion,
// and changes it: what it was, and what it is.
func (d *driver) written(ns string) (stale, right []*corev1.ConfigMap) {
	for i := range d.conflicting() {
		m := d.create("c1", d.object(ns, fmt.Sprint("s", i+1), selected))
		stale = append(stale, m)
		right = append(right, d.change("c1", m, nil))
	}
	return stale, right
}

// writeOver writes with what no longer holds, and with what does.
func (d *driver) writeOver(write func(*driver, string, *corev1.ConfigMap) *corev1.ConfigMap, stale, right *corev1.ConfigMap) {
	for _, m := range []*corev1.ConfigMap{stale, right} {
		if m == nil {
			continue
		}
		write(d, "c2", d.changed(m, nil))
		d.list("l1", m.Namespace, nothingElse)
		d.get("g1", m.Namespace, m.Name)
	}
}

// begunLists takes the first pages of lists, and gives what takes the others.
func (d *driver) begunLists(ns string) (goOn func()) {
	if !d.t.Has(Pages) {
		return func() {}
	}
	var rest []func()
	for i, o := range d.narrowed() {
		actor := fmt.Sprint("p", i+1)
		o.Limit = 1
		if first := d.list(actor, ns, o); first != nil && first.Continue != "" {
			o.Continue = first.Continue
			rest = append(rest, func() { d.pages(actor, ns, o) })
		}
	}
	return func() {
		for _, f := range rest {
			f()
		}
	}
}

// readsFrom gets and lists at resourceVersions of the past, and at "0".
func (d *driver) readsFrom(ns string, at ...string) {
	for _, rv := range append([]string{"0"}, at...) {
		d.getAt("g1", ns, "x", rv)
		for _, o := range d.scopes() {
			d.list("l1", ns, from(o, rv))
			if o = from(o, rv); rv == "0" {
				continue
			}
			o.ResourceVersionMatch = metav1.ResourceVersionMatchExact
			d.list("l1", ns, o)
			o.ResourceVersionMatch = metav1.ResourceVersionMatchNotOlderThan
			d.list("l1", ns, o)
		}
	}
	for _, o := range d.scopes() {
		d.list("l1", ns, o)
	}
}

// watchesFrom opens watches of every sort, at a resourceVersion of the past and
// without one.
func (d *driver) watchesFrom(ns, rv string) []*watcher {
	ws := d.everyWatch("e", rv, atList, withNone)
	for i, c := range d.paired(func(c combination) bool { return c.start != atList && c.start != withNone }) {
		ws = append(ws, d.watch(d.next("r"), c.within(d), c.options(rv, i)))
	}
	open := func(o metav1.ListOptions) { ws = append(ws, d.watch(d.next("r"), ns, o)) }
	for _, o := range d.scopes() {
		open(o)
		open(from(o, "0"))
		if o.AllowWatchBookmarks = true; d.t.Has(WatchList) {
			open(stream(o, ""))
			open(stream(o, rv))
		}
	}
	if d.t.Has(WatchList) {
		open(stream(nothingElse, ""))
		open(stream(marked, "0"))
	}
	return ws
}
