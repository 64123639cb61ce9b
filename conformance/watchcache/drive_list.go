package watchcache

import (
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// listForms are the ways to ask for a list; at is a resourceVersion of the past.
func listForms(at string) []metav1.ListOptions {
	return []metav1.ListOptions{
		{},
		{ResourceVersion: "0"},
		{ResourceVersion: at},
		{ResourceVersion: at, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan},
		{ResourceVersion: at, ResourceVersionMatch: metav1.ResourceVersionMatchExact},
		{LabelSelector: "app=one"},
		{LabelSelector: "app=one", ResourceVersion: at, ResourceVersionMatch: metav1.ResourceVersionMatchExact},
		{FieldSelector: "metadata.name!=y"},
		{FieldSelector: "metadata.name=x"},
		{LabelSelector: "app in (one)", ResourceVersion: at, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan},
	}
}

// driveListSnapshot lists in every form after each of some writes.
func driveListSnapshot(d *driver) {
	const c, l = "c1", "l1"
	a, ab := d.namespaces[0], d.namespaces[1]
	d.list(l, a, metav1.ListOptions{})
	x := d.create(c, d.object(a, "x", selected))
	y := d.create(c, d.object(a, "y", others))
	d.create(c, d.object(ab, "x", selected))
	first := d.list(l, a, metav1.ListOptions{})
	at := ""
	if first != nil {
		at = first.ResourceVersion
	}
	if x != nil {
		d.update(c, d.changed(x, nil))
	}
	d.everyList(l, at)
	if y != nil {
		d.update(c, d.changed(y, selected))
	}
	d.remove(c, a, "x", nil)
	d.everyList(l, at)
	d.create(c, d.object(a, "x", others))
	d.create(c, d.object(a, "z", selected))
	d.everyList(l, at)
	d.pages(l, a, metav1.ListOptions{Limit: 1})
	d.pages(l, a, metav1.ListOptions{Limit: 2, LabelSelector: "app=one"})
	d.pages(l, a, metav1.ListOptions{Limit: 2, ResourceVersion: at})
}

func (d *driver) everyList(actor, at string) {
	for _, o := range listForms(at) {
		if o.ResourceVersionMatch != "" && o.ResourceVersion == "" {
			continue
		}
		d.list(actor, d.namespaces[0], o)
		d.list(actor, "", o)
	}
	d.list(actor, d.namespaces[1], metav1.ListOptions{})
	for _, limit := range []int64{2, 3, 500} {
		d.pages(actor, d.namespaces[0], metav1.ListOptions{Limit: limit, ResourceVersion: at})
		d.pages(actor, d.namespaces[0], metav1.ListOptions{Limit: limit})
	}
}

const (
	writers = 4
	rounds  = 12 // of each writer
)

// busy runs writers at once, each on objects of its own and on one that all
// share, and calls each round between them.
func (d *driver) busy(each func(writer, round int)) {
	var wg sync.WaitGroup
	for n := range writers {
		wg.Add(1)
		d.t.Go(func() {
			defer wg.Done()
			d.writer(n, each)
		})
	}
	wg.Wait()
}

// writer creates, changes, relabels, deletes and creates again.
func (d *driver) writer(n int, each func(writer, round int)) {
	actor := fmt.Sprintf("c%d", n+1)
	ns := d.namespaces[n%len(d.namespaces)]
	var m *corev1.ConfigMap
	for round := range rounds {
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
	forms := listForms(at)
	d.busy(func(n, round int) {
		l := fmt.Sprintf("l%d", n+1)
		d.list(l, d.namespaces[round%len(d.namespaces)], forms[(n+round)%len(forms)])
		if round%4 == n {
			d.pages(l, "", metav1.ListOptions{Limit: 2})
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
