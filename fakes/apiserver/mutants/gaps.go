package mutants

import (
	"context"
	"slices"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// conflicts are stale writes that are answered with another reason, or taken because they are very stale.
func conflicts() []Mutant {
	exists := func(r apiserver.Request, answer runtime.Object, err error) (runtime.Object, error) {
		if apierrors.IsConflict(err) {
			err = apierrors.NewAlreadyExists(r.Resource.GroupResource(), r.Name)
		}
		return answer, err
	}
	return []Mutant{
		{
			Name: "stale-update-exists", Rule: "watchcache/write/conflict/update",
			About: "a stale update is answered with 409 AlreadyExists, in which no client sees a conflict",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				answer, err := api.Update(ctx, r, obj, o)
				return exists(r, answer, err)
			}}),
		},
		{
			Name: "stale-patch-exists", Rule: "watchcache/write/conflict/patch",
			About: "a stale patch is answered with 409 AlreadyExists",
			Open: calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				answer, err := api.Patch(ctx, r, pt, data, o)
				return exists(r, answer, err)
			}}),
		},
		{
			Name: "very-stale-update", Rule: "watchcache/write/conflict/update",
			About: "an update with a resourceVersion of more than ten revisions ago is applied (a short memory of what is old)",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				if now, err := api.Get(ctx, r, metav1.GetOptions{}); err == nil && behindBy(of(obj), of(now)) > 10 && of(obj).GetResourceVersion() != "1" {
					return force(ctx, api, r, obj, o)
				}
				return api.Update(ctx, r, obj, o)
			}}),
		},
		{
			Name: "very-stale-delete", Rule: "watchcache/write/conflict/delete",
			About: "a delete with a resourceVersion of more than ten revisions ago as its precondition is done",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				if now, err := api.Get(ctx, r, metav1.GetOptions{}); err == nil && o.Preconditions != nil && o.Preconditions.ResourceVersion != nil && *o.Preconditions.ResourceVersion != "1" {
					if behindBy(&metav1.ObjectMeta{ResourceVersion: *o.Preconditions.ResourceVersion}, of(now)) > 10 {
						o.Preconditions = nil
					}
				}
				return api.Delete(ctx, r, o)
			}}),
		},
		{
			Name: "keys-joined", Rule: "watchcache/write/exists",
			About: "keys are namespace and name without anything between them: a/bx is taken for ab/x",
			Open: existing(func(ctx context.Context, api apiserver.API, r apiserver.Request, obj metav1.Object) bool {
				key := r.Namespace + obj.GetName()
				r.Namespace = ""
				l, err := api.List(ctx, r, metav1.ListOptions{})
				return err == nil && slices.ContainsFunc(items(l), func(i runtime.Object) bool {
					return of(i).GetNamespace()+of(i).GetName() == key
				})
			}),
		},
	}
}

// behind is how many revisions one resourceVersion is behind another; 0 where it is none.
func behindBy(old, now metav1.Object) int {
	a, err := strconv.Atoi(old.GetResourceVersion())
	if err != nil {
		return 0
	}
	b, _ := strconv.Atoi(now.GetResourceVersion())
	return b - a
}
