package watchcache

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness/history"
)

// watched runs f under watches of all and of what is selected, and with a list in the end.
func (d *driver) watched(f func(a string)) {
	a := d.namespaces[0]
	rv, ok := d.start("l1", a, nothingElse)
	if !ok {
		return
	}
	ws := []*watcher{d.follow("w1", a, from(nothingElse, rv))}
	if d.t.Has(LabelWatch) {
		ws = append(ws, d.follow("w2", a, from(byLabel, rv)))
	}
	f(a)
	d.list("l1", a, nothingElse)
	d.settle(ws...)
	closeAll(ws)
}

// driveRightVersions writes with the resourceVersion that was just answered.
func driveRightVersions(d *driver) {
	d.watched(func(a string) {
		for range 4 {
			x := d.create("c1", d.object(a, "x", selected))
			for range 3 {
				x = d.change("c1", x, nil)
			}
			if m := d.get("c2", a, "x"); m != nil {
				d.update("c2", d.changed(m, others))
			}
			x = d.get("c1", a, "x")
			switch {
			case x == nil:
			case d.t.Has(Precondition) && x.ResourceVersion != "":
				d.removeAt("c1", x)
			default:
				d.remove("c1", a, "x", nil)
			}
		}
	})
}

// driveResponses makes every sort of write, and looks at once what is there.
func driveResponses(d *driver) {
	d.watched(func(a string) {
		look := func(name string) {
			d.get("g1", a, name)
			d.list("l1", a, nothingElse)
		}
		for range 2 {
			x := d.create("c1", d.object(a, "x", selected))
			look("x")
			x = d.change("c1", x, others)
			look("x")
			if x != nil {
				unconditional := d.changed(x, selected)
				if d.t.Has(PlainUpdate) {
					unconditional.ResourceVersion = ""
				}
				d.update("c1", unconditional)
				look("x")
			}
			if d.t.Has(Patch) {
				p := d.object(a, "x", others)
				d.patch("c1", p)
				look("x")
				owned := onlyName(a, "x")
				owned.OwnerReferences = ownedBy("1")
				d.patchOnly("c1", owned)
				look("x")
			}
			d.remove("c1", a, "x", nil)
			look("x")
		}
		for _, how := range waysToDelete {
			d.create("c1", d.object(a, "x", selected))
			d.removeWith("c1", a, "x", how)
			look("x")
		}
		if d.t.Has(GenerateName) {
			for range 3 {
				m := d.object(a, "", selected)
				m.GenerateName = "made-"
				if m = d.create("c1", m); m != nil {
					look(m.Name)
				}
			}
		}
	})
}

// patchUID sends a merge patch that has another uid.
func (d *driver) patchUID(actor string, m *corev1.ConfigMap, uid types.UID) {
	p, ok := d.in(m.Namespace).(Patcher)
	if !ok {
		return
	}
	b, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": uid}})
	if err != nil {
		d.t.GiveUp("%v", err)
		return
	}
	in := history.Ref{Key: m.Namespace + "/" + m.Name, UID: string(uid), Labels: d.t.Set(m.Labels), Body: body(m)}
	d.write(actor, replay.Patch, in, func(ctx context.Context) (*corev1.ConfigMap, error) {
		return p.Patch(ctx, m.Name, types.MergePatchType, b, metav1.PatchOptions{})
	})
}

func driveUIDKept(d *driver) {
	d.watched(func(a string) {
		x := d.create("c1", d.object(a, "x", selected))
		if x == nil || x.UID == "" {
			return
		}
		for range 2 {
			m := d.changed(x, nil)
			m.UID = noUID
			d.update("c2", m)
			d.get("g1", a, "x")
			d.patchUID("c2", x, noUID)
			if m = d.get("g1", a, "x"); m != nil {
				x = d.change("c1", m, nil)
			}
			if x == nil {
				return
			}
		}
	})
}

// driveExists creates what exists, and the same under names that are free.
func driveExists(d *driver) {
	d.watched(func(a string) {
		for range 2 {
			d.create("c1", d.object(a, "x", selected))
			d.create("c2", d.object(d.namespaces[1], "x", others))
			for i, name := range []string{"xy", "x-y"} {
				m := d.object(a, "x", [...]map[string]string{others, selected}[i])
				d.create("c2", m.DeepCopy())
				m.Name = name
				d.create("c2", m)
			}
			d.list("l1", a, nothingElse)
			for _, name := range []string{"x", "xy", "x-y"} {
				d.remove("c1", a, name, nil)
			}
			d.remove("c1", d.namespaces[1], "x", nil)
		}
		for _, ns := range d.namespaces[1:] {
			if end, ok := strings.CutPrefix(ns, a); ok { // both keys have the same letters
				d.create("c1", d.object(a, end+"x", selected))
				d.create("c1", d.object(ns, "x", selected))
			}
		}
		if d.t.Has(GenerateName) {
			for range 1 + mostRefusedNames {
				m := d.object(a, "", selected)
				m.GenerateName = "made-"
				d.create("c1", m)
			}
		}
	})
}

