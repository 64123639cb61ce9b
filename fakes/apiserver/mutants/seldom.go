package mutants

import (
	"bytes"
	"context"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// seldom are faults of forms that few clients use, and of what few objects have.
func seldom() []Mutant {
	return []Mutant{
		{
			Name: "list-double-equals-empty", Rule: "watchcache/list/snapshot",
			About: "a list by a label selector with == has no items: the second = is taken for a part of the value",
			Open: calling(calls{list: asking(func(o *metav1.ListOptions) {
				if strings.Contains(o.LabelSelector, "==") {
					o.LabelSelector = "none-has=it"
				}
			})}),
		},
		{
			Name: "list-double-equals-ignored", Rule: "watchcache/list/scope",
			About: "a list by a field selector with == is not narrowed by it",
			Open: calling(calls{list: asking(func(o *metav1.ListOptions) {
				if strings.Contains(o.FieldSelector, "==") {
					o.FieldSelector = ""
				}
			})}),
		},
		{
			Name: "watch-double-equals-silent", Rule: "watchcache/watch/scope/label",
			About: "a watch by a label selector with == gets no changes",
			Open: silentWhere(func(_ *apiserver.Request, o *metav1.ListOptions) bool {
				return strings.Contains(o.LabelSelector, "==")
			}),
		},
		{
			Name: "page-keeps-first-limit", Rule: "watchcache/list/page-size",
			About: "each page is of the first page's limit, whatever the later ones say",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				var limits sync.Map // by token
				return calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
					if first, ok := limits.Load(o.Continue); ok && o.Limit > 0 {
						o.Limit = first.(int64)
					}
					l, err := api.List(ctx, r, o)
					if err == nil && listOf(l).GetContinue() != "" {
						limits.Store(listOf(l).GetContinue(), o.Limit)
					}
					return l, err
				}})(o)
			},
		},
		{
			Name: "put-undeletes", Rule: "watchcache/write/finalizers",
			About: "a PUT without deletionTimestamp takes it from what is being deleted",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				var saved sync.Map // by uid
				api, s := showingAll(func(m metav1.Object) { unmark(m, &saved) })(o)
				return calls{API: api, update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
					answer, err := api.Update(ctx, r, obj, o)
					if err == nil && len(o.DryRun) == 0 && of(obj).GetDeletionTimestamp() == nil && of(answer).GetDeletionTimestamp() != nil {
						saved.Store(of(answer).GetUID(), true)
						unmark(of(answer), &saved)
					}
					return answer, err
				}}, s
			},
		},
		{
			Name: "last-finalizer-stays-by-strategic", Rule: "watchcache/write/finalizers",
			About: "who takes the last finalizer of what is being deleted by a strategic merge patch is answered, and the object stays",
			Open: calling(calls{patch: func(ctx context.Context, api apiserver.API, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
				if pt == types.StrategicMergePatchType && bytes.Contains(data, []byte(`"finalizers":null`)) {
					o.DryRun = []string{metav1.DryRunAll}
				}
				return api.Patch(ctx, r, pt, data, o)
			}}),
		},
	}
}

// unmark shows an object as one that is not being deleted, where it was saved from that.
func unmark(m metav1.Object, saved *sync.Map) {
	if _, ok := saved.Load(m.GetUID()); ok {
		m.SetDeletionTimestamp(nil)
		m.SetDeletionGracePeriodSeconds(nil)
	}
}
