package apiserver

import (
	"fmt"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Resource is what the server knows about one resource, as data.
type Resource struct {
	schema.GroupVersionResource
	Kind       string
	Namespaced bool

	// CreateOnUpdate: an update or patch of what does not exist creates it.
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

// accept takes a caller's object: a private copy of the right type, without kind and apiVersion.
func (r *Resource) accept(obj runtime.Object) (runtime.Object, metav1.Object, error) {
	if obj == nil || reflect.ValueOf(obj).IsNil() {
		obj = r.New()
	}
	if got, want := reflect.TypeOf(obj), reflect.TypeOf(r.New()); got != want {
		return nil, nil, apierrors.NewBadRequest(fmt.Sprintf("%s cannot be handled as a %s", got, r.Kind))
	}
	in := obj.DeepCopyObject()
	in.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	m, ok := in.(metav1.Object)
	if !ok {
		return nil, nil, apierrors.NewBadRequest(fmt.Sprintf("%T has no metadata", obj))
	}
	return in, m, nil
}
