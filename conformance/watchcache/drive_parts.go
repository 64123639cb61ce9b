package watchcache

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A step changes one part of an object, and nothing else.
type step struct {
	held   bool // it is of finalizers: see holds
	change func(*driver, *corev1.ConfigMap)
}

// moreLabel is one that no selector asks for.
const moreLabel = "lwtest/more"

// steps add, change and take away each part, in an order in which no object is
// twice the same: where versions cannot be compared, contents tell them apart.
var steps = []step{
	{change: moreLabels}, {change: moreLabels},
	{change: appIs("two")}, {change: newNote}, {change: lessLabels}, {change: appIs("one")},
	{change: newNote}, {change: newStatus}, {change: noNotes}, {change: newStatus},
	{change: ownersAre("1")}, {change: noStatus}, {change: ownersAre("2")},
	{true, finalizersAre(oneFinalizer)}, {true, finalizersAre(otherFinalizer)}, {change: newNote}, {true, finalizersAre()},
	{change: ownersAre()}, {change: noData}, {change: noNotes}, {change: noLabels},
	{change: newNote}, {change: appIs("one")},
}

func moreLabels(d *driver, m *corev1.ConfigMap) { putLabel(m, moreLabel, d.next("l")) }
func lessLabels(_ *driver, m *corev1.ConfigMap) { delete(m.Labels, moreLabel) }

func newNote(d *driver, m *corev1.ConfigMap) {
	m.Annotations = map[string]string{"lwtest/note": d.next("n")}
}

func newStatus(d *driver, m *corev1.ConfigMap) {
	if m.Data == nil {
		m.Data = map[string]string{}
	}
	m.Data[Status] = d.next("s")
}

func noStatus(_ *driver, m *corev1.ConfigMap) { delete(m.Data, Status) }
func noNotes(_ *driver, m *corev1.ConfigMap)  { m.Annotations = nil }
func noData(_ *driver, m *corev1.ConfigMap)   { m.Data = nil }
func noLabels(_ *driver, m *corev1.ConfigMap) { m.Labels = nil }

func appIs(value string) func(*driver, *corev1.ConfigMap) {
	return func(_ *driver, m *corev1.ConfigMap) { putLabel(m, "app", value) }
}

func ownersAre(names ...string) func(*driver, *corev1.ConfigMap) {
	return func(_ *driver, m *corev1.ConfigMap) { m.OwnerReferences = ownedBy(names...) }
}

func finalizersAre(names ...string) func(*driver, *corev1.ConfigMap) {
	return func(_ *driver, m *corev1.ConfigMap) { m.Finalizers = names }
}

func putLabel(m *corev1.ConfigMap, name, value string) {
	if m.Labels == nil {
		m.Labels = map[string]string{}
	}
	m.Labels[name] = value
}

// byNone selects what has not even the key that the other selectors look at.
var byNone = metav1.ListOptions{LabelSelector: "!app"}

// driveParts changes one part of an object at a time, of one with labels and of
// one without any, and looks at it in every way.
func driveParts(d *driver) {
	a := d.namespaces[0]
	rv, ok := d.start("l1", "", nothingElse)
	if !ok {
		return
	}
	ws := []*watcher{d.follow("all", "", from(nothingElse, rv)), d.follow("one", a, from(nothingElse, rv)),
		d.follow("informer", a, from(d.asInformers(nothingElse), rv))}
	for _, o := range d.partly() {
		ws = append(ws, d.follow(d.next("w"), a, from(o, rv)))
	}
	for _, x := range []*corev1.ConfigMap{d.object(a, "x", selected), d.object(a, "y", nil)} {
		x = d.create("c1", x)
		for i, s := range steps {
			x = d.step(x, s, i)
		}
		ws = append(ws, d.watch(d.next("u"), a, nothingElse), d.watch(d.next("z"), "", from(nothingElse, "0")))
		if d.t.Has(WatchList) {
			ws = append(ws, d.watch(d.next("s"), a, stream(marked, "")))
		}
	}
	d.remove("c1", a, "x", nil)
	d.remove("c1", a, "y", nil)
	d.list("l1", a, nothingElse)
	d.settle(ws...)
	closeAll(ws)
}

// partly are selectors that the steps move objects into and out of, and one that stays.
func (d *driver) partly() []metav1.ListOptions {
	var all []metav1.ListOptions
	if d.t.Has(LabelWatch) {
		all = append(all, byLabel, byNone)
	}
	if d.t.Has(FieldWatch) {
		all = append(all, byName)
	}
	return all
}

// step makes one change, and gets and lists what it made, each time in another
// way. It gives the object as it is then, nil where the change was refused.
func (d *driver) step(x *corev1.ConfigMap, s step, i int) *corev1.ConfigMap {
	if x == nil || s.held && !d.holds() {
		return x
	}
	m := x.DeepCopy()
	s.change(d, m)
	if x = d.update("c1", m); x == nil {
		return nil
	}
	d.get("g1", x.Namespace, x.Name)
	all := append([]metav1.ListOptions{nothingElse}, d.partly()...)
	d.list("l1", x.Namespace, all[i%len(all)])
	d.list("l1", "", from(all[(i+1)%len(all)], "0"))
	return x
}
