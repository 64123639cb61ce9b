package mutants

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// dryRuns are faults of dry runs.
func dryRuns() []Mutant {
	return []Mutant{
		{
			Name: "dry-create-stored", Rule: "watchcache/write/dry-run",
			About: "a create that is a dry run is done (client-go's fake clientset; admission webhooks that ignore dryRun)",
			Open: calling(calls{create: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
				o.DryRun = nil
				return api.Create(ctx, r, obj, o)
			}}),
		},
		{
			Name: "dry-update-stored", Rule: "watchcache/write/dry-run",
			About: "an update that is a dry run is done",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				o.DryRun = nil
				return api.Update(ctx, r, obj, o)
			}}),
		},
		{
			Name: "dry-delete-done", Rule: "watchcache/write/dry-run",
			About: "a delete that is a dry run is done",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				o.DryRun = nil
				return api.Delete(ctx, r, o)
			}}),
		},
		{
			Name: "dry-create-over", Rule: "watchcache/write/dry-run",
			About: "a create of what exists is taken where it is a dry run",
			Open: calling(calls{create: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
				answer, err := api.Create(ctx, r, obj, o)
				if len(o.DryRun) > 0 && apierrors.IsAlreadyExists(err) {
					return obj.DeepCopyObject(), nil
				}
				return answer, err
			}}),
		},
		{
			Name: "dry-update-stale", Rule: "watchcache/write/dry-run",
			About: "an update with a stale resourceVersion is taken where it is a dry run",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				if len(o.DryRun) > 0 {
					return force(ctx, api, r, obj, o)
				}
				return api.Update(ctx, r, obj, o)
			}}),
		},
		{
			Name: "dry-delete-stale", Rule: "watchcache/write/dry-run",
			About: "a delete whose precondition does not hold is taken where it is a dry run",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				if len(o.DryRun) > 0 {
					o.Preconditions = nil
				}
				return api.Delete(ctx, r, o)
			}}),
		},
	}
}
