package watchcache

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// driveExpired watches from resourceVersions of which the history is gone, and
// from one of which it is not.
func driveExpired(d *driver) {
	a := d.namespaces[0]
	rv, ok := d.start("l1", a, nothingElse)
	if !ok {
		return
	}
	before := []string{rv}
	d.create("c1", d.object(a, "x", selected))
	for range 3 {
		if m := d.create("c1", d.object(a, d.next("n"), selected)); m != nil {
			before = append(before, m.ResourceVersion)
		}
	}
	d.remove("c1", a, "n1", nil)
	d.list("l1", a, nothingElse) // a cache that lags comes up to now
	if !d.moveWindow() {
		return
	}
	now, ok := d.start("l1", a, nothingElse)
	if !ok {
		return
	}
	d.create("c1", d.object(a, d.next("n"), selected))
	var ws []*watcher
	for i, rv := range append(before, now) {
		ws = append(ws, d.watch(fmt.Sprint("w", i+1), a, from(nothingElse, rv)))
		o := from(nothingElse, rv)
		o.AllowWatchBookmarks = true
		ws = append(ws, d.watch(fmt.Sprint("b", i+1), "", o))
		d.list("l1", a, metav1.ListOptions{ResourceVersion: rv, ResourceVersionMatch: metav1.ResourceVersionMatchExact})
	}
	ws = append(ws, d.everyWatch("s", rv, atList, withNone)...)
	var f *watcher // refused in its stream even where a server tells the others by a status
	if d.t.Has(WatchList) {
		f = d.watch("f1", a, stream(nothingElse, beyond(now)))
	}
	d.settle(ws...)
	f.wait(errorWait)
	closeAll(append(ws, f))
}

// scopes are each sort of selector, alone and together, none among them; each
// has x in its scope, and the sentinels, or x alone.
func (d *driver) scopes() []metav1.ListOptions {
	all := d.narrowed()
	if d.t.Has(LabelWatch) && d.t.Has(FieldWatch) {
		all = append(all, metav1.ListOptions{LabelSelector: byLabel.LabelSelector, FieldSelector: byName.FieldSelector},
			metav1.ListOptions{LabelSelector: byLabel.LabelSelector, FieldSelector: byField.FieldSelector})
	}
	return all
}

// driveCompactedEdge compacts when the last change was an update, and when it
// was a delete, and watches from every resourceVersion around there.
func driveCompactedEdge(d *driver) {
	a := d.namespaces[0]
	x := d.create("c1", d.object(a, "x", selected))
	y := d.create("c1", d.object(a, "y", selected))
	if x == nil || y == nil {
		return
	}
	for round := range 2 {
		w := d.watch(fmt.Sprint("before", round), a, from(nothingElse, y.ResourceVersion))
		if x = d.change("c1", x, nil); x == nil {
			return
		}
		at := []string{y.ResourceVersion, x.ResourceVersion}
		if round == 1 {
			d.remove("c1", a, "y", nil)
			if rv := w.lastOf(d); rv != "" {
				at = append(at, rv)
			}
		}
		w.close()
		if !d.compact() {
			return
		}
		if round == 0 {
			y = d.change("c1", y, nil)
		}
		var ws []*watcher
		for i, rv := range at {
			ws = append(ws, d.watch(fmt.Sprintf("e%d-%d", round, i), a, from(nothingElse, rv)))
		}
		ws = append(ws, d.everyWatch("s", at[round], atList, withNone)...) // which lacks what was compacted last
		d.change("c1", d.get("c1", a, "x"), nil)
		d.settle(ws...)
		closeAll(ws)
		x = d.get("c1", a, "x")
	}
}

// lastOf waits until the watch has come up to now, and gives the last resourceVersion before that.
func (w *watcher) lastOf(d *driver) string {
	if d.t.Virtual() {
		d.t.Wait()
		return w.last()
	}
	rv := w.last()
	d.settle(w)
	return rv
}

// driveWatchFuture watches from what is not there yet, while things change; the
// one watch that begins a little ahead comes to give something.
func driveWatchFuture(d *driver) {
	a := d.namespaces[0]
	rv, ok := d.start("l1", a, nothingElse)
	if !ok {
		return
	}
	now := d.watch("now", a, from(nothingElse, rv)) // shows what there was to be given
	ws := append([]*watcher{now}, d.everyWatch("far", beyond(rv), atList, withNone)...)
	near := d.watch("near", a, from(nothingElse, ahead(rv, 3)))
	for range 8 {
		d.create("c1", d.object(a, d.next("n"), selected))
	}
	d.quiet(append(ws, near)...)
	closeAll(append(ws, near))
}

// quiet lets the first and the last of these watches come up to now; of the
// others nothing is to come, and that can be said in virtual time alone.
func (d *driver) quiet(ws ...*watcher) {
	if d.t.Virtual() {
		d.settle(ws...)
		return
	}
	d.t.Sleep(2 * time.Second)
	d.settle(ws[0], ws[len(ws)-1])
}

// errorWait is how long a watch may take to be refused in its stream: kube-apiserver needs three seconds.
const errorWait = 5 * time.Second

// driveErrors opens watches that can only be refused: from what is no
// resourceVersion, from the first there ever was, and streaming lists of what is not there yet.
func driveErrors(d *driver) {
	at, ok := d.few("c1")
	if !ok {
		return
	}
	a := d.namespaces[0]
	var ws []*watcher
	for i, o := range []metav1.ListOptions{
		{ResourceVersion: "1"},
		{ResourceVersion: "1", AllowWatchBookmarks: true},
		stream(metav1.ListOptions{AllowWatchBookmarks: true}, beyond(at)),
	} {
		ws = append(ws, d.watch(fmt.Sprint("w", i+1), a, o))
	}
	ws = append(ws, d.everyWatch("s", "1", atList, withNone)...)
	limit := time.Now().Add(errorWait) // for all together: where the history is whole, none ends
	for _, w := range ws {
		w.wait(time.Until(limit))
	}
	d.create("c1", d.object(a, d.next("n"), selected)) // what a watch that did not end would go on with
	d.t.Sleep(time.Second)
	closeAll(ws)
	d.list("l1", a, nothingElse) // what they did not give
}

func driveWatchCombinations(d *driver) {
	at, ok := d.few("c1")
	if !ok {
		return
	}
	a := d.namespaces[0]
	for i, o := range []metav1.ListOptions{
		{ResourceVersion: at, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan},
		{ResourceVersion: at, ResourceVersionMatch: metav1.ResourceVersionMatchExact},
		{ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan},
		{ResourceVersion: "0", ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true},
	} {
		w := d.watch(fmt.Sprint("w", i+1), a, o)
		d.settle(w)
		w.close()
	}
}
