package watchcache

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
)

// driveStarting asks for everything while the cache is not ready, with watches open from before; and then has watches
// wait until it is.
func driveStarting(d *driver) {
	c, ok := d.s.(Starter)
	if !ok {
		d.t.GiveUp("the feature %s is declared, but the subject has no SetReady", Starting)
		return
	}
	set := func(kind string, ready bool) bool {
		return d.admin(kind, func(ctx context.Context) (string, error) { return "", c.SetReady(ctx, ready) })
	}
	a := d.namespaces[0]
	x := d.create("c1", d.object(a, "x", selected))
	first := d.firstPages()
	rv, ok := d.start("l1", a, nothingElse)
	if x == nil || first == nil || !ok {
		return
	}
	before := d.openOver("b", rv)
	x = d.change("c1", x, nil)
	if x == nil || !set("STARTING", false) {
		return
	}
	d.once = true // what is refused is not asked for again
	x = d.everything("q", x, first, false)
	d.once = false
	d.settle(before...)
	opened := d.waitingFor(rv, func() {
		x = d.unseen(x)
		ok = set("STARTING"+replay.Over, true)
	})
	if !ok {
		return
	}
	d.list("l1", a, nothingElse)
	d.change("c1", x, nil)
	all := append(before, opened...)
	d.settle(all...)
	closeAll(all)
}

// unseen changes what no cache is there to see.
func (d *driver) unseen(x *corev1.ConfigMap) *corev1.ConfigMap {
	d.t.Sleep(2 * time.Second) // who is to ask again has done so
	if x == nil {
		return nil
	}
	d.create("c1", d.object(x.Namespace, "unseen", selected))
	return d.change("c1", x, selected)
}

// over are watches, of one namespace and of all, as clients hold them open over what befalls a server.
func (d *driver) over(rv string) []combined {
	all := []combined{{d.namespaces[0], from(nothingElse, rv)}, {"", from(marked, rv)}}
	if d.t.Has(LabelWatch) {
		all = append(all, combined{d.namespaces[0], from(byLabel, rv)})
	}
	if d.t.Has(WatchList) {
		all = append(all, combined{"", off(marked, rv)}, combined{"", stream(marked, rv)})
	}
	return append(all, combined{d.namespaces[0], from(nothingElse, "0")}, combined{"", nothingElse})
}

// combined is where a watch is, and how.
type combined struct {
	namespace string
	options   metav1.ListOptions
}

// openOver opens them.
func (d *driver) openOver(actor, rv string) []*watcher {
	var ws []*watcher
	for _, c := range d.over(rv) {
		ws = append(ws, d.watch(d.next(actor), c.namespace, c.options))
	}
	return ws
}

// waitingFor opens them while something happens that they may wait for.
func (d *driver) waitingFor(rv string, f func()) []*watcher {
	all := d.over(rv)
	ws, actors := make([]*watcher, len(all)), make([]string, len(all))
	for i := range all {
		actors[i] = d.next("u")
	}
	d.turns.Of(append(actors, "admin")...)
	var open sync.WaitGroup
	for i, c := range all {
		open.Add(1)
		d.t.Go(func() {
			defer open.Done()
			ws[i] = d.watch(actors[i], c.namespace, c.options)
		})
	}
	f()
	open.Wait()
	return ws
}
