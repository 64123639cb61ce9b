package apiserver

import (
	"fmt"
	"reflect"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Resource is what the server knows about one resource, as data.
type Resource struct {
	schema.GroupVersionResource
	Kind       string
	Namespaced bool

	// CreateOnUpdate: an update of what does not exist creates it.
	CreateOnUpdate bool
	// Unconditional: an update without resourceVersion is applied; else it is refused with 422.
	Unconditional bool
	// Uncached: served without a watch cache. Lists page at "0" too, a watch gets no bookmarks but the
	// initial-events-end one, what is too new is refused at once, and compaction decides what is too old.
	Uncached bool
	// Cold: its cache starts with the first request that needs it, which is refused with 429; so after a
	// restart. A custom resource is served so when its definition is new.
	Cold bool
	// Custom: objects are *unstructured.Unstructured; see CustomResource.
	Custom bool
	// NoCollection: deletecollection is refused with 405.
	NoCollection bool

	// Fields are the selectable fields beside metadata.name and metadata.namespace.
	Fields map[string]func(runtime.Object) string
	// Spec is the part whose change raises metadata.generation; nil where there is no generation.
	Spec func(runtime.Object) any
	// ValidName judges names (and, with prefix, generateNames); nil: a DNS subdomain.
	ValidName validation.ValidateNameFunc

	New     func() runtime.Object
	NewList func() runtime.Object
}

func (r *Resource) groupKind() schema.GroupKind {
	return schema.GroupKind{Group: r.Group, Kind: r.Kind}
}

func (r *Resource) nameFunc() validation.ValidateNameFunc {
	if r.ValidName != nil {
		return r.ValidName
	}
	return validation.NameIsDNSSubdomain
}

// key is the object's place in the order of its kind; with an empty name, the prefix of a namespace.
func (r *Resource) key(namespace, name string) string {
	if !r.Namespaced || namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// accept takes a caller's object: a private copy of the right type, without kind and apiVersion where
// the type says them.
func (r *Resource) accept(obj runtime.Object) (runtime.Object, metav1.Object, error) {
	if obj == nil || reflect.ValueOf(obj).IsNil() {
		obj = r.New()
	}
	if got, want := reflect.TypeOf(obj), reflect.TypeOf(r.New()); got != want {
		return nil, nil, apierrors.NewBadRequest(fmt.Sprintf("%s cannot be handled as a %s", got, r.Kind))
	}
	if custom, ok := obj.(*unstructured.Unstructured); ok {
		return r.acceptCustom(custom)
	}
	in := obj.DeepCopyObject()
	in.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	m, ok := in.(metav1.Object)
	if !ok {
		return nil, nil, apierrors.NewBadRequest(fmt.Sprintf("%T has no metadata", obj))
	}
	return in, m, nil
}

// decode reads an object that the server itself has written.
func (r *Resource) decode(body []byte) (runtime.Object, metav1.Object, error) {
	if r.Custom {
		in, err := decodeCustom(body)
		return in, in, err
	}
	in := r.New()
	if err := json.Unmarshal(body, in); err != nil {
		return nil, nil, err
	}
	in.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return in, in.(metav1.Object), nil
}

// validate judges metadata of what is about to be stored in place of old, which may be nil; else 422.
func (r *Resource) validate(in runtime.Object, m, old metav1.Object) error {
	if err := r.otherType(in, m.GetName()); err != nil {
		return err
	}
	path := field.NewPath("metadata")
	var errs field.ErrorList
	if old == nil {
		errs = validation.ValidateObjectMetaAccessor(m, r.Namespaced, r.nameFunc(), path)
	} else {
		errs = validation.ValidateObjectMetaAccessorUpdate(m, old, path)
		if r.Custom {
			errs = append(errs, errs...) // both the registry and the resource look, and say so
		}
		errs = append(errs, validation.ValidateFinalizers(m.GetFinalizers(), path.Child("finalizers"))...)
	}
	if !r.Custom {
		errs = append(errs, standardFinalizers(m, path.Child("finalizers"))...)
	}
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(r.groupKind(), m.GetName(), errs)
}

// standardFinalizers is what built-in kinds ask beyond a qualified name: a domain, or a known name.
func standardFinalizers(m metav1.Object, path *field.Path) (errs field.ErrorList) {
	for i, f := range m.GetFinalizers() {
		switch {
		case strings.Contains(f, "/"), f == metav1.FinalizerOrphanDependents, f == metav1.FinalizerDeleteDependents, f == "kubernetes":
		default:
			errs = append(errs, field.Invalid(path.Index(i), f, "name is neither a standard finalizer name nor is it fully qualified"))
		}
	}
	return errs
}
