package watchcache

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Names with dots; the long ones are as long as names may be, and differ in the
// last letter alone.
var (
	dotted   = "x.y"
	longName = strings.Repeat("long.name-", 25) + "xy"
)

// middling is a size beyond what small objects have.
const middling = 5 << 10

// byPresence are label selectors of each operator, and whether each selects what
// has no labels at all.
var byPresence = []metav1.ListOptions{
	{LabelSelector: "app"},                   // no
	{LabelSelector: "app in (one,two)"},      // no
	byNone,                                   // yes
	{LabelSelector: "app!=two"},              // yes
	{LabelSelector: "app notin (two,three)"}, // yes
}

// shapes makes objects of every shape in the first namespace, and one in each other.
func (d *driver) shapes(c string) (all []*corev1.ConfigMap) {
	add := func(name string, labels map[string]string, more string) {
		m := d.object(d.namespaces[0], name, labels)
		m.Data[Spec] += more
		all = append(all, d.create(c, m))
	}
	add("large", nil, strings.Repeat(" and more", middling/len(" and more")))
	add(longName+"a", others, "")
	add(longName+"b", nil, "")
	add(dotted, selected, "")
	add("a"+dotted, selected, "") // ends alike
	add("x-y", selected, "")      // alike to who takes a dot for any letter
	m := d.object(d.namespaces[0], "empty", nil)
	m.Data = nil
	all = append(all, d.create(c, m))
	for i, ns := range d.namespaces {
		all = append(all, d.create(c, d.object(ns, "x", []map[string]string{nil, selected}[i%2])))
	}
	if slices.Contains(all, nil) {
		d.t.GiveUp("not all objects could be made: see what was answered to their creates")
	}
	return all
}

// reshape takes the labels of each object away, or gives it some, and changes
// it again as it is.
func (d *driver) reshape(c string, all []*corev1.ConfigMap) {
	for _, m := range all {
		if m == nil {
			continue
		}
		m = m.DeepCopy()
		if len(m.Labels) > 0 {
			m.Labels = nil
		} else {
			m.Labels = others
		}
		d.change(c, d.update(c, m), nil)
	}
}

// driveShapes has objects of every shape in many namespaces, and lists and
// watches them by every sort of label selector and in each namespace.
func driveShapes(d *driver) {
	rv, ok := d.start("l1", "", nothingElse)
	if !ok {
		return
	}
	ws := append(d.watchPlaces("", from(nothingElse, rv)), d.watchPlaces("informer-", from(d.asInformers(nothingElse), rv))...)
	ws = append(ws, d.watchShapes("w", func(o metav1.ListOptions) metav1.ListOptions { return from(o, rv) })...)
	all := d.shapes("c1")
	d.listShapes("l1")
	ws = append(ws, d.watchShapes("z", func(o metav1.ListOptions) metav1.ListOptions { return from(o, "0") })...)
	if d.t.Has(WatchList) {
		ws = append(ws, d.watchShapes("s", func(o metav1.ListOptions) metav1.ListOptions { return stream(o, "") })...)
	}
	d.reshape("c1", all)
	d.listShapes("l1")
	for _, name := range []string{longName + "b", dotted, "empty"} {
		d.remove("c1", d.namespaces[0], name, nil)
	}
	for _, ns := range d.namespaces {
		d.remove("c1", ns, "x", nil)
	}
	d.settle(ws...)
	closeAll(ws)
}

// watchPlaces watches all namespaces, each of them, and what has a dotted and a long name.
func (d *driver) watchPlaces(prefix string, o metav1.ListOptions) []*watcher {
	ws := []*watcher{d.follow(prefix+"all", "", o)}
	for _, ns := range d.namespaces {
		ws = append(ws, d.follow(d.next(prefix+"n"), ns, o))
	}
	if !d.t.Has(FieldWatch) {
		return ws
	}
	named := o
	named.FieldSelector = "metadata.name=" + dotted
	ws = append(ws, d.follow(prefix+"dotted", "", named))
	named.FieldSelector = "metadata.name=" + longName + "b"
	return append(ws, d.follow(prefix+"long", d.namespaces[0], named))
}

// watchShapes watches by each selector, in turn everything and one namespace.
func (d *driver) watchShapes(prefix string, form func(metav1.ListOptions) metav1.ListOptions) (ws []*watcher) {
	if !d.t.Has(LabelWatch) {
		return nil
	}
	for i, o := range byPresence {
		ws = append(ws, d.watch(d.next(prefix), []string{"", d.namespaces[0]}[i%2], form(o)))
	}
	return ws
}

// listShapes gets objects by their names, and lists each namespace, and by each
// selector, whole and in pages.
func (d *driver) listShapes(actor string) {
	a := d.namespaces[0]
	for _, name := range []string{dotted, longName + "a", longName + "b", longName, "empty"} {
		d.get("g1", a, name)
	}
	for _, ns := range d.namespaces {
		d.list(actor, ns, nothingElse)
	}
	d.list(actor, "", from(nothingElse, "0"))
	if d.t.Has(Pages) {
		d.pages(actor, a, metav1.ListOptions{Limit: 2})
	}
	if !d.t.Has(LabelWatch) {
		return
	}
	for _, o := range byPresence {
		d.list(actor, "", o)
		d.list(actor, a, from(o, "0"))
		if d.t.Has(Pages) {
			o.Limit = 3
			d.pages(actor, "", o)
		}
	}
}
