package mutants

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// answers are faults of what a write is answered with, and of what becomes of it.
func answers() []Mutant {
	return []Mutant{
		{
			Name: "answers-as-sent", Rule: "watchcache/write/response",
			About: "an update stores the old labels, and answers with those that were sent",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				in := obj.DeepCopyObject()
				if now, err := api.Get(ctx, r, metav1.GetOptions{}); err == nil {
					of(in).SetLabels(of(now).GetLabels())
				}
				answer, err := api.Update(ctx, r, in, o)
				if err == nil {
					of(answer).SetLabels(of(obj).GetLabels())
				}
				return answer, err
			}}),
		},
		{
			Name: "answers-as-before", Rule: "watchcache/write/response",
			About: "an update answers with the object as it was before",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				was, gone := api.Get(ctx, r, metav1.GetOptions{})
				answer, err := api.Update(ctx, r, obj, o)
				if err != nil || gone != nil {
					return answer, err
				}
				return was, nil
			}}),
		},
		{
			Name: "answers-old-version", Rule: "watchcache/write/response",
			About: "an update answers with the object as stored, and with the resourceVersion that it had before",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				was, gone := api.Get(ctx, r, metav1.GetOptions{})
				answer, err := api.Update(ctx, r, obj, o)
				if err == nil && gone == nil {
					of(answer).SetResourceVersion(of(was).GetResourceVersion())
				}
				return answer, err
			}}),
		},
		{
			Name: "patch-answers-before", Rule: "watchcache/write/response",
			About: "a patch answers with the object as it was before, and the new resourceVersion",
			Open: calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				was, gone := api.Get(ctx, r, metav1.GetOptions{})
				answer, err := api.Patch(ctx, r, pt, data, o)
				if err != nil || gone != nil {
					return answer, err
				}
				return moved(was, of(answer).GetResourceVersion()), nil
			}}),
		},
		{
			Name: "update-answers-no-version", Rule: "watchcache/write/response",
			About: "an update answers without a resourceVersion",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				return versionless(api.Update(ctx, r, obj, o))
			}}),
		},
		{
			Name: "create-answers-no-version", Rule: "watchcache/write/response",
			About: "a create answers without a resourceVersion, as if it were a dry run (client-go's fake clientset)",
			Open: calling(calls{create: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
				return versionless(api.Create(ctx, r, obj, o))
			}}),
		},
		{
			Name: "version-goes-back", Rule: "watchcache/write/version-grows",
			About: "a change of labels answers with a resourceVersion smaller than the one before",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				was, gone := api.Get(ctx, r, metav1.GetOptions{})
				answer, err := api.Update(ctx, r, obj, o)
				if err == nil && gone == nil && of(was).GetLabels()["app"] != of(obj).GetLabels()["app"] {
					of(answer).SetResourceVersion(plus(of(was).GetResourceVersion(), -1))
				}
				return answer, err
			}}),
		},
		{
			Name: "generated-unwatched", Rule: "watchcache/write/visible",
			About: "an object whose name was generated is stored, and no watch is told",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				return keep(func(e watch.Event, c apiserver.Cause) bool {
					return !change(c) || of(e.Object).GetGenerateName() == ""
				})
			}),
		},
		{
			Name: "listed-late", Rule: "watchcache/write/visible",
			About: "a write is in most-recent lists a second after its answer: they come from a cache that lags",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				o.CacheLag = time.Second
				return calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
					if o.ResourceVersion == "" && o.Continue == "" && o.Limit == 0 {
						o.ResourceVersion = "0"
					}
					return api.List(ctx, r, o)
				}})(o)
			},
		},
	}
}

func versionless(answer runtime.Object, err error) (runtime.Object, error) {
	if err == nil {
		of(answer).SetResourceVersion("")
	}
	return answer, err
}
