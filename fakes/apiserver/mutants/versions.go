package mutants

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// versions are faults of what resourceVersions look like.
func versions() []Mutant {
	return []Mutant{
		{
			Name: "list-version-padded", Rule: "watchcache/version/comparable",
			About: "a list says its resourceVersion with leading zeros",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				l, err := api.List(ctx, r, o)
				if err == nil {
					listOf(l).SetResourceVersion("000" + listOf(l).GetResourceVersion())
				}
				return l, err
			}}),
		},
		{
			Name: "item-version-opaque", Rule: "watchcache/version/comparable",
			About: "the items of lists of all namespaces have resourceVersions that are no numbers",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				l, err := api.List(ctx, r, o)
				if err != nil || r.Namespace != "" {
					return l, err
				}
				all := items(l)
				for _, item := range all {
					of(item).SetResourceVersion("v" + of(item).GetResourceVersion())
				}
				setItems(l, all)
				return l, err
			}}),
		},
		{
			Name: "get-version-missing", Rule: "watchcache/version/comparable",
			About: "the answer to a get has no resourceVersion",
			Open: calling(calls{get: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
				obj, err := api.Get(ctx, r, o)
				if err == nil {
					of(obj).SetResourceVersion("")
				}
				return obj, err
			}}),
		},
		{
			Name: "create-version-zero", Rule: "watchcache/version/comparable",
			About: "the answer to a create has the resourceVersion \"0\"",
			Open: calling(calls{create: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
				out, err := api.Create(ctx, r, obj, o)
				if err == nil {
					of(out).SetResourceVersion("0")
				}
				return out, err
			}}),
		},
		{
			Name: "create-version-first", Rule: "watchcache/version/comparable",
			About: "what is created is answered with the resourceVersion 1, as if each object counted its own changes",
			Open: calling(calls{create: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
				out, err := api.Create(ctx, r, obj, o)
				if err == nil {
					of(out).SetResourceVersion("1")
				}
				return out, err
			}}),
		},
		{
			Name: "deleted-version-missing", Rule: "watchcache/version/comparable",
			About: "a DELETED event has no resourceVersion",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				return versioned(func(e watch.Event, rv string) string {
					if e.Type == watch.Deleted {
						return ""
					}
					return rv
				})
			}),
		},
		{
			Name: "bookmark-version-zero", Rule: "watchcache/version/comparable",
			About: "a bookmark has the resourceVersion \"0\"",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				return versioned(func(e watch.Event, rv string) string {
					if e.Type == watch.Bookmark {
						return "0"
					}
					return rv
				})
			}),
		},
	}
}

// versioned is a tap that changes the resourceVersions of events.
func versioned(f func(watch.Event, string) string) apiserver.Tap {
	return func(e watch.Event, c apiserver.Cause) []watch.Event {
		if c != apiserver.End && e.Type != watch.Error {
			e.Object = moved(e.Object, f(e, of(e.Object).GetResourceVersion()))
		}
		return pass(e, c)
	}
}
