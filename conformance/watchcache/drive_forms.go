package watchcache

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// driveContentForms has objects with everything in them, of which some are
// being deleted, and asks for them in every form: an answer that is put together
// in its own way may lack what others have. Each part changes before the watches
// begin that see it as their past.
func driveContentForms(d *driver) {
	a, b := d.namespaces[0], d.namespaces[1]
	before, ok := d.start("l0", "", nothingElse)
	if !ok {
		return
	}
	d.brief("x")
	all := []*corev1.ConfigMap{
		d.create("c1", d.full(a, "x", selected)), d.create("c1", d.full(a, "y", others)), d.create("c1", d.full(b, "x", selected)),
	}
	d.brief("brief")
	then, ok := d.start("l0", a, nothingElse)
	if !ok {
		return
	}
	d.everyContent(then)
	for i, m := range all {
		if all[i] = d.refilled(m); all[i] == nil {
			return
		}
	}
	if d.holds() {
		d.remove("c1", a, "y", nil) // a finalizer holds it
	}
	d.brief("brief")
	d.everyContent(then)
	ws := append(d.gapWatches(before), d.watchScopes("w", "", before)...)
	ws = append(ws, d.watchScopes("v", a, then)...)
	d.release(a, "y")
	d.create("c1", d.object(a, "last", selected))
	d.settle(ws...)
	closeAll(ws)
}

// watchScopes watches from a resourceVersion by each sort of selector, each
// also with bookmarks, and where streaming lists are served with
// sendInitialEvents=false, which asks for the same.
func (d *driver) watchScopes(actor, ns, rv string) []*watcher {
	var ws []*watcher
	open := func(o metav1.ListOptions) { ws = append(ws, d.watch(d.next(actor), ns, o)) }
	for _, o := range d.scopes() {
		open(from(o, rv))
		if d.t.Has(WatchList) {
			open(off(o, rv))
		}
		o.AllowWatchBookmarks = true
		open(from(o, rv))
	}
	return ws
}

// full is an object with all that filled gives it, and a finalizer; its content
// is as large as a small object's may be, but for the second namespace.
func (d *driver) full(ns, name string, labels map[string]string) *corev1.ConfigMap {
	m := d.filled(d.object(ns, name, labels))
	if ns != d.namespaces[0] {
		return m
	}
	m.Data[Spec] = d.next("v") + strings.Repeat(" and more", middling/len(" and more")) + " ñ\n"
	if name == "y" && d.holds() {
		m.Finalizers = []string{oneFinalizer}
	}
	return m
}

// refilled changes each part of a full object.
func (d *driver) refilled(m *corev1.ConfigMap) *corev1.ConfigMap {
	if m == nil {
		return nil
	}
	m = m.DeepCopy()
	m.Data[Spec] = d.next("v") + m.Data[Spec]
	m.Data[Status] = d.next("s")
	m.Annotations["lwtest/note"] = d.next("n")
	m.OwnerReferences = ownedBy("2", "3")
	return d.update("c1", m)
}

// brief makes objects of that name that are gone again at once.
func (d *driver) brief(name string) {
	for _, ns := range d.namespaces[:2] {
		d.create("c1", d.object(ns, name, selected))
		d.remove("c1", ns, name, nil)
	}
}

// everyContent lists in every form; at is a resourceVersion of the past.
func (d *driver) everyContent(at string) {
	d.everyList("l1", at)
	d.everyForm("l1", at)
	if !d.t.Has(Pages) {
		return
	}
	d.pages("l1", d.namespaces[0], metav1.ListOptions{Limit: 1})
	for _, o := range d.narrowed() {
		o.Limit = 1
		d.pages("l1", d.namespaces[0], o)
	}
}
