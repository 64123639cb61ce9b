package apiserver

import (
	"encoding/hex"
	"fmt"
	"maps"
	"math"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// CustomResource is the row of a custom resource without a schema or subresources (see WithStatus): objects are
// *unstructured.Unstructured and carry their kind and apiVersion, lists are
// *unstructured.UnstructuredList. metadata.generation counts changes of anything but metadata, an update
// must name its resourceVersion, and only name and namespace can be selected by field.
func CustomResource(gvk schema.GroupVersionKind, plural string, namespaced bool) Resource {
	return Resource{
		GroupVersionResource: gvk.GroupVersion().WithResource(plural),
		Kind:                 gvk.Kind, Namespaced: namespaced, Custom: true,
		Spec: butMetadata,
		New: func() runtime.Object {
			u := &unstructured.Unstructured{}
			u.SetGroupVersionKind(gvk)
			return u
		},
		NewList: func() runtime.Object {
			l := &unstructured.UnstructuredList{}
			l.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
			return l
		},
	}
}

// WithStatus is the row of a custom resource with the status subresource: a write to the object leaves status
// alone, and generation does not count its changes; one to status leaves everything else alone, metadata too.
func (r Resource) WithStatus() Resource {
	r.Status = func(obj runtime.Object) any { return obj.(*unstructured.Unstructured).Object[status] }
	r.Spec = func(obj runtime.Object) any {
		content := butMetadata(obj).(map[string]any)
		delete(content, status)
		return content
	}
	return r
}

// butMetadata is what generation counts the changes of.
func butMetadata(obj runtime.Object) any {
	content := maps.Clone(obj.(*unstructured.Unstructured).Object)
	delete(content, "metadata")
	return content
}

// setStatus gives a custom object the status of another, or none.
func setStatus(to, from runtime.Object) {
	in, of := to.(*unstructured.Unstructured), from.DeepCopyObject().(*unstructured.Unstructured)
	delete(in.Object, status)
	if s, ok := of.Object[status]; ok {
		in.Object[status] = s
	}
}

// mergedStatus is the old custom object with the status of another, and with who manages what there.
func mergedStatus(in, old runtime.Object) runtime.Object {
	out, m := old.DeepCopyObject(), in.(metav1.Object)
	setStatus(out, in)
	to := out.(metav1.Object)
	to.SetManagedFields(m.GetManagedFields())
	to.SetResourceVersion(m.GetResourceVersion())
	return out
}

// acceptCustom takes a caller's object through JSON, so that it holds nothing else.
func (r *Resource) acceptCustom(obj *unstructured.Unstructured) (runtime.Object, metav1.Object, error) {
	body, err := json.Marshal(obj.Object)
	if err != nil {
		return nil, nil, apierrors.NewBadRequest(err.Error())
	}
	in, err := decodeCustom(body)
	switch {
	case runtime.IsMissingKind(err):
		err = fmt.Errorf("the object provided is unrecognized (must be of type %s): %w (%s)", r.Kind, err, summary(body))
	case err != nil:
		err = fmt.Errorf("%s in version %q cannot be handled as a %s: %w", obj.GetKind(), r.Version, r.Kind, err)
	case in.GetAPIVersion() == r.GroupVersion().String() && in.GetKind() == r.Kind:
		if _, err = r.structure.coerce(in); err != nil {
			err = fmt.Errorf("%s in version %q cannot be handled as a %s: %w", obj.GetKind(), r.Version, r.Kind, err)
		}
	case in.GetAPIVersion() != r.GroupVersion().String():
		err = fmt.Errorf("the API version in the data (%s) does not match the expected API version (%s)", in.GetAPIVersion(), r.GroupVersion())
	}
	if err != nil {
		return nil, nil, apierrors.NewBadRequest(err.Error())
	}
	return in, in, nil
}

// decodeCustom reads a custom object, with metadata as its type says: nothing unknown, nothing empty.
func decodeCustom(body []byte) (*unstructured.Unstructured, error) {
	in := &unstructured.Unstructured{}
	if err := in.UnmarshalJSON(body); err != nil {
		return nil, err
	}
	settle(in.Object)
	raw, err := json.Marshal(in.Object["metadata"])
	if err != nil {
		return nil, err
	}
	var m metav1.ObjectMeta
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, err
	}
	metadata, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&m)
	if err != nil {
		return nil, err
	}
	in.Object["metadata"] = metadata
	return in, nil
}

// keepEmpty gives a custom object what the metadata of another has that is null or empty, also among labels and annotations.
func keepEmpty(to *unstructured.Unstructured, from runtime.Object) {
	u, ok := from.(*unstructured.Unstructured)
	if !ok {
		return
	}
	has, _ := to.Object["metadata"].(map[string]any)
	all, _ := u.Object["metadata"].(map[string]any)
	for name, v := range all {
		if _, ok := has[name]; !ok && has != nil && name != "managedFields" {
			has[name] = v
		}
		fields, _ := v.(map[string]any)
		for key, w := range fields {
			if kept, ok := has[name].(map[string]any); ok && w == nil {
				kept[key] = nil
			}
		}
	}
}

// dropEmpty undoes keepEmpty, and reports whether there was something to undo.
func dropEmpty(u *unstructured.Unstructured) (dropped bool) {
	metadata, _ := u.Object["metadata"].(map[string]any)
	for name, v := range metadata {
		list, isList := v.([]any)
		fields, isMap := v.(map[string]any)
		if v == nil || isList && len(list) == 0 || isMap && len(fields) == 0 {
			delete(metadata, name)
			dropped = true
		}
		for key, w := range fields {
			if w == nil {
				fields[key], dropped = "", true
			}
		}
	}
	return dropped
}

// settle makes whole numbers what they are when they come back from the store: 1e3 is 1000 then.
func settle(v any) any {
	const exact = 1 << 53
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = settle(v[k])
		}
	case []any:
		for i := range v {
			v[i] = settle(v[i])
		}
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < exact {
			return int64(v)
		}
	}
	return v
}

// otherType says that a custom object is not what it must be, and what is wrong with its lists then; nil where it is.
func (r *Resource) otherType(in, old runtime.Object) (errs field.ErrorList) {
	if !r.Custom {
		return nil
	}
	gvk := in.GetObjectKind().GroupVersionKind()
	if gvk.Kind != r.Kind {
		errs = append(errs, field.Invalid(field.NewPath("kind"), gvk.Kind, "must be "+r.Kind))
	}
	if got, want := gvk.GroupVersion().String(), r.GroupVersion().String(); got != want {
		errs = append(errs, field.Invalid(field.NewPath("apiVersion"), got, "must be "+want))
	}
	if len(errs) == 0 {
		return nil
	}
	was, _ := old.(*unstructured.Unstructured)
	return append(errs, r.structure.checkMore(in.(*unstructured.Unstructured), was)...)
}

// summary is the beginning of a body, as kube-apiserver shows it.
func summary(body []byte) string {
	const most = 30
	show, more := body, ""
	if len(show) > most {
		show, more = show[:most], " ..."
	}
	switch {
	case len(show) == 0:
		return "<empty>"
	case show[0] == '{':
		return string(show) + more
	}
	return hex.EncodeToString(show) + more
}
