package apiserver

import (
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// Column is a printer column of a custom resource.
type Column struct {
	metav1.TableColumnDefinition
	JSONPath string
}

// Schema returns the schema of a custom resource, in a copy of the caller's own; nil: it has none.
func (r *Resource) Schema() *spec.Schema {
	if r.structure == nil {
		return nil
	}
	return r.structure.ToKubeOpenAPI()
}

// Coerce makes of a custom object, as it is sent, what is stored: it drops fields that the schema has not got, sets
// defaults, and returns the paths of those fields. The error says that embedded metadata has the wrong type.
func (r *Resource) Coerce(u *unstructured.Unstructured) (unknown []string, err error) {
	return r.structure.coerce(u)
}

// customRows are the rows of a definition's versions.
func customRows(d *crd) (rows []*Resource, err error) {
	models := map[string]*spec.Schema{}
	for i := range d.Spec.Versions {
		r, err := customRow(d, &d.Spec.Versions[i])
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
		if s := r.Schema(); s != nil {
			models[r.Version] = modelOf(s, r.GroupVersion().WithKind(r.Kind))
		}
	}
	if len(models) == len(rows) {
		models["metadata"] = metadataModel()
		types, err := managedfields.NewTypeConverter(models, d.Spec.PreserveUnknownFields)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			r.types = types
		}
	}
	return rows, nil
}

// customRow is the row of a version.
func customRow(d *crd, v *apiextensionsv1.CustomResourceDefinitionVersion) (*Resource, error) {
	names := d.Status.AcceptedNames
	gv := schema.GroupVersion{Group: d.Spec.Group, Version: v.Name}
	r := CustomResource(gv.WithKind(names.Kind), names.Plural, d.Spec.Scope == apiextensionsv1.NamespaceScoped)
	r.NewList = func() runtime.Object {
		l := &unstructured.UnstructuredList{}
		l.SetGroupVersionKind(gv.WithKind(names.ListKind))
		return l
	}
	r.Singular, r.ShortNames, r.Categories = names.Singular, names.ShortNames, names.Categories
	if v.Deprecated {
		r.Deprecated = deprecation(d, v)
	}
	i := slices.IndexFunc(d.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Storage })
	r.StoredVersion = d.Spec.Versions[i].Name
	if v.Schema != nil && v.Schema.OpenAPIV3Schema != nil {
		var err error
		if r.structure, err = newStructure(r.groupKind(), v.Schema.OpenAPIV3Schema, d.Spec.PreserveUnknownFields); err != nil {
			return nil, err
		}
	}
	r.defaults = of1(r.structure.setDefaults)
	for _, c := range v.AdditionalPrinterColumns {
		about := c.Description
		if about == "" {
			about = "Custom resource definition column (in JSONPath format): " + c.JSONPath
		}
		r.Columns = append(r.Columns, Column{metav1.TableColumnDefinition{Name: c.Name, Type: c.Type, Format: c.Format, Description: about, Priority: c.Priority}, c.JSONPath})
	}
	if len(v.SelectableFields) > 0 {
		r.Fields = fieldFuncs{}
	}
	for _, f := range v.SelectableFields {
		path := steps(f.JSONPath)
		r.Fields[f.JSONPath[1:]] = of(func(u *unstructured.Unstructured) string { return selected(u, path) })
	}
	r.subresources(v.Subresources)
	return &r, nil
}

