package watchcache

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The ways to narrow a watch beside its namespace.
var (
	nothingElse = metav1.ListOptions{}
	byName      = metav1.ListOptions{FieldSelector: "metadata.name=x"}
	byLabel     = metav1.ListOptions{LabelSelector: "app=one"}
	byField     = metav1.ListOptions{FieldSelector: "metadata.name!=y"}
)

// nothingMore, named, labelled and placed are what a scope is watched by beside its first form.
func nothingMore(*driver) []metav1.ListOptions { return nil }

func named(*driver) []metav1.ListOptions { return []metav1.ListOptions{byName} }

func labelled(d *driver) []metav1.ListOptions {
	all := []metav1.ListOptions{
		{LabelSelector: "app in (one)"}, {LabelSelector: "app"}, {LabelSelector: "app notin (two)"}, {LabelSelector: "app!=two"}, {LabelSelector: "!none,app=one"}, {LabelSelector: "app=one,!none"},
	}
	if d.t.Has(FieldWatch) {
		all = append(all, metav1.ListOptions{LabelSelector: "app=one", FieldSelector: "metadata.name=x"},
			metav1.ListOptions{LabelSelector: "app=one", FieldSelector: "metadata.name!=y"})
	}
	return all
}

func placed(d *driver) []metav1.ListOptions {
	in := "metadata.namespace=" + d.namespaces[0]
	return []metav1.ListOptions{{FieldSelector: in}, {FieldSelector: "metadata.name!=y," + in}, {FieldSelector: "metadata.namespace!=" + d.namespaces[1]}}
}

// from is o, started at a resourceVersion.
func from(o metav1.ListOptions, rv string) metav1.ListOptions {
	o.ResourceVersion = rv
	return o
}

// start lists a namespace and gives the resourceVersion to watch from; ok is
// false where nothing can be watched from.
func (d *driver) start(actor, ns string, o metav1.ListOptions) (rv string, ok bool) {
	l := d.list(actor, ns, o)
	if l == nil {
		d.t.GiveUp("the list before the watch was refused")
		return "", false
	}
	return l.ResourceVersion, true
}

// changes are every sort of change: in two namespaces that begin alike, of
// names that begin alike, into the selector and out of it, delete and
// creation under the same name.
func (d *driver) changes(c string) {
	a, ab := d.namespaces[0], d.namespaces[1]
	x := d.create(c, d.object(a, "x", selected))
	y := d.create(c, d.object(a, "y", others))
	d.create(c, d.object(a, "xy", selected))
	d.create(c, d.object(ab, "x", selected))
	x = d.change(c, x, nil)
	y = d.change(c, y, selected) // enters
	x = d.change(c, x, others)   // leaves
	d.change(c, y, others)
	d.change(c, x, nil) // outside
	d.remove(c, a, "y", nil)
	y = d.create(c, d.object(a, "y", selected))
	d.change(c, y, nil)
	d.remove(c, a, "xy", nil)
	d.remove(c, ab, "x", nil)
	x = d.create(c, d.object(ab, "x", others))
	d.change(c, x, selected)
	d.remove(c, a, "x", nil)
	x = d.create(c, d.object(a, "x", selected))
	d.change(c, x, nil)
	b := d.create(c, d.object(a, "bare", bare))
	b = d.change(c, b, selected)
	d.change(c, b, bare)
}

// change updates an object, where there is one.
func (d *driver) change(actor string, m *corev1.ConfigMap, labels map[string]string) *corev1.ConfigMap {
	if m == nil {
		return nil
	}
	return d.update(actor, d.changed(m, labels))
}

// driveChanges makes every sort of change under watches of every scope.
func driveChanges(d *driver) {
	a := d.namespaces[0]
	d.create("c1", d.object(a, "old", selected))
	rv, ok := d.start("l1", "", nothingElse)
	if !ok {
		return
	}
	ws := []*watcher{d.follow("w1", "", from(nothingElse, rv)), d.follow("w2", a, from(nothingElse, rv))}
	if d.t.Has(LabelWatch) {
		ws = append(ws, d.follow("w3", a, from(byLabel, rv)), d.follow("w4", "", from(byLabel, rv)))
	}
	ws = append(ws, d.follow("w5", a, from(nothingElse, "0")), d.follow("w6", "", nothingElse))
	d.changes("c1")
	d.settle(ws...)
	late := []*watcher{d.follow("w7", a, from(nothingElse, "0")), d.follow("w8", "", nothingElse)} // of what has changed before
	d.again("c1")
	ws = append(ws, late...)
	d.settle(ws...)
	closeAll(ws)
}

func closeAll(ws []*watcher) {
	for _, w := range ws {
		w.close()
	}
}

