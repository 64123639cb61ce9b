package mutants

import (
	"context"
	"regexp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// newer are faults of preconditions that are newer than the object, that come
// in twos, or are about what is being deleted.
func newer() []Mutant {
	return []Mutant{
		{
			Name: "newer-update", Rule: "watchcache/write/conflict/update",
			About: "an update with a resourceVersion above the object's is applied: only what is older is taken for stale",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				now, err := api.Get(ctx, r, metav1.GetOptions{})
				if err == nil && older(of(now).GetResourceVersion(), of(obj).GetResourceVersion()) {
					return force(ctx, api, r, obj, o)
				}
				return api.Update(ctx, r, obj, o)
			}}),
		},
		{
			Name: "newer-patch", Rule: "watchcache/write/conflict/patch",
			About: "a patch with a resourceVersion above the object's is applied",
			Open: calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				rv := regexp.MustCompile(`,?"resourceVersion":"([^"]*)"`)
				now, err := api.Get(ctx, r, metav1.GetOptions{})
				if asked := rv.FindSubmatch(data); err == nil && asked != nil && older(of(now).GetResourceVersion(), string(asked[1])) {
					data = rv.ReplaceAll(data, nil)
				}
				return api.Patch(ctx, r, pt, data, o)
			}}),
		},
		{
			Name: "newer-delete", Rule: "watchcache/write/conflict/delete",
			About: "a delete whose resourceVersion precondition is above the object's is done",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				now, err := api.Get(ctx, r, metav1.GetOptions{})
				if p := o.Preconditions; err == nil && p != nil && p.ResourceVersion != nil && older(of(now).GetResourceVersion(), *p.ResourceVersion) {
					o.Preconditions = &metav1.Preconditions{UID: p.UID}
				}
				return api.Delete(ctx, r, o)
			}}),
		},
		{
			Name: "delete-version-beside-uid", Rule: "watchcache/write/conflict/delete",
			About: "a delete with both preconditions looks at the uid alone",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				if p := o.Preconditions; p != nil && p.UID != nil {
					o.Preconditions = &metav1.Preconditions{UID: p.UID}
				}
				return api.Delete(ctx, r, o)
			}}),
		},
		{
			Name: "delete-uid-beside-version", Rule: "watchcache/write/conflict/uid",
			About: "a delete with both preconditions looks at the resourceVersion alone",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				if p := o.Preconditions; p != nil && p.ResourceVersion != nil {
					o.Preconditions = &metav1.Preconditions{ResourceVersion: p.ResourceVersion}
				}
				return api.Delete(ctx, r, o)
			}}),
		},
		{
			Name: "stale-update-deleting", Rule: "watchcache/write/conflict/update",
			About: "a stale update of what is being deleted is applied",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				if now, err := api.Get(ctx, r, metav1.GetOptions{}); err == nil && of(now).GetDeletionTimestamp() != nil {
					return force(ctx, api, r, obj, o)
				}
				return api.Update(ctx, r, obj, o)
			}}),
		},
		{
			Name: "stale-delete-deleting", Rule: "watchcache/write/conflict/delete",
			About: "a delete of what is being deleted is answered whatever its preconditions are",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				if now, err := api.Get(ctx, r, metav1.GetOptions{}); err == nil && of(now).GetDeletionTimestamp() != nil {
					o.Preconditions = nil
				}
				return api.Delete(ctx, r, o)
			}}),
		},
	}
}
