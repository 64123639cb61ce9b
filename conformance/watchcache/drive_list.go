package watchcache

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// listForms are the ways to ask for a list that the subject has; at is a
// resourceVersion of the past.
func (d *driver) listForms(at string) []metav1.ListOptions {
	exact, newer := metav1.ResourceVersionMatchExact, metav1.ResourceVersionMatchNotOlderThan
	out := []metav1.ListOptions{
		{},
		{ResourceVersion: "0"},
		{ResourceVersion: at},
		{ResourceVersion: at, ResourceVersionMatch: newer},
		{ResourceVersion: at, ResourceVersionMatch: exact},
		{LabelSelector: "app=one"},
		{LabelSelector: "app=one", ResourceVersion: at, ResourceVersionMatch: exact},
		{FieldSelector: "metadata.name!=y"},
		{FieldSelector: "metadata.name=x"},
		{FieldSelector: "metadata.name=x", LabelSelector: "app=one"},
		{FieldSelector: "metadata.namespace=" + d.namespaces[1]},
		{LabelSelector: "app in (one)", ResourceVersion: at, ResourceVersionMatch: newer},
	}
	return slices.DeleteFunc(out, func(o metav1.ListOptions) bool {
		return o.LabelSelector != "" && !d.t.Has(LabelWatch) || o.FieldSelector != "" && !d.t.Has(FieldWatch)
	})
}

// driveListSnapshot lists in every form after each of some writes.
func driveListSnapshot(d *driver) {
	const c, l = "c1", "l1"
	a, ab := d.namespaces[0], d.namespaces[1]
	d.list(l, a, metav1.ListOptions{})
	x := d.create(c, d.object(a, "x", selected))
	y := d.create(c, d.object(a, "y", others))
	k := d.create(c, d.object(a, "k", others)) // the first in order
	d.create(c, d.object(a, "m", selected))
	d.create(c, d.object(a, "xy", selected))
	d.create(c, d.object(ab, "x", selected))
	first := d.list(l, a, metav1.ListOptions{})
	at := ""
	if first != nil {
		at = first.ResourceVersion
	}
	x = d.change(c, x, nil)
	k = d.change(c, k, nil)
	d.everyList(l, at)
	d.change(c, x, others) // the name is right, the labels are not
	d.change(c, y, selected)
	d.everyList(l, at)
	d.remove(c, a, "x", nil)
	d.change(c, k, selected)
	d.create(c, d.object(a, "z", selected))
	d.everyList(l, at)
	d.everyPages(l, at)
	for i := range 8 { // more than a page of any size
		d.create(c, d.object(a, fmt.Sprint("more", i), selected))
	}
	d.create(c, d.object(a, "bare", bare))
	d.everyForm(l, at)
}

// everyForm lists in each combination of what can be asked for.
func (d *driver) everyForm(actor, at string) {
	a := d.namespaces[0]
	exact, newer := metav1.ResourceVersionMatchExact, metav1.ResourceVersionMatchNotOlderThan
	starts := []metav1.ListOptions{{}, {ResourceVersion: "0"}, {ResourceVersion: "0", ResourceVersionMatch: newer}}
	if at != "" {
		starts = append(starts, metav1.ListOptions{ResourceVersion: at}, metav1.ListOptions{ResourceVersion: at, ResourceVersionMatch: newer},
			metav1.ListOptions{ResourceVersion: at, ResourceVersionMatch: exact})
	}
	for _, o := range starts {
		for _, limit := range []int64{0, 2} {
			o.Limit = limit
			for _, s := range d.selectors() {
				o.LabelSelector, o.FieldSelector = s.LabelSelector, s.FieldSelector
				d.list(actor, a, o)
			}
		}
	}
}

// selectors are those that a list or a watch can be narrowed by, none among them.
func (d *driver) selectors() []metav1.ListOptions {
	all := []metav1.ListOptions{{}}
	if d.t.Has(LabelWatch) {
		all = append(all, byLabel, metav1.ListOptions{LabelSelector: "app"}, metav1.ListOptions{LabelSelector: "app notin (two)"}, metav1.ListOptions{LabelSelector: "!app"})
	}
	if d.t.Has(FieldWatch) {
		all = append(all, byField, byName, metav1.ListOptions{FieldSelector: "metadata.name!=y,metadata.namespace=" + d.namespaces[0]})
	}
	if d.t.Has(LabelWatch) && d.t.Has(FieldWatch) {
		all = append(all, metav1.ListOptions{LabelSelector: byLabel.LabelSelector, FieldSelector: byField.FieldSelector})
	}
	return all
}

