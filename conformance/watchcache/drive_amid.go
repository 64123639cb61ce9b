package watchcache

import (
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/harness"
)

// While watches begin, clients write: the first writes without a pause and the others after ever longer ones, so
// that some are made in whatever time a server takes from the state that it takes to the changes that it gives.
const (
	amidLeast, amidMost = 12, 40 // writes of the first client; of the second half as many
	amidAtOnce          = 6
	amidLongest         = 100 * time.Millisecond // of the pauses
)

// driveAmid has watches of every form begin while others write, all at once that begin in one way. Those of
// half of these ways have just listed what they watch, as informers do.
func driveAmid(d *driver) {
	d.create("c1", d.object(d.namespaces[0], "x", selected))
	for _, wave := range []struct {
		start start
		lists bool
	}{{atList, false}, {atList, true}, {withNone, true}, {atNow, false}, {atAny, false}, {withAll, false}, {withAllAt, true}} {
		rv, ok := d.start("l0", "", nothingElse)
		if !ok {
			return
		}
		d.change("c1", d.get("c1", d.namespaces[0], "x"), selected) // what a watch from there has missed
		ws := d.beginAmid(d.every(wave.start), rv, wave.lists)
		d.settle(ws...)
		closeAll(ws)
	}
}

// beginAmid opens watches while others write. Each is from rv, or from a list of its own.
func (d *driver) beginAmid(all []combination, rv string, lists bool) []*watcher {
	ws, opened := make([]*watcher, len(all)), make(chan struct{})
	var opening, writing sync.WaitGroup
	actor := func(i int) string { return fmt.Sprint("w", i+1) }
	for i := range all {
		d.turns.Of(actor(i))
		opening.Add(1)
	}
	for n, name := range []string{"x", "z"} {
		d.turns.Of(contender(n))
		writing.Add(1)
		d.t.Go(func() {
			defer writing.Done()
			d.writeAmid(contender(n), d.namespaces[n], name, n+1, opened)
		})
	}
	for i, c := range all {
		d.t.Go(func() {
			defer opening.Done()
			ws[i] = d.beginOne(actor(i), c, i, rv, lists)
		})
	}
	opening.Wait()
	close(opened)
	writing.Wait()
	return ws
}

// beginOne opens one of them, and where it lists some a moment later.
func (d *driver) beginOne(actor string, c combination, i int, rv string, lists bool) *watcher {
	o := c.options(rv, i)
	if lists {
		l := d.list(actor, c.within(d), metav1.ListOptions{LabelSelector: o.LabelSelector, FieldSelector: o.FieldSelector})
		if l == nil {
			return nil
		}
		o.ResourceVersion = l.ResourceVersion
		d.t.Sleep(time.Duration(i%4) * harness.TurnRound)
	}
	return d.watch(actor, c.within(d), o)
}

// writeAmid changes an object again and again, also out of the selector and into it, deletes it and makes it anew:
// so many writes, or a part of them.
func (d *driver) writeAmid(actor, ns, name string, part int, opened <-chan struct{}) {
	m, pause := d.get(actor, ns, name), 10*time.Microsecond
	for i := range amidMost / part {
		if i >= amidLeast/part && isClosed(opened) {
			return
		}
		switch {
		case m == nil:
			m = d.create(actor, d.object(ns, name, selected))
		case i%6 == 5:
			d.remove(actor, ns, name, nil)
			m = nil
		case i%6 == 3:
			m = d.change(actor, m, others)
		default:
			m = d.change(actor, m, selected)
		}
		if i >= amidAtOnce {
			d.t.Sleep(pause)
			pause = min(6*pause, amidLongest)
		}
	}
}

// isClosed says so of a channel on which nothing is sent.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
