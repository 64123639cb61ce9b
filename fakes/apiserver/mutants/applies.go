package mutants

import (
	"context"
	"encoding/json"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// applyCall is how a faulty API answers a server-side apply.
type applyCall func(context.Context, apiserver.API, apiserver.Request, []byte, metav1.PatchOptions) (runtime.Object, error)

// applying is a store behind an API that answers applies itself.
func applying(f applyCall) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
		if pt != types.ApplyYAMLPatchType {
			return api.Patch(ctx, r, pt, data, o)
		}
		return f(ctx, api, r, data, o)
	}})
}

func apply(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
	return api.Patch(ctx, r, types.ApplyYAMLPatchType, data, o)
}

// is says that the object that a request names is there.
func is(ctx context.Context, api apiserver.API, r apiserver.Request) bool {
	_, err := api.Get(ctx, r, metav1.GetOptions{})
	return err == nil
}

// unmanaged takes away who manages what of an object.
func unmanaged(ctx context.Context, api apiserver.API, r apiserver.Request) {
	_, _ = api.Patch(ctx, r, types.MergePatchType, []byte(`{"metadata":{"managedFields":[{}]}}`), metav1.PatchOptions{}) // what is not there stays so
}

// applies are faults of server-side apply.
func applyMutants() []Mutant {
	return []Mutant{
		{
			Name: "apply-conflict-overwritten", Rule: "watchcache/write/conflict/apply",
			About: "an apply takes from other managers what they have applied otherwise, unasked",
			Open: applying(func(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				o.Force = new(true)
				return apply(ctx, api, r, data, o)
			}),
		},
		{
			Name: "apply-conflict-applied", Rule: "watchcache/write/conflict/apply",
			About: "an apply of what another manager has applied otherwise is answered with 409, and done",
			Open: applying(func(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				answer, err := apply(ctx, api, r, data, o)
				if apierrors.IsConflict(err) {
					o.Force = new(true)
					_, _ = apply(ctx, api, r, data, o) // the answer stays what it was
				}
				return answer, err
			}),
		},
		{
			Name: "apply-force-ignored", Rule: "watchcache/write/conflict/apply",
			About: "an apply that forces is refused with 409 all the same",
			Open: applying(func(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				o.Force = nil
				return apply(ctx, api, r, data, o)
			}),
		},
		{
			Name: "apply-keeps-what-it-leaves-out", Rule: "watchcache/write/response",
			About: "an apply without data leaves the data that its manager had applied: nobody remembers who owns what",
			Open: applying(func(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				var sent, is map[string]any
				now, err := api.Get(ctx, r, metav1.GetOptions{})
				stored, _ := json.Marshal(now)
				if err == nil && json.Unmarshal(data, &sent) == nil && json.Unmarshal(stored, &is) == nil && sent["data"] == nil {
					sent["data"] = is["data"]
					data, _ = json.Marshal(sent) // which was read a line ago
				}
				return apply(ctx, api, r, data, o)
			}),
		},
		{
			Name: "apply-keeps-notes", Rule: "watchcache/write/response",
			About: "an apply leaves the annotations that its manager had applied, and that it leaves out",
			Open: applying(func(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				now, err := api.Get(ctx, r, metav1.GetOptions{})
				answer, failed := apply(ctx, api, r, data, o)
				if err != nil || failed != nil || len(of(now).GetAnnotations()) == 0 || len(of(answer).GetAnnotations()) > 0 {
					return answer, failed
				}
				of(answer).SetAnnotations(of(now).GetAnnotations())
				return api.Update(ctx, r, answer, metav1.UpdateOptions{DryRun: o.DryRun})
			}),
		},
		{
			Name: "apply-answers-another", Rule: "watchcache/write/response",
			About: "an apply that creates is answered with an annotation that is not stored",
			Open: applying(func(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				there := is(ctx, api, r)
				answer, err := apply(ctx, api, r, data, o)
				if err == nil && !there {
					of(answer).SetAnnotations(map[string]string{"applied": "yes"})
				}
				return answer, err
			}),
		},
		{
			Name: "apply-replaces", Rule: "watchcache/write/response",
			About: "an apply takes away what other managers have, as if it were a PUT",
			Open: applying(func(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				answer, err := apply(ctx, api, r, data, o)
				if err != nil {
					return answer, err
				}
				var sent struct{ Metadata metav1.ObjectMeta }
				if err := json.Unmarshal(data, &sent); err != nil {
					return nil, err
				}
				of(answer).SetAnnotations(sent.Metadata.Annotations)
				return api.Update(ctx, r, answer, metav1.UpdateOptions{DryRun: o.DryRun})
			}),
		},
		{
			Name: "apply-loses-the-rest", Rule: "watchcache/write/response",
			About: "an apply of a manager that is new to an object takes away the data of the others",
			Open: applying(func(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				var sent map[string]any
				if json.Unmarshal(data, &sent) == nil && sent["data"] == nil && sent["spec"] == nil && is(ctx, api, r) {
					_, _ = api.Patch(ctx, r, types.MergePatchType, []byte(`{"data":null}`), metav1.PatchOptions{})
					delete(sent["metadata"].(map[string]any), "resourceVersion")
					data, _ = json.Marshal(sent) // which was read a line ago
				}
				return apply(ctx, api, r, data, o)
			}),
		},
		{
			Name: "apply-of-nothing", Rule: "watchcache/write/missing/apply",
			About: "an apply of what does not exist is answered with 404, as other patches are",
			Open: applying(func(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				if !is(ctx, api, r) {
					return nil, apierrors.NewNotFound(r.Resource.GroupResource(), r.Name)
				}
				return apply(ctx, api, r, data, o)
			}),
		},
		{
			Name: "apply-finds-nothing", Rule: "watchcache/write/missing/apply",
			About: "every third apply of what exists is answered with 404",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				third := nth(3)
				return applying(func(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
					if is(ctx, api, r) && third() {
						return nil, apierrors.NewNotFound(r.Resource.GroupResource(), r.Name)
					}
					return apply(ctx, api, r, data, o)
				})(o)
			},
		},
		{
			Name: "apply-always-stores", Rule: "watchcache/write/no-op",
			About: "an apply that changes nothing is stored all the same: it has a new resourceVersion, and an event",
			Open: applying(func(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				before, err := api.Get(ctx, r, metav1.GetOptions{})
				answer, failed := apply(ctx, api, r, data, o)
				if err != nil || failed != nil || of(answer).GetResourceVersion() != of(before).GetResourceVersion() {
					return answer, failed
				}
				unmanaged(ctx, api, r)
				return apply(ctx, api, r, noVersion(data), o)
			}),
		},
		{
			Name: "apply-ends-nothing", Rule: "watchcache/write/finalizers",
			About: "an apply that takes the last finalizer of what is being deleted is answered, and the object stays",
			Open: applying(func(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				before, err := api.Get(ctx, r, metav1.GetOptions{})
				if err != nil || of(before).GetDeletionTimestamp() == nil {
					return apply(ctx, api, r, data, o)
				}
				answer, err := apply(ctx, api, r, data, metav1.PatchOptions{FieldManager: o.FieldManager, DryRun: []string{metav1.DryRunAll}})
				if err == nil && len(of(answer).GetFinalizers()) == 0 {
					return answer, nil
				}
				return apply(ctx, api, r, data, o)
			}),
		},
		{
			Name: "apply-adds-finalizers", Rule: "watchcache/write/finalizers",
			About: "an apply that names another finalizer of what is being deleted is taken, and so it shows it",
			Open: applying(func(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				answer, err := apply(ctx, api, r, data, o)
				var sent struct{ Metadata metav1.ObjectMeta }
				if now, gone := api.Get(ctx, r, metav1.GetOptions{}); apierrors.IsInvalid(err) && gone == nil && json.Unmarshal(data, &sent) == nil {
					of(now).SetFinalizers(sent.Metadata.Finalizers)
					of(now).SetResourceVersion(plus(of(now).GetResourceVersion(), 1))
					return now, nil
				}
				return answer, err
			}),
		},
		{
			Name: "apply-takes-all-finalizers", Rule: "watchcache/write/finalizers",
			About: "an apply takes away the finalizers that it does not name, whoever has set them",
			Open: applying(func(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				answer, err := apply(ctx, api, r, data, o)
				if err != nil || len(o.DryRun) > 0 || strings.Contains(string(data), `"finalizers"`) || len(of(answer).GetFinalizers()) == 0 {
					return answer, err
				}
				of(answer).SetFinalizers(nil)
				return api.Update(ctx, r, answer, metav1.UpdateOptions{})
			}),
		},
		{
			Name: "apply-answers-newer", Rule: "watchcache/write/response",
			About: "an apply that changes nothing is answered with a new resourceVersion, which is not stored",
			Open: applying(func(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				before, err := api.Get(ctx, r, metav1.GetOptions{})
				answer, failed := apply(ctx, api, r, data, o)
				if err == nil && failed == nil && of(answer).GetResourceVersion() == of(before).GetResourceVersion() {
					of(answer).SetResourceVersion(plus(of(answer).GetResourceVersion(), 1))
				}
				return answer, failed
			}),
		},
	}
}
