package watchcache

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// tiered has two labels, of which each alone is that of others, too.
var tiered = map[string]string{"app": "one", "tier": "x"}

// byTier selects what tiered labels, and no sentinel.
var byTier = metav1.ListOptions{LabelSelector: "app=one,tier=x"}

// byRole and byNoRole are about a key with a prefix: that it is there, and that
// its value is empty. They select no sentinel.
var (
	byRole   = metav1.ListOptions{LabelSelector: "example.com/role"}
	byNoRole = metav1.ListOptions{LabelSelector: "example.com/role="}
)

// The labels that are alike to what byLabel selects, and not that: the value
// goes on, is written otherwise, or is that of a key that ends like its own.
var (
	longer   = map[string]string{"app": "one-two", "example.com/role": ""}
	upper    = map[string]string{"app": "ONE", "example.com/role": "x"}
	otherKey = map[string]string{"my-app": "one"}
)

// tieredRole is what byTier, byRole and byNoRole select.
var tieredRole = map[string]string{"app": "one", "tier": "x", "example.com/role": ""}

// apart are the selectors that no sentinel is for.
var apart = []metav1.ListOptions{byTier, byRole, byNoRole}

// wideSelectors have several values or requirements; each of them has sentinels
// in its scope, and each of its parts alone would select more or less.
func (d *driver) wideSelectors() []metav1.ListOptions {
	var all []metav1.ListOptions
	if d.t.Has(LabelWatch) {
		for _, s := range []string{"app in (two,one)", "app in (one,three)", "app notin (three,two)", "app==one,tier!=x", "app in (one,two),!tier", "app,app notin (two)"} {
			all = append(all, metav1.ListOptions{LabelSelector: s})
		}
	}
	if d.t.Has(FieldWatch) {
		a := d.namespaces[0]
		for _, s := range []string{"metadata.name!=y,metadata.name!=k", "metadata.name==x,metadata.namespace=" + a, "metadata.namespace=" + a + ",metadata.name!=y"} {
			all = append(all, metav1.ListOptions{FieldSelector: s})
		}
	}
	if d.t.Has(LabelWatch) && d.t.Has(FieldWatch) {
		all = append(all, metav1.ListOptions{LabelSelector: "app in (one,two)", FieldSelector: "metadata.name!=y,metadata.name!=k"})
	}
	return all
}

// tiers makes objects with each pair of two labels, in both namespaces.
func (d *driver) tiers(c string) {
	for _, ns := range d.namespaces {
		d.create(c, d.object(ns, "x", tiered))
		d.create(c, d.object(ns, "y", selected))
		d.create(c, d.object(ns, "k", map[string]string{"app": "two", "tier": "x"}))
		d.create(c, d.object(ns, "m", map[string]string{"app": "three"}))
		d.create(c, d.object(ns, "n", map[string]string{"app": "one", "tier": "y"}))
		d.create(c, d.object(ns, "o", others))
		d.create(c, d.object(ns, "bare", bare))
		d.create(c, d.object(ns, "p", longer))
		d.create(c, d.object(ns, "q", upper))
		d.create(c, d.object(ns, "r", otherKey))
	}
}

// retier moves objects into and out of each of the selectors.
func (d *driver) retier(c string) {
	for _, ns := range d.namespaces {
		for _, name := range []string{"x", "y", "k", "m"} {
			m := d.get(c, ns, name)
			for _, labels := range []map[string]string{others, tiered, {"app": "three"}, {"app": "two", "tier": "x"}, selected, bare, {"tier": "x"}, tiered} {
				m = d.change(c, m, labels)
			}
		}
		p := d.get(c, ns, "p")
		for _, labels := range []map[string]string{upper, selected, otherKey, tieredRole, longer} {
			p = d.change(c, p, labels)
		}
		d.remove(c, ns, "n", nil)
		d.create(c, d.object(ns, "z", tiered))
	}
}

