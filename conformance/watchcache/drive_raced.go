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
	races  = 8
)

// driveRaced lets writers loose on one object at once, each with a patch of a
// part of its own, without a resourceVersion, and one with an update. Whoever
// comes first, no patch says anything of what the others write.
func driveRaced(d *driver) {
	d.watched(func(a string) {
		d.create("c0", d.contended(a, "x"))
		for n := range races {
			now := d.get("c0", a, "x")
			if now == nil {
				d.t.GiveUp("there is nothing to write to: the object is not there")
				return
			}
			var writes []*corev1.ConfigMap
			for i := range racers {
				writes = append(writes, d.part(now, i, (i+n)%racers))
			}
			d.burst(racers, func(i int) {
				if m := writes[i]; m.UID != "" || m.ResourceVersion != "" {
					d.update(contender(i), m)
				} else {
					d.patchOnly(contender(i), m)
				}
			})
			d.list("l1", a, nothingElse)
		}
		d.get("c0", a, "x")
	})
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
	p, ok := d.s.In(m.Namespace).(Patcher)
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
