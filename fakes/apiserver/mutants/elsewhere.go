package mutants

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// elsewhere are faults of writes that look for an object by its name alone.
func elsewhere() []Mutant {
	return []Mutant{
		{
			Name: "update-elsewhere", Rule: "watchcache/write/missing/update",
			About: "an update of what does not exist changes what has its name in another namespace",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				answer, err := api.Update(ctx, r, obj, o)
				if ns := namesake(ctx, api, r); ns != "" && apierrors.IsNotFound(err) {
					r.Namespace = ns
					obj = obj.DeepCopyObject()
					of(obj).SetNamespace(ns)
					return api.Update(ctx, r, obj, o)
				}
				return answer, err
			}}),
		},
		{
			Name: "patch-elsewhere", Rule: "watchcache/write/missing/update",
			About: "a patch of what does not exist changes what has its name in another namespace",
			Open: calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				answer, err := api.Patch(ctx, r, pt, data, o)
				if ns := namesake(ctx, api, r); ns != "" && apierrors.IsNotFound(err) {
					r.Namespace = ns
					return api.Patch(ctx, r, pt, data, o)
				}
				return answer, err
			}}),
		},
	}
}

// namesake is a namespace with an object of that name; "": there is none.
func namesake(ctx context.Context, api apiserver.API, r apiserver.Request) string {
	o := metav1.ListOptions{FieldSelector: "metadata.name=" + r.Name}
	r.Namespace, r.Name = "", ""
	l, err := api.List(ctx, r, o)
	if err != nil || len(items(l)) == 0 {
		return ""
	}
	return of(items(l)[0]).GetNamespace()
}
