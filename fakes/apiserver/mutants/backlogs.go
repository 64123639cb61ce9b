package mutants

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// backlogs are faults that show where a watch has more to tell than some buffer holds.
func backlogs() []Mutant {
	var all []Mutant
	for _, n := range []int{100, 500} {
		all = append(all, Mutant{
			Name: fmt.Sprint("replay-ends-at-", n), Rule: "watchcache/watch/from-list",
			About: fmt.Sprintf("a watch from the past gives the last %d changes of what it has missed, and nothing tells of those before (a ring that is overwritten, without 410)", n),
			Open: calling(calls{watch: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
				if l, err := api.List(ctx, r, metav1.ListOptions{Limit: 1}); err == nil && from(&o) {
					now, _ := strconv.Atoi(listOf(l).GetResourceVersion())
					if start, err := strconv.Atoi(o.ResourceVersion); err == nil {
						o.ResourceVersion = strconv.Itoa(max(start, now-n))
					}
				}
				return api.Watch(ctx, r, o)
			}}),
		}, Mutant{
			Name: fmt.Sprint("change-lost-at-", n), Rule: "watchcache/watch/reliable",
			About: fmt.Sprintf("a watch leaves out change number %d", n),
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				i := 0
				return keep(func(_ watch.Event, c apiserver.Cause) bool {
					if change(c) {
						i++
					}
					return !change(c) || i != n
				})
			}),
		})
	}
	return all
}

// firsts are refusals of creates that nothing justifies: the first of their names.
func firsts() []Mutant {
	return []Mutant{
		{
			Name: "exists-by-prefix", Rule: "watchcache/write/exists",
			About: "a create is refused with AlreadyExists where an object is there whose name this one begins with",
			Open: existing(func(ctx context.Context, api apiserver.API, r apiserver.Request, obj metav1.Object) bool {
				l, err := api.List(ctx, r, metav1.ListOptions{})
				if err != nil || obj.GetName() == "" {
					return false
				}
				for _, i := range items(l) {
					if of(i).GetName() != obj.GetName() && strings.HasPrefix(obj.GetName(), of(i).GetName()) {
						return true
					}
				}
				return false
			}),
		},
		{
			Name: "exists-by-name", Rule: "watchcache/write/exists",
			About: "a create is refused with AlreadyExists where another namespace has an object of the name",
			Open: existing(func(ctx context.Context, api apiserver.API, r apiserver.Request, obj metav1.Object) bool {
				r.Namespace = ""
				l, err := api.List(ctx, r, metav1.ListOptions{FieldSelector: "metadata.name=" + obj.GetName()})
				return err == nil && obj.GetName() != "" && len(items(l)) > 0
			}),
		},
		{
			Name: "exists-dotted", Rule: "watchcache/write/exists",
			About: "a create of a name with a dot is refused with AlreadyExists",
			Open: existing(func(_ context.Context, _ apiserver.API, _ apiserver.Request, obj metav1.Object) bool {
				return strings.Contains(obj.GetName(), ".")
			}),
		},
	}
}

// existing is a store that refuses creates for something that is not there.
func existing(such func(context.Context, apiserver.API, apiserver.Request, metav1.Object) bool) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return calling(calls{create: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
		if such(ctx, api, r, of(obj)) {
			return nil, apierrors.NewAlreadyExists(r.Resource.GroupResource(), of(obj).GetName())
		}
		return api.Create(ctx, r, obj, o)
	}})
}

// unchanging is a fault of stale updates that would change nothing.
func unchanging() []Mutant {
	return []Mutant{{
		Name: "stale-update-unchanging", Rule: "watchcache/write/conflict/update",
		About: "an update with a stale resourceVersion is answered with 200 where its content is what is stored (compared before the precondition is)",
		Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
			if now, err := api.Get(ctx, r, metav1.GetOptions{}); err == nil {
				same := obj.DeepCopyObject()
				of(same).SetResourceVersion(of(now).GetResourceVersion())
				if equality.Semantic.DeepEqual(same, now) {
					return now, nil
				}
			}
			return api.Update(ctx, r, obj, o)
		}}),
	}}
}