// driveScope watches one scope, and others like it in all namespaces, while every sort of change is made; one watch
// begins before there is anything, one in the middle. A watch of everything
// shows what there was to be given.
func driveScope(o metav1.ListOptions, more func(*driver) []metav1.ListOptions) func(*driver) {
	return func(d *driver) {
		a := d.namespaces[0]
		rv, ok := d.start("l1", "", nothingElse)
		if !ok {
			return
		}
		ws := []*watcher{d.follow("all", "", from(nothingElse, rv)), d.follow("w1", a, from(o, rv))}
		for i, o := range more(d) {
			ws = append(ws, d.follow(fmt.Sprint("m", i+1), "", from(o, rv)))
		}
		d.changes("c1")
		rv, ok = d.start("l1", a, nothingElse)
		if !ok {
			return
		}
		ws = append(ws, d.follow("w2", a, from(o, rv)), d.follow("u1", a, from(o, "")), d.follow("z1", a, from(o, "0")))
		if d.t.Has(WatchList) {
			ws = append(ws, d.watch("s1", a, stream(o, "")))
		}
		d.again("c1")
		d.settle(ws...)
		closeAll(ws)
	}
}

// again changes what changes has left.
func (d *driver) again(c string) {
	for _, ns := range d.namespaces {
		for _, name := range []string{"x", "y"} {
			m := d.get(c, ns, name)
			m = d.change(c, m, others)
			m = d.change(c, m, selected)
			d.change(c, m, nil)
		}
	}
	d.create(c, d.object(d.namespaces[0], "xy", selected))
	d.create(c, d.object(d.namespaces[1], "xy", selected))
	d.remove(c, d.namespaces[1], "x", nil)
}

// driveUnique changes one object again and again, with a pause in which a
// server may repeat itself; the second watch resumes where the first was let go.
func driveUnique(d *driver) {
	a := d.namespaces[0]
	rv, ok := d.start("l1", a, nothingElse)
	if !ok {
		return
	}
	w1 := d.follow("w1", a, from(nothingElse, rv))
	m := d.create("c1", d.object(a, "x", selected))
	d.create("c1", d.object(a, "y", others))
	for range 4 {
		m = d.change("c1", m, nil)
	}
	d.settle(w1)
	for range 4 {
		m = d.change("c1", m, nil)
	}
	d.settle(w1)
	w1.close()
	rv, ok = d.start("l1", a, nothingElse)
	if !ok {
		return
	}
	w2 := d.follow("w2", a, from(metav1.ListOptions{AllowWatchBookmarks: d.t.Has(Bookmarks)}, rv))
	d.change("c1", m, nil)
	d.remove("c1", a, "x", nil)
	d.settle(w2)
	w2.close()
}

// driveFromList changes things between a list and the watch from it.
func driveFromList(d *driver) {
	a := d.namespaces[0]
	x := d.create("c1", d.object(a, "x", selected))
	y := d.create("c1", d.object(a, "y", others))
	d.create("c1", d.object(a, "z", selected))
	d.change("c1", y, nil)
	rv, ok := d.start("l1", a, nothingElse)
	if !ok {
		return
	}
	x = d.change("c1", x, nil)
	d.remove("c1", a, "y", nil)
	d.create("c1", d.object(a, "n", selected))
	d.remove("c1", a, "z", nil)
	d.create("c1", d.object(a, "z", others))
	ws := d.gapWatches(rv)
	d.change("c1", x, nil)
	d.settle(ws...)
	closeAll(ws)
	rv, ok = d.start("l1", a, nothingElse)
	if !ok {
		return
	}
	d.remove("c1", a, "x", nil) // the last change before the watch is a delete
	ws = []*watcher{d.follow("w3", a, from(nothingElse, rv)), d.follow("w4", a, from(d.asInformers(nothingElse), rv))}
	d.create("c1", d.object(a, "last", selected))
	d.settle(ws...)
	closeAll(ws)
}

// gapWatches are watches of every scope and form from a list before the present.
func (d *driver) gapWatches(rv string) []*watcher {
	a := d.namespaces[0]
	ws := []*watcher{
		d.follow("w1", a, from(nothingElse, rv)),
		d.follow("timed", a, from(metav1.ListOptions{TimeoutSeconds: informersTimeout}, rv)),
		d.follow("informer", a, from(d.asInformers(nothingElse), rv)),
		d.follow("informers", "", from(d.asInformers(nothingElse), rv)),
	}
	if d.t.Has(LabelWatch) {
		ws = append(ws, d.follow("w2", a, from(byLabel, rv)), d.follow("labels", "", from(d.asInformers(byLabel), rv)))
	}
	if d.t.Has(FieldWatch) {
		ws = append(ws, d.follow("name", a, from(metav1.ListOptions{FieldSelector: "metadata.name=y"}, rv)),
			d.follow("field", "", from(d.asInformers(metav1.ListOptions{FieldSelector: "metadata.namespace=" + a}), rv)))
	}
	return ws
}

// informersTimeout is a timeout in seconds, as a reflector asks for one; it is longer than these, so that
// it is watch/timeout alone that finds it ignored.
var informersTimeout = new(int64(3600))

