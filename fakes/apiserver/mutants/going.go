package mutants

import (
	"context"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// going are faults of deletions: beside what is being deleted already, without a grace period, and of what is not there.
func going() []Mutant { return append(goingCollections(), goingObjects()...) }

func goingCollections() []Mutant {
	return []Mutant{
		{
			Name: "collection-ends-at-deleting", Rule: "watchcache/write/collection",
			About: "deletecollection stops at an object that is being deleted already, and is answered as if that were all",
			Open:  sweepingUpTo(func(l runtime.Object, _ error) (runtime.Object, error) { return l, nil }),
		},
		{
			Name: "collection-fails-at-deleting", Rule: "watchcache/write/answered",
			About: "deletecollection fails with 409 at an object that is being deleted already",
			Open:  sweepingUpTo(func(_ runtime.Object, err error) (runtime.Object, error) { return nil, err }),
		},
	}
}

// sweepingUpTo is a store whose deletes of collections come as far as the first object that is being
// deleted; answer makes the answer of the list and of the error.
func sweepingUpTo(answer func(runtime.Object, error) (runtime.Object, error)) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return calling(calls{sweep: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions, which metav1.ListOptions) (runtime.Object, error) {
		l, err := api.List(ctx, r, which)
		if err != nil || !slices.ContainsFunc(items(l), isGoing) {
			return api.DeleteCollection(ctx, r, o, which)
		}
		for _, item := range items(l) {
			if r.Name = of(item).GetName(); isGoing(item) {
				return answer(l, conflict(r))
			}
			_, _ = api.Delete(ctx, r, o)
		}
		return l, nil
	}})
}

func isGoing(o runtime.Object) bool { return of(o).GetDeletionTimestamp() != nil }

func goingObjects() []Mutant {
	const missing = "watchcache/write/missing/delete"
	return []Mutant{
		{
			Name: "finalizers-ignored-at-once", Rule: "watchcache/write/finalizers",
			About: "a delete with a grace period of 0 seconds removes the object, whatever finalizers it has",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				answer, err := api.Delete(ctx, r, o)
				if s := o.GracePeriodSeconds; err == nil && s != nil && *s == 0 && len(o.DryRun) == 0 {
					_ = api.(*apiserver.Server).DeleteTogether(r) // where it is still there
				}
				return answer, err
			}}),
		},
		{
			Name: "finalizers-ignored-background", Rule: "watchcache/write/finalizers",
			About: "a delete with propagationPolicy Background, as kubectl asks for, removes the object, whatever finalizers it has",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				answer, err := api.Delete(ctx, r, o)
				if p := o.PropagationPolicy; err == nil && p != nil && *p == metav1.DeletePropagationBackground && len(o.DryRun) == 0 {
					_ = api.(*apiserver.Server).DeleteTogether(r) // where it is still there
				}
				return answer, err
			}}),
		},
		{
			Name: "finalizers-kept", Rule: "watchcache/write/response",
			About: "an update of an object that nobody deletes does not take its last finalizer",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				if now, err := api.Get(ctx, r, metav1.GetOptions{}); err == nil && !isGoing(now) && len(of(obj).GetFinalizers()) == 0 {
					of(obj).SetFinalizers(of(now).GetFinalizers())
				}
				return api.Update(ctx, r, obj, o)
			}}),
		},
		{
			Name: "delete-at-once-refused", Rule: "watchcache/write/answered",
			About: "a delete with a grace period of 0 seconds is refused with 400",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				if s := o.GracePeriodSeconds; s != nil && *s == 0 {
					return nil, badRequest()
				}
				return api.Delete(ctx, r, o)
			}}),
		},
		{
			Name: "delete-missing-uid-conflict", Rule: missing,
			About: "a delete of what is not there, with a uid as its precondition, fails with 409",
			Open:  removingNothing(func(p *metav1.Preconditions) bool { return p.UID != nil }, conflict(apiserver.Request{})),
		},
		{
			Name: "delete-missing-version-conflict", Rule: missing,
			About: "a delete of what is not there, with a resourceVersion as its precondition, fails with 409",
			Open:  removingNothing(func(p *metav1.Preconditions) bool { return p.ResourceVersion != nil }, conflict(apiserver.Request{})),
		},
		{
			Name: "delete-missing-with-preconditions", Rule: missing,
			About: "a delete of what is not there is answered as done if it has preconditions",
			Open:  removingNothing(func(*metav1.Preconditions) bool { return true }, nil),
		},
		{
			Name: "patch-missing-version-conflict", Rule: "watchcache/write/missing/update",
			About: "a patch of what is not there, with a resourceVersion, fails with 409",
			Open: calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				obj, err := api.Patch(ctx, r, pt, data, o)
				if apierrors.IsNotFound(err) && namesVersion(data) {
					err = conflict(r)
				}
				return obj, err
			}}),
		},
		{
			Name: "list-timed-refused", Rule: "watchcache/list/answered",
			About: "a list with a timeoutSeconds is refused with 400: that is of watches",
			Open:  calling(calls{list: refusingLists(badRequest(), func(o *metav1.ListOptions) bool { return o.TimeoutSeconds != nil })}),
		},
		{
			Name: "list-timed-cut", Rule: "watchcache/list/snapshot",
			About: "a list with a timeoutSeconds ends after its first object",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				timed := o.TimeoutSeconds != nil && o.Limit == 0
				if timed {
					o.Limit = 1
				}
				l, err := api.List(ctx, r, o)
				if timed && err == nil {
					listOf(l).SetContinue("")
					listOf(l).SetRemainingItemCount(nil)
				}
				return l, err
			}}),
		},
	}
}

// removingNothing is a store whose deletes of what is not there fail otherwise, or do not, where they have such preconditions.
func removingNothing(which func(*metav1.Preconditions) bool, with error) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
		obj, err := api.Delete(ctx, r, o)
		if apierrors.IsNotFound(err) && o.Preconditions != nil && which(o.Preconditions) {
			return &metav1.Status{Status: metav1.StatusSuccess}, with
		}
		return obj, err
	}})
}

// namesVersion says that a patch has a resourceVersion.
func namesVersion(data []byte) bool { return strings.Contains(string(data), `"resourceVersion"`) }
