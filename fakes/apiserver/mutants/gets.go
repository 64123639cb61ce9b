package mutants

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// gets are faults of gets.
func gets() []Mutant {
	return []Mutant{
		{
			Name: "get-behind", Rule: "watchcache/get/most-recent",
			About: "a get with resourceVersion unset is answered from a cache that is one write behind",
			Open: calling(calls{get: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
				if before := itemAt(ctx, api, r, -1); before != nil && o.ResourceVersion == "" {
					return before, nil
				}
				return api.Get(ctx, r, o)
			}}),
		},
		{
			Name: "get-not-found-yet", Rule: "watchcache/get/most-recent",
			About: "a get does not find what the last write has created",
			Open: calling(calls{get: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
				if o.ResourceVersion == "" && itemAt(ctx, api, r, -1) == nil {
					return nil, apierrors.NewNotFound(r.Resource.GroupResource(), r.Name)
				}
				return api.Get(ctx, r, o)
			}}),
		},
		{
			Name: "get-finds-deleted", Rule: "watchcache/get/most-recent",
			About: "a get still finds what the last write has deleted",
			Open: calling(calls{get: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
				obj, err := api.Get(ctx, r, o)
				if before := itemAt(ctx, api, r, -1); apierrors.IsNotFound(err) && before != nil {
					return before, nil
				}
				return obj, err
			}}),
		},
		{
			Name: "get-older-than-asked", Rule: "watchcache/get/not-older-than",
			About: "a get with a resourceVersion is answered from whatever the cache has: the state before the last two writes",
			Open: calling(calls{get: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
				if before := itemAt(ctx, api, r, -2); before != nil && o.ResourceVersion != "" {
					return before, nil
				}
				return api.Get(ctx, r, o)
			}}),
		},
		{
			Name: "get-at-version-not-found", Rule: "watchcache/get/not-older-than",
			About: "a get with a resourceVersion does not find what the last write has created",
			Open: calling(calls{get: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
				if o.ResourceVersion != "" && itemAt(ctx, api, r, -1) == nil {
					return nil, apierrors.NewNotFound(r.Resource.GroupResource(), r.Name)
				}
				return api.Get(ctx, r, o)
			}}),
		},
		{
			Name: "get-at-version-finds-deleted", Rule: "watchcache/get/not-older-than",
			About: "a get with a resourceVersion still finds what was deleted before it",
			Open: calling(calls{get: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
				obj, err := api.Get(ctx, r, o)
				if before := itemAt(ctx, api, r, -2); apierrors.IsNotFound(err) && o.ResourceVersion != "" && before != nil {
					return before, nil
				}
				return obj, err
			}}),
		},
		{
			Name: "get-future-answered", Rule: "watchcache/get/future",
			About: "a get with a resourceVersion that is not there yet is answered with what there is",
			Open: calling(calls{get: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
				obj, err := api.Get(ctx, r, o)
				if apierrors.IsTimeout(err) {
					return api.Get(ctx, r, metav1.GetOptions{})
				}
				return obj, err
			}}),
		},
		{
			Name: "get-future-expired", Rule: "watchcache/get/future",
			About: "a get with a resourceVersion that is not there yet is refused as if that were gone",
			Open: calling(calls{get: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
				obj, err := api.Get(ctx, r, o)
				if apierrors.IsTimeout(err) {
					err = apierrors.NewResourceExpired("gone")
				}
				return obj, err
			}}),
		},
	}
}

// itemAt is an object as it was so many revisions ago, nil for none.
func itemAt(ctx context.Context, api apiserver.API, r apiserver.Request, ago int64) runtime.Object {
	o := metav1.ListOptions{FieldSelector: "metadata.name=" + r.Name}
	r.Name = ""
	if l := listAt(ctx, api, r, o, ago); l != nil && len(items(l)) > 0 {
		return items(l)[0]
	}
	return nil
}

// listAt is a most-recent list as it would have been so many revisions ago, nil where that is gone.
func listAt(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions, ago int64) runtime.Object {
	now, err := api.List(ctx, r, metav1.ListOptions{Limit: 1})
	if err != nil {
		return nil
	}
	o.ResourceVersion, o.ResourceVersionMatch = plus(listOf(now).GetResourceVersion(), ago), metav1.ResourceVersionMatchExact
	l, err := api.List(ctx, r, o)
	if err != nil {
		return nil
	}
	return l
}
