package mutants

import (
	"context"
	"regexp"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// sentVersion is the resourceVersion in a patch.
var sentVersion = regexp.MustCompile(`,?"resourceVersion":"([^"]*)"`)

// cached is an object as the cache has it, nil for none.
func cached(ctx context.Context, api apiserver.API, r apiserver.Request) metav1.Object {
	obj, err := api.Get(ctx, r, metav1.GetOptions{ResourceVersion: "0"})
	if err != nil {
		return nil
	}
	return of(obj)
}

// versionOf is the resourceVersion of what a cache has, "" of nothing.
func versionOf(m metav1.Object) string {
	if m == nil {
		return ""
	}
	return m.GetResourceVersion()
}

// staleList is a store whose lists of some forms come from the cache without a look at how far it has come.
func staleList(of func(*metav1.ListOptions) bool) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return calling(calls{list: asking(func(o *metav1.ListOptions) {
		if o.Continue == "" && of(o) {
			o.ResourceVersion, o.ResourceVersionMatch = "0", ""
		}
	})})
}

// staleStart is a store whose watches of some forms start at what the cache has.
func staleStart(of func(*metav1.ListOptions) bool) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
		if of(o) {
			o.ResourceVersion = "0"
		}
		return nil
	})
}

// lags are faults that show while a cache lags, of what is asked for by selectors.
func lags() []Mutant {
	return []Mutant{
		{
			Name: "lag-field-list-stale", Rule: "watchcache/cache/lag",
			About: "most-recent lists by field come from the cache without a look at how far it has come",
			Open:  staleList(func(o *metav1.ListOptions) bool { return o.FieldSelector != "" && o.ResourceVersion == "" }),
		},
		{
			Name: "lag-selected-not-older-stale", Rule: "watchcache/cache/lag",
			About: "a list by label that must not be older than N comes from the cache, which is",
			Open: staleList(func(o *metav1.ListOptions) bool {
				return o.LabelSelector != "" && o.ResourceVersionMatch == metav1.ResourceVersionMatchNotOlderThan
			}),
		},
		{
			Name: "lag-selected-exact-stale", Rule: "watchcache/cache/lag",
			About: "a list by selector at exactly N is what the cache has, and says N",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				rv := o.ResourceVersion
				if o.LabelSelector+o.FieldSelector == "" || o.ResourceVersionMatch != metav1.ResourceVersionMatchExact {
					return api.List(ctx, r, o)
				}
				o.ResourceVersion, o.ResourceVersionMatch = "0", ""
				l, err := api.List(ctx, r, o)
				if err == nil {
					listOf(l).SetResourceVersion(rv)
				}
				return l, err
			}}),
		},
		{
			Name: "lag-label-watch-stale", Rule: "watchcache/cache/lag",
			About: "a watch by label without resourceVersion starts at what the cache has",
			Open: staleStart(func(o *metav1.ListOptions) bool {
				return o.LabelSelector != "" && o.ResourceVersion == "" && o.SendInitialEvents == nil
			}),
		},
		{
			Name: "lag-field-watch-stale", Rule: "watchcache/cache/lag",
			About: "a watch by field without resourceVersion starts at what the cache has",
			Open: staleStart(func(o *metav1.ListOptions) bool {
				return o.FieldSelector != "" && o.ResourceVersion == "" && o.SendInitialEvents == nil
			}),
		},
		{
			Name: "lag-label-stream-stale", Rule: "watchcache/cache/lag",
			About: "a streaming list by label is of what the cache has",
			Open: staleStart(func(o *metav1.ListOptions) bool {
				return o.LabelSelector != "" && streaming(o) && o.ResourceVersion == ""
			}),
		},
		{
			Name: "lag-field-stream-stale", Rule: "watchcache/cache/lag",
			About: "a streaming list by field that must not be older than N is of what the cache has",
			Open:  staleStart(func(o *metav1.ListOptions) bool { return o.FieldSelector != "" && streaming(o) }),
		},
	}
}

