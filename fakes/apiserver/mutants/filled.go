package mutants

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// filled are writes that should leave nothing behind, on servers that fill in
// what was left out: what they leave is not just what was sent.
func filled() []Mutant {
	return []Mutant{
		{
			Name: "dry-create-filled", Rule: "watchcache/write/dry-run",
			About: "creates are filled in, and one that is a dry run is done",
			Open: calling(calls{create: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
				o.DryRun = nil
				return api.Create(ctx, r, fillIn(obj), o)
			}}),
		},
		{
			Name: "dry-update-filled", Rule: "watchcache/write/dry-run",
			About: "updates are filled in, and one that is a dry run is done",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				o.DryRun = nil
				return api.Update(ctx, r, fillIn(obj), o)
			}}),
		},
		{
			Name: "dry-patch-filled", Rule: "watchcache/write/dry-run",
			About: "a patch that is a dry run is done, of objects in which creates have filled in what was left out",
			Open: calling(calls{
				create: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
					return api.Create(ctx, r, fillIn(obj), o)
				},
				patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
					o.DryRun = nil
					return api.Patch(ctx, r, pt, data, o)
				},
			}),
		},
		{
			Name: "exists-applied-filled", Rule: "watchcache/write/exists",
			About: "a create of what exists is refused, and replaces it, filled in",
			Open: calling(calls{create: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
				answer, err := api.Create(ctx, r, fillIn(obj), o)
				if apierrors.IsAlreadyExists(err) && len(o.DryRun) == 0 {
					r.Name = of(obj).GetName()
					_, _ = force(ctx, api, r, fillIn(obj), metav1.UpdateOptions{}) // the answer stays what it was
				}
				return answer, err
			}}),
		},
		{
			Name: "conflict-applied-filled", Rule: "watchcache/write/conflict/update",
			About: "a stale update is refused with 409, and applied, filled in",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				answer, err := api.Update(ctx, r, fillIn(obj), o)
				if apierrors.IsConflict(err) && len(o.DryRun) == 0 {
					_, _ = force(ctx, api, r, fillIn(obj), o) // the answer stays what it was
				}
				return answer, err
			}}),
		},
	}
}

// fillIn is an object with a status, where it has none.
func fillIn(obj runtime.Object) runtime.Object {
	m, ok := obj.DeepCopyObject().(*corev1.ConfigMap)
	if !ok {
		return obj
	}
	if m.Data["status"] == "" {
		m.Data = merged(m.Data, map[string]string{"status": "pending"})
	}
	return m
}
