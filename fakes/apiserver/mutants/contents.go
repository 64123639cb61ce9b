package mutants

import (
	"context"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// contents are caches that keep less of an object than is stored, and writes
// that store less, or more, than was sent.
func contents() []Mutant {
	return []Mutant{
		{
			Name: "watch-drops-annotations", Rule: "watchcache/watch/reliable",
			About: "objects come on watches without their annotations, as if a cache dropped them to save memory",
			Open:  showing(inEvents, func(m *corev1.ConfigMap) { m.Annotations = nil }),
		},
		{
			Name: "watch-drops-owners", Rule: "watchcache/watch/reliable",
			About: "objects come on watches without their ownerReferences",
			Open:  showing(inEvents, func(m *corev1.ConfigMap) { m.OwnerReferences = nil }),
		},
		{
			Name: "watch-truncates", Rule: "watchcache/watch/reliable",
			About: "a value of more than 64 KiB comes on watches without its end",
			Open:  showing(inEvents, truncate),
		},
		{
			Name: "list-drops-annotations", Rule: "watchcache/list/snapshot",
			About: "objects are on lists without their annotations",
			Open:  showing(inLists, func(m *corev1.ConfigMap) { m.Annotations = nil }),
		},
		{
			Name: "list-drops-status", Rule: "watchcache/list/snapshot",
			About: "objects are on lists without their status",
			Open:  showing(inLists, func(m *corev1.ConfigMap) { delete(m.Data, "status") }),
		},
		{
			Name: "list-truncates", Rule: "watchcache/list/snapshot",
			About: "a value of more than 64 KiB is on lists without its end",
			Open:  showing(inLists, truncate),
		},
		{
			Name: "get-drops-owners", Rule: "watchcache/get/most-recent",
			About: "an object is got without its ownerReferences",
			Open:  showing(inGets, func(m *corev1.ConfigMap) { m.OwnerReferences = nil }),
		},
		{
			Name: "annotations-unstored", Rule: "watchcache/write/response",
			About: "creates and updates store no annotations, and say so in their answers",
			Open:  storing(func(m, _ *corev1.ConfigMap) { m.Annotations = nil }),
		},
		{
			Name: "large-values-cut", Rule: "watchcache/write/response",
			About: "of a value of more than 64 KiB creates and updates store the beginning, and say so in their answers",
			Open:  storing(func(m, _ *corev1.ConfigMap) { truncate(m) }),
		},
		{
			Name: "update-keeps-labels", Rule: "watchcache/write/response",
			About: "an update removes no label, as if it were a merge patch",
			Open:  storing(func(m, was *corev1.ConfigMap) { m.Labels = merged(was.Labels, m.Labels) }),
		},
		{
			Name: "update-keeps-annotations", Rule: "watchcache/write/response",
			About: "an update removes no annotation",
			Open:  storing(func(m, was *corev1.ConfigMap) { m.Annotations = merged(was.Annotations, m.Annotations) }),
		},
		{
			Name: "update-keeps-data", Rule: "watchcache/write/response",
			About: "an update removes no field of the content",
			Open:  storing(func(m, was *corev1.ConfigMap) { m.Data = merged(was.Data, m.Data) }),
		},
		{
			Name: "update-keeps-owners", Rule: "watchcache/write/response",
			About: "an update removes the last owner of no object",
			Open: storing(func(m, was *corev1.ConfigMap) {
				if len(m.OwnerReferences) == 0 {
					m.OwnerReferences = was.OwnerReferences
				}
			}),
		},
		{
			Name: "patch-drops-owners", Rule: "watchcache/write/response",
			About: "a merge patch that says nothing of ownerReferences takes them away",
			Open:  patching(func(_, meta map[string]any) { meta["ownerReferences"] = nil }),
		},
		{
			Name: "watch-stale-generation", Rule: "watchcache/watch/reliable",
			About: "of kinds with a generation objects come on watches with the one before their change",
			Open:  counting(showing(inEvents, uncounted)),
		},
		{
			Name: "list-other-created", Rule: "watchcache/list/snapshot",
			About: "objects are on lists with another creationTimestamp than they were created with",
			Open:  showing(inLists, func(m *corev1.ConfigMap) { m.CreationTimestamp.Time = m.CreationTimestamp.Add(time.Hour) }),
		},
		{
			Name: "get-drops-created", Rule: "watchcache/get/most-recent",
			About: "an object is got without its creationTimestamp",
			Open:  showing(inGets, func(m *corev1.ConfigMap) { m.CreationTimestamp = metav1.Time{} }),
		},
		{
			Name: "answer-stale-generation", Rule: "watchcache/write/response",
			About: "of kinds with a generation an update is answered with the one before it",
			Open: counting(calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				m, err := api.Update(ctx, r, obj, o)
				if m, ok := m.(*corev1.ConfigMap); ok && err == nil {
					uncounted(m)
				}
				return m, err
			}})),
		},
	}
}

// counting is a store whose ConfigMaps have a generation, which their data raise.
func counting(open func(apiserver.Options) (apiserver.API, *apiserver.Server)) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
		o.Resources = apiserver.Resources()
		for i := range o.Resources {
			if r := &o.Resources[i]; r.Kind == "ConfigMap" {
				r.Spec = func(o runtime.Object) any { return o.(*corev1.ConfigMap).Data }
			}
		}
		return open(o)
	}
}

func uncounted(m *corev1.ConfigMap) {
	if m.Generation > 1 {
		m.Generation--
	}
}

// truncate leaves 64 KiB of every value.
func truncate(m *corev1.ConfigMap) {
	for k, v := range m.Data {
		m.Data[k] = v[:min(len(v), 64<<10)]
	}
}

// merged is what was there before, and what is there now.
func merged(was, is map[string]string) map[string]string {
	out := maps.Clone(was)
	if out == nil {
		return is
	}
	maps.Copy(out, is)
	return out
}

// storing is a store that is given something else than was sent; was is what it had, or an empty object.
func storing(f func(m, was *corev1.ConfigMap)) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	other := func(obj, was runtime.Object) runtime.Object {
		m, ok := obj.DeepCopyObject().(*corev1.ConfigMap)
		if !ok {
			return obj
		}
		f(m, was.(*corev1.ConfigMap))
		return m
	}
	return calling(calls{
		create: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
			return api.Create(ctx, r, other(obj, &corev1.ConfigMap{}), o)
		},
		update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
			if now, err := api.Get(ctx, r, metav1.GetOptions{}); err == nil {
				obj = other(obj, now)
			}
			return api.Update(ctx, r, obj, o)
		},
	})
}

// Where objects are shown.
const (
	inEvents = iota
	inLists
	inGets
)

// showing is a store whose objects are shown in another way in one place.
func showing(where int, f func(*corev1.ConfigMap)) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	switch where {
	case inEvents:
		return watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
			return func(e watch.Event, c apiserver.Cause) []watch.Event {
				if m, ok := e.Object.(*corev1.ConfigMap); ok && e.Type != watch.Bookmark {
					f(m)
				}
				return pass(e, c)
			}
		})
	case inLists:
		return calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
			l, err := api.List(ctx, r, o)
			if l, ok := l.(*corev1.ConfigMapList); ok && err == nil {
				for i := range l.Items {
					f(&l.Items[i])
				}
			}
			return l, err
		}})
	}
	return calling(calls{get: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
		m, err := api.Get(ctx, r, o)
		if m, ok := m.(*corev1.ConfigMap); ok && err == nil {
			f(m)
		}
		return m, err
	}})
}
