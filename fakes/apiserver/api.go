package apiserver

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// Request says what a call is about, as the path of a URL does.
type Request struct {
	Resource    schema.GroupVersionResource
	Namespace   string // "" for all namespaces, and for what has none
	Name        string // "" for a collection
	Subresource string // "" for the object itself
}

// API is all that a client of the server sees. The in-process client stands on it, HTTP does, and
// whoever wants a server with a fault or an oddity wraps it.
//
// Objects go in and come out as the typed structs of the resource, without kind and apiVersion (as a
// typed client shows them); those of a custom resource as *unstructured.Unstructured, with both. They are
// private copies: the caller may change them. Errors of the server
// are *apierrors.StatusError; a context that ends a call gives its own error. All methods may be
// called concurrently.
//
// A request for status, finalize, ephemeralcontainers or resize takes and answers with objects of the resource, one
// for scale with *autoscaling/v1.Scale; a create of binding or eviction takes a *core/v1.Binding or
// *policy/v1.Eviction and answers with a *metav1.Status, one of token takes and answers with an
// *authentication/v1.TokenRequest. Which subresources a resource has, Resource.Subresources says.
type API interface {
	// Create stores obj and answers with it as stored.
	Create(context.Context, Request, runtime.Object, metav1.CreateOptions) (runtime.Object, error)
	// Update replaces the object of that name. A resourceVersion in it that is not the stored one is a
	// conflict (409); none at all is unconditional, where the resource allows that.
	Update(context.Context, Request, runtime.Object, metav1.UpdateOptions) (runtime.Object, error)
	// Patch changes the object of that name by a JSON, merge or strategic merge patch, or by a server-side
	// apply, which creates what is missing.
	Patch(context.Context, Request, types.PatchType, []byte, metav1.PatchOptions) (runtime.Object, error)
	// Delete answers with a *metav1.Status, or with the object where it stays because of finalizers.
	Delete(context.Context, Request, metav1.DeleteOptions) (runtime.Object, error)
	// DeleteCollection deletes what a list with these options has, one revision each, and answers with
	// that list.
	DeleteCollection(context.Context, Request, metav1.DeleteOptions, metav1.ListOptions) (runtime.Object, error)
	Get(context.Context, Request, metav1.GetOptions) (runtime.Object, error)
	// List answers with the list type of the resource, items in key order.
	List(context.Context, Request, metav1.ListOptions) (runtime.Object, error)
	// Watch delivers until the context ends, Stop is called, timeoutSeconds are over or the server
	// ends it; then the channel closes. A resourceVersion that is gone (410) or too large (504) comes
	// as an ERROR event, which is the last. Where the answer has a method Broken() bool, that tells,
	// when the channel has closed, an end that a wire would show as a broken stream from a clean one.
	Watch(context.Context, Request, metav1.ListOptions) (watch.Interface, error)
}