func (d *driver) everyList(actor, at string) {
	for _, o := range d.listForms(at) {
		if o.ResourceVersionMatch != "" && o.ResourceVersion == "" {
			continue
		}
		d.list(actor, d.namespaces[0], o)
		d.list(actor, "", o)
	}
	d.list(actor, d.namespaces[1], metav1.ListOptions{})
}

// everyPages takes lists in pages of every size, of which some are one page.
func (d *driver) everyPages(actor, at string) {
	a := d.namespaces[0]
	for _, limit := range []int64{1, 2, 3, 5, 500} {
		d.pages(actor, a, metav1.ListOptions{Limit: limit})
		d.pages(actor, a, metav1.ListOptions{Limit: limit, ResourceVersion: at})
		if at != "" {
			d.pages(actor, a, metav1.ListOptions{Limit: limit, ResourceVersion: at, ResourceVersionMatch: metav1.ResourceVersionMatchExact})
		}
		if d.t.Has(LabelWatch) {
			d.pages(actor, a, metav1.ListOptions{Limit: limit, LabelSelector: "app=one"})
		}
	}
}

const (
	writers = 4
	rounds  = 12 // of each writer
)

// busy runs writers at once, each on objects of its own and on one that all
// share, and calls each round between them.
func (d *driver) busy(each func(writer, round int)) {
	d.atOnce(writers, func(n int) { d.writer(n, each) })
}

// contender is the name of number i of those that write at once.
func contender(i int) string { return fmt.Sprint("c", i+1) }

func isContender(actor string) bool {
	n, err := strconv.Atoi(strings.TrimPrefix(actor, "c"))
	return err == nil && n > 0 && actor == contender(n-1)
}

// atOnce runs f for 0 to n-1 at once. Number i acts as contender i, and as l followed by i+1.
func (d *driver) atOnce(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		d.turns.Of(contender(i), fmt.Sprint("l", i+1))
		wg.Add(1)
		d.t.Go(func() {
			defer wg.Done()
			d.turn(contender(i))
			f(i)
		})
	}
	wg.Wait()
}

// burst is atOnce for functions that make one request each, as contenders: they
// begin at one instant, so that a server that lets go of the processor in the midst of a
// request is given the next one then. What is seen of it has its turns.
func (d *driver) burst(n int, f func(i int)) {
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		wg.Add(1)
		d.t.Go(func() {
			defer wg.Done()
			<-start
			f(i)
		})
	}
	d.t.Wait()
	d.turns.burst.Store(true)
	close(start)
	wg.Wait()
	d.turns.burst.Store(false)
}

// writer creates, changes, relabels, deletes and creates again.
func (d *driver) writer(n int, each func(writer, round int)) {
	actor := contender(n)
	ns := d.namespaces[n%len(d.namespaces)]
	var m *corev1.ConfigMap
	for round := range rounds {
		d.turn(actor) // contents differ by a count that all share
		labels := selected
		if (n+round)%3 == 0 {
			labels = others
		}
		switch {
		case m == nil:
			m = d.create(actor, d.object(ns, fmt.Sprintf("o%d", n), labels))
		case round%5 == 4:
			d.remove(actor, ns, m.Name, nil)
			m = nil
		default:
			m = d.update(actor, d.changed(m, labels))
		}
		if s := d.get(actor, d.namespaces[0], "shared"); s != nil { // the others do the same: some are refused
			d.update(actor, d.changed(s, labels))
		}
		if each != nil {
			each(n, round)
		}
	}
}

// driveListBusy lists while others write, and a watch shows when deletions happened.
func driveListBusy(d *driver) {
	d.create("c0", d.object(d.namespaces[0], "shared", selected))
	at, ok := d.start("l0", "", nothingElse)
	if !ok {
		return
	}
	w := d.follow("w1", "", from(nothingElse, at))
	forms := d.listForms(at)
	d.busy(func(n, round int) {
		l := fmt.Sprintf("l%d", n+1)
		d.list(l, d.namespaces[round%len(d.namespaces)], forms[(n+round)%len(forms)])
		if round%4 == n {
			d.pages(l, "", metav1.ListOptions{Limit: int64(2 + n%2)})
		}
		d.t.Sleep(time.Millisecond) // lets the others have their turn
	})
	d.settle(w)
	w.close()
}

// driveListMonotonic lists the most recent state again and again between writes.
func driveListMonotonic(d *driver) {
	a := d.namespaces[0]
	m := d.create("c1", d.object(a, "x", selected))
	for range 4 {
		for _, ns := range []string{a, ""} {
			m = d.change("c1", m, nil)
			d.list("l1", ns, metav1.ListOptions{})
			d.list("l1", ns, metav1.ListOptions{LabelSelector: byLabel.LabelSelector})
		}
	}
}
