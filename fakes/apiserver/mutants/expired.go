package mutants

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// expireds are faults of what comes after a token has expired.
func expireds() []Mutant {
	return []Mutant{
		{
			Name: "expired-token-unoffered", Rule: "watchcache/list/continue-expired",
			About: "the 410 for an expired token offers none to go on with (kube-apiserver before 1.12)",
			Open:  calling(calls{list: offering(func(string, string) string { return "" })}),
		},
		{
			Name: "expired-token-again", Rule: "watchcache/list/continue-expired",
			About: "the 410 for an expired token offers the same token again",
			Open:  calling(calls{list: offering(func(expired, _ string) string { return expired })}),
		},
		{
			Name: "expired-token-restarts", Rule: "watchcache/list/continue-expired",
			About: "the token that the 410 offers begins the list anew",
			Open:  calling(calls{list: offering(func(_, offered string) string { return atKey(offered, " ") })}),
		},
		{
			Name: "expired-token-skips", Rule: "watchcache/list/continue-expired",
			About: "the token that the 410 offers goes on some keys later",
			Open:  calling(calls{list: offering(func(_, offered string) string { return atKey(offered, "p05") })}),
		},
		{
			Name: "expired-token-forgets-field", Rule: "watchcache/list/scope",
			About: "the token that the 410 offers goes on with what the field selector does not select",
			Open: calling(calls{list: asking(func(o *metav1.ListOptions) {
				if o.Continue != "" && o.Continue == atPresent(o.Continue) {
					o.FieldSelector = ""
				}
			})}),
		},
		{
			Name: "expired-token-forgets-label", Rule: "watchcache/list/scope",
			About: "the token that the 410 offers goes on with what the label selector does not select",
			Open: calling(calls{list: asking(func(o *metav1.ListOptions) {
				if o.Continue != "" && o.Continue == atPresent(o.Continue) {
					o.LabelSelector = ""
				}
			})}),
		},
		{
			Name: "expired-served-short", Rule: "watchcache/list/continue-expired",
			About: "an expired token ends the list, in place of a 410",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				l, err := api.List(ctx, r, o)
				if o.Continue != "" && apierrors.IsResourceExpired(err) {
					o.Continue, o.LabelSelector = "", "none-has=it"
					return api.List(ctx, r, o)
				}
				return l, err
			}}),
		},
		{
			Name: "expired-pages-move-on", Rule: "watchcache/list/continue-expired",
			About: "each page after an expired token is of the present: they do not keep the newer resourceVersion",
			Open: calling(calls{list: changed(func(o *metav1.ListOptions, l runtime.Object, all []runtime.Object) []runtime.Object {
				if o.Continue == atPresent(o.Continue) && listOf(l).GetContinue() != "" {
					listOf(l).SetContinue(atPresent(listOf(l).GetContinue()))
				}
				return all
			})}),
		},
	}
}
