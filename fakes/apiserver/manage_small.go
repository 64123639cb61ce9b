package apiserver

import (
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// smallType is how objects are merged whose schema is here, by its name below: "object" is one of which only the
// metadata is known, where maps are merged by key, and the rest as a whole.
type smallType string

// ObjectToTyped implements managedfields.TypeConverter.
func (s smallType) ObjectToTyped(obj runtime.Object, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	t := smallTypes().Type(string(s))
	if u, ok := obj.(*unstructured.Unstructured); ok {
		return t.FromUnstructured(u.Object, opts...)
	}
	return t.FromStructured(obj, opts...)
}

// TypedToObject implements managedfields.TypeConverter.
func (smallType) TypedToObject(v *typed.TypedValue) (runtime.Object, error) {
	content, ok := v.AsValue().Unstructured().(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%T is no object", v.AsValue().Unstructured())
	}
	return &unstructured.Unstructured{Object: content}, nil
}

// smallTypes has the schemas below.
var smallTypes = sync.OnceValue(func() *typed.Parser {
	p, err := typed.NewParser(smallSchemas)
	if err != nil {
		panic(err) // it is the constant below
	}
	return p
})

const smallSchemas = `types:
- name: object
  map:
    fields:
    - {name: apiVersion, type: {scalar: string}}
    - {name: kind, type: {scalar: string}}
    - {name: metadata, type: {namedType: metadata}}
    elementType: {namedType: __untyped_deduced_}
- name: scale
  map:
    fields:
    - {name: apiVersion, type: {scalar: string}}
    - {name: kind, type: {scalar: string}}
    - {name: metadata, type: {namedType: metadata}}
    - {name: spec, type: {map: {fields: [{name: replicas, type: {scalar: numeric}}]}}}
    - {name: status, type: {map: {fields: [{name: replicas, type: {scalar: numeric}}, {name: selector, type: {scalar: string}}]}}}
- name: metadata
  map:
    fields:
    - {name: annotations, type: {map: {elementType: {scalar: string}}}}
    - {name: creationTimestamp, type: {scalar: untyped}}
    - {name: deletionGracePeriodSeconds, type: {scalar: numeric}}
    - {name: deletionTimestamp, type: {scalar: untyped}}
    - {name: finalizers, type: {list: {elementType: {scalar: string}, elementRelationship: associative}}}
    - {name: generateName, type: {scalar: string}}
    - {name: generation, type: {scalar: numeric}}
    - {name: labels, type: {map: {elementType: {scalar: string}}}}
    - {name: managedFields, type: {list: {elementType: {namedType: __untyped_atomic_}, elementRelationship: atomic}}}
    - {name: name, type: {scalar: string}}
    - {name: namespace, type: {scalar: string}}
    - {name: ownerReferences, type: {list: {elementType: {namedType: owner}, elementRelationship: associative, keys: [uid]}}}
    - {name: resourceVersion, type: {scalar: string}}
    - {name: selfLink, type: {scalar: string}}
    - {name: uid, type: {scalar: string}}
- name: owner
  map:
    elementRelationship: atomic
    fields:
    - {name: apiVersion, type: {scalar: string}}
    - {name: blockOwnerDeletion, type: {scalar: boolean}}
    - {name: controller, type: {scalar: boolean}}
    - {name: kind, type: {scalar: string}}
    - {name: name, type: {scalar: string}}
    - {name: uid, type: {scalar: string}}
- name: __untyped_atomic_
  scalar: untyped
  list: {elementType: {namedType: __untyped_atomic_}, elementRelationship: atomic}
  map: {elementType: {namedType: __untyped_atomic_}, elementRelationship: atomic}
- name: __untyped_deduced_
  scalar: untyped
  list: {elementType: {namedType: __untyped_atomic_}, elementRelationship: atomic}
  map: {elementType: {namedType: __untyped_deduced_}, elementRelationship: separable}
`
