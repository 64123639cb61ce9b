package watchcache

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// tiered has two labels, of which each alone is that of others, too.
var tiered = map[string]string{"app": "one", "tier": "x"}

// byTier selects what tiered labels, and no sentinel.
var byTier = metav1.ListOptions{LabelSelector: "app=one,tier=x"}

// wideSelectors have several values or requirements; each of them has sentinels
// in its scope, and each of its parts alone would select more or less.
func (d *driver) wideSelectors() []metav1.ListOptions {
	var all []metav1.ListOptions
	if d.t.Has(LabelWatch) {
		for _, s := range []string{"app in (two,one)", "app in (one,three)", "app notin (three,two)", "app=one,tier!=x", "app in (one,two),!tier", "app,app notin (two)"} {
			all = append(all, metav1.ListOptions{LabelSelector: s})
		}
	}
	if d.t.Has(FieldWatch) {
		a := d.namespaces[0]
		for _, s := range []string{"metadata.name!=y,metadata.name!=k", "metadata.name=x,metadata.namespace=" + a, "metadata.namespace=" + a + ",metadata.name!=y"} {
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
	for i, o := range d.wideSelectors() {
		ns := []string{"", a}[i%2]
		ws = append(ws, d.follow(fmt.Sprint("w", i+1), ns, from(o, rv)), d.follow(fmt.Sprint("z", i+1), "", from(o, "0")))
	}
	var tier *watcher
	if d.t.Has(LabelWatch) {
		tier = d.follow("tier", "", from(byTier, rv))
	}
	d.retier("c1")
	if d.t.Virtual() {
		ws = append(ws, tier)
	} else {
		d.settleTier(tier)
	}
	d.settle(ws...)
	closeAll(append(ws, tier))
}

// settleTier is settle for a watch by tier, which no sentinel is for.
func (d *driver) settleTier(w *watcher) {
	if !w.isOpen() {
		return
	}
	m := d.object(d.namespaces[0], "last", tiered)
	shown := w.expect(m.Data[Spec])
	if m = d.create(sentinelActor, m); m == nil {
		return
	}
	select {
	case <-shown:
		w.settled(m.ResourceVersion)
	case <-time.After(sentinelLimit):
	case <-d.t.Context().Done():
	}
}

// driveWideLists lists by selectors of several values and requirements, at
// the present and at a state of the past, whole, in pages, and the first page and then the rest.
func driveWideLists(d *driver) {
	d.tiers("c1")
	all := d.wideSelectors()
	if d.t.Has(LabelWatch) {
		all = append(all, byLabel, byTier)
	}
	if d.t.Has(FieldWatch) {
		all = append(all, byField)
	}
	at, ok := d.start("l1", "", nothingElse)
	if !ok {
		return
	}
	for range 2 {
		for _, o := range all {
			for _, ns := range []string{"", d.namespaces[0]} {
				d.everyWay("l1", ns, o, at)
			}
		}
		d.retier("c1")
	}
}

// everyWay lists in each way; at is a resourceVersion of the past.
func (d *driver) everyWay(actor, ns string, o metav1.ListOptions, at string) {
	d.list(actor, ns, o)
	d.list(actor, ns, from(o, "0"))
	exact := from(o, at)
	exact.ResourceVersionMatch = metav1.ResourceVersionMatchExact
	if at != "" {
		d.list(actor, ns, exact)
	}
	if !d.t.Has(Pages) || ns == "" && strings.Contains(o.FieldSelector, "metadata.namespace=") {
		return // of all namespaces but by namespace, kube-apiserver (1.37.1) takes the first token for one of another prefix: pages repeat
	}
	for _, o := range []metav1.ListOptions{o, exact} {
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
