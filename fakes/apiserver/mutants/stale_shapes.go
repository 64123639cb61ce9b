package mutants

import (
	"context"
	"encoding/json"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// staleShapes are servers that forget a precondition on one way through a write.
func staleShapes() []Mutant {
	return []Mutant{
		staleUpdate("held", "of an object that has finalizers", func(now, _ metav1.Object) bool {
			return len(now.GetFinalizers()) > 0 && now.GetDeletionTimestamp() == nil
		}),
		staleUpdate("owned", "of an object that has owners", func(now, _ metav1.Object) bool { return len(now.GetOwnerReferences()) > 0 }),
		staleUpdate("holding", "that adds a finalizer", func(now, in metav1.Object) bool { return len(in.GetFinalizers()) > len(now.GetFinalizers()) }),
		staleUpdate("noting", "that changes annotations", func(now, in metav1.Object) bool { return !maps.Equal(in.GetAnnotations(), now.GetAnnotations()) }),
		{
			Name: "stale-patch-metadata", Rule: "watchcache/write/conflict/patch",
			About: "a merge patch of nothing but metadata is done whatever resourceVersion it has",
			Open: calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, t types.PatchType, body []byte, o metav1.PatchOptions) (runtime.Object, error) {
				var p map[string]map[string]any
				if json.Unmarshal(body, &p) == nil && t == types.MergePatchType && len(p) == 1 && p["metadata"] != nil {
					delete(p["metadata"], "resourceVersion")
					body, _ = json.Marshal(p) // it was read
				}
				return api.Patch(ctx, r, t, body, o)
			}}),
		},
		staleDelete("policy", "with a propagationPolicy", func(o *metav1.DeleteOptions) bool { return o.PropagationPolicy != nil }),
		staleDelete("grace", "with a grace period", func(o *metav1.DeleteOptions) bool { return o.GracePeriodSeconds != nil }),
	}
}

func staleUpdate(name, about string, such func(now, in metav1.Object) bool) Mutant {
	return Mutant{
		Name: "stale-update-" + name, Rule: "watchcache/write/conflict/update",
		About: "an update " + about + " is done whatever resourceVersion it has",
		Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
			if now, err := api.Get(ctx, r, metav1.GetOptions{}); err == nil && of(obj).GetResourceVersion() != "" && such(of(now), of(obj)) {
				obj = moved(obj, of(now).GetResourceVersion())
			}
			return api.Update(ctx, r, obj, o)
		}}),
	}
}

func staleDelete(name, about string, such func(*metav1.DeleteOptions) bool) Mutant {
	return Mutant{
		Name: "stale-delete-" + name, Rule: "watchcache/write/conflict/delete",
		About: "a delete " + about + " is done whatever its preconditions are",
		Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
			if such(&o) {
				o.Preconditions = nil
			}
			return api.Delete(ctx, r, o)
		}}),
	}
}
