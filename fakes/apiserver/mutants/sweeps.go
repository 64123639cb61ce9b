package mutants

import (
	"context"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// sweeps are faults of deletes of collections that are large, or selected by more than one plain requirement.
func sweeps() []Mutant {
	all := []Mutant{
		{
			Name: "collection-field-beside-label", Rule: "watchcache/write/collection",
			About: "deletecollection does not look at the field selector where there is a label selector",
			Open: sweepingWhich(func(which *metav1.ListOptions) {
				if which.LabelSelector != "" {
					which.FieldSelector = ""
				}
			}),
		},
		{
			Name: "collection-label-beside-field", Rule: "watchcache/write/collection",
			About: "deletecollection does not look at the label selector where there is a field selector",
			Open: sweepingWhich(func(which *metav1.ListOptions) {
				if which.FieldSelector != "" {
					which.LabelSelector = ""
				}
			}),
		},
		{
			Name: "collection-skips-unlabelled", Rule: "watchcache/write/collection",
			About: "deletecollection without selectors leaves what has no label app (an index by label)",
			Open: sweepingWhich(func(which *metav1.ListOptions) {
				if which.LabelSelector == "" && which.FieldSelector == "" {
					which.LabelSelector = "app"
				}
			}),
		},
		{
			Name: "collection-skips-blank", Rule: "watchcache/write/collection",
			About: "deletecollection without selectors leaves what has the label app without a value",
			Open: sweepingWhich(func(which *metav1.ListOptions) {
				if which.LabelSelector == "" && which.FieldSelector == "" {
					which.LabelSelector = "app notin ()"
				}
			}),
		},
		{
			Name: "collection-set-ignored", Rule: "watchcache/write/collection",
			About: "deletecollection deletes all where its label selector is more than key=value",
			Open: sweepingWhich(func(which *metav1.ListOptions) {
				if strings.ContainsAny(which.LabelSelector, "!, ()") {
					which.LabelSelector = ""
				}
			}),
		},
	}
	for _, n := range []int64{10, 100, 500} {
		all = append(all, Mutant{
			Name: fmt.Sprint("collection-ends-at-", n), Rule: "watchcache/write/collection",
			About: fmt.Sprintf("deletecollection deletes the first %d objects and is answered as if that were all", n),
			Open:  sweepingWhich(func(which *metav1.ListOptions) { which.Limit = n }),
		})
	}
	return all
}

// sweepingWhich is a store whose deletes of collections select otherwise.
func sweepingWhich(f func(*metav1.ListOptions)) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return calling(calls{sweep: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions, which metav1.ListOptions) (runtime.Object, error) {
		f(&which)
		return api.DeleteCollection(ctx, r, o, which)
	}})
}
