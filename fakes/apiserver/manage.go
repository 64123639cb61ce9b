package apiserver

import (
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// fieldManager is what knows who manages which field of a kind, as a subresource writes it.
func (v *View) fieldManager(k *kind, sub string) (*managedfields.FieldManager, error) {
	k.fieldsMu.Lock()
	defer k.fieldsMu.Unlock()
	if f := k.fields[sub]; f != nil {
		return f, nil
	}
	how := managedfields.NewDefaultCRDFieldManager
	if !k.res.Custom {
		how = managedfields.NewDefaultFieldManager
	}
	like := k.res.like(sub)
	one, gvk := oneVersion{like, k}, like.GroupVersion().WithKind(like.Kind)
	f, err := how(v.typesOf(k, sub), one, one, one, gvk, gvk.GroupVersion(), sub, k.res.resets(sub))
	if err != nil {
		return nil, err
	}
	if k.fields == nil {
		k.fields = map[string]*managedfields.FieldManager{}
	}
	k.fields[sub] = f
	return f, nil
}

// typesOf returns the type converter for writes to a subresource of a kind.
func (v *View) typesOf(k *kind, sub string) managedfields.TypeConverter {
	switch {
	case sub == scale:
		return smallType(scale)
	case k.res.types != nil:
		return k.res.types
	case !k.res.Custom && v.o.Types != nil && k.res.GroupVersionResource != definitions:
		return v.o.Types()
	}
	return smallType("object")
}

// resets are the fields that a write to a subresource does not change, so that nobody comes to manage them by it.
func (r *Resource) resets(sub string) map[fieldpath.APIVersion]fieldpath.Filter {
	if r.Status == nil || sub == scale {
		return nil
	}
	set := fieldpath.NewSet(fieldpath.MakePathOrDie(status))
	if sub == status {
		set = fieldpath.NewSet(fieldpath.MakePathOrDie("spec"))
		if r.Custom {
			set.Insert(fieldpath.MakePathOrDie("metadata"))
		}
		for _, name := range r.statusResets {
			set.Insert(fieldpath.MakePathOrDie("metadata", name))
		}
	}
	return map[fieldpath.APIVersion]fieldpath.Filter{
		fieldpath.APIVersion(r.GroupVersion().String()): fieldpath.NewExcludeSetFilter(set),
	}
}

// manage keeps account of who manages the fields that a write other than an apply has changed. Without Options.ManagedFields it does so once
// somebody has applied the object, or says in it who manages what: until then it gives what is to be remembered.
// old is nil for a create.
func (v *View) manage(k *kind, sub, manager string, old *record, in runtime.Object) draft {
	m := in.(metav1.Object)
	if k.res.other != nil { // managers are of what is read, which has been in the version that is stored
		in = k.res.other.from(k.res.other.to(in)).DeepCopyObject()
		defer func(said metav1.Object) { said.SetManagedFields(m.GetManagedFields()) }(m)
		m = in.(metav1.Object)
	}
	if all := m.GetManagedFields(); all != nil && len(all) == 0 && sub == "" && old != nil { // the client says that there are none
		m.SetManagedFields(nil)
		return draft{of: nobody}
	}
	if !v.managesAtOnce(manager, old) && len(m.GetManagedFields()) == 0 && (old == nil || len(old.meta.GetManagedFields()) == 0) {
		m.SetManagedFields(nil)
		return v.remembered(k, sub, manager, old, in)
	}
	live := k.res.New()
	switch {
	case old != nil && v.o.ManagedFields:
		live = v.managed(old)
	case old != nil:
		live = old.obj
	}
	k.res.read(sub, in)
	f, err := v.fieldManager(k, sub)
	if err != nil {
		m.SetManagedFields(live.(metav1.Object).GetManagedFields())
		return draft{}
	}
	f.UpdateNoErrors(live, in, manager)
	onTheWire(m)
	return draft{of: nobody}
}

// ServerManager is the field manager of objects that the server creates for itself.
const ServerManager = "kube-apiserver"

// managesAtOnce reports whether a write counts now, also if nobody has applied the object. What the server creates for itself counts with the
// first write by another: nobody looks at it before, and the schemas, which take a tenth of a second, are not needed at the start.
func (v *View) managesAtOnce(manager string, old *record) bool {
	return v.o.ManagedFields && (old != nil || manager != ServerManager)
}

// onTheWire gives the times of managed fields as they come back from the wire, in seconds.
func onTheWire(m metav1.Object) {
	all := m.GetManagedFields()
	if len(all) == 0 {
		return
	}
	for i := range all {
		if t := all[i].Time; t != nil {
			all[i].Time = new(t.Rfc3339Copy())
		}
	}
	m.SetManagedFields(all)
}

// sameTimes takes the old times of managed fields over where nothing but they would change.
func sameTimes(in runtime.Object, old runtime.Object) {
	m := in.(metav1.Object)
	now, before := m.GetManagedFields(), old.(metav1.Object).GetManagedFields()
	if len(now) == 0 || len(now) != len(before) {
		return
	}
	for i := range now {
		e := now[i]
		if e.Time = before[i].Time; !reflect.DeepEqual(e, before[i]) {
			return
		}
	}
	m.SetManagedFields(before)
	if !equality.Semantic.DeepEqual(in, old) {
		m.SetManagedFields(now)
	}
}

// oneVersion is what a field manager needs to know of a kind. res is the kind's row, or that of a subresource.
type oneVersion struct {
	res *Resource
	of  *kind
}

// ConvertToVersion implements runtime.ObjectConvertor. Typed objects get kind and apiVersion, by which their schema is found.
// Custom objects are converted to the versions in which their managers wrote.
func (o oneVersion) ConvertToVersion(in runtime.Object, to runtime.GroupVersioner) (runtime.Object, error) {
	if u, ok := in.(*unstructured.Unstructured); ok && o.res.Custom && o.of.versions != nil {
		want, ok := to.KindForGroupVersionKinds([]schema.GroupVersionKind{u.GroupVersionKind()})
		if !ok {
			return nil, fmt.Errorf("%v is unstructured and is not suitable for converting to %q", u.GroupVersionKind(), to)
		}
		return o.of.managedIn(u, want.GroupVersion())
	}
	as := &kind{res: o.res, history: &history{}} // of a subresource
	if o.res == o.of.res {
		as = o.of.form(to)
	}
	gvk := as.res.GroupVersion().WithKind(as.res.Kind)
	if o.res.Custom || reflect.TypeOf(in) == reflect.TypeOf(as.res.New()) && in.GetObjectKind().GroupVersionKind() == gvk {
		return in, nil
	}
	out := in.DeepCopyObject()
	if u, ok := in.(*unstructured.Unstructured); ok {
		out = as.res.New()
		if o.res == o.of.res {
			out = o.of.form(u.GroupVersionKind().GroupVersion()).res.New()
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, out); err != nil {
			return nil, fmt.Errorf("unable to convert unstructured object to %v: %w", gvk, err)
		}
	}
	out = as.typed(out)
	out.GetObjectKind().SetGroupVersionKind(gvk)
	return out, nil
}

// Convert implements runtime.ObjectConvertor, of which field managers use ConvertToVersion alone.
func (o oneVersion) Convert(in, out, _ any) error {
	return fmt.Errorf("%T is not converted to %T", in, out)
}

// ConvertFieldLabel implements runtime.ObjectConvertor, of which field managers use ConvertToVersion alone.
func (o oneVersion) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

// Default implements runtime.ObjectDefaulter. Custom resources have no defaults here.
func (o oneVersion) Default(in runtime.Object) {
	if o.res.defaults != nil {
		o.res.defaults(in)
	}
}

// New implements runtime.ObjectCreater.
func (o oneVersion) New(schema.GroupVersionKind) (runtime.Object, error) { return o.res.New(), nil }
