package watchcache

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/conformance/replay"
)

// racers are how many write to one object at once, in each of so many races.
const (
	racers = 6
	races  = 12
)

// driveRaced lets writers loose on one object at once, each with a patch of a
// part of its own, and one with an update. Mostly they are without a resourceVersion: whoever
// comes first, no patch says anything of what the others write. In every second race all of them have the
// one that was read just before, and one has its way.
func driveRaced(patch func(*driver, string, *corev1.ConfigMap) *corev1.ConfigMap) func(*driver) {
	return func(d *driver) {
		d.watched(func(a string) {
			d.create("c0", d.contended(a, "x"))
			for n := range races {
				now := d.get("c0", a, "x")
				if now == nil {
					d.t.GiveUp("there is nothing to write to: the object is not there")
					return
				}
				d.race(n, now, patch)
				d.list("l1", a, nothingElse)
			}
			d.get("c0", a, "x")
		})
	}
}

// race is number n of them.
func (d *driver) race(n int, now *corev1.ConfigMap, patch func(*driver, string, *corev1.ConfigMap) *corev1.ConfigMap) {
	writes := make([]*corev1.ConfigMap, racers)
	for i := range writes {
		writes[i] = d.part(now, i, (i+n)%racers)
		if n%2 == 1 {
			writes[i].ResourceVersion = now.ResourceVersion
		}
	}
	d.burst(racers, func(i int) {
		if (i+n)%racers == 0 {
			d.update(contender(i), writes[i])
		} else {
			patch(d, contender(i), writes[i])
		}
	})
}

// partStrategically is patchOnly by a strategic merge patch.
func (d *driver) partStrategically(actor string, m *corev1.ConfigMap) *corev1.ConfigMap {
	return d.patchPart(actor, m, strategic)
}

// partAsJSON sends what an object has of labels, annotations and data as a JSON patch that replaces each; a
// resourceVersion in m is a precondition.
func (d *driver) partAsJSON(actor string, m *corev1.ConfigMap) *corev1.ConfigMap {
	var ops []operation
	if m.ResourceVersion != "" {
		ops = append(ops, replace(versionAt, m.ResourceVersion))
	}
	for at, values := range map[string]map[string]string{labelsAt: m.Labels, notesAt: m.Annotations} {
		for name, value := range values {
			ops = append(ops, replace(at+pointer.Replace(name), value))
		}
	}
	if m.Data != nil {
		ops = append(ops, replace(specAt, m.Data[Spec]))
	}
	return d.patchJSON(actor, m.Namespace, m.Name, replay.WriteArgs{}, ops...)
}

// partApplied applies what an object has, by force, as a manager who applies nothing but that: it leaves out nothing.
func (d *driver) partApplied(actor string, m *corev1.ConfigMap) *corev1.ConfigMap {
	manager := "lwtest-spec"
	switch {
	case m.Labels != nil:
		manager = "lwtest-label-" + actor
	case m.Annotations != nil:
		manager = "lwtest-note-" + actor
	}
	return d.applyWith(actor, m, replay.WriteArgs{FieldManager: manager, Force: true})
}

// contended is an object in which every racer has its label and its annotation
// already: what is put back over them, undoes what they write.
func (d *driver) contended(ns, name string) *corev1.ConfigMap {
	m := d.object(ns, name, maps.Clone(selected))
	m.Annotations = map[string]string{}
	for i := range racers {
		m.Labels[ownKey(i)], m.Annotations[ownKey(i)] = d.next("p"), d.next("p")
	}
	return m
}

func ownKey(racer int) string { return "lwtest/" + contender(racer) }

// part is what a racer writes: a label or an annotation that is its own, the
// spec, or the whole object, as it was read, with another spec.
func (d *driver) part(now *corev1.ConfigMap, racer, turn int) *corev1.ConfigMap {
	m := onlyName(now.Namespace, now.Name)
	own := map[string]string{ownKey(racer): d.next("p")}
	switch turn {
	case 0:
		return d.changed(now, nil)
	case 1:
		m.Data = map[string]string{Spec: d.next("v")}
	case 2, 3:
		m.Labels = own
	default:
		m.Annotations = own
	}
	return m
}

// patchOptions are those of a merge patch with these arguments.
func patchOptions(args replay.WriteArgs) (o metav1.PatchOptions) {
	if args.DryRun {
		o.DryRun = dryAll
	}
	return o
}

// onlyName is an object of which nothing is said but its name.
func onlyName(ns, name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}}
}

// patchOnly sends the labels, annotations, owners, finalizers and data that an object has
// as a merge patch, and says nothing of those that it does not have; a
// resourceVersion in m is a precondition.
func (d *driver) patchOnly(actor string, m *corev1.ConfigMap) *corev1.ConfigMap {
	return d.patchPart(actor, m, replay.WriteArgs{})
}

// patchPart is patchOnly, as a dry run or as a strategic merge patch, too.
func (d *driver) patchPart(actor string, m *corev1.ConfigMap, args replay.WriteArgs) *corev1.ConfigMap {
	p, ok := d.in(m.Namespace).(Patcher)
	if !ok {
		d.t.GiveUp("the feature %s is declared, but the client has no Patch", Patch)
		return nil
	}
	meta := map[string]any{}
	patch := map[string]any{"metadata": meta}
	if m.Labels != nil {
		meta["labels"] = m.Labels
	}
	if m.Annotations != nil {
		meta["annotations"] = m.Annotations
	}
	if m.OwnerReferences != nil {
		meta["ownerReferences"] = m.OwnerReferences
	}
	if m.Finalizers != nil {
		meta["finalizers"] = m.Finalizers
	}
	if m.ResourceVersion != "" {
		meta["resourceVersion"] = m.ResourceVersion
	}
	if m.Data != nil {
		patch["data"] = m.Data
	}
	b, err := json.Marshal(patch)
	if err != nil {
		d.t.GiveUp("%v", err)
		return nil
	}
	return d.writeWith(writeCall(actor, replay.Patch, d.ref(m), args), func(ctx context.Context) (*corev1.ConfigMap, error) {
		return p.Patch(ctx, m.Name, cmp.Or(args.Type, types.MergePatchType), b, patchOptions(args))
	})
}
