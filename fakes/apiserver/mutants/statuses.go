package mutants

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// stated are faults of kinds whose status has a subresource.
func stated() []Mutant {
	all := append(append(statusTaken(), specTaken()...), statusStale()...)
	all = append(all, statusLost()...)
	for i := range all {
		all[i].Resource = "deployments"
	}
	return all
}

// parted is a request for the other part of an object: its status, or the object.
func parted(r apiserver.Request) apiserver.Request {
	if r.Subresource == "" {
		r.Subresource = "status"
		return r
	}
	r.Subresource = ""
	return r
}

// puttingBoth is a store that does an update of one part to the other, too, where such says so.
func puttingBoth(part string, such func(*appsv1.Deployment) bool) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
		answer, err := api.Update(ctx, r, obj, o)
		if err != nil || r.Subresource != part || !such(obj.(*appsv1.Deployment)) || len(o.DryRun) > 0 {
			return answer, err
		}
		again := obj.DeepCopyObject()
		of(again).SetResourceVersion("")
		return api.Update(ctx, parted(r), again, o)
	}})
}

// patchingBoth does a patch of one type to the other part, too.
func patchingBoth(part string, pt types.PatchType) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, t types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
		answer, err := api.Patch(ctx, r, t, data, o)
		if err != nil || r.Subresource != part || t != pt {
			return answer, err
		}
		if t == types.ApplyYAMLPatchType {
			o.Force = new(true)
		}
		return api.Patch(ctx, parted(r), t, noVersion(data), o)
	}})
}

func hasStatus(d *appsv1.Deployment) bool { return len(d.Status.Conditions) > 0 }
func noStatus(d *appsv1.Deployment) bool  { return !hasStatus(d) }
func hasSpec(d *appsv1.Deployment) bool   { return len(d.Spec.Template.Annotations) > 0 }
func noSpec(d *appsv1.Deployment) bool    { return !hasSpec(d) }

// statusTaken are writes to an object that change its status.
func statusTaken() []Mutant {
	const rule = "watchcache/write/status/status-kept"
	return []Mutant{
		{
			Name: "put-takes-status", Rule: rule,
			About: "an update of the object sets the status that it brings, as fakes do that store what they are sent (controller-runtime's, before WithStatusSubresource)",
			Open:  puttingBoth("", hasStatus),
		},
		{
			Name: "put-drops-status", Rule: rule,
			About: "an update of the object that leaves status out takes it away",
			Open:  puttingBoth("", noStatus),
		},
		{Name: "patch-takes-status", Rule: rule, About: "a merge patch of the object sets status", Open: patchingBoth("", types.MergePatchType)},
		{Name: "apply-takes-status", Rule: rule, About: "an apply of the object sets status", Open: patchingBoth("", types.ApplyYAMLPatchType)},
	}
}

// specTaken are writes to status that change the spec.
func specTaken() []Mutant {
	const rule = "watchcache/write/status/spec-kept"
	return []Mutant{
		{
			Name: "status-put-takes-spec", Rule: rule,
			About: "an update of status sets the spec that it brings: a controller takes back what the user has asked for",
			Open:  puttingBoth("status", hasSpec),
		},
		{
			Name: "status-put-drops-spec", Rule: rule,
			About: "an update of status that leaves a part of the spec out takes it away",
			Open:  puttingBoth("status", noSpec),
		},
		{Name: "status-patch-takes-spec", Rule: rule, About: "a merge patch of status sets the spec", Open: patchingBoth("status", types.MergePatchType)},
		{Name: "status-apply-takes-spec", Rule: rule, About: "an apply of status sets the spec", Open: patchingBoth("status", types.ApplyYAMLPatchType)},
	}
}

// statusCall is how a faulty API answers an update of status.
type statusCall func(context.Context, apiserver.API, apiserver.Request, runtime.Object, metav1.UpdateOptions) (runtime.Object, error)

// statusPut is a store behind an API that answers updates of status itself.
func statusPut(f statusCall) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
		if r.Subresource != "status" {
			return api.Update(ctx, r, obj, o)
		}
		return f(ctx, api, r, obj, o)
	}})
}

