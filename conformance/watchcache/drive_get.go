package watchcache

import corev1 "k8s.io/api/core/v1"

// driveGetMostRecent writes, and gets at once: what was created, changed,
// deleted, and created again.
func driveGetMostRecent(d *driver) {
	a := d.namespaces[0]
	d.get("g1", a, "x")
	for range 3 {
		m := d.create("c1", d.object(a, "x", selected))
		d.get("g1", a, "x")
		m = d.change("c1", m, others)
		d.get("g1", a, "x")
		d.change("c1", m, selected)
		d.get("g2", a, "x")
		d.remove("c1", a, "x", nil)
		d.get("g1", a, "x")
	}
	d.get("g1", d.namespaces[1], "x")
}

// driveGetNotOlder gets at each resourceVersion there was. In the end all of
// them are read again, when what is there is newer, and once it is gone.
func driveGetNotOlder(d *driver) {
	a := d.namespaces[0]
	at := []string{"0"}
	note := func(m *corev1.ConfigMap) *corev1.ConfigMap {
		if m != nil {
			at = append(at, m.ResourceVersion)
			d.getAt("g1", a, "x", m.ResourceVersion)
			d.getAt("g1", a, "y", m.ResourceVersion)
		}
		return m
	}
	x := note(d.create("c1", d.object(a, "x", selected)))
	y := note(d.create("c1", d.object(a, "y", others)))
	x = note(d.change("c1", x, nil))
	note(d.change("c1", y, nil))
	note(d.change("c1", x, others))
	for _, rv := range at {
		d.getAt("g1", a, "x", rv)
	}
	d.remove("c1", a, "x", nil)
	for _, rv := range at {
		d.getAt("g1", a, "x", rv)
	}
	note(d.create("c1", d.object(a, "z", others))) // the deletion lies before
}

// driveGetFuture gets what is not there yet, of an object that is there and of one that is not.
func driveGetFuture(d *driver) {
	at, ok := d.few("c1")
	if !ok {
		return
	}
	d.getAt("g1", d.namespaces[0], "x", beyond(at))
	d.getAt("g1", d.namespaces[0], "nothing", beyond(at))
	d.create("c1", d.object(d.namespaces[0], "later", others)) // shows that it was not there yet
}
