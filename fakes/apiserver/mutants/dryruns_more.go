package mutants

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// moreDryRuns are faults of dry runs that are rarer, and of what they answer.
func moreDryRuns() []Mutant {
	return []Mutant{
		{
			Name: "dry-patch-stored", Rule: "watchcache/write/dry-run",
			About: "a patch that is a dry run is done",
			Open: calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				o.DryRun = nil
				return api.Patch(ctx, r, pt, data, o)
			}}),
		},
		{
			Name: "dry-strategic-stored", Rule: "watchcache/write/dry-run",
			About: "a strategic merge patch that is a dry run is done",
			Open: calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				if pt == types.StrategicMergePatchType {
					o.DryRun = nil
				}
				return api.Patch(ctx, r, pt, data, o)
			}}),
		},
		{
			Name: "sweep-dry-done", Rule: "watchcache/write/dry-run",
			About: "a deletecollection that is a dry run is done",
			Open: calling(calls{sweep: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions, which metav1.ListOptions) (runtime.Object, error) {
				o.DryRun = nil
				return api.DeleteCollection(ctx, r, o, which)
			}}),
		},
		{
			Name: "dry-sweep-finalizers", Rule: "watchcache/write/dry-run",
			About: "a delete that is a dry run marks what has finalizers",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				if now, err := api.Get(ctx, r, metav1.GetOptions{}); err == nil && len(of(now).GetFinalizers()) > 0 {
					o.DryRun = nil
				}
				return api.Delete(ctx, r, o)
			}}),
		},
		{
			Name: "dry-last-finalizer", Rule: "watchcache/write/dry-run",
			About: "an update that takes the last finalizer of what is being deleted ends it, though it is a dry run",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				if now, err := api.Get(ctx, r, metav1.GetOptions{}); err == nil && of(now).GetDeletionTimestamp() != nil {
					o.DryRun = nil
				}
				return api.Update(ctx, r, obj, o)
			}}),
		},
		{
			Name: "dry-generate-stored", Rule: "watchcache/write/dry-run",
			About: "a create that is a dry run is done where the server makes the name",
			Open: calling(calls{create: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
				if of(obj).GetName() == "" {
					o.DryRun = nil
				}
				return api.Create(ctx, r, obj, o)
			}}),
		},
		{
			Name: "dry-delete-missing-ok", Rule: "watchcache/write/dry-run",
			About: "a delete of what is missing is taken where it is a dry run",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				answer, err := api.Delete(ctx, r, o)
				if len(o.DryRun) > 0 && apierrors.IsNotFound(err) {
					return &metav1.Status{Status: metav1.StatusSuccess}, nil
				}
				return answer, err
			}}),
		},
		{
			Name: "dry-update-missing-ok", Rule: "watchcache/write/dry-run",
			About: "an update of what is missing is taken where it is a dry run",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				answer, err := api.Update(ctx, r, obj, o)
				if len(o.DryRun) > 0 && apierrors.IsNotFound(err) {
					return obj.DeepCopyObject(), nil
				}
				return answer, err
			}}),
		},
		{
			Name: "dry-update-uid-ignored", Rule: "watchcache/write/dry-run",
			About: "an update with a wrong uid is taken where it is a dry run",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				if len(o.DryRun) > 0 {
					obj = obj.DeepCopyObject()
					of(obj).SetUID("")
				}
				return api.Update(ctx, r, obj, o)
			}}),
		},
		{
			Name: "dry-create-version", Rule: "watchcache/write/response",
			About: "a create that is a dry run is answered with a resourceVersion, as if it were stored",
			Open: calling(calls{create: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
				answer, err := api.Create(ctx, r, obj, o)
				if err == nil && len(o.DryRun) > 0 {
					of(answer).SetResourceVersion("77777")
				}
				return answer, err
			}}),
		},
		{
			Name: "dry-update-created-now", Rule: "watchcache/write/response",
			About: "an update that is a dry run is answered with the present as the time of the object's creation",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				answer, err := api.Update(ctx, r, obj, o)
				if err == nil && len(o.DryRun) > 0 && is(ctx, api, r) {
					of(answer).SetCreationTimestamp(metav1.NewTime(of(answer).GetCreationTimestamp().Add(time.Minute)))
				}
				return answer, err
			}}),
		},
		{
			Name: "dry-patch-version", Rule: "watchcache/write/response",
			About: "a patch that is a dry run is answered with a new resourceVersion",
			Open: calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				answer, err := api.Patch(ctx, r, pt, data, o)
				if err == nil && len(o.DryRun) > 0 {
					of(answer).SetResourceVersion(plus(of(answer).GetResourceVersion(), 1))
				}
				return answer, err
			}}),
		},
	}
}
