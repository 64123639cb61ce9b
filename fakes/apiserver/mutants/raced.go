package mutants

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// racedPatches are faults of patches that others' writes come between.
func racedPatches() []Mutant {
	return []Mutant{
		{
			Name: "patch-over-concurrent", Rule: "watchcache/write/response",
			About: "a merge patch is made of what is read, and a millisecond later that is stored over whatever is there then",
			Open: racing(func(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				in, err := api.Patch(ctx, r, types.MergePatchType, data, metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
				if err != nil {
					return nil, err
				}
				time.Sleep(time.Millisecond)
				return force(ctx, api, r, in, metav1.UpdateOptions{})
			}),
		},
		{
			Name: "patch-over-labels", Rule: "watchcache/write/response",
			About: "a merge patch writes the labels that were there a millisecond before it, too, over what they are then",
			Open: racing(func(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				now, err := api.Get(ctx, r, metav1.GetOptions{})
				if err != nil {
					return nil, err
				}
				was, _ := json.Marshal(map[string]any{"metadata": map[string]any{"labels": of(now).GetLabels()}}) // strings
				time.Sleep(time.Millisecond)
				if data, err = jsonpatch.MergeMergePatches(was, data); err != nil {
					return nil, err
				}
				return api.Patch(ctx, r, types.MergePatchType, data, o)
			}),
		},
	}
}

// racedNames are faults of creates and deletes that others come between: what is looked up holds no more when it is used.
func racedNames() []Mutant {
	return []Mutant{
		{
			Name: "create-raced", Rule: "watchcache/write/exists",
			About: "a create finds its name free, and a millisecond later is written over what is there by then",
			Open: calling(calls{create: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
				at := apiserver.Request{Resource: r.Resource, Namespace: r.Namespace, Name: of(obj).GetName()}
				_, free := api.Get(ctx, at, metav1.GetOptions{})
				time.Sleep(time.Millisecond)
				if free != nil && at.Name != "" {
					if out, err := force(ctx, api, at, obj, metav1.UpdateOptions{DryRun: o.DryRun}); err == nil {
						return out, nil
					}
				}
				return api.Create(ctx, r, obj, o)
			}}),
		},
		{
			Name: "delete-raced", Rule: "watchcache/write/missing/delete",
			About: "a delete that finds its object, and a millisecond later finds it gone, is answered as if it had deleted it",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				was, err := api.Get(ctx, r, metav1.GetOptions{})
				time.Sleep(time.Millisecond)
				out, failed := api.Delete(ctx, r, o)
				if err == nil && apierrors.IsNotFound(failed) {
					return was, nil
				}
				return out, failed
			}}),
		},
		{
			Name: "delete-answers-old", Rule: "watchcache/write/delete-answer",
			About: "a delete of what stays is answered with the object as it was before the delete",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				was, _ := api.Get(ctx, r, metav1.GetOptions{})
				out, err := api.Delete(ctx, r, o)
				if _, object := out.(metav1.Object); err != nil || !object {
					return out, err
				}
				return was, nil
			}}),
		},
		{
			Name: "delete-misses-finalizer", Rule: "watchcache/write/finalizers-raced",
			About: "a delete looks for finalizers, and a millisecond later removes the object, whatever it has got since",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				free := unheld(ctx, api, r)
				time.Sleep(time.Millisecond)
				now, err := api.Get(ctx, r, metav1.GetOptions{})
				if free && err == nil && len(of(now).GetFinalizers()) > 0 && o.Preconditions == nil && len(o.DryRun) == 0 {
					return now, api.(*apiserver.Server).DeleteTogether(r)
				}
				return api.Delete(ctx, r, o)
			}}),
		},
	}
}

// racedConditions are faults of what a write demands, which is looked at first and forgotten by the time that it is done.
func racedConditions() []Mutant {
	return []Mutant{
		{
			Name: "delete-uid-raced", Rule: "watchcache/write/conflict/uid",
			About: "a delete finds the uid that it demands, and a millisecond later removes whatever has the name by then",
			Open: deletingLater(func(p *metav1.Preconditions, now metav1.Object) bool {
				return p.ResourceVersion == nil && p.UID != nil && *p.UID == now.GetUID()
			}),
		},
		{
			Name: "delete-version-raced", Rule: "watchcache/write/conflict/delete",
			About: "a delete finds the resourceVersion that it demands, and a millisecond later removes whatever has the name by then",
			Open: deletingLater(func(p *metav1.Preconditions, now metav1.Object) bool {
				return p.ResourceVersion != nil && *p.ResourceVersion == now.GetResourceVersion()
			}),
		},
		{
			Name: "update-uid-raced", Rule: "watchcache/write/conflict/uid",
			About: "an update without a resourceVersion finds the uid that it demands, and a millisecond later is written over whatever has the name by then",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, in runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				now, err := api.Get(ctx, r, metav1.GetOptions{})
				if m := of(in); err == nil && m.GetResourceVersion() == "" && m.GetUID() == of(now).GetUID() {
					time.Sleep(time.Millisecond)
					in = in.DeepCopyObject()
					of(in).SetUID("")
				}
				return api.Update(ctx, r, in, o)
			}}),
		},
		{
			Name: "update-version-raced", Rule: "watchcache/write/contended",
			About: "an update finds the resourceVersion that it names, and a millisecond later is written over whatever is there by then",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, in runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				now, err := api.Get(ctx, r, metav1.GetOptions{})
				if err != nil || of(in).GetResourceVersion() != of(now).GetResourceVersion() {
					return api.Update(ctx, r, in, o)
				}
				time.Sleep(time.Millisecond)
				return force(ctx, api, r, in, o)
			}}),
		},
		{
			Name: "json-test-raced", Rule: "watchcache/write/conflict/test",
			About: "the tests of a JSON patch are looked at, and a millisecond later the rest is done without them",
			Open: calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				var ops []operation
				if pt == types.JSONPatchType && json.Unmarshal(data, &ops) == nil && slices.ContainsFunc(ops, isTest) {
					if out, err := api.Patch(ctx, r, pt, data, metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}}); err != nil {
						return out, err
					}
					time.Sleep(time.Millisecond)
					data = encoded(without(isTest)(ops))
				}
				return api.Patch(ctx, r, pt, data, o)
			}}),
		},
	}
}

// deletingLater is a store that forgets what a delete demands once such has found that it holds.
func deletingLater(such func(p *metav1.Preconditions, now metav1.Object) bool) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
		now, err := api.Get(ctx, r, metav1.GetOptions{})
		if err == nil && o.Preconditions != nil && such(o.Preconditions, of(now)) {
			time.Sleep(time.Millisecond)
			o.Preconditions = nil
		}
		return api.Delete(ctx, r, o)
	}})
}

// unheld says that the object that a request names is there, and has no finalizers.
func unheld(ctx context.Context, api apiserver.API, r apiserver.Request) bool {
	now, err := api.Get(ctx, r, metav1.GetOptions{})
	return err == nil && len(of(now).GetFinalizers()) == 0
}

// racing is a store behind an API that answers merge patches without a resourceVersion itself.
func racing(f applyCall) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
		if pt != types.MergePatchType || sentVersion.Match(data) || len(o.DryRun) > 0 {
			return api.Patch(ctx, r, pt, data, o)
		}
		return f(ctx, api, r, data, o)
	}})
}