// selected is the value of a selectable field.
func selected(u *unstructured.Unstructured, path []string) string {
	v, ok, err := unstructured.NestedFieldNoCopy(u.Object, path...)
	if err != nil || !ok || v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// subresources adds those of a version, and what is checked of its objects.
func (r *Resource) subresources(subs *apiextensionsv1.CustomResourceSubresources) {
	s, spec, state := r.structure, func(*unstructured.Unstructured) field.ErrorList { return nil }, func(*unstructured.Unstructured) field.ErrorList { return nil }
	if subs != nil && subs.Status != nil {
		*r = r.WithStatus()
	}
	if subs != nil && subs.Scale != nil {
		of := *subs.Scale
		r.Scale = func(obj runtime.Object) Scaled { return scaledBy(obj.(*unstructured.Unstructured), of) }
		r.replicas = steps(of.SpecReplicasPath)
		spec = func(u *unstructured.Unstructured) field.ErrorList { return checkReplicas(u, of.SpecReplicasPath) }
		state = func(u *unstructured.Unstructured) field.ErrorList {
			errs := checkReplicas(u, of.StatusReplicasPath)
			if of.LabelSelectorPath != nil {
				if said, _, err := unstructured.NestedString(u.Object, steps(*of.LabelSelectorPath)...); err != nil {
					errs = append(errs, field.Invalid(field.NewPath(*of.LabelSelectorPath), said, err.Error()))
				}
			}
			return errs
		}
	}
	r.check = checked(func(in, old *unstructured.Unstructured) field.ErrorList {
		return slices.Concat(s.check(in, old), spec(in), state(in), s.checkMore(in, old))
	})
	r.checkPart = map[string]func(in, old runtime.Object) field.ErrorList{status: checked(func(in, old *unstructured.Unstructured) field.ErrorList {
		return slices.Concat(s.checkStatus(in, old), state(in))
	})}
}

// scaledBy is what the scale subresource of a custom object is about.
func scaledBy(u *unstructured.Unstructured, of apiextensionsv1.CustomResourceSubresourceScale) (out Scaled) {
	if n, ok, err := unstructured.NestedInt64(u.Object, steps(of.SpecReplicasPath)...); ok && err == nil {
		out.Replicas = new(int32(n))
	}
	n, _, _ := unstructured.NestedInt64(u.Object, steps(of.StatusReplicasPath)...) // checked when it was stored
	out.Current = int32(n)
	if of.LabelSelectorPath != nil {
		out.Selector, _, _ = unstructured.NestedString(u.Object, steps(*of.LabelSelectorPath)...)
	}
	return out
}

// deprecation is the warning of a deprecated version.
func deprecation(d *crd, v *apiextensionsv1.CustomResourceDefinitionVersion) string {
	if v.DeprecationWarning != nil {
		return *v.DeprecationWarning
	}
	out, best := fmt.Sprintf("%s/%s %s is deprecated", d.Spec.Group, v.Name, d.Spec.Names.Kind), ""
	for _, o := range d.Spec.Versions {
		if o.Served && !o.Deprecated && version.CompareKubeAwareVersionStrings(v.Name, o.Name) < 0 &&
			(best == "" || version.CompareKubeAwareVersionStrings(o.Name, best) > 0) {
			best = o.Name
		}
	}
	if best == "" {
		return out
	}
	return fmt.Sprintf("%s; use %s/%s %s", out, d.Spec.Group, best, d.Spec.Names.Kind)
}

// modelOf is a schema by which a server-side apply merges objects of a kind.
func modelOf(s *spec.Schema, gvk schema.GroupVersionKind) *spec.Schema {
	s.SetProperty("apiVersion", *spec.StringProperty())
	s.SetProperty("kind", *spec.StringProperty())
	s.SetProperty("metadata", *spec.RefSchema("#/definitions/metadata"))
	s.AddExtension("x-kubernetes-group-version-kind", []any{map[string]any{"group": gvk.Group, "version": gvk.Version, "kind": gvk.Kind}})
	return s
}

// metadataModel is the schema of metadata.
func metadataModel() *spec.Schema {
	out, text := new(spec.Schema).Typed("object", ""), spec.StringProperty()
	for _, name := range []string{"creationTimestamp", "deletionTimestamp", "generateName", "name", "namespace", "resourceVersion", "selfLink", "uid"} {
		out.SetProperty(name, *text)
	}
	for _, name := range []string{"deletionGracePeriodSeconds", "generation"} {
		out.SetProperty(name, *spec.Int64Property())
	}
	out.SetProperty("annotations", *spec.MapProperty(text))
	out.SetProperty("labels", *spec.MapProperty(text))
	finalizers := spec.ArrayProperty(text)
	finalizers.AddExtension("x-kubernetes-list-type", "set")
	out.SetProperty("finalizers", *finalizers)
	owner := new(spec.Schema).Typed("object", "")
	for _, name := range []string{"apiVersion", "kind", "name", "uid"} {
		owner.SetProperty(name, *text)
	}
	owner.SetProperty("blockOwnerDeletion", *spec.BooleanProperty())
	owner.SetProperty("controller", *spec.BooleanProperty())
	owner.AddExtension("x-kubernetes-map-type", "atomic")
	owners := spec.ArrayProperty(owner)
	owners.AddExtension("x-kubernetes-list-type", "map")
	owners.AddExtension("x-kubernetes-list-map-keys", []any{"uid"})
	out.SetProperty("ownerReferences", *owners)
	managers := spec.ArrayProperty(new(spec.Schema).Typed("object", ""))
	managers.AddExtension("x-kubernetes-list-type", "atomic")
	out.SetProperty("managedFields", *managers)
	return out
}
