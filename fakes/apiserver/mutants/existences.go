package mutants

import (
	"context"
	"regexp"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

var sentUID = regexp.MustCompile(`"uid":"([^"]*)"`)

// identities are faults of uids.
func identities() []Mutant {
	return []Mutant{
		{
			Name: "patch-changes-uid", Rule: "watchcache/write/uid-kept",
			About: "a patch with another uid is taken, and answered with it",
			Open: calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				uid := sentUID.FindSubmatch(data)
				answer, err := api.Patch(ctx, r, pt, sentUID.ReplaceAll(data, []byte(`"labels":{"app":"one"}`)), o)
				if uid != nil && err == nil {
					of(answer).SetUID(types.UID(uid[1]))
				}
				return answer, err
			}}),
		},
		{
			Name: "patch-uid-ignored", Rule: "watchcache/write/uid-kept",
			About: "a patch with another uid is taken for one without",
			Open: calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				return api.Patch(ctx, r, pt, sentUID.ReplaceAll(data, []byte(`"generateName":""`)), o)
			}}),
		},
		{
			Name: "patch-uid-bad-request", Rule: "watchcache/write/uid-kept",
			About: "a patch with another uid is refused with 400",
			Open: calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				answer, err := api.Patch(ctx, r, pt, data, o)
				if apierrors.IsInvalid(err) && sentUID.Match(data) {
					err = apierrors.NewBadRequest("the uid cannot be changed")
				}
				return answer, err
			}}),
		},
		{
			Name: "uid-used-again", Rule: "watchcache/write/version-grows",
			About: "an object that is created anew under its name is answered with the uid of the one before",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				var uids sync.Map // by namespace and name
				return calling(calls{create: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
					answer, err := api.Create(ctx, r, obj, o)
					if err == nil && len(o.DryRun) == 0 {
						first, _ := uids.LoadOrStore(r.Namespace+"/"+of(answer).GetName(), of(answer).GetUID())
						of(answer).SetUID(first.(types.UID))
					}
					return answer, err
				}})(o)
			},
		},
	}
}

// existences are faults of writes of what is there, or is not.
func existences() []Mutant {
	return []Mutant{
		{
			Name: "create-overwrites", Rule: "watchcache/write/exists",
			About: "a create of what exists replaces it",
			Open: calling(calls{create: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
				answer, err := api.Create(ctx, r, obj, o)
				if !apierrors.IsAlreadyExists(err) {
					return answer, err
				}
				r.Name = of(obj).GetName()
				return force(ctx, api, r, obj, metav1.UpdateOptions{DryRun: o.DryRun})
			}}),
		},
		{
			Name: "create-conflicts", Rule: "watchcache/write/exists",
			About: "a create of what exists is refused with the reason Conflict, which a client answers by reading and trying again",
			Open: calling(calls{create: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
				answer, err := api.Create(ctx, r, obj, o)
				if apierrors.IsAlreadyExists(err) {
					err = conflict(r)
				}
				return answer, err
			}}),
		},
		{
			Name: "name-stays-taken", Rule: "watchcache/write/exists",
			About: "the name of what was deleted is refused once as taken (a cache that lags answers for the storage)",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				var deleted sync.Map // by namespace and name
				return calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
					deleted.Store(r.Namespace+"/"+r.Name, true)
					return api.Delete(ctx, r, o)
				}, create: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
					if _, ok := deleted.LoadAndDelete(r.Namespace + "/" + of(obj).GetName()); ok {
						return nil, apierrors.NewAlreadyExists(r.Resource.GroupResource(), of(obj).GetName())
					}
					return api.Create(ctx, r, obj, o)
				}})(o)
			},
		},
		{
			Name: "delete-of-nothing", Rule: "watchcache/write/missing/delete",
			About: "a delete of what does not exist is answered as done",
			Open: calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				answer, err := api.Delete(ctx, r, o)
				if apierrors.IsNotFound(err) {
					return &metav1.Status{Status: metav1.StatusSuccess}, nil
				}
				return answer, err
			}}),
		},
		{
			Name: "get-of-nothing-at-zero", Rule: "watchcache/write/missing/delete",
			About: "the 404 of a get says resourceVersion 0 (kubernetes#142591, between a storage and its callers)",
			Open: calling(calls{get: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
				answer, err := api.Get(ctx, r, o)
				return answer, nothingAt("0", err)
			}}),
		},
		{
			Name: "update-of-nothing-long-ago", Rule: "watchcache/write/missing/update",
			About: "the 404 of an update says resourceVersion 1, which is from before the object existed",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				answer, err := api.Update(ctx, r, obj, o)
				return answer, nothingAt("1", err)
			}}),
		},
		{
			Name: "get-of-nothing", Rule: "watchcache/write/missing/delete",
			About: "a get of what does not exist is refused with 410, as if it had been asked for at an old resourceVersion",
			Open: calling(calls{get: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
				answer, err := api.Get(ctx, r, o)
				if apierrors.IsNotFound(err) {
					err = apierrors.NewResourceExpired("gone")
				}
				return answer, err
			}}),
		},
		{
			Name: "delete-finds-nothing", Rule: "watchcache/write/missing/delete",
			About: "every third delete of what exists is answered with 404",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				third := nth(3)
				return calling(calls{remove: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
					if third() {
						return nil, apierrors.NewNotFound(r.Resource.GroupResource(), r.Name)
					}
					return api.Delete(ctx, r, o)
				}})(o)
			},
		},
		{
			Name: "update-creates", Rule: "watchcache/write/missing/update",
			About: "an update of what does not exist creates it, for a kind that is said not to",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				answer, err := api.Update(ctx, r, obj, o)
				if apierrors.IsNotFound(err) {
					return api.Create(ctx, r, moved(obj, ""), metav1.CreateOptions{DryRun: o.DryRun})
				}
				return answer, err
			}}),
		},
		{
			Name: "patch-of-nothing-conflicts", Rule: "watchcache/write/missing/update",
			About: "a patch of what does not exist is refused with 409, which a client answers by trying again",
			Open: calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				answer, err := api.Patch(ctx, r, pt, data, o)
				if apierrors.IsNotFound(err) {
					err = conflict(r)
				}
				return answer, err
			}}),
		},
	}
}

// nothingAt returns err, or where that is a 404 a copy that says a resourceVersion.
func nothingAt(version string, err error) error {
	if apierrors.IsNotFound(err) {
		out := *err.(*apierrors.StatusError)
		out.ErrStatus.ResourceVersion = version
		return &out
	}
	return err
}
