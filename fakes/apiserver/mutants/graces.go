package mutants

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// graces are faults of what has a grace period when it is deleted.
func graces() []Mutant {
	all := slices.Concat(graceMarks(), graceStays(), graceShorter(), graceEnds(), evictions())
	for i := range all {
		all[i].Resource = "pods"
	}
	return all
}

// removeCall is how a faulty API answers a delete.
type removeCall func(context.Context, apiserver.API, apiserver.Request, metav1.DeleteOptions) (runtime.Object, error)

// removing is a store behind an API that answers deletes itself.
func removing(f removeCall) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return calling(calls{remove: f})
}

// allowing is a store whose deletes have another period where f says so; going is whether the object is being deleted already.
func allowing(f func(asked *int64, going bool) *int64) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return removing(func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
		now, err := api.Get(ctx, r, metav1.GetOptions{})
		o.GracePeriodSeconds = f(o.GracePeriodSeconds, err == nil && isGoing(now))
		return api.Delete(ctx, r, o)
	})
}

// hasTime says that an object is being deleted, and has time left.
func hasTime(o runtime.Object) bool {
	p, ok := o.(*corev1.Pod)
	return ok && p.DeletionGracePeriodSeconds != nil && *p.DeletionGracePeriodSeconds > 0
}

func graceMarks() []Mutant {
	const rule = "watchcache/write/grace"
	return []Mutant{
		{
			Name: "grace-not-given", Rule: rule,
			About: "a delete that names no period removes a pod on a node at once, as fakes do that have no grace (client-go's, controller-runtime's)",
			Open: allowing(func(asked *int64, going bool) *int64 {
				if asked == nil && !going {
					return new(int64(0))
				}
				return asked
			}),
		},
		{
			Name: "grace-own-ignored", Rule: rule,
			About: "a pod gets the period of its kind, whatever the delete asks for",
			Open: allowing(func(asked *int64, going bool) *int64 {
				if asked != nil && *asked > 0 && !going {
					return nil
				}
				return asked
			}),
		},
		{
			Name: "grace-mark-untold", Rule: rule,
			About: "watches are not told of the mark of a delete with a period: the node never hears that it is to end the pod",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				told := map[types.UID]bool{}
				return keep(func(e watch.Event, _ apiserver.Cause) bool {
					had := told[of(e.Object).GetUID()]
					told[of(e.Object).GetUID()] = hasTime(e.Object)
					return had || e.Type != watch.Modified || !hasTime(e.Object)
				})
			}),
		},
		{
			Name: "grace-period-unsaid", Rule: rule,
			About: "gets show a pod that has time left without deletionGracePeriodSeconds",
			Open: calling(calls{get: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
				obj, err := api.Get(ctx, r, o)
				if err == nil && hasTime(obj) {
					of(obj).SetDeletionGracePeriodSeconds(nil)
				}
				return obj, err
			}}),
		},
		{
			Name: "grace-mark-unshown", Rule: rule,
			About: "gets show a pod that has time left as if nobody had deleted it",
			Open: calling(calls{get: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
				obj, err := api.Get(ctx, r, o)
				if err == nil && hasTime(obj) {
					of(obj).SetDeletionGracePeriodSeconds(nil)
					of(obj).SetDeletionTimestamp(nil)
				}
				return obj, err
			}}),
		},
	}
}

func graceStays() []Mutant {
	const rule = "watchcache/write/grace/stays"
	return []Mutant{
		{
			Name: "grace-given-and-gone", Rule: rule,
			About: "a pod on a node is marked with its period, and removed at once all the same",
			Open: removing(func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				obj, err := api.Delete(ctx, r, o)
				if err == nil && hasTime(obj) {
					_ = api.(*apiserver.Server).DeleteTogether(r) // it is there
				}
				return obj, err
			}),
		},
		{
			Name: "grace-over-gone", Rule: rule,
			About: "the server itself removes a pod when its time is over, though its node may still run it",
			Open: removing(func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
				obj, err := api.Delete(ctx, r, o)
				if err == nil && hasTime(obj) {
					uid := of(obj).GetUID()
					time.AfterFunc(time.Duration(*of(obj).GetDeletionGracePeriodSeconds())*time.Second, func() {
						_, _ = api.Delete(context.WithoutCancel(ctx), r, metav1.DeleteOptions{GracePeriodSeconds: new(int64(0)), Preconditions: &metav1.Preconditions{UID: &uid}})
					})
				}
				return obj, err
			}),
		},
		{
			Name: "grace-held-gone", Rule: rule,
			About: "who takes the last finalizer of a pod that has time left removes it",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, in runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				was, gone := api.Get(ctx, r, metav1.GetOptions{})
				obj, err := api.Update(ctx, r, in, o)
				if err == nil && gone == nil && hasTime(obj) && len(of(was).GetFinalizers()) > 0 && len(of(obj).GetFinalizers()) == 0 {
					_, _ = api.Delete(ctx, r, metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))})
				}
				return obj, err
			}}),
		},
		{
			Name: "grace-collection-gone", Rule: rule,
			About: "deletecollection removes what has time left already",
			Open: calling(calls{sweep: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions, which metav1.ListOptions) (runtime.Object, error) {
				l, err := api.DeleteCollection(ctx, r, o, which)
				for _, item := range items(l) {
					if r.Name = of(item).GetName(); err == nil && hasTime(item) {
						_, _ = api.Delete(ctx, r, metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))})
					}
				}
				return l, err
			}}),
		},
		{
			Name: "grace-hidden", Rule: rule,
			About: "gets answer 404 for a pod that has time left: a controller makes the next while it still runs",
			Open: calling(calls{get: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
				obj, err := api.Get(ctx, r, o)
				if err == nil && hasTime(obj) {
					return nil, apierrors.NewNotFound(r.Resource.GroupResource(), r.Name)
				}
				return obj, err
			}}),
		},
	}
}

