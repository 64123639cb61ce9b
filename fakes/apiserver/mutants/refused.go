package mutants

import (
	"context"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// refused are faults of servers that do not know some way to ask, and say that the client is wrong.
func refused() []Mutant {
	return append(append(refusedReads(), refusedWatches()...), refusedWrites()...)
}

func refusedReads() []Mutant {
	const list, get = "watchcache/list/answered", "watchcache/get/answered"
	return []Mutant{
		{
			Name: "get-refused", Rule: get,
			About: "a get of the most recent state is refused with 400",
			Open:  calling(calls{get: refusingGets(badRequest(), func(rv string) bool { return rv == "" })}),
		},
		{
			Name: "get-zero-refused", Rule: get,
			About: "a get at \"0\" is refused with 400",
			Open:  calling(calls{get: refusingGets(badRequest(), func(rv string) bool { return rv == "0" })}),
		},
		{
			Name: "get-zero-expired", Rule: get,
			About: "a get at \"0\" is refused with 410, as if that were a state that could be gone",
			Open:  calling(calls{get: refusingGets(expiredNow(), func(rv string) bool { return rv == "0" })}),
		},
		{
			Name: "get-at-version-refused", Rule: get,
			About: "a get with a resourceVersion is refused with 422",
			Open:  calling(calls{get: refusingGets(unprocessable(), named)}),
		},
		{
			Name: "list-all-namespaces-refused", Rule: list,
			About: "a list of all namespaces is not found",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				if r.Namespace == "" {
					return nil, apierrors.NewNotFound(r.Resource.GroupResource(), "")
				}
				return api.List(ctx, r, o)
			}}),
		},
		{
			Name: "list-label-refused", Rule: list,
			About: "a list by label is refused with 400",
			Open:  calling(calls{list: refusingLists(badRequest(), func(o *metav1.ListOptions) bool { return o.LabelSelector != "" })}),
		},
		{
			Name: "list-field-refused", Rule: list,
			About: "a list by what a field must not be is refused with 400",
			Open:  calling(calls{list: refusingLists(badRequest(), func(o *metav1.ListOptions) bool { return strings.Contains(o.FieldSelector, "!=") })}),
		},
		{
			Name: "list-zero-expired", Rule: list,
			About: "a list at \"0\" is refused with 410",
			Open:  calling(calls{list: refusingLists(expiredNow(), func(o *metav1.ListOptions) bool { return o.ResourceVersion == "0" && o.Continue == "" })}),
		},
		{
			Name: "list-zero-limit-refused", Rule: list,
			About: "a list at \"0\" with a limit is refused with 422",
			Open:  calling(calls{list: refusingLists(unprocessable(), func(o *metav1.ListOptions) bool { return o.ResourceVersion == "0" && o.Limit > 0 && o.Continue == "" })}),
		},
		{
			Name: "list-not-older-refused", Rule: list,
			About: "a list at a resourceVersion and NotOlderThan is refused with 400",
			Open: calling(calls{list: refusingLists(badRequest(), func(o *metav1.ListOptions) bool {
				return named(o.ResourceVersion) && o.ResourceVersionMatch == metav1.ResourceVersionMatchNotOlderThan
			})}),
		},
		{
			Name: "list-exact-not-found", Rule: list,
			About: "a list at a resourceVersion and Exact is refused with 404",
			Open: calling(calls{list: refusingLists(notFound(), func(o *metav1.ListOptions) bool {
				return named(o.ResourceVersion) && o.ResourceVersionMatch == metav1.ResourceVersionMatchExact
			})}),
		},
		{
			Name: "list-exact-field-refused", Rule: list,
			About: "a list by field at a resourceVersion and Exact is refused with 405",
			Open: calling(calls{list: refusingLists(unallowed(), func(o *metav1.ListOptions) bool {
				return named(o.ResourceVersion) && o.ResourceVersionMatch == metav1.ResourceVersionMatchExact && o.FieldSelector != ""
			})}),
		},
		{
			Name: "continue-zero-refused", Rule: list,
			About: "a continue token beside the resourceVersion \"0\" is refused with 400",
			Open: calling(calls{list: refusingLists(badRequest(), func(o *metav1.ListOptions) bool {
				return o.Continue != "" && o.ResourceVersion == "0" && o.ResourceVersionMatch == ""
			})}),
		},
	}
}

func refusedWatches() []Mutant {
	const rule = "watchcache/watch/answered"
	return []Mutant{
		{
			Name: "watch-all-namespaces-refused", Rule: rule,
			About: "a watch of all namespaces is refused with 405",
			Open: calling(calls{watch: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
				if r.Namespace == "" {
					return nil, unallowed()
				}
				return api.Watch(ctx, r, o)
			}}),
		},
		{
			Name: "watch-zero-refused", Rule: rule,
			About: "a watch from \"0\" is refused with 400",
			Open:  calling(calls{watch: refusingWatches(badRequest(), func(o *metav1.ListOptions) bool { return o.ResourceVersion == "0" && o.ResourceVersionMatch == "" })}),
		},
		{
			Name: "watch-from-now-refused", Rule: rule,
			About: "a watch that wants no initial events and names no resourceVersion is refused with 422",
			Open:  calling(calls{watch: refusingWatches(unprocessable(), func(o *metav1.ListOptions) bool { return offStream(o) && o.ResourceVersion == "" })}),
		},
		{
			Name: "watch-label-refused", Rule: rule,
			About: "a watch by label is refused with 400",
			Open:  calling(calls{watch: refusingWatches(badRequest(), func(o *metav1.ListOptions) bool { return o.LabelSelector != "" && o.ResourceVersionMatch == "" })}),
		},
		{
			Name: "stream-refused", Rule: rule,
			About: "a streaming list is refused with 400, though the server says that it has them",
			Open:  calling(calls{watch: refusingWatches(badRequest(), onStream)}),
		},
		{
			Name: "stream-at-version-refused", Rule: rule,
			About: "a streaming list from a resourceVersion is refused with 422",
			Open:  calling(calls{watch: refusingWatches(unprocessable(), func(o *metav1.ListOptions) bool { return onStream(o) && named(o.ResourceVersion) })}),
		},
	}
}

