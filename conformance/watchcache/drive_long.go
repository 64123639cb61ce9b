package watchcache

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// longChanges are more than the buffers of 100 that servers give a watch, or
// keep of the past, and few enough for a real server.
const longChanges = 200

// longBacklog is how many of them a reader may be behind.
const longBacklog = 50

// driveLong makes very many changes, one after the other, under one watch.
func driveLong(d *driver) {
	a := d.namespaces[0]
	rv, ok := d.start("l1", a, nothingElse)
	if !ok {
		return
	}
	w := d.follow("w1", a, from(nothingElse, rv))
	var x *corev1.ConfigMap
	for i := range longChanges {
		switch {
		case x == nil:
			x = d.create("c1", d.object(a, "x", selected))
		case i%20 == 19:
			d.remove("c1", a, "x", nil)
			x = nil
		default:
			x = d.change("c1", x, nil)
		}
		if i%longBacklog == longBacklog-1 { // how long a reader may stay away is watch/slow's
			d.settle(w)
		}
	}
	d.settle(w)
	w.close()
}

// longestQuiet is the longest of the silences.
const longestQuiet = 16 * time.Minute

// driveQuiet changes things after ever longer silences: who gives up on a
// connection that carries nothing must end the watch.
func driveQuiet(d *driver) {
	a := d.namespaces[0]
	rv, ok := d.start("l1", a, nothingElse)
	if !ok {
		return
	}
	ws := []*watcher{d.follow("w1", a, from(nothingElse, rv)), d.follow("informer", a, from(d.asInformers(nothingElse), rv))}
	if d.t.Has(Bookmarks) {
		ws = append(ws, d.follow("w2", a, metav1.ListOptions{ResourceVersion: rv, AllowWatchBookmarks: true}))
	}
	if d.t.Virtual() {
		d.t.Sleep(longestQuiet) // in which nothing happens at all, so that there are no bookmarks, either
	}
	x := d.create("c1", d.object(a, "x", selected))
	for _, quiet := range []time.Duration{time.Minute, 6 * time.Minute, longestQuiet} {
		d.t.Sleep(quiet)
		x = d.change("c1", x, nil)
		d.t.Sleep(time.Second)
	}
	d.settle(ws...)
	closeAll(ws)
}