// statusStale are writes to status whose preconditions, or object, nobody looks at.
func statusStale() []Mutant {
	const rule = "watchcache/write/conflict/status"
	return []Mutant{
		{
			Name: "status-put-stale", Rule: rule,
			About: "an update of status is taken whatever its resourceVersion",
			Open: statusPut(func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				of(obj).SetResourceVersion("")
				return api.Update(ctx, r, obj, o)
			}),
		},
		{
			Name: "status-patch-stale", Rule: rule,
			About: "a merge patch of status is taken whatever its resourceVersion",
			Open: calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				if r.Subresource == "status" {
					data = noVersion(data)
				}
				return api.Patch(ctx, r, pt, data, o)
			}}),
		},
		{
			Name: "status-conflict-applied", Rule: rule,
			About: "a stale update of status is answered with 409, and done",
			Open: statusPut(func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				answer, err := api.Update(ctx, r, obj.DeepCopyObject(), o)
				if apierrors.IsConflict(err) {
					of(obj).SetResourceVersion("")
					_, _ = api.Update(ctx, r, obj, o) // the answer stays what it was
				}
				return answer, err
			}),
		},
		{
			Name: "status-put-future", Rule: rule,
			About: "an update of status with a resourceVersion above the object's is taken",
			Open: statusPut(func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				if now, err := api.Get(ctx, r, metav1.GetOptions{}); err == nil && older(of(now).GetResourceVersion(), of(obj).GetResourceVersion()) {
					of(obj).SetResourceVersion("")
				}
				return api.Update(ctx, r, obj, o)
			}),
		},
		{
			Name: "status-put-any-uid", Rule: "watchcache/write/conflict/uid",
			About: "an update of status is taken whatever uid it names",
			Open: statusPut(func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				of(obj).SetUID("")
				return api.Update(ctx, r, obj, o)
			}),
		},
		{
			Name: "status-put-refused", Rule: "watchcache/write/no-false-conflict",
			About: "every third update of status is refused with 409 though its resourceVersion holds",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				third := nth(3)
				return statusPut(func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
					if third() {
						return nil, conflict(r)
					}
					return api.Update(ctx, r, obj, o)
				})(o)
			},
		},
		{
			Name: "status-creates", Rule: "watchcache/write/missing/update",
			About: "an update of the status of what is not there creates it",
			Open: statusPut(func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				if is(ctx, api, r) {
					return api.Update(ctx, r, obj, o)
				}
				of(obj).SetResourceVersion("")
				return api.Create(ctx, parted(r), obj, metav1.CreateOptions{})
			}),
		},
		{
			Name: "status-apply-creates", Rule: "watchcache/write/missing/update",
			About: "an apply of the status of what is not there creates it",
			Open: applying(func(ctx context.Context, api apiserver.API, r apiserver.Request, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				if r.Subresource == "status" && !is(ctx, api, r) {
					r = parted(r)
				}
				return apply(ctx, api, r, data, o)
			}),
		},
		{
			Name: "status-of-deleting-missing", Rule: "watchcache/write/missing/update",
			About: "an update of the status of what is being deleted is answered with 404: nobody can tell what it still waits for",
			Open: statusPut(func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				if now, err := api.Get(ctx, r, metav1.GetOptions{}); err == nil && of(now).GetDeletionTimestamp() != nil {
					return nil, apierrors.NewNotFound(r.Resource.GroupResource(), r.Name)
				}
				return api.Update(ctx, r, obj, o)
			}),
		},
	}
}

// dryly is an update as a dry run.
func dryly(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object) (runtime.Object, error) {
	return api.Update(ctx, r, obj, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
}

// statusLost are writes to status that are answered, and not stored as they were answered, or not told.
func statusLost() []Mutant {
	return []Mutant{
		{
			Name: "status-put-unstored", Rule: "watchcache/write/response",
			About: "an update of status is answered as if it were stored, with the old resourceVersion, and is not",
			Open: statusPut(func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				return dryly(ctx, api, r, obj)
			}),
		},
		{
			Name: "status-put-ignored", Rule: "watchcache/write/response",
			About: "an update of status is answered with the object as it is, and nothing is stored",
			Open: statusPut(func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				if _, err := dryly(ctx, api, r, obj); err != nil {
					return nil, err
				}
				return api.Get(ctx, r, metav1.GetOptions{})
			}),
		},
		{
			Name: "status-dry-run-stored", Rule: "watchcache/write/dry-run",
			About: "a dry run of an update of status is stored",
			Open: statusPut(func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, _ metav1.UpdateOptions) (runtime.Object, error) {
				return api.Update(ctx, r, obj, metav1.UpdateOptions{})
			}),
		},
		{
			Name: "status-always-stores", Rule: "watchcache/write/no-op",
			About: "an update of status that changes nothing is stored all the same, with a count of its own: two controllers keep each other busy",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				count := int64(0)
				return statusPut(func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
					count++
					obj.(*appsv1.Deployment).Status.ObservedGeneration = count
					return api.Update(ctx, r, obj, o)
				})(o)
			},
		},
		{
			Name: "status-changes-untold", Rule: "watchcache/watch/reliable",
			About: "watches are not told of changes of status alone, as if all filtered by generation (client-side predicates do; a server must not)",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				o.OnWatch = func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
					told := map[types.UID]string{}
					return keep(func(e watch.Event, c apiserver.Cause) bool {
						is, ok := e.Object.(*appsv1.Deployment)
						was := told[of(e.Object).GetUID()]
						told[of(e.Object).GetUID()] = plus("0", of(e.Object).GetGeneration())
						return !ok || e.Type != watch.Modified || !hasStatus(is) || was != plus("0", is.Generation)
					})
				}
				s := apiserver.New(o)
				return s, s
			},
		},
	}
}