func refusedWrites() []Mutant {
	const rule = "watchcache/write/answered"
	return []Mutant{
		{
			Name: "create-generated-refused", Rule: rule,
			About: "a create that leaves the name to the server is refused with 422",
			Open: calling(calls{create: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
				if of(obj).GetName() == "" {
					return nil, unprocessable()
				}
				return api.Create(ctx, r, obj, o)
			}}),
		},
		{
			Name: "create-dry-refused", Rule: rule,
			About: "a create as a dry run is refused with 400",
			Open: calling(calls{create: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
				if len(o.DryRun) > 0 {
					return nil, badRequest()
				}
				return api.Create(ctx, r, obj, o)
			}}),
		},
		{
			Name: "update-unlabelled-refused", Rule: rule,
			About: "an update that leaves out all labels is refused with 422",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				if len(of(obj).GetLabels()) == 0 {
					return nil, unprocessable()
				}
				return api.Update(ctx, r, obj, o)
			}}),
		},
		{
			Name: "update-unconditional-refused", Rule: rule,
			About: "an update without a resourceVersion is refused with 400, though the server says that it takes them",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				if of(obj).GetResourceVersion() == "" {
					return nil, badRequest()
				}
				return api.Update(ctx, r, obj, o)
			}}),
		},
		{
			Name: "patch-null-refused", Rule: rule,
			About: "a merge patch that takes something away is refused with 400",
			Open: calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				if strings.Contains(string(data), "null") {
					return nil, badRequest()
				}
				return api.Patch(ctx, r, pt, data, o)
			}}),
		},
		{
			Name: "delete-preconditions-refused", Rule: rule,
			About: "a delete with preconditions that hold is refused with 400",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				dry := o
				dry.DryRun = []string{metav1.DryRunAll}
				if _, err := api.Delete(ctx, r, dry); err == nil && o.Preconditions != nil {
					return nil, badRequest()
				}
				return api.Delete(ctx, r, o)
			}}),
		},
		{
			Name: "collection-label-refused", Rule: rule,
			About: "the deletion of a collection by label is refused with 400",
			Open: calling(calls{sweep: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions, which metav1.ListOptions) (runtime.Object, error) {
				if which.LabelSelector != "" {
					return nil, badRequest()
				}
				return api.DeleteCollection(ctx, r, o, which)
			}}),
		},
	}
}

// named says that a resourceVersion is one that somebody was given.
func named(rv string) bool { return rv != "" && rv != "0" && strings.Trim(rv, "0123456789") == "" }

func onStream(o *metav1.ListOptions) bool {
	return o.SendInitialEvents != nil && *o.SendInitialEvents && o.ResourceVersionMatch == metav1.ResourceVersionMatchNotOlderThan
}

func offStream(o *metav1.ListOptions) bool {
	return o.SendInitialEvents != nil && !*o.SendInitialEvents && o.ResourceVersionMatch == metav1.ResourceVersionMatchNotOlderThan
}

func refusingGets(with error, which func(rv string) bool) func(context.Context, apiserver.API, apiserver.Request, metav1.GetOptions) (runtime.Object, error) {
	return func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
		obj, err := api.Get(ctx, r, o)
		if err == nil && which(o.ResourceVersion) {
			return nil, with
		}
		return obj, err
	}
}

func refusingLists(with error, which func(*metav1.ListOptions) bool) func(context.Context, apiserver.API, apiserver.Request, metav1.ListOptions) (runtime.Object, error) {
	return func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
		l, err := api.List(ctx, r, o)
		if err == nil && which(&o) {
			return nil, with
		}
		return l, err
	}
}

func refusingWatches(with error, which func(*metav1.ListOptions) bool) func(context.Context, apiserver.API, apiserver.Request, metav1.ListOptions) (watch.Interface, error) {
	return func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
		if which(&o) {
			return nil, with
		}
		return api.Watch(ctx, r, o)
	}
}

func badRequest() error    { return apierrors.NewBadRequest("this server has no such thing") }
func expiredNow() error    { return apierrors.NewResourceExpired("gone") }
func notFound() error      { return apierrors.NewNotFound(schema.GroupResource{}, "") }
func unallowed() error     { return apierrors.NewMethodNotSupported(schema.GroupResource{}, "") }
func unprocessable() error { return apierrors.NewInvalid(schema.GroupKind{}, "", nil) }
