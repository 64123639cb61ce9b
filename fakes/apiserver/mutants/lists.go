package mutants

import (
	"context"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

func lists() []Mutant {
	return []Mutant{
		{
			Name: "list-goes-back", Rule: "watchcache/list/monotonic",
			About: "a most-recent list with a selector is answered from a cache that is one write behind",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				now, err := api.List(ctx, r, o)
				if err != nil || o.LabelSelector == "" || o.ResourceVersion+o.Continue != "" {
					return now, err
				}
				o.ResourceVersion, o.ResourceVersionMatch = plus(listOf(now).GetResourceVersion(), -1), metav1.ResourceVersionMatchExact
				if before, err := api.List(ctx, r, o); err == nil {
					return before, nil
				}
				return now, nil
			}}),
		},
		{
			Name: "list-version-behind", Rule: "watchcache/list/snapshot",
			About: "a list says the resourceVersion before that of its newest item",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				l, err := api.List(ctx, r, o)
				if err != nil {
					return l, err
				}
				for _, item := range items(l) {
					if rv := of(item).GetResourceVersion(); rv == listOf(l).GetResourceVersion() {
						listOf(l).SetResourceVersion(plus(rv, -1))
					}
				}
				return l, err
			}}),
		},
		{
			Name: "list-version-ahead", Rule: "watchcache/list/snapshot",
			About: "a list shows the state before the last write, and says the resourceVersion after it",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				now, err := api.List(ctx, r, o)
				if err != nil || o.Continue != "" {
					return now, err
				}
				o.ResourceVersion, o.ResourceVersionMatch = plus(listOf(now).GetResourceVersion(), -1), metav1.ResourceVersionMatchExact
				before, err := api.List(ctx, r, o)
				if err != nil {
					return now, nil
				}
				listOf(before).SetResourceVersion(listOf(now).GetResourceVersion())
				return before, nil
			}}),
		},
		{
			Name: "list-item-missing", Rule: "watchcache/list/snapshot",
			About: "a list of two or more items lacks the last (kubernetes#110652: a limit with a selector dropped items)",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				l, err := api.List(ctx, r, o)
				if err != nil {
					return l, err
				}
				if all := items(l); len(all) > 1 {
					setItems(l, all[:len(all)-1])
				}
				return l, err
			}}),
		},
		{
			Name: "list-item-unlabelled", Rule: "watchcache/list/snapshot",
			About: "the items of a list without a selector come without their labels",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				l, err := api.List(ctx, r, o)
				if err != nil || o.LabelSelector != "" {
					return l, err
				}
				all := items(l)
				for _, item := range all {
					of(item).SetLabels(nil)
				}
				setItems(l, all)
				return l, err
			}}),
		},
		{
			Name: "list-exact-is-present", Rule: "watchcache/list/snapshot",
			About: "a list at exactly an old resourceVersion shows the present, and says the old one",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				rv := o.ResourceVersion
				exact := o.ResourceVersionMatch == metav1.ResourceVersionMatchExact
				if exact {
					o.ResourceVersionMatch = metav1.ResourceVersionMatchNotOlderThan
				}
				l, err := api.List(ctx, r, o)
				if err == nil && exact {
					listOf(l).SetResourceVersion(rv)
				}
				return l, err
			}}),
		},
		{
			Name: "list-uid-dropped", Rule: "watchcache/list/snapshot",
			About: "the items of a list come without their uids",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				l, err := api.List(ctx, r, o)
				if err != nil {
					return l, err
				}
				all := items(l)
				for _, item := range all {
					of(item).SetUID("")
				}
				setItems(l, all)
				return l, err
			}}),
		},
		{
			Name: "list-label-beside-name-ignored", Rule: "watchcache/list/scope",
			About: "a list by name and label has the object of that name, whatever its labels",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				if _, ok := name(&o); ok {
					o.LabelSelector = ""
				}
				return api.List(ctx, r, o)
			}}),
		},
		{
			Name: "list-namespace-field-ignored", Rule: "watchcache/list/scope",
			About: "a list by the field metadata.namespace has the objects of all namespaces",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				if strings.HasPrefix(o.FieldSelector, "metadata.namespace=") {
					o.FieldSelector = ""
				}
				return api.List(ctx, r, o)
			}}),
		},
	}
}
