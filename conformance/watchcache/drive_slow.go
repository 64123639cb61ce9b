package watchcache

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// slowReal and slowVirtual are how many changes a reader that has stopped is given, in real time and in virtual: more
// than any usual buffer holds.
const slowReal, slowVirtual = 250, 1100

// driveSlow lets a watcher stop reading while a lot changes, and read on.
func driveSlow(d *driver) {
	a := d.namespaces[0]
	rv, ok := d.start("l1", a, nothingElse)
	if !ok {
		return
	}
	o := from(nothingElse, rv)
	ws := []*watcher{d.slow("slow1", a, o), d.slow("slow2", "", o), d.slow("informer", "", d.asInformers(o)), d.follow("fast", a, o)}
	if d.t.Has(WatchList) {
		ws = append(ws, d.slow("streamed", "", stream(d.asInformers(nothingElse), "")))
	}
	objects := make([]*corev1.ConfigMap, 5)
	for i := range objects {
		objects[i] = d.create("c1", d.object(a, fmt.Sprint("n", i), selected))
	}
	pauseAll(ws)
	n := slowReal
	if d.t.Virtual() {
		n = slowVirtual
	}
	for i := range n {
		k := i / 3 % len(objects)
		objects[k] = d.oneOfThree(objects[k], fmt.Sprint("n", k), i)
	}
	d.t.Sleep(time.Second)
	resumeAll(ws)
	d.settle(ws...)
	closeAll(ws)
}

// oneOfThree makes change number i: each object has three in a row. Now and then it is deleted and created anew, or
// created only to be deleted.
func (d *driver) oneOfThree(x *corev1.ConfigMap, name string, i int) *corev1.ConfigMap {
	a, turn, step := d.namespaces[0], i/3%8, i%3
	switch {
	case x == nil:
		return d.create("c1", d.object(a, name, selected))
	case turn == 3 && step == 0, turn == 6 && step != 1:
		d.remove("c1", a, name, nil)
		return nil
	}
	return d.change("c1", x, nil)
}

// slowFormsReal and slowFormsVirtual are the changes for readers of every form, in real time and in virtual: of one
// object, which all of them are about.
const slowFormsReal, slowFormsVirtual = slowBacklog + 10, slowBacklog + 70

// slowForms are the combinations, and as informers begin in each way: for all namespaces, too.
func slowForms() []combination {
	return append(slices.Clone(combinations),
		combination{start: atList, marked: true, bound: true, long: true},
		combination{start: atList, label: true, marked: true, bound: true, long: true},
		combination{start: atNow, marked: true, bound: true, long: true},
		combination{start: atAny, marked: true, bound: true, long: true},
		combination{start: withAll, marked: true, bound: true, long: true},
		combination{start: withAllAt, marked: true, bound: true, long: true},
		combination{start: withNone, marked: true, bound: true, long: true})
}

// driveSlowForms is driveSlow for watches of every form.
func driveSlowForms(d *driver) {
	a := d.namespaces[0]
	x := d.create("c1", d.object(a, "x", selected))
	rv, ok := d.start("l1", "", nothingElse)
	if !ok {
		return
	}
	ws := append(d.everySlow(d.slow, "slow", rv, slowForms()), d.follow("fast", "", from(nothingElse, rv)))
	pauseAll(ws)
	n := slowFormsReal
	if d.t.Virtual() {
		n = slowFormsVirtual
	}
	for i := range n {
		x = d.manner(x, i)
	}
	d.t.Sleep(time.Second)
	resumeAll(ws)
	d.settle(ws...)
	closeAll(ws)
}

// manner makes change number i to x, which it may find gone: now and then it leaves a selector, or is deleted.
func (d *driver) manner(x *corev1.ConfigMap, i int) *corev1.ConfigMap {
	switch {
	case x == nil:
		return d.create("c1", d.object(d.namespaces[0], "x", selected))
	case i%20 == 19:
		d.remove("c1", x.Namespace, x.Name, nil)
		return nil
	case i%10 == 7:
		return d.change("c1", x, others)
	}
	return d.change("c1", x, selected)
}

// slowMarksFor is how long readers stay away that bookmarks are due to: a watch of bookmarkTimeout gets one and
// ends meanwhile; in virtual time every other gets some, too.
const (
	slowMarksFor   = (bookmarkTimeout + 2) * time.Second
	slowMarksPause = 500 * time.Millisecond
)

// driveSlowMarks lets watchers of every form that allows bookmarks stop reading while bookmarks fall due between
// changes, and read on up to their ends.
func driveSlowMarks(d *driver) {
	x := d.create("c1", d.object(d.namespaces[0], "x", selected))
	rv, ok := d.start("l1", "", nothingElse)
	if !ok {
		return
	}
	ws := d.everySlowMarked(rv)
	pauseAll(ws)
	n := int(slowMarksFor / slowMarksPause)
	for i := range n {
		x = d.manner(x, i)
		d.t.Sleep(slowMarksPause)
	}
	if d.t.Virtual() {
		for i := range 6 {
			x = d.manner(x, n+i)
			d.t.Sleep(20 * time.Second)
		}
	}
	resumeAll(ws)
	x = d.manner(x, 0)
	d.settle(ws...)
	if !d.t.Virtual() { // who sends bookmarks to those that have caught up has sent none until now
		for i := range 8 {
			d.t.Sleep(slowMarksPause)
			x = d.manner(x, i)
		}
		d.settle(ws...)
	}
	closeAll(ws)
}

// everySlowMarked opens each watch with bookmarks, with a short timeout and with none.
func (d *driver) everySlowMarked(rv string) []*watcher {
	var ws []*watcher
	short := int64(bookmarkTimeout)
	for i, c := range d.every(atList, atNow, atAny, withAll, withNone, withAllAt) {
		if !c.marked || c.bound != c.long {
			continue
		}
		o := c.options(rv, i)
		if c.bound {
			o.TimeoutSeconds = &short
		}
		ws = append(ws, d.open(&watcher{actor: d.next("w"), namespace: c.within(d), options: o, gate: make(chan struct{}, 1)}))
	}
	return ws
}
