package watchcache

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// driveBookmarksBeside opens each watch with and without bookmarks, and keeps
// on writing until they end.
func driveBookmarksBeside(d *driver) {
	a := d.namespaces[0]
	x := d.create("c1", d.object(a, "x", selected))
	rv, ok := d.start("l1", a, nothingElse)
	if !ok {
		return
	}
	timeout := int64(bookmarkTimeout)
	var ws []*watcher
	for i, o := range []metav1.ListOptions{from(nothingElse, rv), nothingElse, from(nothingElse, "0")} {
		o.TimeoutSeconds = &timeout
		ws = append(ws, d.watch(fmt.Sprint("plain", i+1), a, o))
		o.AllowWatchBookmarks = true
		ws = append(ws, d.watch(fmt.Sprint("marked", i+1), a, o))
	}
	for range bookmarkTimeout * 2 {
		x = d.change("c1", x, nil)
		d.t.Sleep(400 * time.Millisecond)
	}
	for _, w := range ws {
		w.wait(bookmarkTimeout * time.Second)
	}
	closeAll(ws)
	d.patiently(ws)
}

// patiently opens watches once more, without a timeout, and writes for some minutes, where none of them was given a
// bookmark: a server may send them by its clock alone. Real time has no minutes for that.
func (d *driver) patiently(ws []*watcher) {
	ws = slices.DeleteFunc(ws, func(w *watcher) bool { return w == nil })
	if !d.t.Virtual() || !d.t.Has(Bookmarks) || slices.ContainsFunc(ws, func(w *watcher) bool { return w.marks.Load() > 0 }) {
		return
	}
	var late []*watcher
	for _, w := range ws {
		o := w.options
		o.TimeoutSeconds = nil
		late = append(late, d.watch(w.actor, w.namespace, o))
	}
	for i := range patientWrites {
		d.create("c1", d.object(d.namespaces[0], fmt.Sprint("late", i), selected))
		d.t.Sleep(patientPause)
	}
	d.settle(late...)
	closeAll(late)
}

// What is written while bookmarks are waited for: three minutes of it, so that there are three, with events between them.
const (
	patientWrites = 18
	patientPause  = 10 * time.Second
)

// driveBookmarksAgain goes through several short watches, each from where the
// one before ended, so that bookmarks come again and again.
func driveBookmarksAgain(d *driver) {
	a := d.namespaces[0]
	x := d.create("c1", d.object(a, "x", selected))
	rv, ok := d.start("l1", a, nothingElse)
	if !ok {
		return
	}
	timeout := int64(bookmarkTimeout)
	o := metav1.ListOptions{AllowWatchBookmarks: true, TimeoutSeconds: &timeout}
	var ws []*watcher
	for round := range 3 {
		ws = []*watcher{d.watch("w1", a, from(o, rv)), d.watch("w2", d.namespaces[1], from(o, rv)), d.watch(fmt.Sprint("i", round), a, o)}
		for range bookmarkTimeout * 2 {
			x = d.change("c1", x, nil)
			d.t.Sleep(400 * time.Millisecond)
		}
		for _, w := range ws {
			w.wait(bookmarkTimeout * time.Second)
		}
		if at := ws[0].last(); at != "" {
			rv = at
		}
		closeAll(ws)
	}
	d.patiently(ws)
}

// idleRounds are enough for a bookmark each minute in real time, and in virtual
// time to see that they go on, and what they say.
const (
	idleRounds = 6
	moreRounds = 18
)

// driveIdle lets watches be for minutes in which only others' things change.
func driveIdle(d *driver) {
	a, rounds := d.namespaces[0], idleRounds
	rv, ok := d.start("l1", a, nothingElse)
	if !ok {
		return
	}
	marked := metav1.ListOptions{AllowWatchBookmarks: true}
	ws := []*watcher{d.follow("w1", a, from(marked, rv)), d.follow("w3", a, marked), d.follow("w4", a, from(marked, "0"))}
	if d.t.Has(WatchList) {
		ws = append(ws, d.follow("w5", a, stream(marked, "")))
	}
	if d.t.Has(LabelWatch) {
		marked.LabelSelector = byLabel.LabelSelector
		ws = append(ws, d.follow("w2", d.namespaces[1], from(marked, rv)))
	}
	if d.t.Virtual() {
		rounds = moreRounds
	}
	for range rounds {
		d.create("c1", d.object(d.namespaces[1], d.next("n"), others))
		d.t.Sleep(26 * time.Second)
	}
	d.settle(ws...)
	closeAll(ws)
	d.list("l1", d.namespaces[1], nothingElse)
}

// driveMinutes keeps watches open for minutes in which little happens.
func driveMinutes(d *driver) {
	a := d.namespaces[0]
	rv, ok := d.start("l1", a, nothingElse)
	if !ok {
		return
	}
	o := metav1.ListOptions{ResourceVersion: rv, AllowWatchBookmarks: true}
	ws := []*watcher{d.follow("w1", a, o)}
	if d.t.Has(LabelWatch) {
		o.LabelSelector = byLabel.LabelSelector
		ws = append(ws, d.follow("w2", a, o))
	}
	x := d.create("c1", d.object(a, "x", selected))
	for i := range 3 {
		m := d.create("c1", d.object(a, fmt.Sprint("m", i), selected))
		x = d.behindMarks(x, ws)
		d.change("c1", m, others)
		x = d.behindMarks(x, ws)
	}
	d.settle(ws...)
	closeAll(ws)
}

// behindMarks lets 25 seconds pass, and changes an object behind each bookmark that comes meanwhile: a server
// may end a watch soon after one.
func (d *driver) behindMarks(x *corev1.ConfigMap, ws []*watcher) *corev1.ConfigMap {
	before := marksOf(ws)
	for range 25 {
		d.t.Sleep(time.Second)
		d.turn("c1")
		if now := marksOf(ws); now > before {
			before, x = now, d.change("c1", x, nil)
		}
	}
	return x
}

// marksOf is how many bookmarks came.
func marksOf(ws []*watcher) int {
	n := 0
	for _, w := range ws {
		if w != nil {
			n += int(w.marks.Load())
		}
	}
	return n
}
