package apiserver

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// scaled is an object as /scale shows it, with the managers of its replicas as those of a Scale, and what makes
// of them managers of the object again.
func (v *View) scaled(k *kind, obj runtime.Object) (runtime.Object, *managedfields.ScaleHandler, error) {
	gv, replicas := k.res.GroupVersion(), fieldpath.MakePathOrDie("spec", "replicas")
	h := managedfields.NewScaleHandler(obj.(metav1.Object).GetManagedFields(), gv, managedfields.ResourcePathMappings{gv.String(): replicas})
	managers, err := h.ToSubresource()
	if err != nil {
		return nil, nil, err
	}
	out := k.res.shown(scale, obj)
	out.(metav1.Object).SetManagedFields(managers)
	return out, h, nil
}

// manageScale keeps account of who manages the replicas that a write to /scale has changed: in the Scale it leaves
// all managers of the object. An apply has no manager here: the Scale says already who it is. Those who come to
// manage them by a Scale have no time.
func (v *View) manageScale(k *kind, manager *string, old, in runtime.Object) error {
	m := in.(metav1.Object)
	if manager != nil && len(old.(metav1.Object).GetManagedFields()) == 0 {
		m.SetManagedFields(nil)
		return nil
	}
	live, h, err := v.scaled(k, v.adopted(k, old))
	if err != nil {
		return err
	}
	if manager != nil {
		f, err := v.fieldManager(k, scale)
		if err != nil {
			return err
		}
		f.UpdateNoErrors(live, in, *manager)
	}
	all, err := h.ToParent(m.GetManagedFields())
	if err != nil {
		return err
	}
	m.SetManagedFields(all)
	onTheWire(m)
	return nil
}

// adopted is an object with managers of its fields: where there were none, as an apply that says nothing finds it.
func (v *View) adopted(k *kind, obj runtime.Object) runtime.Object {
	if len(obj.(metav1.Object).GetManagedFields()) > 0 {
		return obj
	}
	f, err := v.fieldManager(k, "")
	if err != nil {
		return obj
	}
	nothing := &unstructured.Unstructured{Object: map[string]any{}}
	nothing.SetGroupVersionKind(k.res.GroupVersion().WithKind(k.res.Kind))
	nothing.SetName(obj.(metav1.Object).GetName())
	out, err := f.Apply(obj, nothing, "nobody", false)
	if err != nil {
		return obj
	}
	with := obj.DeepCopyObject()
	with.(metav1.Object).SetManagedFields(out.(metav1.Object).GetManagedFields())
	return with
}
