package watchcache

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// large is the size of a content that no server may cut: of 1 MiB, which most
// take, every answer would take its time.
const large = 100 << 10

// ownedBy are owners of a kind that no server has: of one that it knows, a garbage
// collector would look for the object, and delete what it does not find.
func ownedBy(names ...string) (all []metav1.OwnerReference) {
	for _, name := range names {
		all = append(all, metav1.OwnerReference{APIVersion: "conformance.lwtest.github.io/v1", Kind: "Owner", Name: name, UID: noUID[:len(noUID)-1] + types.UID(name)})
	}
	return all
}

// odd is text that careless code writes in another way: tabs, ends of lines, what HTML and JSON escape, and characters that
// take two units of UTF-16.
const odd = "\tA & B <c> \"d\" 'e' \\f %g\r\n\U0001F600 \u2028 "

// longNote is the size of an annotation: all of an object's may have 256 KiB.
const longNote = 40 << 10

// filled is an object with everything that a history keeps: many annotations, of
// which one is of several lines, owners, status, and a large content that is not
// ASCII to its end, which is a newline.
func (d *driver) filled(m *corev1.ConfigMap) *corev1.ConfigMap {
	m = d.changed(m, nil)
	m.Data[Spec] += strings.Repeat(" and more", large/len(" and more")) + " ñ\n"
	m.Data[Status] = d.next("s")
	m.Annotations = map[string]string{"lwtest/note": d.next("n"), "lwtest/lines": "one\n two ", "lwtest/empty": ""}
	m.OwnerReferences = ownedBy("1", "2")
	return m
}

// oddly is what filled gives, with odd characters in its content and in annotations, of which one is long.
func (d *driver) oddly(m *corev1.ConfigMap) *corev1.ConfigMap {
	m = d.filled(m)
	m.Data[Spec] = strings.TrimSuffix(m.Data[Spec], "\n") + odd + "\n"
	m.Annotations["lwtest/odd"] = odd + "ñ"
	m.Annotations["lwtest/long"] = strings.Repeat("and more ", longNote/len("and more ")) + "ñ"
	return m
}

// emptied is an object without what filled gave it.
func (d *driver) emptied(m *corev1.ConfigMap) *corev1.ConfigMap {
	m = d.changed(m, nil)
	delete(m.Data, Status)
	m.Annotations, m.OwnerReferences = nil, nil
	return m
}

// driveContent writes all that an object may have beside labels and a word of
// data, and looks at it in every way.
func driveContent(d *driver) {
	a := d.namespaces[0]
	rv, ok := d.start("l1", a, nothingElse)
	if !ok {
		return
	}
	ws := []*watcher{d.follow("w1", a, from(nothingElse, rv))}
	d.create("c1", d.object(a, "w", others))
	x := d.create("c1", d.oddly(d.object(a, "x", selected)))
	ws = append(ws, d.readContent(x)...)
	if x != nil {
		m := d.changed(x, nil)
		m.Annotations["lwtest/note"] = d.next("n")
		m.OwnerReferences = ownedBy("2", "3")
		x = d.update("c1", m)
	}
	ws = append(ws, d.readContent(x)...)
	if x != nil {
		x = d.update("c1", d.emptied(x))
	}
	ws = append(ws, d.readContent(x)...)
	if x != nil {
		d.update("c1", d.oddly(x))
	}
	d.settle(ws...)
	d.remove("c1", a, "x", nil)
	d.list("l1", a, nothingElse)
	d.settle(ws...)
	closeAll(ws)
}

// readContent gets, lists and watches in the ways that differ in where an answer
// comes from.
func (d *driver) readContent(x *corev1.ConfigMap) []*watcher {
	if x == nil {
		return nil
	}
	a, rv := x.Namespace, x.ResourceVersion
	d.get("g1", a, "x")
	d.getAt("g1", a, "x", "0")
	d.list("l1", a, nothingElse)
	d.list("l1", "", from(nothingElse, "0"))
	if d.t.Has(ComparableRV) {
		d.list("l1", a, metav1.ListOptions{ResourceVersion: rv, ResourceVersionMatch: metav1.ResourceVersionMatchExact})
	}
	if d.t.Has(Pages) {
		d.pages("l1", a, metav1.ListOptions{Limit: 1})
	}
	ws := []*watcher{d.watch(d.next("u"), a, nothingElse), d.watch(d.next("z"), a, from(nothingElse, "0"))}
	if d.t.Has(WatchList) {
		ws = append(ws, d.watch(d.next("s"), a, stream(marked, "")))
	}
	return ws
}

// driveLeftOut adds things to an object, and takes them away by an update that
// leaves them out; a patch in between does not name them.
func driveLeftOut(d *driver) {
	d.watched(func(a string) {
		defer d.release(a, "x")
		look := func() {
			d.get("g1", a, "x")
			d.list("l1", a, nothingElse)
		}
		m := d.object(a, "x", selected)
		m.Data = nil
		x := d.create("c1", m)
		for range 2 {
			if x == nil {
				return
			}
			m = d.filled(x)
			m.Labels["lwtest/more"] = d.next("l")
			if d.holds() {
				m.Finalizers = []string{oneFinalizer}
			}
			x = d.update("c1", m)
			look()
			if x != nil && d.t.Has(Patch) {
				p := d.object(a, "x", others)
				p.ResourceVersion = x.ResourceVersion
				x = d.patch("c1", p)
				look()
			}
			if x == nil {
				return
			}
			m = d.emptied(x)
			m.Labels, m.Data, m.Finalizers = selected, nil, nil
			x = d.update("c1", m)
			look()
		}
	})
}
