package mutants

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// oldWrites are those that are no rows yet.
func oldWrites() [][]Mutant {
	return [][]Mutant{
		unchanging(),
		firsts(),
		hidden(),
		everywhereMutants(),
	}
}

// force updates at whatever resourceVersion is stored, again where another write comes between.
func force(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
	for range 3 {
		now, err := api.Get(ctx, r, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		in := obj.DeepCopyObject()
		of(in).SetResourceVersion(of(now).GetResourceVersion())
		if answer, err := api.Update(ctx, r, in, o); !apierrors.IsConflict(err) {
			return answer, err
		}
	}
	return api.Update(ctx, r, obj, o)
}

// showingAll is a store of which f changes every object in every answer and event.
func showingAll(f func(metav1.Object)) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	one := func(o runtime.Object, err error) (runtime.Object, error) {
		if m, ok := o.(metav1.Object); ok && err == nil {
			f(m)
		}
		return o, err
	}
	return func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
		o.OnWatch = func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
			return func(e watch.Event, c apiserver.Cause) []watch.Event {
				_, _ = one(e.Object, nil)
				return pass(e, c)
			}
		}
		return calling(calls{
			get: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
				return one(api.Get(ctx, r, o))
			},
			list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				l, err := api.List(ctx, r, o)
				if err == nil {
					for _, item := range items(l) {
						f(of(item))
					}
				}
				return l, err
			},
			update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				return one(api.Update(ctx, r, obj, o))
			},
			patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				return one(api.Patch(ctx, r, pt, data, o))
			},
		})(o)
	}
}
