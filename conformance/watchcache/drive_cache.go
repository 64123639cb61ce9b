package watchcache

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
)

// driveLag asks for everything while the cache is behind, and after it has
// caught up: by less than a server waits for it, and by more.
func driveLag(d *driver) {
	l, ok := d.s.(Lagger)
	if !ok {
		d.t.GiveUp("the feature %s is declared, but the subject has no SetLag", Lag)
		return
	}
	set := func(kind string, lag time.Duration) bool {
		return d.admin(kind, func(ctx context.Context) (string, error) { return "", l.SetLag(ctx, lag) })
	}
	a := d.namespaces[0]
	x := d.create("c1", d.object(a, "x", selected))
	d.create("c1", d.object(a, "y", others))
	d.create("c1", d.object(a, "gone", selected))
	defer d.release(a, "held")
	d.create("c1", d.object(a, "held", others))
	first := d.firstPages()
	for _, lag := range []time.Duration{1500 * time.Millisecond, 8 * time.Second} {
		if x == nil || first == nil || !set("LAG", lag) {
			return
		}
		d.remove("c1", a, "gone", nil)
		d.heldBehind(a)
		d.everything("q", x, first, true)
		d.create("c1", d.object(a, "later", selected)) // what those watches began with lies before it
		d.t.Sleep(lag)                                 // what has come so far the cache has, what comes now it has not
		d.writesBehind(a)
		d.t.Sleep(lag)
		d.sameBehind(a)
		d.sweepBehind(a)
		x = d.change("c1", d.get("c1", a, "x"), selected)
		if x == nil || !set("LAG"+replay.Over, 0) {
			return
		}
		d.create("c1", d.object(a, "gone", selected))
		d.create("c1", d.object(a, "held", others))
		d.t.Sleep(time.Second)
		first = d.firstPages()
	}
}

// everything makes each sort of request once, about an object; anew: each after
// a change of it, which a cache that lags does not have yet. It gives the object
// as it is then.
func (d *driver) everything(actor string, x *corev1.ConfigMap, first []*corev1.ConfigMapList, anew bool) *corev1.ConfigMap {
	a := x.Namespace
	now := func() string {
		if anew {
			if m := d.change("c1", x, nil); m != nil {
				x = m
			}
		}
		return x.ResourceVersion
	}
	for _, rv := range []string{"", "0", now()} {
		now()
		d.getAt(actor, a, x.Name, rv)
	}
	d.getAt(actor, a, x.Name, now())
	d.get(actor, a, "gone")
	for i, ns := range d.within() {
		d.listEverything(actor, ns, now)
		if token := first[i].Continue; token != "" {
			d.list("l0", ns, metav1.ListOptions{Limit: 1, Continue: token})
		}
		ws := d.watchEverything(actor, ns, now)
		d.create("c1", d.object(a, x.Name, selected)) // which exists
		d.update("c1", d.changed(x, nil))
		d.settle(ws...)
		closeAll(ws)
		if x = d.get("c1", a, x.Name); x == nil {
			break
		}
	}
	return x
}

// within is where everything is asked for: in one namespace, and in all.
func (d *driver) within() []string { return []string{d.namespaces[0], ""} }

// firstPages are of lists there; nil where one was refused.
func (d *driver) firstPages() []*corev1.ConfigMapList {
	var out []*corev1.ConfigMapList
	for _, ns := range d.within() {
		l := d.list("l0", ns, metav1.ListOptions{Limit: 1})
		if l == nil {
			return nil
		}
		out = append(out, l)
	}
	return out
}

// listEverything lists in every form, by each sort of selector.
func (d *driver) listEverything(actor, ns string, now func() string) {
	for _, scope := range d.scopes() {
		for _, o := range forms(now()) {
			if rv := now(); o.ResourceVersion != "" && o.ResourceVersion != "0" {
				o.ResourceVersion = rv
			}
			o.LabelSelector, o.FieldSelector = scope.LabelSelector, scope.FieldSelector
			d.list(actor, ns, o)
		}
	}
}

// watchEverything watches in every form, by each sort of selector, and as informers do.
func (d *driver) watchEverything(actor, ns string, now func() string) []*watcher {
	var ws []*watcher
	open := func(o metav1.ListOptions) { // no more actors than have turns of their own
		ws = append(ws, d.watch(fmt.Sprint(actor, "w", len(ws)+1), ns, o))
	}
	for _, o := range d.scopes() {
		now()
		open(o)
		open(from(o, "0"))
		open(from(o, now()))
		if !d.t.Has(WatchList) {
			continue
		}
		now()
		open(stream(o, ""))
		open(off(o, now()))
		o.AllowWatchBookmarks = true
		open(stream(o, "0"))
		now()
		open(stream(o, ""))
		open(stream(o, now()))
	}
	for i, c := range d.paired(func(c combination) bool { return c.one == (ns != "") }) {
		open(c.options(now(), i))
	}
	return ws
}

// forms are those of a list about a resourceVersion.
func forms(rv string) []metav1.ListOptions {
	return []metav1.ListOptions{
		{}, {ResourceVersion: "0"}, {ResourceVersion: rv}, {Limit: 1},
		{ResourceVersion: rv, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan},
		{ResourceVersion: rv, ResourceVersionMatch: metav1.ResourceVersionMatchExact},
		{ResourceVersion: rv, Limit: 1},
		{ResourceVersion: rv, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, Limit: 1},
		{ResourceVersion: rv, ResourceVersionMatch: metav1.ResourceVersionMatchExact, Limit: 1},
	}
}
