package mutants

import (
	"context"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

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

// timed are faults of what a deletion leaves as it is.
func timedMutants() []Mutant {
	const rule = "watchcache/write/finalizers"
	return []Mutant{
		{
			Name: "mark-moves", Rule: rule,
			About: "the deletionTimestamp of an object that waits for a finalizer grows with each change of it",
			Open: showingHeld(func(m metav1.Object) {
				if n, err := strconv.Atoi(m.GetResourceVersion()); err == nil {
					m.SetDeletionTimestamp(&metav1.Time{Time: m.GetDeletionTimestamp().Add(time.Duration(n) * time.Second)})
				}
			}),
		},
		{
			Name: "mark-unlabels", Rule: rule,
			About: "an object that waits for a finalizer has lost its labels",
			Open:  showingHeld(func(m metav1.Object) { m.SetLabels(nil) }),
		},
		{
			Name: "mark-another", Rule: rule,
			About: "an object that waits for a finalizer has another uid than before",
			Open:  showingHeld(func(m metav1.Object) { m.SetUID(m.GetUID() + "x") }),
		},
		{
			Name: "mark-renews", Rule: rule,
			About: "an object that waits for a finalizer has another creationTimestamp than before",
			Open: showingHeld(func(m metav1.Object) {
				m.SetCreationTimestamp(metav1.NewTime(m.GetCreationTimestamp().Add(time.Hour)))
			}),
		},
	}
}

// showingHeld is showingAll for what waits for a finalizer.
func showingHeld(f func(metav1.Object)) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return showingAll(func(m metav1.Object) {
		if m.GetDeletionTimestamp() != nil && len(m.GetFinalizers()) > 0 {
			f(m)
		}
	})
}
