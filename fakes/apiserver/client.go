package apiserver

import (
	"context"
	"fmt"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// Client is a typed client of one resource in one namespace, or in all (""), without a wire. Its
// methods are those of client-go's typed clients, and one call is one request: nothing is retried.
// Where a call fails, the object is empty, not nil.
type Client[T, L runtime.Object] struct {
	api  API
	path Request
	new  func() T
	list func() L
}

// ConfigMaps is client-go's ConfigMapInterface, but for Apply: that is a Patch of type types.ApplyYAMLPatchType.
func ConfigMaps(api API, namespace string) *Client[*corev1.ConfigMap, *corev1.ConfigMapList] {
	return Of(api, corev1.SchemeGroupVersion.WithResource("configmaps"), namespace,
		func() *corev1.ConfigMap { return &corev1.ConfigMap{} }, func() *corev1.ConfigMapList { return &corev1.ConfigMapList{} })
}

// Leases is client-go's LeaseInterface, but for Apply.
func Leases(api API, namespace string) *Client[*coordinationv1.Lease, *coordinationv1.LeaseList] {
	return Of(api, coordinationv1.SchemeGroupVersion.WithResource("leases"), namespace,
		func() *coordinationv1.Lease { return &coordinationv1.Lease{} }, func() *coordinationv1.LeaseList { return &coordinationv1.LeaseList{} })
}

// Custom is a client of a custom resource, as client-go's dynamic client is.
func Custom(api API, gvr schema.GroupVersionResource, namespace string) *Client[*unstructured.Unstructured, *unstructured.UnstructuredList] {
	return Of(api, gvr, namespace,
		func() *unstructured.Unstructured { return &unstructured.Unstructured{} },
		func() *unstructured.UnstructuredList { return &unstructured.UnstructuredList{} })
}

// Of is a client of any resource: T is the type of its objects, L that of its lists.
func Of[T, L runtime.Object](api API, gvr schema.GroupVersionResource, namespace string, newT func() T, newL func() L) *Client[T, L] {
	return &Client[T, L]{api: api, path: Request{Resource: gvr, Namespace: namespace}, new: newT, list: newL}
}

func (c *Client[T, L]) named(name string, subresources []string) Request {
	req := c.path
	req.Name = name
	for i, s := range subresources {
		if i > 0 {
			req.Subresource += "/"
		}
		req.Subresource += s
	}
	return req
}

// Create stores obj.
func (c *Client[T, L]) Create(ctx context.Context, obj T, opts metav1.CreateOptions) (T, error) {
	return as(c.new)(c.api.Create(ctx, c.path, obj, opts))
}

// Update replaces the object that has obj's name.
func (c *Client[T, L]) Update(ctx context.Context, obj T, opts metav1.UpdateOptions) (T, error) {
	name := any(obj).(metav1.Object).GetName()
	return as(c.new)(c.api.Update(ctx, c.named(name, nil), obj, opts))
}

// Delete deletes the object of that name.
func (c *Client[T, L]) Delete(ctx context.Context, name string, opts metav1.DeleteOptions) error {
	_, err := c.api.Delete(ctx, c.named(name, nil), opts)
	return err
}

// DeleteAnswer is Delete, and returns the object that the server answered with: none if that was a Status.
func (c *Client[T, L]) DeleteAnswer(ctx context.Context, name string, opts metav1.DeleteOptions) (T, error) {
	answer, err := c.api.Delete(ctx, c.named(name, nil), opts)
	obj, _ := answer.(T) // a Status is none
	return obj, err
}

// DeleteCollection deletes what a list with these options has.
func (c *Client[T, L]) DeleteCollection(ctx context.Context, opts metav1.DeleteOptions, which metav1.ListOptions) error {
	_, err := c.api.DeleteCollection(ctx, c.path, opts, which)
	return err
}

// Get reads the object of that name.
func (c *Client[T, L]) Get(ctx context.Context, name string, opts metav1.GetOptions) (T, error) {
	return as(c.new)(c.api.Get(ctx, c.named(name, nil), opts))
}

// List reads the collection.
func (c *Client[T, L]) List(ctx context.Context, opts metav1.ListOptions) (L, error) {
	return as(c.list)(c.api.List(ctx, c.path, opts))
}

// Watch watches the collection.
func (c *Client[T, L]) Watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
	return c.api.Watch(ctx, c.path, opts)
}

// WatchPath watches one object by the old path /watch/: the options must name it by a field selector, too.
func (c *Client[T, L]) WatchPath(ctx context.Context, name string, opts metav1.ListOptions) (watch.Interface, error) {
	return c.api.Watch(ctx, c.named(name, nil), opts)
}

// Patch changes the object of that name.
func (c *Client[T, L]) Patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) (T, error) {
	return as(c.new)(c.api.Patch(ctx, c.named(name, subresources), pt, data, opts))
}

// as gives an answer its type.
func as[T runtime.Object](empty func() T) func(runtime.Object, error) (T, error) {
	return func(obj runtime.Object, err error) (T, error) {
		if err != nil {
			return empty(), err
		}
		typed, ok := obj.(T)
		if !ok {
			return empty(), fmt.Errorf("the server answered with a %T, not a %T", obj, typed)
		}
		return typed, nil
	}
}
