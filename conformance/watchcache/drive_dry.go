package watchcache

import (
	"context"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// dryAll makes a request a dry run.
var dryAll = []string{metav1.DryRunAll}

// dryParts are patches of one part each, which may take another way than those of the whole.
var dryParts = []step{{change: newNote}, {change: moreLabels}, {change: ownersAre("9")}, {true, finalizersAre(lateFinalizer)}}

// driveDryRunMore makes dry runs of what is rarer than a create, an update and
// a delete of one object. What is deleted in this way is never deleted
// otherwise, and has lost its finalizer in the end.
func driveDryRunMore(d *driver) {
	d.watched(func(a string) {
		old := d.create("c1", d.object(a, "x", selected))
		x := d.change("c1", old, nil)
		if x == nil {
			return
		}
		look := func() {
			d.get("g1", a, "x")
			d.list("l1", a, nothingElse)
		}
		if d.t.Has(Patch) {
			d.dryPatch(d.changed(x, others), "")
			look()
			d.dryPatch(d.changed(x, others), old.ResourceVersion)
			look()
			for _, s := range dryParts {
				if !s.held || d.holds() {
					m := onlyName(a, "x")
					s.change(d, m)
					d.patchPart("dry", m, replay.WriteArgs{DryRun: true})
					look()
				}
			}
		}
		d.dryMissing(a)
		for _, p := range policies {
			d.removeWith("dry", a, "x", metav1.DeleteOptions{DryRun: dryAll, PropagationPolicy: &p})
			look()
		}
		if d.t.Has(Precondition) && x.UID != "" {
			m := d.changed(x, others)
			m.UID = noUID
			d.dry(replay.Update, m)
			look()
			uid := noUID
			d.dryRemove(a, "x", &metav1.Preconditions{UID: &uid})
			look()
		}
		if d.t.Has(GenerateName) {
			m := d.object(a, "", selected)
			m.GenerateName = "dry-"
			d.dry(replay.Create, m)
			look()
		}
		if d.holds() {
			d.dryFinalizers(a)
		}
		if d.t.Has(DeleteCollection) {
			d.sweepWith("dry", a, nothingElse, metav1.DeleteOptions{DryRun: dryAll})
			look()
			for _, p := range policies {
				d.sweepWith("dry", a, nothingElse, metav1.DeleteOptions{DryRun: dryAll, PropagationPolicy: &p})
				look()
			}
			if d.t.Has(LabelWatch) {
				d.sweepWith("dry", a, byLabel, metav1.DeleteOptions{DryRun: dryAll})
				look()
			}
		}
	})
}

// dryMissing deletes, updates and patches what is gone.
func (d *driver) dryMissing(a string) {
	d.create("c1", d.object(a, "gone", selected))
	d.remove("c1", a, "gone", nil)
	d.dryRemove(a, "gone", nil)
	if d.t.Has(UpdateNeedsObject) {
		m := d.object(a, "gone", selected)
		m.ResourceVersion = invented
		d.dry(replay.Update, m)
		if d.t.Has(Patch) {
			d.dryPatch(d.object(a, "gone", selected), "")
		}
	}
	d.get("g1", a, "gone")
}

// dryFinalizers deletes an object that a finalizer holds, and takes the last of
// one that is being deleted.
func (d *driver) dryFinalizers(a string) {
	look := func(name string) {
		d.get("g1", a, name)
		d.list("l1", a, nothingElse)
	}
	held := d.create("c1", d.held(a, "held", selected, oneFinalizer))
	d.dryRemove(a, "held", nil)
	look("held")
	if held != nil && d.t.Has(Patch) {
		m := onlyName(a, "held")
		m.Finalizers = []string{oneFinalizer, otherFinalizer}
		d.patchPart("dry", m, replay.WriteArgs{DryRun: true})
		look("held")
		d.removeFromWith("dry", a, "held", replay.WriteArgs{DryRun: true, Removes: []string{finalizersWord}})
		look("held")
	}
	if held != nil {
		d.withFinalizers("c1", d.changed(held, nil), false) // nothing stays behind, and what is left no dry run has asked for
	}
	d.create("c1", d.held(a, "going", selected, oneFinalizer))
	d.remove("c1", a, "going", nil)
	if m := d.get("g1", a, "going"); m != nil {
		m.Finalizers = nil
		d.dry(replay.Update, m)
		look("going")
	}
	d.release(a, "going")
	look("going")
}

// dryRemove is remove as a dry run.
func (d *driver) dryRemove(ns, name string, pre *metav1.Preconditions) {
	d.removeWith("dry", ns, name, metav1.DeleteOptions{DryRun: dryAll, Preconditions: pre})
}

// dryPatch is patch as a dry run; rv is its precondition, empty: none.
func (d *driver) dryPatch(m *corev1.ConfigMap, rv string) {
	p, ok := d.in(m.Namespace).(Patcher)
	if !ok {
		d.t.GiveUp("the feature %s is declared, but the client has no Patch", Patch)
		return
	}
	meta := map[string]any{}
	if len(m.Labels) > 0 {
		meta["labels"] = m.Labels
	}
	if rv != "" {
		meta["resourceVersion"] = rv
	}
	b, err := json.Marshal(map[string]any{"metadata": meta, "data": m.Data})
	if err != nil {
		d.t.GiveUp("%v", err)
		return
	}
	in := d.ref(m)
	in.UID, in.RV = "", rv
	d.do(harness.Call{Actor: "dry", Kind: replay.Patch, Obj: in, Args: replay.WriteArgs{DryRun: true}}, func(ctx context.Context) (harness.Answer, error) {
		out, err := p.Patch(ctx, m.Name, types.MergePatchType, b, metav1.PatchOptions{DryRun: dryAll})
		return d.answer(out), err
	})
	d.t.Wait()
}

// driveDryRun makes every write as a dry run. The object that is deleted in
// this way is never deleted otherwise.
func driveDryRun(d *driver) {
	d.watched(func(a string) {
		x := d.create("c1", d.object(a, "x", selected))
		old := x
		x = d.change("c1", x, nil)
		if x == nil {
			return
		}
		look := func() {
			d.get("g1", a, "x")
			d.get("g1", a, "y")
			d.list("l1", a, nothingElse)
		}
		d.dry(replay.Create, d.object(a, "y", selected))
		look()
		d.dry(replay.Create, d.object(a, "x", others))
		d.dry(replay.Update, d.changed(x, others))
		look()
		d.dry(replay.Update, d.changed(old, others))
		d.dry(replay.Delete, x)
		look()
		if d.t.Has(Precondition) {
			d.dry(replay.Delete, old)
		}
		look()
	})
}

// dry makes a write of m as a dry run; a delete has m's resourceVersion as its
// precondition where preconditions are served.
func (d *driver) dry(verb string, m *corev1.ConfigMap) {
	c := d.in(m.Namespace)
	in := d.ref(m)
	o := metav1.DeleteOptions{DryRun: dryAll}
	if verb == replay.Delete {
		in = history.Ref{Key: in.Key}
		if d.t.Has(Precondition) {
			o.Preconditions = &metav1.Preconditions{ResourceVersion: &m.ResourceVersion}
			in.RV = m.ResourceVersion
		}
	}
	args := replay.WriteArgs{DryRun: true}
	if verb == replay.Create {
		args.GenerateName = m.GenerateName
	}
	d.do(harness.Call{Actor: "dry", Kind: verb, Obj: in, Args: args}, func(ctx context.Context) (harness.Answer, error) {
		var out *corev1.ConfigMap
		var err error
		switch verb {
		case replay.Create:
			out, err = c.Create(ctx, m, metav1.CreateOptions{DryRun: dryAll})
		case replay.Update:
			out, err = c.Update(ctx, m, metav1.UpdateOptions{DryRun: dryAll})
		default:
			return harness.Answer{}, c.Delete(ctx, m.Name, o)
		}
		return d.answer(out), err
	})
	d.t.Wait()
}
