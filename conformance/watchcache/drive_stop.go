package watchcache

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// driveTimeout opens watches of a few seconds, that get something and that do
// not, and goes on where they ended.
func driveTimeout(d *driver) {
	a := d.namespaces[0]
	x := d.create("c1", d.object(a, "x", selected))
	rv, ok := d.start("l1", a, nothingElse)
	if !ok {
		return
	}
	var ws []*watcher
	for i, timeout := range []int64{1, 2, 4} {
		ws = append(ws, d.watch(fmt.Sprint("w", i+1), a, from(metav1.ListOptions{TimeoutSeconds: &timeout}, rv)))
		ws = append(ws, d.watch(fmt.Sprint("q", i+1), d.namespaces[1], from(metav1.ListOptions{TimeoutSeconds: &timeout, AllowWatchBookmarks: true}, rv)))
	}
	for range 10 {
		x = d.change("c1", x, nil)
		d.t.Sleep(300 * time.Millisecond)
	}
	limit := time.Now().Add(10 * time.Second) // for all together: who ends one too late ends none in time
	for _, w := range ws {
		w.wait(time.Until(limit))
	}
	d.settle(ws...)
	var more []*watcher
	for i, w := range ws {
		if at := w.last(); at != "" {
			more = append(more, d.follow(fmt.Sprint("r", i+1), w.namespace, from(nothingElse, at)))
		}
	}
	d.settle(more...)
	closeAll(append(ws, more...))
	if d.t.Virtual() {
		d.timeoutMinutes()
	}
}

// timeoutMinutes opens watches of as many minutes as informers ask for.
func (d *driver) timeoutMinutes() {
	a := d.namespaces[0]
	for _, timeout := range []int64{90, leastBound, 2 * leastBound} {
		w := d.watch(d.next("m"), a, metav1.ListOptions{TimeoutSeconds: &timeout, AllowWatchBookmarks: true})
		w.wait(time.Duration(timeout)*time.Second + 2*timeoutSlack)
		d.create("c1", d.object(a, d.next("n"), selected)) // what one that is still open gives
		d.settle(w)
		w.close()
	}
}

// driveStop stops watches: at once, when idle, with events on their way; and
// goes on writing.
func driveStop(d *driver) {
	a := d.namespaces[0]
	x := d.create("c1", d.object(a, "x", selected))
	rv, ok := d.start("l1", a, nothingElse)
	if !ok {
		return
	}
	for i, o := range d.stopped(rv) {
		more := func() { x = d.change("c1", x, nil) }
		atOnce := d.watch(fmt.Sprint("a", i+1), a, o)
		atOnce.closeAndDrain(more)
		idle := d.watch(fmt.Sprint("i", i+1), a, o)
		d.settle(idle)
		idle.closeAndDrain(more)
		busy := d.watch(fmt.Sprint("b", i+1), a, o)
		for range 3 {
			more()
		}
		busy.closeAndDrain(more)
		d.watch(fmt.Sprint("sa", i+1), a, o).halt(more)
		idle = d.watch(fmt.Sprint("si", i+1), a, o)
		d.settle(idle)
		idle.halt(more)
		busy = d.watch(fmt.Sprint("sb", i+1), a, o)
		for range 3 {
			more()
		}
		busy.halt(more)
	}
}

// stopped are the forms of watches that are stopped.
func (d *driver) stopped(rv string) []metav1.ListOptions {
	all := []metav1.ListOptions{from(nothingElse, rv), nothingElse, {ResourceVersion: "0", AllowWatchBookmarks: true}}
	if d.t.Has(LabelWatch) {
		all = append(all, from(byLabel, rv))
	}
	all = append(all, from(d.asInformers(nothingElse), rv))
	if d.t.Has(WatchList) {
		all = append(all, stream(nothingElse, ""), stream(d.asInformers(nothingElse), ""))
	}
	return all
}
