package mutants

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// formedWrites are faults of one form of write.
func formedWrites() []Mutant {
	return []Mutant{
		{
			Name: "sweep-field-takes-held", Rule: "watchcache/write/finalizers",
			About: "the deletion of a collection by field takes the finalizers of what it deletes",
			Open: calling(calls{sweep: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions, which metav1.ListOptions) (runtime.Object, error) {
				l, err := api.DeleteCollection(ctx, r, o, which)
				if err != nil || which.FieldSelector == "" || len(o.DryRun) > 0 {
					return l, err
				}
				for _, item := range items(l) {
					of(item).SetResourceVersion("")
					of(item).SetFinalizers(nil)
					_, _ = api.Update(ctx, apiserver.Request{Resource: r.Resource, Namespace: r.Namespace, Name: of(item).GetName()}, item, metav1.UpdateOptions{})
				}
				return l, nil
			}}),
		},
		{
			Name: "dry-update-created-unsaid", Rule: "watchcache/write/response",
			About: "an update that is a dry run is answered without a creationTimestamp",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				answer, err := api.Update(ctx, r, obj, o)
				if err == nil && len(o.DryRun) > 0 {
					of(answer).SetCreationTimestamp(metav1.Time{})
				}
				return answer, err
			}}),
		},
	}
}
