package registry

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/names"
)

// scheme has ConfigMaps, and for handlers that want one an internal version of the same Go type.
var (
	scheme = newScheme()
	codecs = serializer.NewCodecFactory(scheme)
	codec  = codecs.LegacyCodec(corev1.SchemeGroupVersion)
)

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	utilruntime.Must(corev1.AddToScheme(s))
	metav1.AddToGroupVersion(s, corev1.SchemeGroupVersion)
	internal := schema.GroupVersion{Version: runtime.APIVersionInternal}
	s.AddKnownTypes(internal, &corev1.ConfigMap{}, &corev1.ConfigMapList{})
	return s
}

// strategy is that of ConfigMaps in kube-apiserver, without what is no business of a storage.
type strategy struct{}

func (strategy) NamespaceScoped() bool                                            { return true }
func (strategy) AllowCreateOnUpdate(context.Context) bool                         { return false }
func (strategy) AllowUnconditionalUpdate(context.Context) bool                    { return true }
func (strategy) Canonicalize(runtime.Object)                                      {}
func (strategy) PrepareForCreate(context.Context, runtime.Object)                 {}
func (strategy) PrepareForUpdate(context.Context, runtime.Object, runtime.Object) {}
func (strategy) WarningsOnCreate(context.Context, runtime.Object) []string        { return nil }
func (strategy) WarningsOnUpdate(context.Context, runtime.Object, runtime.Object) []string {
	return nil
}

func (strategy) GenerateName(base string) string { return names.SimpleNameGenerator.GenerateName(base) }

func (strategy) ObjectKinds(obj runtime.Object) ([]schema.GroupVersionKind, bool, error) {
	return scheme.ObjectKinds(obj)
}

func (strategy) Recognizes(gvk schema.GroupVersionKind) bool { return scheme.Recognizes(gvk) }

func (strategy) Validate(_ context.Context, obj runtime.Object) field.ErrorList {
	return validation.ValidateObjectMeta(&obj.(*corev1.ConfigMap).ObjectMeta, true, validation.NameIsDNSSubdomain, field.NewPath("metadata"))
}

func (strategy) ValidateUpdate(_ context.Context, obj, old runtime.Object) field.ErrorList {
	return validation.ValidateObjectMetaUpdate(&obj.(*corev1.ConfigMap).ObjectMeta, &old.(*corev1.ConfigMap).ObjectMeta, field.NewPath("metadata"))
}

var _ rest.RESTCreateStrategy = strategy{}

// attributes are what selectors see.
func attributes(obj runtime.Object) (labels.Set, fields.Set, error) {
	c, ok := obj.(*corev1.ConfigMap)
	if !ok {
		return nil, nil, errors.New("no ConfigMap")
	}
	return c.Labels, generic.ObjectMetaFieldsSet(&c.ObjectMeta, true), nil
}

func matching(label labels.Selector, field fields.Selector) storage.SelectionPredicate {
	return storage.SelectionPredicate{Label: label, Field: field, GetAttrs: attributes}
}