// asInformers asks as a reflector does: for bookmarks, where there are some, and for an end.
func (d *driver) asInformers(o metav1.ListOptions) metav1.ListOptions {
	o.AllowWatchBookmarks, o.TimeoutSeconds = d.t.Has(Bookmarks), informersTimeout
	return o
}

// driveBusyWatches watches while writers write at once.
func driveBusyWatches(d *driver) {
	a := d.namespaces[0]
	d.create("c0", d.object(a, "shared", selected))
	rv, ok := d.start("l0", "", nothingElse)
	if !ok {
		return
	}
	ws := []*watcher{d.follow("w1", "", from(nothingElse, rv)), d.follow("w2", a, from(nothingElse, rv))}
	if d.t.Has(LabelWatch) {
		ws = append(ws, d.follow("w3", "", from(byLabel, rv)))
	}
	var late *watcher
	d.busy(func(n, round int) {
		if n == 0 && round == rounds/2 { // from the past
			late = d.follow("w4", "", from(nothingElse, rv))
		}
		d.t.Sleep(time.Millisecond)
	})
	ws = append(ws, late)
	d.settle(ws...)
	closeAll(ws)
}

// driveOnlyCreates creates objects under watches that begin with a state and
// have no mark where it ends: that these ADDED are none of its is known only
// from what settled the watch before.
func driveOnlyCreates(d *driver) {
	a := d.namespaces[0]
	d.create("c1", d.object(a, "w", selected))
	ws := []*watcher{d.follow("w1", a, nothingElse), d.follow("w2", "", from(nothingElse, "0"))}
	if d.t.Has(LabelWatch) {
		ws = append(ws, d.follow("w3", a, byLabel))
	}
	d.settle(ws...)
	for _, name := range []string{"z", "x", "y", "v"} {
		d.create("c1", d.object(a, name, selected))
	}
	d.settle(ws...)
	closeAll(ws)
}

// bookmarkTimeout makes kube-apiserver send a bookmark two seconds before it.
const bookmarkTimeout = 6

// driveBookmarks keeps writing under watches that allow bookmarks: up to
// their timeout, and after streaming lists.
func driveBookmarks(d *driver) {
	a := d.namespaces[0]
	x := d.create("c1", d.object(a, "x", selected))
	y := d.create("c1", d.object(a, "y", others))
	d.create("c1", d.object(a, "gone", selected))
	d.remove("c1", a, "gone", nil)
	rv, ok := d.start("l1", a, nothingElse)
	if !ok {
		return
	}
	timeout := int64(bookmarkTimeout)
	short := metav1.ListOptions{ResourceVersion: rv, AllowWatchBookmarks: true, TimeoutSeconds: &timeout}
	ws := []*watcher{d.watch("w1", a, short), d.watch("w2", "", short)}
	if d.t.Has(LabelWatch) {
		o := short
		o.LabelSelector = byLabel.LabelSelector
		ws = append(ws, d.watch("w3", a, o))
	}
	if d.t.Has(FieldWatch) {
		o := short
		o.FieldSelector = byField.FieldSelector
		ws = append(ws, d.watch("w4", "", o))
	}
	streams := d.streams(rv)
	d.trickle("c1", x, y)
	for _, w := range ws {
		w.wait(bookmarkTimeout * time.Second)
	}
	d.settle(streams...)
	closeAll(append(ws, streams...))
	d.patiently(ws)
}

// streams opens streaming lists, where the subject has them.
func (d *driver) streams(rv string) []*watcher {
	if !d.t.Has(WatchList) {
		return nil
	}
	yes := true
	o := metav1.ListOptions{SendInitialEvents: &yes, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true}
	ws := []*watcher{d.watch("s1", d.namespaces[0], o), d.watch("s2", "", o), d.watch("s4", d.namespaces[0], from(o, rv))}
	if d.t.Has(FieldWatch) {
		f := o
		f.FieldSelector = byField.FieldSelector
		ws = append(ws, d.watch("s5", "", f))
	}
	if d.t.Has(LabelWatch) {
		o.LabelSelector = byLabel.LabelSelector
		ws = append(ws, d.watch("s3", d.namespaces[0], o))
	}
	return ws
}

// trickle writes a little at a time until the short watches have ended.
func (d *driver) trickle(c string, x, y *corev1.ConfigMap) {
	const pause = 200 * time.Millisecond
	for i := range bookmarkTimeout * int(time.Second/pause) {
		labels := selected
		if i%4 == 3 {
			labels = others
		}
		switch {
		case i%7 == 5:
			d.remove(c, d.namespaces[0], "x", nil)
			x = d.create(c, d.object(d.namespaces[0], "x", labels))
		case i%2 == 0:
			x = d.change(c, x, labels)
		default:
			y = d.change(c, y, labels)
		}
		d.create(c, d.object(d.namespaces[1], fmt.Sprint("n", i), labels))
		d.t.Sleep(pause)
	}
}
