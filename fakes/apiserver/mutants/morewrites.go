package mutants

import (
	"context"
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// moreWrites are faults of what writes answer, refuse and leave behind.
func moreWrites() []Mutant {
	return slices.Concat(falseConflicts(), answers(), patched(), racedPatches(), racedTypes(), racedNames(), racedConditions(), identities(), existences(), noOps(), dryRuns(), moreDryRuns(), dryApplies(), heldConditions(), finalizers(), collections(), sweeps(), reasons(), manners(), generatedNames())
}

// falseConflicts refuse what should be taken.
func falseConflicts() []Mutant {
	return []Mutant{
		{
			Name: "false-conflict-update", Rule: "watchcache/write/no-false-conflict",
			About: "every third update with a resourceVersion is refused with 409, as if compared with an older copy",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				third := nth(3)
				return calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
					if of(obj).GetResourceVersion() != "" && third() {
						return nil, conflict(r)
					}
					return api.Update(ctx, r, obj, o)
				}})(o)
			},
		},
		{
			Name: "false-conflict-delete", Rule: "watchcache/write/no-false-conflict",
			About: "every second delete with a resourceVersion is refused with 409, as if compared with an older copy",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				second := nth(2)
				return calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
					if o.Preconditions != nil && o.Preconditions.ResourceVersion != nil && second() {
						return nil, conflict(r)
					}
					return api.Delete(ctx, r, o)
				}})(o)
			},
		},
	}
}

func conflict(r apiserver.Request) error {
	return apierrors.NewConflict(r.Resource.GroupResource(), r.Name, errors.New("the object has been modified"))
}

// noOps are faults of writes that change nothing.
func noOps() []Mutant {
	return []Mutant{
		{
			Name: "no-op-update-stored", Rule: "watchcache/write/no-op",
			About: "an update that changes nothing gets a new resourceVersion, as if the time of the write were kept in the object",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				in := obj.DeepCopyObject()
				of(in).SetAnnotations(map[string]string{"written-over": of(obj).GetResourceVersion()})
				return api.Update(ctx, r, in, o)
			}}),
		},
		{
			Name: "no-op-patch-stored", Rule: "watchcache/write/no-op",
			About: "a patch that changes nothing gets a new resourceVersion",
			Open: calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				was, err := api.Patch(ctx, r, pt, data, o)
				if err != nil {
					return was, err
				}
				of(was).SetAnnotations(map[string]string{"written-over": of(was).GetResourceVersion()})
				return api.Update(ctx, r, was, metav1.UpdateOptions{})
			}}),
		},
	}
}
