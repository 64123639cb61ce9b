package mutants

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// exacts are faults of lists that ask for one state, and of empty ones.
func exacts() []Mutant {
	return []Mutant{
		{
			Name: "exact-is-not-older", Rule: "watchcache/list/exact",
			About: "Exact is taken for NotOlderThan: the list is the present, and says so (servers before 1.19 do not know the match)",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				if from(&o) && o.ResourceVersionMatch == metav1.ResourceVersionMatchExact {
					o.ResourceVersionMatch = metav1.ResourceVersionMatchNotOlderThan
				}
				return api.List(ctx, r, o)
			}}),
		},
		{
			Name: "exact-lacks-newest", Rule: "watchcache/list/exact",
			About: "a list at exactly N is the state before N, and says N",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				rv, exact := o.ResourceVersion, from(&o) && o.ResourceVersionMatch == metav1.ResourceVersionMatchExact
				if exact {
					o.ResourceVersion = plus(rv, -1)
				}
				l, err := api.List(ctx, r, o)
				if exact && err == nil {
					listOf(l).SetResourceVersion(rv)
				}
				return l, err
			}}),
		},
		{
			Name: "exact-refused", Rule: "watchcache/list/exact",
			About: "a list at exactly N is refused with 400 where a label selector is beside",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				if o.ResourceVersionMatch == metav1.ResourceVersionMatchExact && o.LabelSelector != "" {
					return nil, apierrors.NewBadRequest("not here")
				}
				return api.List(ctx, r, o)
			}}),
		},
		{
			Name: "limit-is-not-older", Rule: "watchcache/list/exact-legacy",
			About: "a limit and a resourceVersion without a match give the first page of the present, as with NotOlderThan",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				if from(&o) && o.ResourceVersionMatch == "" && o.Limit > 0 {
					o.ResourceVersionMatch = metav1.ResourceVersionMatchNotOlderThan
				}
				return api.List(ctx, r, o)
			}}),
		},
		{
			Name: "limit-shows-present", Rule: "watchcache/list/exact-legacy",
			About: "a limit and a resourceVersion without a match give a page of the present that says the resourceVersion asked for",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				rv, legacy := o.ResourceVersion, from(&o) && o.ResourceVersionMatch == "" && o.Limit > 0
				if legacy {
					o.ResourceVersion = ""
				}
				l, err := api.List(ctx, r, o)
				if legacy && err == nil {
					listOf(l).SetResourceVersion(rv)
				}
				return l, err
			}}),
		},
		{
			Name: "limit-expired-shows-present", Rule: "watchcache/list/exact-legacy",
			About: "a limit and a resourceVersion without a match, of which the state is gone, give the first page of the present",
			Open: calling(calls{list: onRefusal(apierrors.IsResourceExpired, func(o *metav1.ListOptions) {
				if o.ResourceVersionMatch == "" && o.Limit > 0 && o.Continue == "" {
					o.ResourceVersion = ""
				}
			})}),
		},
		{
			Name: "empty-unversioned", Rule: "watchcache/list/empty-version",
			About: "an empty list says no resourceVersion (controller-runtime's fake client)",
			Open:  calling(calls{list: whenEmpty(func(string) string { return "" })}),
		},
		{
			Name: "empty-at-zero", Rule: "watchcache/list/empty-version",
			About: "an empty list says \"0\": a watch from it begins anywhere",
			Open:  calling(calls{list: whenEmpty(func(string) string { return "0" })}),
		},
		{
			Name: "empty-ahead", Rule: "watchcache/list/empty-version",
			About: "an empty list says the resourceVersion of the next write: a watch from it misses that",
			Open:  calling(calls{list: whenEmpty(func(rv string) string { return plus(rv, 1) })}),
		},
	}
}
