package watchcache

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// stream is a streaming list; rv may be empty.
func stream(o metav1.ListOptions, rv string) metav1.ListOptions {
	yes := true
	o.SendInitialEvents, o.ResourceVersionMatch, o.ResourceVersion = &yes, metav1.ResourceVersionMatchNotOlderThan, rv
	return o
}

// off is a watch that wants no initial events; rv may be empty.
func off(o metav1.ListOptions, rv string) metav1.ListOptions {
	no := false
	o.SendInitialEvents, o.ResourceVersionMatch, o.ResourceVersion = &no, metav1.ResourceVersionMatchNotOlderThan, rv
	return o
}

var marked = metav1.ListOptions{AllowWatchBookmarks: true}

// driveStreams opens streaming lists of every scope, also an empty one, at
// unset, past and present resourceVersions, with bookmarks and without.
func driveStreams(d *driver) {
	a, ab := d.namespaces[0], d.namespaces[1]
	var ws []*watcher
	open := func(ns string, o metav1.ListOptions, rv string) {
		ws = append(ws, d.watch(d.next("w"), ns, stream(o, rv)))
	}
	open(a, marked, "")
	x := d.create("c1", d.object(a, "x", selected))
	if x == nil {
		return
	}
	open(a, marked, "")
	open(ab, marked, x.ResourceVersion) // nothing there
	d.create("c1", d.object(a, "y", others))
	open("", marked, x.ResourceVersion)
	now := d.change("c1", x, others)
	if now == nil {
		return
	}
	open(a, nothingElse, "")
	open(a, marked, now.ResourceVersion)
	d.remove("c1", a, "y", nil)
	open(a, marked, "")
	open(a, marked, "0")
	d.create("c1", d.object(a, "z", selected))
	if d.t.Has(LabelWatch) {
		o := byLabel
		o.AllowWatchBookmarks = true
		open(a, o, "")
		open("", o, x.ResourceVersion)
	}
	if d.t.Has(FieldWatch) {
		o := byField
		o.AllowWatchBookmarks = true
		open(a, o, "")
	}
	d.settle(ws...)
	d.change("c1", now, selected)
	d.remove("c1", a, "z", nil)
	d.settle(ws...)
	closeAll(ws)
}

// driveStreamsOn lets streaming lists go on to their timeout, near which plain
// bookmarks come, and a quiet one for as long as the grace is.
func driveStreamsOn(d *driver) {
	a := d.namespaces[0]
	x := d.create("c1", d.object(a, "x", selected))
	if x == nil {
		return
	}
	timeout := int64(bookmarkTimeout)
	var ws []*watcher
	for i, rv := range []string{"", x.ResourceVersion, "0"} {
		o := stream(marked, rv)
		o.TimeoutSeconds = &timeout
		ws = append(ws, d.watch(fmt.Sprint("s", i+1), a, o))
		o = from(marked, rv)
		o.TimeoutSeconds = &timeout
		ws = append(ws, d.watch(fmt.Sprint("w", i+1), a, o))
	}
	quiet := d.watch("q", d.namespaces[1], stream(marked, ""))
	for range bookmarkTimeout * 2 {
		x = d.change("c1", x, nil)
		d.t.Sleep(400 * time.Millisecond)
	}
	for _, w := range ws {
		w.wait(bookmarkTimeout * time.Second)
	}
	d.settle(quiet)
	closeAll(append(ws, quiet))
}

// driveStreamsFuture asks for states that are not there yet.
func driveStreamsFuture(d *driver) {
	at, ok := d.few("c1")
	if !ok {
		return
	}
	a := d.namespaces[0]
	ws := d.everyWatchAtOnce("s", beyond(at), withAllAt) // a server may hold each back for seconds
	d.create("c1", d.object(a, d.next("n"), selected))
	limit := time.Now().Add(5 * time.Second)
	for _, w := range ws {
		w.wait(time.Until(limit))
	}
	if d.t.Virtual() { // over a network no sentinel comes to those who wait
		d.settle(ws...)
	}
	closeAll(ws)
	d.list("l1", a, nothingElse) // what they did not give
}

// driveOff opens watches that want no initial events.
func driveOff(d *driver) {
	at, ok := d.few("c1")
	if !ok {
		return
	}
	a := d.namespaces[0]
	var ws []*watcher
	for i, rv := range []string{"", "0", at} {
		for _, o := range []metav1.ListOptions{nothingElse, marked} {
			ws = append(ws, d.watch(d.next(fmt.Sprint("o", i, "-")), a, off(o, rv)))
		}
	}
	d.settle(ws...)
	d.change("c1", d.get("c1", a, "x"), nil)
	d.create("c1", d.object(a, d.next("n"), selected))
	d.settle(ws...)
	closeAll(ws)
}

func driveStreamCombinations(d *driver) {
	at, ok := d.few("c1")
	if !ok {
		return
	}
	a := d.namespaces[0]
	for _, send := range []bool{true, false} {
		for _, o := range []metav1.ListOptions{
			{},
			{ResourceVersion: at},
			{ResourceVersion: at, ResourceVersionMatch: metav1.ResourceVersionMatchExact},
			{ResourceVersion: at, AllowWatchBookmarks: true},
		} {
			o.SendInitialEvents = &send
			w := d.watch(d.next("w"), a, o)
			d.settle(w)
			w.close()
			d.list("l1", a, o)
		}
		d.list("l1", a, metav1.ListOptions{SendInitialEvents: &send, ResourceVersion: at, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan})
	}
}
