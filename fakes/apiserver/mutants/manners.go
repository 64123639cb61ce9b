package mutants

import (
	"context"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// saysHow says that a deletion has options of its own.
func saysHow(o metav1.DeleteOptions) bool {
	return o.PropagationPolicy != nil || o.GracePeriodSeconds != nil
}

// manners are faults of deletions that say how, and of patches of what few patches are of.
func manners() []Mutant {
	return []Mutant{
		{
			Name: "delete-background-forgotten", Rule: "watchcache/write/visible",
			About: "a delete with the propagation policy Background is answered, and left to somebody who never comes",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				if o.PropagationPolicy != nil && *o.PropagationPolicy == metav1.DeletePropagationBackground {
					o.DryRun = []string{metav1.DryRunAll}
				}
				return api.Delete(ctx, r, o)
			}}),
		},
		{
			Name: "delete-grace-waits", Rule: "watchcache/write/visible",
			About: "a delete with a grace period leaves what has none, as if it were on a node",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				if o.GracePeriodSeconds != nil && *o.GracePeriodSeconds > 0 {
					o.DryRun = []string{metav1.DryRunAll}
				}
				return api.Delete(ctx, r, o)
			}}),
		},
		{
			Name: "collection-how-forgotten", Rule: "watchcache/write/collection",
			About: "a deletecollection with a propagation policy or a grace period is answered, and does nothing",
			Open: calling(calls{sweep: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions, which metav1.ListOptions) (runtime.Object, error) {
				if saysHow(o) {
					o.DryRun = []string{metav1.DryRunAll}
				}
				return api.DeleteCollection(ctx, r, o, which)
			}}),
		},
		{
			Name: "dry-delete-how-done", Rule: "watchcache/write/dry-run",
			About: "a delete that is a dry run is done where it has a propagation policy: who reads the one forgets the other",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				if saysHow(o) {
					o.DryRun = nil
				}
				return api.Delete(ctx, r, o)
			}}),
		},
		{
			Name: "dry-sweep-how-done", Rule: "watchcache/write/dry-run",
			About: "a deletecollection that is a dry run is done where it has a propagation policy",
			Open: calling(calls{sweep: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions, which metav1.ListOptions) (runtime.Object, error) {
				if saysHow(o) {
					o.DryRun = nil
				}
				return api.DeleteCollection(ctx, r, o, which)
			}}),
		},
		dryPartStored("finalizers"),
		dryPartStored("ownerReferences"),
		{
			Name: "dry-patch-null-stored", Rule: "watchcache/write/dry-run",
			About: "a patch that is a dry run is done where it sets something to null",
			Open: calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				if strings.Contains(string(data), ":null") {
					o.DryRun = nil
				}
				return api.Patch(ctx, r, pt, data, o)
			}}),
		},
		{
			Name: "patch-owners-ignored", Rule: "watchcache/write/response",
			About: "a merge patch leaves the owners as they are",
			Open:  patching(func(_, meta map[string]any) { delete(meta, "ownerReferences") }),
		},
		{
			Name: "patch-owners-stay", Rule: "watchcache/write/response",
			About: "a merge patch that sets the owners to null leaves them",
			Open: patching(func(_, meta map[string]any) {
				if owners, named := meta["ownerReferences"]; named && owners == nil {
					delete(meta, "ownerReferences")
				}
			}),
		},
	}
}

// dryPartStored stores dry runs of patches of a field of the metadata.
func dryPartStored(field string) Mutant {
	return Mutant{
		Name: "dry-patch-" + strings.ToLower(field) + "-stored", Rule: "watchcache/write/dry-run",
		About: "a patch of " + field + " that is a dry run is done",
		Open: calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
			if strings.Contains(string(data), `"`+field+`":[`) {
				o.DryRun = nil
			}
			return api.Patch(ctx, r, pt, data, o)
		}}),
	}
}

// generatedNames are faults of names that the server makes.
func generatedNames() []Mutant {
	return []Mutant{
		{
			Name: "generated-always-alike", Rule: "watchcache/write/exists",
			About: "the server makes the same name of a generateName each time: the second create is refused",
			Open: calling(calls{create: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
				if obj = obj.DeepCopyObject(); of(obj).GetName() == "" && of(obj).GetGenerateName() != "" {
					of(obj).SetName(of(obj).GetGenerateName() + "aaaaa")
				}
				return api.Create(ctx, r, obj, o)
			}}),
		},
		{
			Name: "generated-overwrites", Rule: "watchcache/write/exists",
			About: "a create of which the server makes the name takes the place of what has that name already",
			Open: calling(calls{create: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
				if obj = obj.DeepCopyObject(); of(obj).GetName() == "" && of(obj).GetGenerateName() != "" {
					of(obj).SetName(of(obj).GetGenerateName() + "aaaaa")
				}
				answer, err := api.Create(ctx, r, obj, o)
				if there := r; apierrors.IsAlreadyExists(err) && strings.HasSuffix(of(obj).GetName(), "-aaaaa") {
					there.Name = of(obj).GetName()
					_, _ = api.Delete(ctx, there, metav1.DeleteOptions{}) // it was there a moment ago
					return api.Create(ctx, r, obj, o)
				}
				return answer, err
			}}),
		},
		{
			Name: "generated-without-prefix", Rule: "watchcache/write/response",
			About: "a name that the server makes does not begin with generateName",
			Open: calling(calls{create: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
				if obj = obj.DeepCopyObject(); of(obj).GetName() == "" && of(obj).GetGenerateName() != "" {
					of(obj).SetGenerateName("x-")
				}
				return api.Create(ctx, r, obj, o)
			}}),
		},
	}
}