func graceShorter() []Mutant {
	const rule = "watchcache/write/grace/shorter"
	return []Mutant{
		{
			Name: "grace-grows", Rule: rule,
			About: "a later delete with a longer period gives a pod that much",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				o.Quirks.GraceGrows = true
				s := apiserver.New(o)
				return s, s
			},
		},
		{
			Name: "grace-begins-anew", Rule: rule,
			About: "a later delete that names no period gives a pod that of its kind again",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				o.Quirks.GraceGrows = true
				return allowing(func(asked *int64, going bool) *int64 {
					if going && asked == nil {
						return new(int64(corev1.DefaultTerminationGracePeriodSeconds))
					}
					return asked
				})(o)
			},
		},
		{
			Name: "grace-shorter-ignored", Rule: rule,
			About: "a later delete with a shorter period changes nothing, unless it is 0",
			Open: allowing(func(asked *int64, going bool) *int64 {
				if going && asked != nil && *asked > 0 {
					return nil
				}
				return asked
			}),
		},
		{
			Name: "grace-shorter-untold", Rule: rule,
			About: "watches are not told that a period got shorter: the node takes the time it knows of",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				had := map[types.UID]int64{}
				return keep(func(e watch.Event, _ apiserver.Cause) bool {
					if !hasTime(e.Object) || e.Type != watch.Modified {
						return true
					}
					uid, left := of(e.Object).GetUID(), *of(e.Object).GetDeletionGracePeriodSeconds()
					was, marked := had[uid]
					had[uid] = left
					return !marked || was == left
				})
			}),
		},
	}
}

func graceEnds() []Mutant {
	const rule = "watchcache/write/grace/end"
	return []Mutant{
		{
			Name: "grace-zero-ignored", Rule: rule,
			About: "a delete with period 0 of a pod that has time left changes nothing: kubectl delete --force hangs",
			Open: allowing(func(asked *int64, going bool) *int64 {
				if going && asked != nil && *asked == 0 {
					return nil
				}
				return asked
			}),
		},
		{
			Name: "grace-zero-unset", Rule: rule,
			About: "a period of 0 is read as none, as of a field that is left out where it is empty",
			Open: allowing(func(asked *int64, going bool) *int64 {
				if asked != nil && *asked == 0 && !going {
					return nil
				}
				return asked
			}),
		},
		{
			Name: "grace-end-untold", Rule: rule,
			About: "watches are not told of the end of what had time left before",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				had := map[types.UID]bool{}
				return keep(func(e watch.Event, c apiserver.Cause) bool {
					uid := of(e.Object).GetUID()
					had[uid] = had[uid] || hasTime(e.Object)
					return c != apiserver.Deleted || !had[uid]
				})
			}),
		},
	}
}

// evictions are faults of the create of a subresource.
func evictions() []Mutant {
	return []Mutant{{
		Name: "eviction-stored", Rule: "watchcache/write/subresource-create",
		About: "an eviction is stored among the pods, as an object of its own",
		Open: calling(calls{create: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
			pod, err := api.Get(ctx, apiserver.Request{Resource: r.Resource, Namespace: r.Namespace, Name: r.Name}, metav1.GetOptions{})
			if r.Subresource != "eviction" || err != nil {
				return api.Create(ctx, r, obj, o)
			}
			of(pod).SetName("eviction-of-" + r.Name)
			of(pod).SetResourceVersion("")
			return api.Create(ctx, apiserver.Request{Resource: r.Resource, Namespace: r.Namespace}, pod, o)
		}}),
	}}
}
