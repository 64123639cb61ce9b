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

// The finalizers that this suite's objects have: qualified, as the server asks.
const (
	oneFinalizer   = "lwtest.example.com/one"
	otherFinalizer = "lwtest.example.com/other"
	lateFinalizer  = "lwtest.example.com/late"
)

// held is a new object with finalizers.
func (d *driver) held(ns, name string, labels map[string]string, finalizers ...string) *corev1.ConfigMap {
	m := d.object(ns, name, labels)
	m.Finalizers = finalizers
	return m
}

// holds says that a check that also runs without comparable resourceVersions
// may use finalizers: only by those can a rule tell what came of them.
func (d *driver) holds() bool { return d.t.Has(Finalizers) && d.t.Has(ComparableRV) }

// withFinalizers writes an object with these finalizers and no others: by a
// patch of nothing else, or by an update. It gives it as it was answered.
func (d *driver) withFinalizers(actor string, m *corev1.ConfigMap, patch bool, finalizers ...string) *corev1.ConfigMap {
	if m == nil {
		return nil
	}
	m = m.DeepCopy()
	m.Finalizers = finalizers
	p, ok := d.in(m.Namespace).(Patcher)
	if !patch || !ok || !d.t.Has(Patch) {
		return d.update(actor, m)
	}
	b, err := json.Marshal(map[string]any{"metadata": map[string]any{"finalizers": finalizers}})
	if err != nil {
		d.t.GiveUp("%v", err)
		return nil
	}
	in := d.ref(m)
	in.RV, in.UID = "", "" // not in the patch
	return d.write(actor, replay.Patch, in, func(ctx context.Context) (*corev1.ConfigMap, error) {
		return p.Patch(ctx, m.Name, types.MergePatchType, b, metav1.PatchOptions{})
	})
}

// release takes all finalizers away, so that nothing stays behind.
func (d *driver) release(ns, name string) {
	if m := d.get("g1", ns, name); m != nil && len(m.Finalizers) > 0 {
		d.withFinalizers("c1", m, false)
	}
}

// driveFinalizers deletes objects that have finalizers, and looks at every step.
func driveFinalizers(d *driver) {
	d.watched(func(a string) {
		defer d.release(a, "x")
		look := func() *corev1.ConfigMap {
			d.list("l1", a, nothingElse)
			return d.get("g1", a, "x")
		}
		for _, patch := range []bool{false, true} {
			d.create("c1", d.held(a, "x", selected, oneFinalizer, otherFinalizer))
			d.remove("c1", a, "x", nil)
			look()
			d.remove("c1", a, "x", nil)
			d.withFinalizers("c2", look(), patch, oneFinalizer, otherFinalizer, lateFinalizer)
			look()
			d.create("c2", d.object(a, "x", selected))
			d.change("c1", look(), others)
			d.change("c2", unsaid(look()), others)
			d.withFinalizers("c1", look(), patch, otherFinalizer)
			d.withFinalizers("c2", look(), patch, otherFinalizer, oneFinalizer)
			d.withFinalizers("c1", look(), patch)
			look()
		}
		for _, way := range waysToDelete {
			d.create("c1", d.held(a, "x", selected, oneFinalizer))
			d.removeWith("c1", a, "x", way)
			d.withFinalizers("c1", look(), false)
			look()
		}
		x := d.create("c1", d.held(a, "x", selected, oneFinalizer)) // and one that loses it before
		d.withFinalizers("c1", x, false)
		d.remove("c1", a, "x", nil)
		look()
		if x = d.create("c1", d.held(a, "x", selected, oneFinalizer)); x != nil && d.t.Has(Precondition) {
			d.remove("c1", a, "x", &metav1.Preconditions{UID: &x.UID}) // as garbage collectors do
			d.withFinalizers("c1", look(), false)
			look()
		}
		d.create("c1", d.held(a, "x", selected, oneFinalizer))
		d.removeNow("c1", a, "x") // it shortens the period, and takes no finalizer
		d.withFinalizers("c1", look(), false)
		look()
		d.create("c1", d.object(a, "x", selected))
		d.removeNow("c1", a, "x")
		look()
	})
}

// unsaid is an object as a client sends it that makes it anew each time: without what says that it is being deleted.
func unsaid(m *corev1.ConfigMap) *corev1.ConfigMap {
	if m != nil {
		m.DeletionTimestamp, m.DeletionGracePeriodSeconds = nil, nil
	}
	return m
}

// sweep deletes a collection.
func (d *driver) sweep(actor, ns string, o metav1.ListOptions) {
	d.sweepWith(actor, ns, o, metav1.DeleteOptions{})
}

// sweepWith is sweep with these options.
func (d *driver) sweepWith(actor, ns string, o metav1.ListOptions, how metav1.DeleteOptions) {
	c, ok := d.in(ns).(CollectionDeleter)
	if !ok {
		d.t.GiveUp("the feature %s is declared, but the client has no DeleteCollection", DeleteCollection)
		return
	}
	args := replay.Args{Namespace: ns, Options: o, DryRun: len(how.DryRun) > 0, GracePeriodSeconds: how.GracePeriodSeconds}
	if how.PropagationPolicy != nil {
		args.PropagationPolicy = *how.PropagationPolicy
	}
	d.do(harness.Call{Actor: actor, Kind: replay.DeleteCollection, Obj: preconditions("", how.Preconditions), Args: args.Flat()}, func(ctx context.Context) (harness.Answer, error) {
		return harness.Answer{Obj: history.Ref{}}, c.DeleteCollection(ctx, how, o)
	})
	d.t.Wait()
}

// driveCollection deletes collections, one after the other: by label, by name,
// and all that there is, under watches, beside what they must not touch.
func driveCollection(d *driver) {
	a, ab := d.namespaces[0], d.namespaces[1]
	fill := func() {
		for _, name := range []string{"x", "xy", "z"} {
			d.create("c1", d.object(a, name, selected))
		}
		d.create("c1", d.object(a, "y", others))
		d.create("c1", d.object(a, "bare", nil))
		d.create("c1", d.object(a, "blank", blank))
		d.create("c1", d.object(ab, "x", selected))
		if d.t.Has(Finalizers) {
			d.create("c1", d.held(a, "held", selected, oneFinalizer))
		}
	}
	d.watched(func(string) {
		look := func() {
			for _, name := range []string{"x", "xy", "y", "z", "bare", "blank", "held"} {
				d.get("g1", a, name)
			}
			d.get("g1", ab, "x")
			d.list("l1", a, nothingElse)
		}
		defer d.release(a, "held")
		w := d.watch("w3", ab, nothingElse)
		fill()
		if d.t.Has(LabelWatch) {
			d.sweep("c1", a, byLabel)
			look()
			d.release(a, "held")
			fill()
		}
		if d.t.Has(FieldWatch) {
			d.sweep("c1", a, byName)
			look()
			fill()
		}
		d.sweep("c1", a, nothingElse)
		look()
		d.sweep("c1", a, nothingElse) // there is nothing more, or what is going already
		d.release(a, "held")
		for _, how := range waysToDelete {
			d.create("c1", d.object(a, "x", selected))
			d.create("c1", d.object(a, "bare", nil))
			d.sweepWith("c1", a, nothingElse, how)
			look()
		}
		d.settle(w)
		w.close()
	})
}
