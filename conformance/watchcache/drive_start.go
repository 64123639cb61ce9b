package watchcache

import (
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// driveResumable lets go of a watch after each of some events, and goes on
// from there, by resourceVersion of events and of bookmarks.
func driveResumable(d *driver) {
	a := d.namespaces[0]
	x := d.create("c1", d.object(a, "x", selected))
	y := d.create("c1", d.object(a, "y", selected))
	scopes := []metav1.ListOptions{nothingElse}
	if d.t.Has(LabelWatch) {
		scopes = append(scopes, byLabel)
	}
	for i, o := range scopes {
		actor := fmt.Sprint("w", i+1)
		rv, ok := d.start("l1", a, nothingElse)
		if !ok {
			return
		}
		for round := range 5 {
			w := d.watch(actor, a, from(o, rv))
			x = d.change("c1", x, nil)
			if round%2 == 0 {
				d.remove("c1", a, "y", nil)
			} else {
				y = d.create("c1", d.object(a, "y", selected))
			}
			d.settle(w)
			if at := w.last(); at != "" {
				rv = at
			}
			w.close()
			x = d.change("c1", x, nil) // while nobody looks
			if round%2 == 1 {
				y = d.change("c1", y, selected)
			}
		}
		w := d.watch(actor, a, from(o, rv))
		d.settle(w)
		w.close()
		if d.get("c1", a, "y") == nil {
			y = d.create("c1", d.object(a, "y", selected))
		}
	}
}

// driveInitial opens watches that begin with a state, after each sort of
// write, of every scope, with bookmarks and without; and keeps on writing.
func driveInitial(rv string) func(*driver) {
	return func(d *driver) {
		a := d.namespaces[0]
		var ws []*watcher
		open := func(ns string, o metav1.ListOptions) {
			ws = append(ws, d.watch(d.next("w"), ns, from(o, rv)))
		}
		x := d.create("c1", d.object(a, "x", selected))
		open(a, nothingElse)
		d.create("c1", d.object(d.namespaces[1], "x", others))
		open("", metav1.ListOptions{AllowWatchBookmarks: true})
		d.change("c1", x, others)
		open(a, nothingElse)
		y := d.create("c1", d.object(a, "y", selected))
		d.remove("c1", a, "x", nil)
		open(a, metav1.ListOptions{AllowWatchBookmarks: true})
		if d.t.Has(LabelWatch) {
			open(a, byLabel)
			d.change("c1", y, others)
			open("", byLabel)
		}
		if d.t.Has(FieldWatch) {
			open(a, byField)
		}
		x = d.create("c1", d.object(a, "x", selected))
		open(a, nothingElse)
		d.settle(ws...)
		d.change("c1", x, others)
		d.settle(ws...)
		closeAll(ws)
	}
}

// driveDeletions deletes what was changed before, what is new, and several at once,
// under watches of every scope.
func driveDeletions(d *driver) {
	a := d.namespaces[0]
	rv, ok := d.start("l1", "", nothingElse)
	if !ok {
		return
	}
	ws := []*watcher{d.follow("w1", a, from(nothingElse, rv)), d.follow("w2", "", from(nothingElse, rv))}
	if d.t.Has(LabelWatch) {
		ws = append(ws, d.follow("w3", a, from(byLabel, rv)))
	}
	if d.t.Has(FieldWatch) {
		ws = append(ws, d.follow("w4", a, from(byName, rv)))
	}
	for range 2 {
		x := d.create("c1", d.object(a, "x", selected))
		y := d.create("c1", d.object(a, "y", others))
		d.create("c1", d.object(a, "z", selected))
		d.change("c1", x, nil)
		y = d.change("c1", y, selected)
		y = d.change("c1", y, others)
		d.change("c1", y, nil)
		for _, name := range []string{"x", "y", "z"} {
			d.remove("c1", a, name, nil)
		}
	}
	d.settle(ws...)
	closeAll(ws)
}

// driveSameForAll opens two watches of each scope, one a while after the
// other, and both from the same resourceVersion.
func driveSameForAll(d *driver) {
	a := d.namespaces[0]
	rv, ok := d.start("l1", "", nothingElse)
	if !ok {
		return
	}
	scopes := []struct {
		ns string
		o  metav1.ListOptions
	}{{"", nothingElse}, {a, nothingElse}}
	if d.t.Has(LabelWatch) {
		scopes = append(scopes, struct {
			ns string
			o  metav1.ListOptions
		}{a, byLabel})
	}
	var ws []*watcher
	open := func(which string) {
		for i, s := range scopes {
			ws = append(ws, d.follow(fmt.Sprint(which, i+1), s.ns, from(s.o, rv)))
		}
	}
	open("w")
	d.changes("c1")
	open("v")
	if slices.ContainsFunc(ws, func(w *watcher) bool { return !w.isOpen() }) { // that was too old: what comes now is the same for all, too
		if rv, ok = d.start("l1", "", nothingElse); ok {
			open("u")
		}
	}
	d.again("c1")
	d.settle(ws...)
	closeAll(ws)
}

// driveAtomic deletes several objects in one revision, again and again, so
// that bookmarks and ends have every chance to come in between.
func driveAtomic(d *driver) {
	t, ok := d.s.(Deleter)
	if !ok {
		d.t.GiveUp("the feature %s is declared, but the subject has no DeleteTogether", Together)
		return
	}
	a := d.namespaces[0]
	rv, ok := d.start("l1", a, nothingElse)
	if !ok {
		return
	}
	ws := []*watcher{d.follow("w1", a, from(nothingElse, rv)), d.follow("w2", a, from(metav1.ListOptions{AllowWatchBookmarks: true}, rv))}
	for _, timeout := range []int64{2, 3} {
		o := from(metav1.ListOptions{AllowWatchBookmarks: true, TimeoutSeconds: &timeout}, rv)
		ws = append(ws, d.follow(fmt.Sprint("t", timeout), a, o))
		if d.t.Has(WatchList) {
			ws = append(ws, d.watch(fmt.Sprint("s", timeout), a, stream(o, "")))
		}
	}
	if d.t.Has(WatchList) {
		ws = append(ws, d.watch("stream", a, stream(marked, "")))
	}
	names := []string{"x", "y", "z"}
	for range 8 {
		var made []string // a transaction of what is not there does nothing
		for _, n := range names {
			if d.create("c1", d.object(a, n, selected)) != nil {
				made = append(made, n)
			}
		}
		if len(made) > 0 {
			d.together("c1", t, a, made)
		}
		d.t.Sleep(500 * time.Millisecond)
	}
	d.settle(ws...)
	closeAll(ws)
}

// together records a deletion of several objects as one of each, all under
// way at once; the error is that of each.
func (d *driver) together(actor string, t Deleter, ns string, names []string) {
	all := names
	var err error
	var within func(names []string)
	within = func(names []string) {
		if len(names) == 0 {
			err = t.DeleteTogether(ns, all...)
			return
		}
		d.t.Do(harness.Call{Actor: actor, Kind: replay.Delete, Obj: history.Ref{Key: ns + "/" + names[0]}}, func(context.Context) harness.Answer {
			within(names[1:])
			if err != nil {
				return d.refused(err)
			}
			return harness.Answer{}
		})
	}
	within(names)
	d.t.Wait()
}
