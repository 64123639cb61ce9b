package watchcache

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// form is a request: of a namespace, or of all.
type form struct {
	ns string
	o  metav1.ListOptions
}

// How many of all forms one run asks for, drawn by its seed. Nearly any three
// options come together in a sample, and the next seed draws others.
const (
	listFormsReal, listFormsVirtual   = 150, 250
	watchFormsReal, watchFormsVirtual = 60, 100
)

// draw takes a sample of forms.
func (d *driver) draw(all []form, inReal, inVirtual int) []form {
	n := inReal
	if d.t.Virtual() {
		n = inVirtual
	}
	d.t.Rand().Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(n, len(all))]
}

// nothingLike selects nothing at all, by a label.
const nothingLike = "app=nothing"

// selections are pairs of selectors, each of which may be missing.
func (d *driver) selections() []metav1.ListOptions {
	byLabels, byFields := []string{""}, []string{""}
	if d.t.Has(LabelWatch) {
		byLabels = append(byLabels, "app=one", "app!=one", "app in (one,two)", "!app", nothingLike)
	}
	if d.t.Has(FieldWatch) {
		byFields = append(byFields, "metadata.name=x", "metadata.name!=x", "metadata.name=nothing", "metadata.namespace="+d.namespaces[0])
	}
	var all []metav1.ListOptions
	for _, l := range byLabels {
		for _, f := range byFields {
			all = append(all, metav1.ListOptions{LabelSelector: l, FieldSelector: f})
		}
	}
	return all
}

// states are the ways to ask for one, of which some name resourceVersions.
func states(rvs ...string) []metav1.ListOptions {
	all := []metav1.ListOptions{{}, {ResourceVersion: "0"}}
	for _, rv := range saidOf(rvs) {
		all = append(all, metav1.ListOptions{ResourceVersion: rv}, exactlyAt(metav1.ListOptions{}, rv),
			metav1.ListOptions{ResourceVersion: rv, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan})
	}
	return all
}

// saidOf are those of the lists that said theirs, not all do.
func saidOf(rvs []string) []string {
	return slices.DeleteFunc(slices.Clone(rvs), func(rv string) bool { return rv == "" })
}

// timeouts are none, and more than any list needs, which no watch of a check comes up to.
var timeouts = []*int64{nil, new(int64(3000))}

// anyList are all lists that can be asked for. Pages of all namespaces by a
// field of one are left out: a real server gives the first of them twice.
func (d *driver) anyList(rvs ...string) []form {
	limits := []int64{0}
	if d.t.Has(Pages) {
		limits = append(limits, 1, 2, 500)
	}
	var all []form
	for _, ns := range []string{d.namespaces[0], d.namespaces[1], ""} {
		for _, s := range d.selections() {
			for _, o := range states(rvs...) {
				for _, limit := range limits {
					for _, timeout := range timeouts {
						if ns == "" && limit > 0 && s.FieldSelector == "metadata.namespace="+d.namespaces[0] {
							continue
						}
						o.LabelSelector, o.FieldSelector, o.Limit, o.TimeoutSeconds = s.LabelSelector, s.FieldSelector, limit, timeout
						all = append(all, form{ns, o})
					}
				}
			}
		}
	}
	return all
}

// formed makes what every form is asked of: objects of each sort in both namespaces.
func (d *driver) formed(c string) {
	for _, ns := range d.namespaces {
		d.create(c, d.object(ns, "x", selected))
		d.create(c, d.object(ns, "y", others))
		d.create(c, d.object(ns, "m", bare))
		d.create(c, d.object(ns, "n", selected))
		if d.holds() {
			d.create(c, d.held(ns, "k", selected, oneFinalizer, otherFinalizer))
		}
	}
}

// reformed changes them, so that each selection is another one, and deletes last.
func (d *driver) reformed(c string) {
	for _, ns := range d.namespaces {
		d.change(c, d.get(c, ns, "x"), others)
		d.change(c, d.get(c, ns, "y"), selected)
		d.create(c, d.object(ns, "z", selected))
		d.remove(c, ns, "m", nil)
		d.create(c, d.object(ns, "m", others))
		if k := d.get(c, ns, "k"); k != nil && d.holds() {
			d.withFinalizers(c, k, false, oneFinalizer)
		}
		d.remove(c, ns, "n", nil)
	}
}

