package mutants

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// part takes one part of an object from another.
type part func(to, from *corev1.ConfigMap)

func labelsOf(to, from *corev1.ConfigMap)      { to.Labels = from.Labels }
func annotationsOf(to, from *corev1.ConfigMap) { to.Annotations = from.Annotations }
func ownersOf(to, from *corev1.ConfigMap)      { to.OwnerReferences = from.OwnerReferences }

func statusOf(to, from *corev1.ConfigMap) {
	all := map[string]string{}
	for _, m := range []*corev1.ConfigMap{to, from} {
		for k, v := range m.Data {
			if (k == "status") == (m == from) {
				all[k] = v
			}
		}
	}
	to.Data = all
}

// alone are faults that show where one part of an object changes, and nothing else does.
func alone() []Mutant {
	return []Mutant{
		{
			Name: "labels-alone-lost", Rule: "watchcache/watch/reliable",
			About: "a change of labels alone comes on no watch",
			Open:  losing(only(labelsOf)),
		},
		{
			Name: "annotations-alone-lost", Rule: "watchcache/watch/reliable",
			About: "a change of annotations alone comes on no watch",
			Open:  losing(only(annotationsOf)),
		},
		{
			Name: "status-alone-lost", Rule: "watchcache/watch/reliable",
			About: "a change of status alone comes on no watch",
			Open:  losing(only(statusOf)),
		},
		{
			Name: "owners-alone-lost", Rule: "watchcache/watch/reliable",
			About: "a change of ownerReferences alone comes on no watch",
			Open:  losing(only(ownersOf)),
		},
		{
			Name: "labels-alone-unstored", Rule: "watchcache/write/response",
			About: "an update of labels alone is answered, and stores nothing",
			Open:  ignoring(only(labelsOf)),
		},
	}
}

// only says whether two states of an object differ in this part and in nothing else.
func only(p part) func(was, is *corev1.ConfigMap) bool {
	return func(was, is *corev1.ConfigMap) bool {
		was = was.DeepCopy()
		was.ResourceVersion, was.ManagedFields = is.ResourceVersion, is.ManagedFields
		if equality.Semantic.DeepEqual(was, is) {
			return false
		}
		p(was, is)
		return equality.Semantic.DeepEqual(was, is)
	}
}

// losing is a store of whose watches such changes never come: of what they showed last to what is now.
func losing(such func(was, is *corev1.ConfigMap) bool) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
		last := map[types.UID]*corev1.ConfigMap{}
		return keep(func(e watch.Event, c apiserver.Cause) bool {
			is, ok := e.Object.(*corev1.ConfigMap)
			if !ok || c == apiserver.Bookmark {
				return true
			}
			was := last[is.UID]
			last[is.UID] = is.DeepCopy()
			return c != apiserver.Updated || was == nil || !such(was, is)
		})
	})
}

// ignoring is a store that answers such updates with what it has, and keeps that.
func ignoring(such func(was, is *corev1.ConfigMap) bool) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
		is, ok := obj.(*corev1.ConfigMap)
		if now, err := api.Get(ctx, r, metav1.GetOptions{}); ok && err == nil && such(now.(*corev1.ConfigMap), is) {
			return now, nil
		}
		return api.Update(ctx, r, obj, o)
	}})
}
