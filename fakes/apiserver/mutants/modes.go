package mutants

import (
	"context"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// modes are faults of what state a list is of, and of whose objects.
func modes() []Mutant { return append(append(listScopes(), recents()...), exacts()...) }

func listScopes() []Mutant {
	return []Mutant{
		{
			Name: "list-namespace-is-prefix", Rule: "watchcache/list/scope",
			About: "a list of one namespace has those too whose names begin alike (kine 0.11.4: prefixes taken for patterns)",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				prefix := r.Namespace
				r.Namespace = ""
				return keeping(func(m metav1.Object) bool { return strings.HasPrefix(m.GetNamespace(), prefix) })(api.List(ctx, r, o))
			}}),
		},
		{
			Name: "list-name-is-prefix", Rule: "watchcache/list/scope",
			About: "a list of one name has those too that begin alike (a range of keys in place of one)",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				prefix, ok := name(&o)
				if ok {
					o.FieldSelector = ""
				}
				return keeping(func(m metav1.Object) bool { return strings.HasPrefix(m.GetName(), prefix) })(api.List(ctx, r, o))
			}}),
		},
		{
			Name: "list-label-ignored", Rule: "watchcache/list/scope",
			About: "a list from the cache (\"0\") has what its label selector does not select",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				if o.ResourceVersion == "0" {
					o.LabelSelector = ""
				}
				return api.List(ctx, r, o)
			}}),
		},
		{
			Name: "list-field-ignored", Rule: "watchcache/list/scope",
			About: "a field selector is ignored (client-go's fake clientset ignores all)",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				o.FieldSelector = ""
				return api.List(ctx, r, o)
			}}),
		},
		{
			Name: "list-namespace-unequal-ignored", Rule: "watchcache/list/scope",
			About: "a list by a namespace that must differ has the objects of all namespaces",
			Open: calling(calls{list: asking(func(o *metav1.ListOptions) {
				if strings.HasPrefix(o.FieldSelector, "metadata.namespace!=") {
					o.FieldSelector = ""
				}
			})}),
		},
	}
}

// recents are faults of lists that may be newer than what they ask for.
func recents() []Mutant {
	return []Mutant{
		{
			Name: "list-behind", Rule: "watchcache/list/most-recent",
			About: "a most-recent list is answered from a cache that is one write behind (KEP-2340 has caches ask etcd first how far it is)",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				if l := listAt(ctx, api, r, o, -1); l != nil && o.ResourceVersion+o.Continue == "" && o.Limit == 0 {
					return l, nil
				}
				return api.List(ctx, r, o)
			}}),
		},
		{
			Name: "first-page-behind", Rule: "watchcache/list/most-recent",
			About: "the first page of a most-recent list is answered from a cache that is one write behind",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				if l := listAt(ctx, api, r, o, -1); l != nil && o.ResourceVersion+o.Continue == "" && o.Limit > 0 {
					return l, nil
				}
				return api.List(ctx, r, o)
			}}),
		},
		{
			Name: "list-shows-deleted", Rule: "watchcache/list/most-recent",
			About: "a most-recent list is answered from a cache that has all writes but the last deletion",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				now, err := api.List(ctx, r, o)
				l := listAt(ctx, api, r, o, -1)
				if err == nil && l != nil && o.ResourceVersion+o.Continue == "" && len(items(l)) > len(items(now)) {
					return l, nil
				}
				return now, err
			}}),
		},
		{
			Name: "any-lacks-first", Rule: "watchcache/list/any",
			About: "a list with \"0\" lacks the first of two or more items: the cache is still being filled",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				l, err := api.List(ctx, r, o)
				if err == nil && o.ResourceVersion == "0" && len(items(l)) > 1 {
					setItems(l, items(l)[1:])
				}
				return l, err
			}}),
		},
		{
			Name: "any-waits", Rule: "watchcache/list/any",
			About: "a list with \"0\" waits for the newest state, and is refused where that does not come (kubernetes#123676)",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				l, err := api.List(ctx, r, o)
				if now, nowErr := api.List(ctx, r, metav1.ListOptions{}); o.ResourceVersion == "0" && err == nil && nowErr == nil &&
					older(listOf(l).GetResourceVersion(), listOf(now).GetResourceVersion()) {
					return nil, late(listOf(now).GetResourceVersion())
				}
				return l, err
			}}),
		},
		{
			Name: "any-says-older", Rule: "watchcache/list/any",
			About: "a list with \"0\" has the present items, and the resourceVersion before that",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				l, err := api.List(ctx, r, o)
				if err == nil && o.ResourceVersion == "0" && len(items(l)) > 1 {
					listOf(l).SetResourceVersion(plus(listOf(l).GetResourceVersion(), -1))
				}
				return l, err
			}}),
		},
		{
			Name: "older-than-asked", Rule: "watchcache/list/not-older-than",
			About: "a list with a resourceVersion and no match is answered from a cache one write short of it",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				if from(&o) && o.ResourceVersionMatch == "" && o.Limit == 0 {
					o.ResourceVersion, o.ResourceVersionMatch = plus(o.ResourceVersion, -1), metav1.ResourceVersionMatchExact
				}
				return api.List(ctx, r, o)
			}}),
		},
		{
			Name: "not-older-than-is-older", Rule: "watchcache/list/not-older-than",
			About: "a page with NotOlderThan is of the state before the one asked for",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				if from(&o) && o.ResourceVersionMatch == metav1.ResourceVersionMatchNotOlderThan && o.Limit > 0 {
					o.ResourceVersion, o.ResourceVersionMatch = plus(o.ResourceVersion, -1), metav1.ResourceVersionMatchExact
				}
				return api.List(ctx, r, o)
			}}),
		},
	}
}
