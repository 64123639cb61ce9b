package watchcache

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// driveListScope lists everything there is to narrow a list by, with things
// like it beside.
func driveListScope(d *driver) {
	a, ab := d.namespaces[0], d.namespaces[1]
	for _, ns := range d.namespaces {
		for _, name := range []string{"x", "xy", "y"} {
			d.create("c1", d.object(ns, name, selected))
			d.create("c1", d.object(ns, name+"-2", others))
		}
	}
	scopes := []metav1.ListOptions{nothingElse, {FieldSelector: "metadata.name=x"}, {FieldSelector: "metadata.name=nothing"}, {FieldSelector: "metadata.name!=x"},
		{FieldSelector: "metadata.namespace=" + a}, {FieldSelector: "metadata.namespace!=" + a}, {LabelSelector: byLabel.LabelSelector}, {LabelSelector: "app=nothing"},
		{LabelSelector: byLabel.LabelSelector, FieldSelector: "metadata.name=x"}, {LabelSelector: "app notin (one)"}}
	for _, o := range scopes {
		for _, ns := range []string{a, ab, "", a + "-not-there"} {
			d.list("l1", ns, o)
			o.ResourceVersion = "0"
			d.list("l1", ns, o)
			o.ResourceVersion = ""
		}
	}
}

// driveMostRecent writes, and lists at once: most recent, and of the first page.
func driveMostRecent(d *driver) {
	a := d.namespaces[0]
	look := func() {
		d.list("l1", a, nothingElse)
		d.list("l1", "", metav1.ListOptions{Limit: 1})
		d.list("l1", a, byLabel)
	}
	var m *corev1.ConfigMap
	for range 3 {
		m = d.create("c1", d.object(a, d.next("n"), selected))
		look()
		m = d.change("c1", m, nil)
		look()
		if m != nil {
			d.remove("c1", a, m.Name, nil)
		}
		look()
	}
}

// driveModes asks for the states of the past and for the present, each in every way.
func driveModes(d *driver) {
	a := d.namespaces[0]
	var at []string
	note := func(m *corev1.ConfigMap) *corev1.ConfigMap {
		if m != nil {
			at = append(at, m.ResourceVersion)
		}
		return m
	}
	x := note(d.create("c1", d.object(a, "x", selected)))
	y := note(d.create("c1", d.object(a, "y", others)))
	note(d.create("c1", d.object(a, "z", selected)))
	x = note(d.change("c1", x, others))
	note(d.change("c1", y, selected))
	d.remove("c1", a, "z", nil)
	x = note(d.change("c1", x, selected))
	d.list("l1", a, nothingElse) // a cache has come up to now, so that "0" is now
	d.list("l1", a, metav1.ListOptions{ResourceVersion: "0"})
	for _, rv := range at {
		for _, o := range []metav1.ListOptions{
			{ResourceVersion: rv},
			{ResourceVersion: rv, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan},
			{ResourceVersion: rv, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, Limit: 1},
			{ResourceVersion: rv, ResourceVersionMatch: metav1.ResourceVersionMatchExact},
			{ResourceVersion: rv, ResourceVersionMatch: metav1.ResourceVersionMatchExact, LabelSelector: byLabel.LabelSelector},
			{ResourceVersion: rv, ResourceVersionMatch: metav1.ResourceVersionMatchExact, Limit: 1},
			{ResourceVersion: rv, Limit: 1},
			{ResourceVersion: rv, Limit: 500}, // of a page of one, the one may be somebody's: kube-root-ca.crt is in each namespace
			{ResourceVersion: "0", LabelSelector: byLabel.LabelSelector},
		} {
			d.list("l1", a, o)
		}
		d.list("l1", "", metav1.ListOptions{ResourceVersion: rv, ResourceVersionMatch: metav1.ResourceVersionMatchExact})
	}
	d.timedLists(at)
	d.rightBehind(x)
}

// rightBehind lists at a resourceVersion that was answered just before: a cache may always be a little behind.
func (d *driver) rightBehind(x *corev1.ConfigMap) {
	for _, o := range []metav1.ListOptions{
		{ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan},
		{ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, Limit: 1},
		{ResourceVersionMatch: metav1.ResourceVersionMatchExact},
		{ResourceVersionMatch: metav1.ResourceVersionMatchExact, Limit: 1},
		{Limit: 1},
	} {
		if x = d.change("c1", x, nil); x == nil {
			return
		}
		d.list("l1", x.Namespace, from(o, x.ResourceVersion))
	}
}

// timedLists lists with more time than any list needs.
func (d *driver) timedLists(at []string) {
	enough := int64(30)
	for _, o := range []metav1.ListOptions{{}, {Limit: 1}, {LabelSelector: byLabel.LabelSelector}, {ResourceVersion: "0"}} {
		o.TimeoutSeconds = &enough
		d.list("l1", d.namespaces[0], o)
	}
	if len(at) > 0 {
		now := metav1.ListOptions{ResourceVersion: at[len(at)-1], TimeoutSeconds: &enough}
		d.list("l1", d.namespaces[0], now)
		now.ResourceVersionMatch = metav1.ResourceVersionMatchExact
		d.list("l1", d.namespaces[0], now)
	}
}

// driveEmpty lists where there is nothing, and watches from there.
func driveEmpty(d *driver) {
	a := d.namespaces[0]
	d.create("c1", d.object(d.namespaces[1], "elsewhere", others))
	scopes := []metav1.ListOptions{nothingElse, {ResourceVersion: "0"}, {Limit: 2}, {FieldSelector: "metadata.name=x"}}
	if d.t.Has(LabelWatch) {
		scopes = append(scopes, byLabel)
	}
	var ws []*watcher
	for _, o := range scopes {
		l := d.list("l1", a, o)
		if l == nil || l.ResourceVersion == "" {
			continue
		}
		o.Limit = 0
		if o.FieldSelector != "" && !d.t.Has(FieldWatch) {
			continue
		}
		ws = append(ws, d.follow(d.next("w"), a, from(o, l.ResourceVersion)))
	}
	d.create("c1", d.object(a, "x", selected))
	d.create("c1", d.object(a, "y", selected))
	d.settle(ws...)
	closeAll(ws)
}
