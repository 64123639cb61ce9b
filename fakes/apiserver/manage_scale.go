package apiserver

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// scaled is an object as /scale shows it, with the managers of its replicas as those of a Scale, and what makes
// of them managers of the object again.
func (v *View) scaled(k *kind, obj runtime.Object) (runtime.Object, *managedfields.ScaleHandler, error) {
	gv, replicas := k.res.GroupVersion(), fieldpath.MakePathOrDie("spec", "replicas")
	if k.res.replicas != nil {
		replicas = nil
		for _, name := range k.res.replicas {
			replicas = append(replicas, fieldpath.PathElement{FieldName: &name})
		}
	}
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
func (v *View) manageScale(k *kind, manager *string, old *record, in runtime.Object) (draft, error) {
	m := in.(metav1.Object)
	switch {
	case manager == nil:
		_, h, err := v.scaled(k, v.managed(old))
		if err != nil {
			return draft{}, err
		}
		all, err := h.ToParent(m.GetManagedFields())
		m.SetManagedFields(all)
		onTheWire(m)
		return draft{}, err
	case !v.o.ManagedFields && len(old.meta.GetManagedFields()) == 0:
		m.SetManagedFields(nil)
		return v.remembered(k, scale, *manager, old, in), nil
	}
	return draft{}, v.scaledBy(k, *manager, v.managed(old), in)
}

// scaledBy leaves in a Scale, as somebody has written it, the managers of the object's fields. live has managers.
func (v *View) scaledBy(k *kind, manager string, live, in runtime.Object) error {
	was, h, err := v.scaled(k, live)
	if err != nil {
		return err
	}
	f, err := v.fieldManager(k, scale)
	if err != nil {
		return err
	}
	f.UpdateNoErrors(was, in, manager)
	m := in.(metav1.Object)
	all, err := h.ToParent(m.GetManagedFields())
	if err != nil {
		return err
	}
	m.SetManagedFields(all)
	onTheWire(m)
	return nil
}