// twoStates makes the objects and changes them, and gives the resourceVersions of lists after each.
func (d *driver) twoStates(c string) (old, now string, ok bool) {
	d.formed(c)
	if old, ok = d.start("l1", "", nothingElse); !ok {
		return "", "", false
	}
	d.reformed(c)
	now, ok = d.start("l1", "", nothingElse)
	return old, now, ok
}

// reformedAgain changes them once more, and marks what waits for a finalizer.
func (d *driver) reformedAgain(c string) {
	for _, ns := range d.namespaces {
		d.change(c, d.get(c, ns, "x"), selected)
		d.remove(c, ns, "y", nil)
		d.create(c, d.object(ns, "n", bare))
		if d.holds() {
			d.remove(c, ns, "k", nil)
		}
	}
}

// dissolved takes what waits.
func (d *driver) dissolved() {
	if d.holds() {
		for _, ns := range d.namespaces {
			d.release(ns, "k")
		}
	}
}

// driveListForms takes lists of every form, of the present and of two states before it. Between
// the pages of some of them things change.
func driveListForms(d *driver) {
	defer d.dissolved()
	old, now, ok := d.twoStates("c1")
	if !ok {
		return
	}
	d.reformedAgain("c1")
	z := d.get("c1", d.namespaces[0], "z")
	for i, f := range d.draw(d.anyList(old, now), listFormsReal, listFormsVirtual) {
		z = d.growing(f, i%4 == 0, z)
	}
}

// growing takes a list in pages, of which each is larger than the one before, and perhaps changes an object, and gives that.
func (d *driver) growing(f form, change bool, m *corev1.ConfigMap) *corev1.ConfigMap {
	o := f.o
	l := d.list("l1", f.ns, o)
	for n := 0; l != nil && l.Continue != "" && n < 50; n++ {
		if change && n == 0 {
			m = d.change("c1", m, []map[string]string{selected, others, bare}[int(d.count.Load())%3])
		}
		o.Continue, o.ResourceVersion, o.ResourceVersionMatch = l.Continue, "", ""
		if o.Limit++; n > 2 {
			o.Limit = 500
		}
		l = d.list("l1", f.ns, o)
	}
	return m
}

// anyWatch are all watches that can be asked for, at states that are still in the window.
func (d *driver) anyWatch(rvs ...string) []form {
	rvs = saidOf(rvs)
	starts := []metav1.ListOptions{{}, {ResourceVersion: "0"}}
	for _, rv := range rvs {
		starts = append(starts, metav1.ListOptions{ResourceVersion: rv})
	}
	if d.t.Has(WatchList) {
		for _, rv := range append([]string{"", "0"}, rvs...) {
			starts = append(starts, stream(metav1.ListOptions{}, rv))
		}
		for _, rv := range rvs {
			starts = append(starts, off(metav1.ListOptions{}, rv))
		}
	}
	var all []form
	for _, ns := range []string{d.namespaces[0], ""} {
		for _, s := range d.selections() {
			for _, o := range starts {
				for _, marked := range []bool{false, true} {
					for _, timeout := range timeouts {
						o.LabelSelector, o.FieldSelector, o.AllowWatchBookmarks, o.TimeoutSeconds = s.LabelSelector, s.FieldSelector, marked, timeout
						all = append(all, form{ns, o})
					}
				}
			}
		}
	}
	return all
}

// driveWatchForms has watches of every form open at once.
func driveWatchForms(d *driver) {
	defer d.dissolved()
	old, now, ok := d.twoStates("c1")
	if !ok {
		return
	}
	ws := []*watcher{d.follow("all", "", from(nothingElse, old))}
	var apart []*watcher // that no sentinel is for
	for _, f := range d.draw(d.anyWatch(old, now), watchFormsReal, watchFormsVirtual) {
		open := d.follow
		if f.o.SendInitialEvents != nil { // a client that lost one lists anew
			open = d.watch
		}
		w := open(d.next("w"), f.ns, f.o)
		if d.t.Virtual() || w == nil || w.hasSentinel() {
			ws = append(ws, w)
		} else {
			apart = append(apart, w)
		}
	}
	d.reformedAgain("c1")
	d.dissolved()
	d.settle(ws...)
	closeAll(append(ws, apart...))
}

// hasSentinel says that the watch selects what is written to settle it.
func (w *watcher) hasSentinel() bool {
	if w.sentinel().name == bareSentinel {
		return w.selects(nil)
	}
	return w.selects(selected)
}
