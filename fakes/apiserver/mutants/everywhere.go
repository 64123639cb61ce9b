package mutants

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// staleListEverywhere is staleList of all namespaces alone.
func staleListEverywhere(such func(*metav1.ListOptions) bool) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
		if r.Namespace == "" && o.Continue == "" && such(&o) {
			o.ResourceVersion, o.ResourceVersionMatch = "0", ""
		}
		return api.List(ctx, r, o)
	}})
}

// staleStartEverywhere is staleStart of all namespaces alone.
func staleStartEverywhere(such func(*metav1.ListOptions) bool) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return watching(func(r *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
		if r.Namespace == "" && such(o) {
			o.ResourceVersion = "0"
		}
		return nil
	})
}

// everywhere are faults of a cache that lags, or is not ready, of what is asked for in all namespaces.
func everywhereMutants() []Mutant {
	return []Mutant{
		{
			Name: "lag-everywhere-list-stale", Rule: "watchcache/cache/lag",
			About: "most-recent lists of all namespaces come from the cache without a look at how far it has come",
			Open:  staleListEverywhere(func(o *metav1.ListOptions) bool { return o.ResourceVersion == "" }),
		},
		{
			Name: "lag-everywhere-not-older-stale", Rule: "watchcache/cache/lag",
			About: "a list of all namespaces that must not be older than N comes from the cache, which is",
			Open: staleListEverywhere(func(o *metav1.ListOptions) bool {
				return o.ResourceVersionMatch == metav1.ResourceVersionMatchNotOlderThan
			}),
		},
		{
			Name: "lag-everywhere-exact-stale", Rule: "watchcache/cache/lag",
			About: "a list of all namespaces at exactly N is what the cache has, and says N",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				rv := o.ResourceVersion
				if r.Namespace != "" || o.ResourceVersionMatch != metav1.ResourceVersionMatchExact || o.Limit != 0 || rv != headOf(ctx, api, r) {
					return api.List(ctx, r, o)
				}
				l, err := api.List(ctx, r, metav1.ListOptions{ResourceVersion: "0", LabelSelector: o.LabelSelector, FieldSelector: o.FieldSelector})
				if err == nil {
					listOf(l).SetResourceVersion(rv)
				}
				return l, err
			}}),
		},
		{
			Name: "lag-everywhere-watch-stale", Rule: "watchcache/cache/lag",
			About: "a watch of all namespaces without resourceVersion starts at what the cache has",
			Open:  staleStartEverywhere(func(o *metav1.ListOptions) bool { return o.ResourceVersion == "" && o.SendInitialEvents == nil }),
		},
		{
			Name: "lag-everywhere-stream-stale", Rule: "watchcache/cache/lag",
			About: "a streaming list of all namespaces is of what the cache has",
			Open:  staleStartEverywhere(func(o *metav1.ListOptions) bool { return o.ResourceVersion == "" && streaming(o) }),
		},
		{
			Name: "lag-everywhere-stream-old", Rule: "watchcache/cache/lag",
			About: "a streaming list of all namespaces that must not be older than N is of what the cache has",
			Open:  staleStartEverywhere(func(o *metav1.ListOptions) bool { return from(o) && streaming(o) }),
		},
		{
			Name: "lag-everywhere-watch-early", Rule: "watchcache/cache/lag",
			About: "a watch of all namespaces from what the cache does not have yet begins with what it has",
			Open: calling(calls{watch: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
				l, err := api.List(ctx, r, metav1.ListOptions{ResourceVersion: "0"})
				if r.Namespace == "" && err == nil && from(&o) && !streaming(&o) && older(listOf(l).GetResourceVersion(), o.ResourceVersion) && !older(headOf(ctx, api, r), o.ResourceVersion) {
					o.ResourceVersion = listOf(l).GetResourceVersion()
				}
				return api.Watch(ctx, r, o)
			}}),
		},
		{
			Name: "starting-everywhere-lists-nothing", Rule: "watchcache/cache/starting",
			About: "while the cache is not ready a list of all namespaces has no items",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				answer, err := api.List(ctx, r, o)
				if apierrors.IsTooManyRequests(err) && r.Namespace == "" {
					answer, err = api.List(ctx, r, metav1.ListOptions{Limit: 1}) // from the storage: for its resourceVersion
					setItems(answer, nil)
					listOf(answer).SetContinue("")
				}
				return answer, err
			}}),
		},
		{
			Name: "starting-everywhere-watches-nothing", Rule: "watchcache/cache/starting",
			About: "while the cache is not ready a watch of all namespaces starts with nothing, and says that this was all",
			Open: calling(calls{watch: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
				w, err := api.Watch(ctx, r, o)
				if !apierrors.IsTooManyRequests(err) || r.Namespace != "" {
					return w, err
				}
				empty := watch.NewFakeWithChanSize(1, false)
				end := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{ResourceVersion: headOf(ctx, api, r), Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true"}}}
				empty.Action(watch.Bookmark, end)
				return empty, nil
			}}),
		},
	}
}

// headOf is the resourceVersion of the storage, whatever a cache has.
func headOf(ctx context.Context, api apiserver.API, r apiserver.Request) string {
	l, err := api.List(ctx, r, metav1.ListOptions{Limit: 1}) // with a limit it is asked, if need be
	if err != nil {
		return ""
	}
	return listOf(l).GetResourceVersion()
}