// driveWideWatches watches by selectors of several values and requirements, while objects enter and leave each of them.
func driveWideWatches(d *driver) {
	a := d.namespaces[0]
	d.tiers("c1")
	rv, ok := d.start("l1", "", nothingElse)
	if !ok {
		return
	}
	ws := []*watcher{d.follow("all", "", from(nothingElse, rv))}
	for i, o := range append(d.wideSelectors(), byLabel) {
		ns := []string{"", a}[i%2]
		ws = append(ws, d.follow(fmt.Sprint("w", i+1), ns, from(o, rv)), d.follow(fmt.Sprint("z", i+1), "", from(o, "0")))
		if d.t.Has(WatchList) { // and as those ask who know these
			ws = append(ws, d.follow(fmt.Sprint("i", i+1), "", from(d.asInformers(o), rv)), d.watch(fmt.Sprint("s", i+1), ns, stream(d.asInformers(o), "")))
		}
	}
	var alone []*watcher
	for i, o := range apart {
		alone = append(alone, d.follow(fmt.Sprint("apart", i+1), "", from(o, rv)))
		if d.t.Has(WatchList) {
			alone = append(alone, d.watch(fmt.Sprint("apart-s", i+1), "", stream(d.asInformers(o), "")))
		}
	}
	d.retier("c1")
	if d.t.Virtual() {
		ws = append(ws, alone...)
	} else {
		d.settleApart(alone)
	}
	d.settle(ws...)
	closeAll(append(ws, alone...))
}

// settleApart is settle for watches by those selectors that no sentinel is for.
func (d *driver) settleApart(ws []*watcher) {
	m := d.object(d.namespaces[0], "last", tieredRole)
	shown := make([]<-chan struct{}, len(ws))
	for i, w := range ws {
		if w.isOpen() {
			shown[i] = w.expect(m.Data[Spec])
		}
	}
	if m = d.create(sentinelActor, m); m == nil {
		return
	}
	ctx, cancel := context.WithTimeout(d.t.Context(), sentinelLimit)
	defer cancel()
	for i, w := range ws {
		if w.isOpen() && came(ctx, shown[i]) {
			w.settled(m.ResourceVersion)
		}
	}
}

// driveWideLists lists by selectors of several values and requirements, at
// the present and at a state of the past, whole, in pages, and the first page
// and then the rest. On a server far away each request takes its time: there
// are as few as tell selectors apart.
func driveWideLists(d *driver) {
	d.tiers("c1")
	all := d.wideSelectors()
	if d.t.Has(LabelWatch) {
		all = append(append(all, byLabel), apart...)
	}
	if d.t.Has(FieldWatch) {
		all = append(all, byField)
	}
	if len(all) == 0 {
		all = append(all, nothingElse) // a namespace is a selection, too
	}
	at, ok := d.start("l1", "", nothingElse)
	if !ok {
		return
	}
	d.shift("c1")
	for _, o := range all {
		for _, ns := range []string{"", d.namespaces[0]} {
			d.everyState("l1", ns, o, at)
		}
		d.everyPage("l1", d.namespaces[0], o, at)
	}
}

// shift moves objects into the selectors and out of them, as retier does, by a few writes.
func (d *driver) shift(c string) {
	for _, ns := range d.namespaces {
		d.change(c, d.get(c, ns, "x"), others)
		d.change(c, d.get(c, ns, "o"), tiered)
		d.change(c, d.get(c, ns, "bare"), selected)
		d.change(c, d.get(c, ns, "m"), map[string]string{"tier": "x"})
		d.remove(c, ns, "n", nil)
		d.create(c, d.object(ns, "z", tiered))
	}
}

// everyState lists the present, a state that may be older, and the one at a resourceVersion.
func (d *driver) everyState(actor, ns string, o metav1.ListOptions, at string) {
	d.list(actor, ns, o)
	d.list(actor, ns, from(o, "0"))
	if at != "" {
		d.list(actor, ns, exactlyAt(o, at))
	}
}

// everyPage lists in pages, and the first page and then the rest. It does so in
// one namespace: of all, the pages would be as many as others have objects.
func (d *driver) everyPage(actor, ns string, o metav1.ListOptions, at string) {
	if !d.t.Has(Pages) {
		return
	}
	states := []metav1.ListOptions{o}
	if at != "" {
		states = append(states, exactlyAt(o, at))
	}
	for _, o := range states {
		o.Limit = 2
		first := d.list(actor, ns, o)
		if first == nil || first.Continue == "" {
			continue
		}
		o.Continue, o.ResourceVersion, o.ResourceVersionMatch = first.Continue, "", ""
		d.pages(actor, ns, o)
		o.Limit = 0
		d.list(actor, ns, o) // the rest at once
	}
}

func exactlyAt(o metav1.ListOptions, rv string) metav1.ListOptions {
	o.ResourceVersion, o.ResourceVersionMatch = rv, metav1.ResourceVersionMatchExact
	return o
}