// lagWrites are faults of servers that ask their cache, which lags, whether a write may be made.
func lagWrites() []Mutant {
	return []Mutant{
		{
			Name: "lag-update-by-cache", Rule: "watchcache/cache/lag",
			About: "an update whose resourceVersion is the cache's is made, whatever the storage has",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				if rv := of(obj).GetResourceVersion(); rv != "" && rv == versionOf(cached(ctx, api, r)) {
					obj = moved(obj, "")
				}
				return api.Update(ctx, r, obj, o)
			}}),
		},
		{
			Name: "lag-patch-by-cache", Rule: "watchcache/cache/lag",
			About: "a patch whose resourceVersion is the cache's is made, whatever the storage has",
			Open: calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				if rv := versionOf(cached(ctx, api, r)); rv != "" {
					data = regexp.MustCompile(`,?"resourceVersion":"`+rv+`"`).ReplaceAll(data, nil)
				}
				return api.Patch(ctx, r, pt, data, o)
			}}),
		},
		{
			Name: "lag-patch-false-conflict", Rule: "watchcache/cache/lag",
			About: "a patch whose resourceVersion is not the cache's is refused with 409, whatever the storage has",
			Open: calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				sent := sentVersion.FindSubmatch(data)
				if sent != nil && string(sent[1]) != versionOf(cached(ctx, api, r)) {
					return nil, conflict(r)
				}
				return api.Patch(ctx, r, pt, data, o)
			}}),
		},
		{
			Name: "lag-delete-by-cache", Rule: "watchcache/cache/lag",
			About: "a delete whose preconditions hold of what the cache has is made, whatever the storage has",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				p, m := o.Preconditions, cached(ctx, api, r)
				if p != nil && m != nil && p.UID == nil && *p.ResourceVersion == m.GetResourceVersion() {
					o.Preconditions = nil
				}
				return api.Delete(ctx, r, o)
			}}),
		},
		{
			Name: "lag-delete-uid-by-cache", Rule: "watchcache/cache/lag",
			About: "a delete whose uid is that of what the cache has is made, though the storage has another object",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				p, m := o.Preconditions, cached(ctx, api, r)
				if p != nil && m != nil && p.UID != nil && *p.UID == m.GetUID() {
					o.Preconditions = nil
				}
				return api.Delete(ctx, r, o)
			}}),
		},
		{
			Name: "lag-delete-false-conflict", Rule: "watchcache/cache/lag",
			About: "a delete whose resourceVersion is not the cache's is refused with 409, whatever the storage has",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				p := o.Preconditions
				if p != nil && p.ResourceVersion != nil && *p.ResourceVersion != versionOf(cached(ctx, api, r)) {
					return nil, conflict(r)
				}
				return api.Delete(ctx, r, o)
			}}),
		},
		{
			Name: "lag-delete-unknown", Rule: "watchcache/cache/lag",
			About: "a delete of what the cache does not have yet is refused with 404",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				if cached(ctx, api, r) == nil {
					return nil, apierrors.NewNotFound(r.Resource.GroupResource(), r.Name)
				}
				return api.Delete(ctx, r, o)
			}}),
		},
		{
			Name: "lag-create-known", Rule: "watchcache/cache/lag",
			About: "a create of what the cache still has is refused with 409, though it was deleted",
			Open: calling(calls{create: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
				one := r
				if one.Name = of(obj).GetName(); cached(ctx, api, one) != nil {
					return nil, apierrors.NewAlreadyExists(r.Resource.GroupResource(), one.Name)
				}
				return api.Create(ctx, r, obj, o)
			}}),
		},
		{
			Name: "lag-collection-by-cache", Rule: "watchcache/cache/lag",
			About: "deletecollection deletes what the cache has, and leaves what has come since",
			Open: calling(calls{sweep: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions, which metav1.ListOptions) (runtime.Object, error) {
				which.ResourceVersion = "0"
				return api.DeleteCollection(ctx, r, o, which)
			}}),
		},
	}
}
