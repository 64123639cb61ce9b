package mutants

import (
	"context"
	"regexp"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// writes are faults of optimistic concurrency.
func writes() []Mutant {
	return []Mutant{
		{
			Name: "stale-update", Rule: "watchcache/write/conflict/update",
			About: "an update with a stale resourceVersion is applied (client-go's fake clientset; controller-runtime 0.15.0's fake client, status)",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				answer, err := api.Update(ctx, r, obj, o)
				if !apierrors.IsConflict(err) || of(obj).GetResourceVersion() == "" {
					return answer, err
				}
				return force(ctx, api, r, obj, o)
			}}),
		},
		{
			Name: "conflict-applied", Rule: "watchcache/write/conflict/update",
			About: "a stale update is answered with 409, and applied",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				answer, err := api.Update(ctx, r, obj, o)
				if apierrors.IsConflict(err) {
					_, _ = force(ctx, api, r, obj, o) // the answer stays what it was
				}
				return answer, err
			}}),
		},
		{
			Name: "stale-patch", Rule: "watchcache/write/conflict/patch",
			About: "a patch with a stale resourceVersion is applied (client-go's fake clientset)",
			Open: calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				answer, err := api.Patch(ctx, r, pt, data, o)
				if !apierrors.IsConflict(err) {
					return answer, err
				}
				return api.Patch(ctx, r, pt, noVersion(data), o)
			}}),
		},
		{
			Name: "stale-delete", Rule: "watchcache/write/conflict/delete",
			About: "a delete whose resourceVersion precondition does not hold is done (client-go's fake clientset has no preconditions)",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				if o.Preconditions != nil {
					o.Preconditions = &metav1.Preconditions{UID: o.Preconditions.UID}
				}
				return api.Delete(ctx, r, o)
			}}),
		},
		{
			Name: "conflict-deleted", Rule: "watchcache/write/conflict/delete",
			About: "a delete with a stale precondition is answered with 409, and done",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				answer, err := api.Delete(ctx, r, o)
				if apierrors.IsConflict(err) && o.Preconditions.ResourceVersion != nil {
					o.Preconditions = nil
					_, _ = api.Delete(ctx, r, o) // the answer stays what it was
				}
				return answer, err
			}}),
		},
		{
			Name: "refused-and-updated", Rule: "watchcache/write/conflict/update",
			About: "an update whose resourceVersion holds is answered with 409, and applied",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				answer, err := api.Update(ctx, r, obj, o)
				if err == nil && of(obj).GetResourceVersion() != "" {
					return nil, conflict(r)
				}
				return answer, err
			}}),
		},
		{
			Name: "refused-and-deleted", Rule: "watchcache/write/conflict/delete",
			About: "a delete whose precondition holds is answered with 409, and done",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				answer, err := api.Delete(ctx, r, o)
				if err == nil && o.Preconditions != nil {
					return nil, conflict(r)
				}
				return answer, err
			}}),
		},
		{
			Name: "stale-update-malformed", Rule: "watchcache/write/conflict/update",
			About: "an update with a stale resourceVersion is answered with 400",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				answer, err := api.Update(ctx, r, obj, o)
				if apierrors.IsConflict(err) {
					return nil, apierrors.NewBadRequest("the resourceVersion is not that of the object")
				}
				return answer, err
			}}),
		},
		{
			Name: "stale-delete-missing", Rule: "watchcache/write/conflict/delete",
			About: "a delete with a stale precondition is answered with 404, though the object is there",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				answer, err := api.Delete(ctx, r, o)
				if apierrors.IsConflict(err) {
					return nil, apierrors.NewNotFound(schema.GroupResource{Resource: r.Resource.Resource}, r.Name)
				}
				return answer, err
			}}),
		},
		{
			Name: "update-checked-early", Rule: "watchcache/write/conflict/update",
			About: "an update's resourceVersion is compared, and a millisecond later the update is applied to whatever is stored then",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				now, err := api.Get(ctx, r, metav1.GetOptions{})
				if err != nil || of(now).GetResourceVersion() != of(obj).GetResourceVersion() {
					return api.Update(ctx, r, obj, o)
				}
				time.Sleep(time.Millisecond)
				return force(ctx, api, r, obj, o)
			}}),
		},
		{
			Name: "delete-checked-early", Rule: "watchcache/write/conflict/delete",
			About: "a delete's resourceVersion precondition is checked, and a millisecond later what is stored then is deleted",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				now, err := api.Get(ctx, r, metav1.GetOptions{})
				if p := o.Preconditions; err == nil && p != nil && p.ResourceVersion != nil && *p.ResourceVersion == of(now).GetResourceVersion() {
					time.Sleep(time.Millisecond)
					o.Preconditions = &metav1.Preconditions{UID: p.UID}
				}
				return api.Delete(ctx, r, o)
			}}),
		},
		{
			Name: "wrong-uid-updated", Rule: "watchcache/write/conflict/uid",
			About: "an update with another object's uid is applied",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				in := obj.DeepCopyObject()
				of(in).SetUID("")
				return api.Update(ctx, r, in, o)
			}}),
		},
		{
			Name: "wrong-uid-deleted", Rule: "watchcache/write/conflict/uid",
			About: "a delete with another object's uid is done (client-go's fake clientset has no preconditions)",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				if o.Preconditions != nil {
					o.Preconditions = &metav1.Preconditions{ResourceVersion: o.Preconditions.ResourceVersion}
				}
				return api.Delete(ctx, r, o)
			}}),
		},
	}
}

// noVersion is a patch without its resourceVersion.
func noVersion(patch []byte) []byte {
	return regexp.MustCompile(`,?"resourceVersion":"[^"]*"`).ReplaceAll(patch, nil)
}

// force updates at whatever resourceVersion is stored, again where another write comes between.
func force(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
	for range 3 {
		now, err := api.Get(ctx, r, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		in := obj.DeepCopyObject()
		of(in).SetResourceVersion(of(now).GetResourceVersion())
		if answer, err := api.Update(ctx, r, in, o); !apierrors.IsConflict(err) {
			return answer, err
		}
	}
	return api.Update(ctx, r, obj, o)
}
