package mutants

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// deletingHidden takes from lists of a form what is being deleted.
func deletingHidden(of func(*metav1.ListOptions) bool) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	left := keeping(func(m metav1.Object) bool { return m.GetDeletionTimestamp() == nil })
	return calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
		if of(&o) {
			return left(api.List(ctx, r, o))
		}
		return api.List(ctx, r, o)
	}})
}

// deletingUnstarted takes it from what watches of a form begin with.
func deletingUnstarted(form func(*metav1.ListOptions) bool) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
		hides := form(o)
		return keep(func(e watch.Event, c apiserver.Cause) bool {
			return !hides || c != apiserver.Initial || of(e.Object).GetDeletionTimestamp() == nil
		})
	})
}

// hidden are faults of what is shown of an object that is being deleted.
func hidden() []Mutant {
	return []Mutant{
		{
			Name: "deleting-hidden-by-limit", Rule: "watchcache/list/snapshot",
			About: "a list with a limit lacks what is being deleted",
			Open:  deletingHidden(func(o *metav1.ListOptions) bool { return o.Limit > 0 }),
		},
		{
			Name: "deleting-hidden-by-label", Rule: "watchcache/list/snapshot",
			About: "a list by label lacks what is being deleted",
			Open:  deletingHidden(func(o *metav1.ListOptions) bool { return o.LabelSelector != "" }),
		},
		{
			Name: "deleting-hidden-by-field", Rule: "watchcache/list/snapshot",
			About: "a list by field lacks what is being deleted",
			Open:  deletingHidden(func(o *metav1.ListOptions) bool { return o.FieldSelector != "" }),
		},
		{
			Name: "deleting-hidden-at-zero", Rule: "watchcache/list/snapshot",
			About: "a list at \"0\" lacks what is being deleted",
			Open:  deletingHidden(func(o *metav1.ListOptions) bool { return o.ResourceVersion == "0" }),
		},
		{
			Name: "deleting-unstarted", Rule: "watchcache/watch/unset",
			About: "what a watch without a resourceVersion begins with lacks what is being deleted",
			Open:  deletingUnstarted(func(o *metav1.ListOptions) bool { return o.SendInitialEvents == nil && o.ResourceVersion == "" }),
		},
		{
			Name: "deleting-unstarted-at-zero", Rule: "watchcache/watch/zero",
			About: "what a watch from \"0\" begins with lacks what is being deleted",
			Open:  deletingUnstarted(func(o *metav1.ListOptions) bool { return o.SendInitialEvents == nil && o.ResourceVersion == "0" }),
		},
		{
			Name: "deleting-unstreamed", Rule: "watchcache/watchlist/initial",
			About: "a streaming list lacks what is being deleted",
			Open:  deletingUnstarted(func(o *metav1.ListOptions) bool { return o.SendInitialEvents != nil }),
		},
	}
}
