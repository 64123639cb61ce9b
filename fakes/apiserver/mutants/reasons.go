package mutants

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// reasonless is a 409 without its reason, by which a client that reads no codes knows a Conflict.
func reasonless(err error) error {
	var s *apierrors.StatusError
	if !apierrors.IsConflict(err) || !errors.As(err, &s) {
		return err
	}
	s.ErrStatus.Reason = ""
	return s
}

// reasons are conflicts that do not say that they are.
func reasons() []Mutant {
	return []Mutant{
		{
			Name: "update-conflict-without-reason", Rule: "watchcache/write/conflict/update",
			About: "a stale update is refused with a 409 that has no reason",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				answer, err := api.Update(ctx, r, obj, o)
				return answer, reasonless(err)
			}}),
		},
		{
			Name: "patch-conflict-without-reason", Rule: "watchcache/write/conflict/patch",
			About: "a stale patch is refused with a 409 that has no reason",
			Open: calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				answer, err := api.Patch(ctx, r, pt, data, o)
				return answer, reasonless(err)
			}}),
		},
		{
			Name: "delete-uid-conflict-without-reason", Rule: "watchcache/write/conflict/uid",
			About: "a delete with another object's uid is refused with a 409 that has no reason",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				answer, err := api.Delete(ctx, r, o)
				return answer, reasonless(err)
			}}),
		},
		{
			Name: "apply-conflict-without-reason", Rule: "watchcache/write/conflict/apply",
			About: "an apply of what another manager has applied is refused with a 409 that has no reason",
			Open: applying(func(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				answer, err := apply(ctx, api, r, data, o)
				return answer, reasonless(err)
			}),
		},
		{
			Name: "collection-conflict-without-reason", Rule: "watchcache/write/collection/preconditions",
			About: "a deletecollection whose preconditions do not hold is refused with a 409 that has no reason",
			Open: calling(calls{sweep: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions, which metav1.ListOptions) (runtime.Object, error) {
				answer, err := api.DeleteCollection(ctx, r, o, which)
				return answer, reasonless(err)
			}}),
		},
		{
			Name: "update-uid-alone-ignored", Rule: "watchcache/write/conflict/uid",
			About: "an update without a resourceVersion is done whatever uid it has: it is taken for an unconditional one",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				if of(obj).GetResourceVersion() == "" {
					obj = obj.DeepCopyObject()
					of(obj).SetUID("")
				}
				return api.Update(ctx, r, obj, o)
			}}),
		},
	}
}
