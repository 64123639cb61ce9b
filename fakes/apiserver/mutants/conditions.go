package mutants

import (
	"context"
	"encoding/json"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// withoutMeta takes a field of the metadata out of an apply.
func withoutMeta(data []byte, field string) []byte {
	var sent map[string]any
	if json.Unmarshal(data, &sent) != nil {
		return data
	}
	if meta, ok := sent["metadata"].(map[string]any); ok {
		delete(meta, field)
	}
	data, _ = json.Marshal(sent) // which was read a line ago
	return data
}

// applyConditions are faults of what an apply says must hold.
func applyConditions() []Mutant {
	return []Mutant{
		{
			Name: "apply-stale", Rule: "watchcache/write/conflict/patch",
			About: "an apply with a stale resourceVersion is applied",
			Open: applying(func(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				return apply(ctx, api, r, withoutMeta(data, "resourceVersion"), o)
			}),
		},
		{
			Name: "apply-stale-forced", Rule: "watchcache/write/conflict/patch",
			About: "an apply that forces is applied whatever resourceVersion it says the object has",
			Open: applying(func(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				if o.Force != nil && *o.Force {
					data = withoutMeta(data, "resourceVersion")
				}
				return apply(ctx, api, r, data, o)
			}),
		},
		{
			Name: "apply-stale-applied", Rule: "watchcache/write/conflict/patch",
			About: "an apply with a stale resourceVersion is answered with 409, and applied",
			Open: applying(func(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				answer, err := apply(ctx, api, r, data, o)
				if apierrors.IsConflict(err) {
					_, _ = apply(ctx, api, r, withoutMeta(data, "resourceVersion"), o) // the answer stays what it was
				}
				return answer, err
			}),
		},
		{
			Name: "apply-wrong-uid", Rule: "watchcache/write/uid-kept",
			About: "an apply for another object, by its uid, is applied",
			Open: applying(func(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				return apply(ctx, api, r, withoutMeta(data, "uid"), o)
			}),
		},
		{
			Name: "apply-wrong-uid-malformed", Rule: "watchcache/write/uid-kept",
			About: "an apply for another object, by its uid, is refused with 400, as if it could not be read",
			Open: applying(func(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				answer, err := apply(ctx, api, r, data, o)
				if apierrors.IsInvalid(err) {
					return nil, apierrors.NewBadRequest("the uid is not that of the object")
				}
				return answer, err
			}),
		},
	}
}

// dryApplies are faults of applies that are dry runs.
func dryApplies() []Mutant {
	return []Mutant{
		{
			Name: "dry-apply-created", Rule: "watchcache/write/dry-run",
			About: "an apply of what is not there creates it, though it is a dry run",
			Open: applying(func(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				if !is(ctx, api, r) {
					o.DryRun = nil
				}
				return apply(ctx, api, r, data, o)
			}),
		},
		{
			Name: "dry-apply-stored", Rule: "watchcache/write/dry-run",
			About: "an apply of what is there is stored, though it is a dry run",
			Open: applying(func(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				if is(ctx, api, r) {
					o.DryRun = nil
				}
				return apply(ctx, api, r, data, o)
			}),
		},
		{
			Name: "dry-apply-stale", Rule: "watchcache/write/dry-run",
			About: "an apply with a stale resourceVersion is taken where it is a dry run",
			Open: applying(func(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				if len(o.DryRun) > 0 {
					data = withoutMeta(data, "resourceVersion")
				}
				return apply(ctx, api, r, data, o)
			}),
		},
		{
			Name: "dry-apply-overwrites", Rule: "watchcache/write/conflict/apply",
			About: "an apply of what another manager has applied otherwise is taken where it is a dry run",
			Open: applying(func(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				if len(o.DryRun) > 0 {
					o.Force = new(true)
				}
				return apply(ctx, api, r, data, o)
			}),
		},
		{
			Name: "dry-apply-of-nothing", Rule: "watchcache/write/missing/apply",
			About: "an apply of what is not there is answered with 404 where it is a dry run",
			Open: applying(func(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				if len(o.DryRun) > 0 && !is(ctx, api, r) {
					return nil, apierrors.NewNotFound(r.Resource.GroupResource(), r.Name)
				}
				return apply(ctx, api, r, data, o)
			}),
		},
		{
			Name: "dry-apply-version", Rule: "watchcache/write/response",
			About: "an apply that would create is answered with a resourceVersion, though it is a dry run",
			Open: applying(func(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				answer, err := apply(ctx, api, r, data, o)
				if err == nil && len(o.DryRun) > 0 && of(answer).GetResourceVersion() == "" {
					of(answer).SetResourceVersion("77777")
				}
				return answer, err
			}),
		},
	}
}

// heldConditions are faults of deletes whose preconditions do not hold, of what has finalizers.
func heldConditions() []Mutant {
	return []Mutant{
		{
			Name: "held-delete-stale", Rule: "watchcache/write/conflict/delete",
			About: "a delete with a stale resourceVersion marks what has finalizers: the precondition is looked at only where something is removed",
			Open:  removingHeld(func(o *metav1.DeleteOptions) bool { return o.Preconditions.ResourceVersion != nil }),
		},
		{
			Name: "held-delete-wrong-uid", Rule: "watchcache/write/conflict/uid",
			About: "a delete with another object's uid marks what has finalizers",
			Open:  removingHeld(func(o *metav1.DeleteOptions) bool { return o.Preconditions.UID != nil }),
		},
		{
			Name: "held-delete-refused-marked", Rule: "watchcache/write/conflict/delete",
			About: "a delete with a stale resourceVersion of what has finalizers is answered with 409, and marks it",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				answer, err := api.Delete(ctx, r, o)
				if apierrors.IsConflict(err) && heldStill(ctx, api, r) && o.Preconditions.ResourceVersion != nil {
					o.Preconditions = nil
					_, _ = api.Delete(ctx, r, o) // the answer stays what it was
				}
				return answer, err
			}}),
		},
	}
}

// heldStill says that an object has finalizers, and that nobody has deleted it.
func heldStill(ctx context.Context, api apiserver.API, r apiserver.Request) bool {
	now, err := api.Get(ctx, r, metav1.GetOptions{})
	return err == nil && len(of(now).GetFinalizers()) > 0 && of(now).GetDeletionTimestamp() == nil
}

// removingHeld is a store whose first deletes of what has finalizers look at no precondition where they have such.
func removingHeld(such func(*metav1.DeleteOptions) bool) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
		if o.Preconditions != nil && such(&o) && heldStill(ctx, api, r) {
			o.Preconditions = nil
		}
		return api.Delete(ctx, r, o)
	}})
}