// driveMissing asks for what is not there, in ways in which it asks for what
// is; updates are left to kinds that do not create by them.
func driveMissing(updates bool) func(*driver) {
	return func(d *driver) {
		d.watched(func(a string) {
			x := d.create("c1", d.object(a, "x", selected))
			if x == nil {
				return
			}
			try := func(ns, name string) {
				d.lookFor(ns, name, x.ResourceVersion)
				d.remove("c1", ns, name, nil)
				d.removeNothing(ns, name)
				if updates {
					d.updateMissing(ns, name)
				}
				d.lookFor(ns, name, x.ResourceVersion)
			}
			d.lookFor(a, "x", x.ResourceVersion)
			d.everyWay(a, "x", updates)
			try(d.namespaces[1], "x") // what has its name elsewhere is another
			if updates {
				d.create("c1", d.object(d.namespaces[1], "x", selected))
			}
			for _, name := range []string{"never", "xy", "w"} {
				try(a, name)
			}
			d.change("c1", d.get("g1", a, "x"), nil)
			d.remove("c1", a, "x", nil)
			try(a, "x")
			if updates {
				d.get("g1", d.namespaces[1], "x")
			}
			d.create("c1", d.object(a, "x", selected))
			d.get("g1", a, "x")
		})
	}
}

// lookFor asks for an object in every way.
func (d *driver) lookFor(ns, name, rv string) {
	d.list("l1", ns, nothingElse)
	d.get("g1", ns, name)
	for _, rv := range []string{"0", rv} {
		if rv != "" {
			d.getAt("g1", ns, name, rv)
		}
	}
}

// updateMissing updates and patches what is not there, with and without a precondition.
func (d *driver) updateMissing(ns, name string) {
	m := d.object(ns, name, selected)
	m.ResourceVersion = invented
	d.update("c1", m)
	if d.t.Has(PlainUpdate) {
		m.ResourceVersion = ""
		d.update("c1", m)
	}
	if d.t.Has(Patch) {
		m.ResourceVersion = ""
		d.patch("c1", m)
		m.ResourceVersion = invented
		d.patch("c1", m)
	}
}

// everyWay makes the writes that are tried of what is not there, of what is.
func (d *driver) everyWay(ns, name string, updates bool) {
	if updates && d.t.Has(PlainUpdate) {
		d.update("c1", d.object(ns, name, selected))
	}
	if updates && d.t.Has(Patch) {
		m := d.object(ns, name, selected)
		if now := d.patch("c1", m); now != nil {
			m.ResourceVersion = now.ResourceVersion
			d.patch("c1", m)
		}
	}
	if !d.t.Has(Precondition) {
		return
	}
	for n := range 3 {
		now := d.get("g1", ns, name)
		if now == nil {
			return
		}
		pre := [...]metav1.Preconditions{{UID: &now.UID}, {ResourceVersion: &now.ResourceVersion}, {UID: &now.UID, ResourceVersion: &now.ResourceVersion}}[n]
		d.remove("c1", ns, name, &pre)
		d.create("c1", d.object(ns, name, selected))
	}
}

// removeNothing deletes what is not there, with preconditions.
func (d *driver) removeNothing(ns, name string) {
	if !d.t.Has(Precondition) {
		return
	}
	uid, rv := noUID, invented
	for _, p := range []metav1.Preconditions{{UID: &uid}, {ResourceVersion: &rv}, {UID: &uid, ResourceVersion: &rv}} {
		d.remove("c1", ns, name, &p)
	}
}

// driveCreatesOnUpdate updates what is not there any more, and goes on with what came of it.
func driveCreatesOnUpdate(d *driver) {
	d.watched(func(a string) {
		x := d.create("c1", d.object(a, "x", selected))
		for _, rv := range []string{"", invented} { // "": that of what is gone
			if x = d.change("c1", x, others); x == nil {
				return
			}
			old := x.DeepCopy()
			d.remove("c1", a, "x", nil)
			d.updateNothing(old)
			m := d.object(a, "x", selected)
			m.ResourceVersion = cmp.Or(rv, old.ResourceVersion)
			x = d.update("c1", m)
			d.list("l1", a, nothingElse)
			d.get("g1", a, "x")
			d.change("c2", x, nil)
			d.remove("c1", a, "x", nil)
			x = d.update("c1", d.object(a, "x", others))
			d.get("g1", a, "x")
		}
		d.change("c1", x, selected)
		d.remove("c1", a, "x", nil)
	})
}

// updateNothing updates what is not there in ways that make nothing: as a dry run, and for the uid of what is gone.
func (d *driver) updateNothing(old *corev1.ConfigMap) {
	if d.t.Has(DryRun) {
		d.dry(replay.Update, d.object(old.Namespace, old.Name, selected))
	}
	if d.t.Has(Precondition) {
		m := d.object(old.Namespace, old.Name, selected)
		m.UID = old.UID
		d.update("c2", m)
	}
}

func driveNoOp(d *driver) {
	d.watched(func(a string) {
		x := d.create("c1", d.object(a, "x", selected))
		for range 3 {
			if x == nil {
				return
			}
			d.update("c1", x.DeepCopy())
			if d.t.Has(Patch) {
				same := x.DeepCopy()
				same.ResourceVersion = ""
				d.patch("c1", same)
			}
			d.get("g1", a, "x")
			x = d.change("c1", d.get("g1", a, "x"), nil)
		}
	})
}
