package watchcache

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// beyond is a resourceVersion that the store will not reach while the case lasts.
func beyond(rv string) string { return ahead(rv, 1_000_000_000) }

// few makes objects to list, and gives a resourceVersion of the past.
func (d *driver) few(actor string) (at string, ok bool) {
	a := d.namespaces[0]
	d.create(actor, d.object(a, "v", others))
	d.create(actor, d.object(a, "w", selected))
	x := d.create(actor, d.object(a, "x", selected))
	at, ok = d.start("l1", a, nothingElse)
	d.change(actor, x, nil)
	d.create(actor, d.object(a, "z", selected))
	return at, ok
}

// driveListFuture asks for what is not there yet. A server may wait a while
// before it says so: the forms are few.
func driveListFuture(d *driver) {
	at, ok := d.few("c1")
	if !ok {
		return
	}
	a, rv := d.namespaces[0], beyond(at)
	for _, o := range []metav1.ListOptions{
		{ResourceVersion: rv},
		{ResourceVersion: rv, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan},
		{ResourceVersion: rv, ResourceVersionMatch: metav1.ResourceVersionMatchExact},
		{ResourceVersion: rv, Limit: 2},
		{ResourceVersion: rv, FieldSelector: byName.FieldSelector},
		{ResourceVersion: rv, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, Limit: 2, LabelSelector: byLabel.LabelSelector},
	} {
		d.list("l1", a, o)
	}
	d.list("l1", "", metav1.ListOptions{ResourceVersion: rv})
	d.create("c1", d.object(a, "later", others)) // shows that it was not there yet
	d.list("l1", a, nothingElse)                 // and this what there was
}

// driveCombinations asks for what cannot be meant, with and without limits and selectors.
func driveCombinations(d *driver) {
	at, ok := d.few("c1")
	if !ok {
		return
	}
	for _, o := range []metav1.ListOptions{
		{ResourceVersionMatch: metav1.ResourceVersionMatchExact},
		{ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan},
		{ResourceVersionMatch: "Nonsense"},
		{ResourceVersion: "0", ResourceVersionMatch: metav1.ResourceVersionMatchExact},
		{ResourceVersion: at, ResourceVersionMatch: "Nonsense"},
	} {
		for _, limit := range []int64{0, 2} {
			o.Limit = limit
			d.list("l1", d.namespaces[0], o)
			d.list("l1", "", o)
		}
		o.LabelSelector = byLabel.LabelSelector
		d.list("l1", d.namespaces[0], o)
	}
}

// driveContinueWith asks for the second page with something beside its token.
func driveContinueWith(d *driver) {
	at, ok := d.few("c1")
	if !ok {
		return
	}
	for _, ns := range []string{d.namespaces[0], ""} {
		first := d.list("l1", ns, metav1.ListOptions{Limit: 2})
		if first == nil || first.Continue == "" {
			continue // it ignores limits
		}
		for _, o := range []metav1.ListOptions{
			{ResourceVersion: at},
			{ResourceVersion: first.ResourceVersion},
			{ResourceVersion: "xyz"},
			{ResourceVersion: beyond(at)},
			{ResourceVersion: at, ResourceVersionMatch: metav1.ResourceVersionMatchExact},
			{ResourceVersion: at, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan},
			{ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan},
		} {
			o.Continue, o.Limit = first.Continue, 2
			d.list("l1", ns, o)
		}
		d.pages("l1", ns, metav1.ListOptions{Limit: 1, Continue: first.Continue, ResourceVersion: "0"}) // which is no version
		d.list("l1", ns, metav1.ListOptions{Limit: 2, Continue: first.Continue})                        // and as it should be
	}
}

// driveBadToken asks for pages by tokens that no server made.
func driveBadToken(d *driver) {
	if _, ok := d.few("c1"); !ok {
		return
	}
	a := d.namespaces[0]
	tokens := []string{"nonsense", "bm9uc2Vuc2U", "e30", strings.Repeat("A", 64)}
	if first := d.list("l1", a, metav1.ListOptions{Limit: 2}); first != nil && len(first.Continue) > 2 {
		t := first.Continue
		tokens = append(tokens, t[:len(t)/2], "x"+t)
	}
	for _, t := range tokens {
		d.list("l1", a, metav1.ListOptions{Limit: 2, Continue: t})
		d.list("l1", a, metav1.ListOptions{Continue: t})
	}
}

// driveBadVersion asks for what is no resourceVersion.
func driveBadVersion(d *driver) {
	if _, ok := d.few("c1"); !ok {
		return
	}
	a := d.namespaces[0]
	yes := true
	for _, rv := range []string{"xyz", "-1", "+1", " 1", "1.5", "0x1", "1e3"} {
		d.list("l1", a, metav1.ListOptions{ResourceVersion: rv})
		d.list("l1", a, metav1.ListOptions{ResourceVersion: rv, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan})
		d.list("l1", a, metav1.ListOptions{ResourceVersion: rv, ResourceVersionMatch: metav1.ResourceVersionMatchExact})
		d.getAt("l1", a, "x", rv)
		ws := []*watcher{d.watch("w1", a, from(nothingElse, rv))}
		if d.t.Has(WatchList) {
			ws = append(ws, d.watch("w2", a, metav1.ListOptions{ResourceVersion: rv, SendInitialEvents: &yes, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true}),
				d.watch("w3", a, off(nothingElse, rv)))
		}
		d.create("c1", d.object(a, d.next("n"), selected))
		d.settle(ws...)
		closeAll(ws)
	}
	d.list("l1", a, nothingElse) // and this what there was
}
