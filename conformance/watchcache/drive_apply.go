package watchcache

import (
	"context"
	"encoding/json"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/conformance/replay"
)

// The managers of applies.
const (
	manager1 = "lwtest-1"
	manager2 = "lwtest-2"
)

// apply sends labels, annotations, finalizers and data of an object as a server-side apply, where it has any; a
// resourceVersion and a uid in m are preconditions. A client without patches records nothing.
func (d *driver) apply(manager string, m *corev1.ConfigMap, force bool) *corev1.ConfigMap {
	return d.applyWith("c1", m, replay.WriteArgs{FieldManager: manager, Force: force})
}

// dryApply is apply as a dry run.
func (d *driver) dryApply(manager string, m *corev1.ConfigMap, force bool) {
	d.applyWith("dry", m, replay.WriteArgs{FieldManager: manager, Force: force, DryRun: true})
}

// applyWith is apply, of a subresource or as a dry run, too.
func (d *driver) applyWith(actor string, m *corev1.ConfigMap, args replay.WriteArgs) *corev1.ConfigMap {
	p, ok := d.in(m.Namespace).(Patcher)
	if !ok {
		d.t.GiveUp("the feature %s is declared, but the client has no Patch", Apply)
		return nil
	}
	meta := map[string]any{"name": m.Name, "namespace": m.Namespace}
	for name, value := range map[string]map[string]string{"labels": m.Labels, "annotations": m.Annotations} {
		if len(value) > 0 {
			meta[name] = value
		}
	}
	if len(m.Finalizers) > 0 {
		meta["finalizers"] = m.Finalizers
	}
	if m.ResourceVersion != "" {
		meta["resourceVersion"] = m.ResourceVersion
	}
	if m.UID != "" {
		meta["uid"] = m.UID
	}
	config := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta}
	if len(m.Data) > 0 {
		config["data"] = m.Data
	}
	b, err := json.Marshal(config)
	if err != nil {
		d.t.GiveUp("%v", err)
		return nil
	}
	args.Type = types.ApplyYAMLPatchType
	o := metav1.PatchOptions{FieldManager: args.FieldManager}
	if args.Force {
		o.Force = &args.Force
	}
	if args.DryRun {
		o.DryRun = dryAll
	}
	return d.writeWith(writeCall(actor, replay.Patch, d.ref(m), args), func(ctx context.Context) (*corev1.ConfigMap, error) {
		return p.Patch(ctx, m.Name, types.ApplyYAMLPatchType, b, o, subresources(args)...)
	})
}

// lookAt gets and lists what is there.
func (d *driver) lookAt(ns, name string) {
	d.get("g1", ns, name)
	d.list("l1", ns, nothingElse)
}

// noted is an object of which nothing is said but an annotation.
func (d *driver) noted(ns, name, note string) *corev1.ConfigMap {
	m := d.object(ns, name, nil)
	m.Data, m.Annotations = nil, map[string]string{note: d.next("n")}
	return m
}

// again is an apply of what an object was made by, at its resourceVersion or at none.
func again(m *corev1.ConfigMap, rv string) *corev1.ConfigMap {
	m = m.DeepCopy()
	m.ResourceVersion = rv
	return m
}

// driveApplyMissing applies what never was, what is there, and what was.
func driveApplyMissing(d *driver) {
	d.watched(func(a string) {
		for _, name := range []string{"x", "xy", "x"} {
			d.unheard(a, name)
			d.apply(manager1, d.object(a, name, selected), false)
			d.lookAt(a, name)
			d.apply(manager1, d.object(a, name, selected), false)
			d.remove("c1", a, name, nil)
			d.lookAt(a, name)
			d.apply(manager2, d.object(a, name, selected), true)
			d.lookAt(a, name)
			d.remove("c1", a, name, nil)
		}
	})
}

// unheard makes sure, and has it in the history, that there is no such object.
func (d *driver) unheard(ns, name string) { d.remove("c1", ns, name, nil) }

// driveApplyAgain applies the same again, with the resourceVersion that the object has and with none.
func driveApplyAgain(d *driver) {
	d.watched(func(a string) {
		d.unheard(a, "x")
		for range 2 {
			m := d.object(a, "x", selected)
			m.Annotations = map[string]string{"lwtest/note": d.next("n")}
			x := d.apply(manager1, m, false)
			if x == nil {
				return
			}
			for _, rv := range []string{x.ResourceVersion, "", x.ResourceVersion} {
				d.apply(manager1, again(m, rv), false)
				d.lookAt(a, "x")
			}
			other := d.noted(a, "x", "lwtest/other")
			if x = d.apply(manager2, other, false); x == nil {
				return
			}
			for _, rv := range []string{x.ResourceVersion, ""} {
				d.apply(manager2, again(other, rv), false)
			}
			d.lookAt(a, "x")
		}
	})
}

// driveApplyResponses applies and writes parts of an object in turn.
func driveApplyResponses(d *driver) {
	d.watched(func(a string) {
		for _, name := range []string{"x", "y"} {
			d.unheard(a, name)
			d.applyLess(a, name)
			d.apply(manager1, d.object(a, name, selected), false)
			d.lookAt(a, name)
			for range 2 {
				x := d.apply(manager1, d.object(a, name, others), false)
				d.lookAt(a, name)
				if x == nil {
					return
				}
				note := d.noted(a, name, "lwtest/other")
				note.ResourceVersion = x.ResourceVersion
				x = d.apply(manager2, note, false)
				d.lookAt(a, name)
				if x == nil {
					return
				}
				m := d.object(a, name, selected)
				m.ResourceVersion = x.ResourceVersion
				d.apply(manager1, m, false)
				d.lookAt(a, name)
			}
			if x := d.get("g1", a, name); x != nil {
				d.update("c1", d.changed(x, others))
			}
			x := d.get("g1", a, name)
			if x == nil {
				return
			}
			note := d.noted(a, name, "lwtest/third")
			note.ResourceVersion = x.ResourceVersion
			d.apply("lwtest-3", note, false)
			d.lookAt(a, name)
			d.remove("c1", a, name, nil)
			d.lookAt(a, name)
		}
	})
}

// applyLess applies more of an object than its label, by and by, and then, by the same manager, leaves it out:
// a label and an annotation, and the data.
func (d *driver) applyLess(ns, name string) {
	least := onlyName(ns, name)
	least.Labels = selected
	more := d.object(ns, name, map[string]string{"app": "one", moreLabel: d.next("l")})
	more.Annotations = map[string]string{"lwtest/note": d.next("n")}
	for _, m := range []*corev1.ConfigMap{least, d.object(ns, name, selected), more, d.object(ns, name, selected), least, more, least} {
		d.apply(manager1, m, false)
		d.lookAt(ns, name)
	}
}

// driveApplyConflict applies what another manager has applied.
func driveApplyConflict(d *driver) {
	d.watched(func(a string) {
		d.unheard(a, "x")
		first := d.object(a, "x", selected)
		if d.apply(manager1, first, false) == nil {
			return
		}
		for range 2 {
			other := d.object(a, "x", nil)
			d.apply(manager2, other, false)
			d.lookAt(a, "x")
			x := d.get("g1", a, "x")
			if x == nil {
				return
			}
			other = d.object(a, "x", nil)
			other.ResourceVersion = x.ResourceVersion
			d.apply(manager2, other, false)
			d.lookAt(a, "x")
			other = d.object(a, "x", others)
			other.Data = maps.Clone(first.Data)
			d.apply(manager2, other, false) // of the label alone
			d.lookAt(a, "x")
			d.apply(manager2, d.noted(a, "x", "lwtest/other"), false)
			d.lookAt(a, "x")
			same := d.object(a, "x", nil)
			same.Data = maps.Clone(first.Data)
			d.apply(manager2, same, false)
			d.lookAt(a, "x")
			forced := d.object(a, "x", nil)
			d.apply(manager2, forced, true)
			d.lookAt(a, "x")
			d.apply(manager1, first, false)
			d.lookAt(a, "x")
			first = d.object(a, "x", selected)
			d.apply(manager1, first, true)
			d.lookAt(a, "x")
		}
	})
}
