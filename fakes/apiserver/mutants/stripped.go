package mutants

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// mostInRow is where a value is cut by who keeps it in a row of that size.
const mostInRow = 64 << 10

// parts of an object that one way of answering may lose.
var parts = []struct {
	name, about string
	lose        func(*corev1.ConfigMap)
}{
	{"annotations", "annotations", func(m *corev1.ConfigMap) { m.Annotations = nil }},
	{"owners", "owners", func(m *corev1.ConfigMap) { m.OwnerReferences = nil }},
	{"status", "status", func(m *corev1.ConfigMap) { delete(m.Data, "status") }},
	{"large", "the end of values above 64 KiB", cut},
	{"mark", "deletionTimestamp", func(m *corev1.ConfigMap) { m.DeletionTimestamp = nil }},
}

func cut(m *corev1.ConfigMap) {
	for k, v := range m.Data {
		if len(v) > mostInRow {
			m.Data[k] = v[:mostInRow]
		}
	}
}

// stripped are servers that put together one sort of answer in a way of its own, which loses a part of objects.
func stripped() (all []Mutant) {
	for _, p := range parts {
		all = append(all, Mutant{
			Name: "past-lacks-" + p.name, Rule: "watchcache/watch/reliable",
			About: "events from before a watch was opened come without " + p.about,
			Open:  pastLacks(p.lose),
		})
		if p.name != "mark" { // the mark is in lists of all namespaces elsewhere, too
			all = append(all, lacks("everywhere-"+p.name, "of all namespaces at a resourceVersion or unset come without "+p.about, p.lose, func(r *apiserver.Request, o *metav1.ListOptions) bool {
				return r.Namespace == "" && o.ResourceVersion != "0" && o.Continue == ""
			}))
		}
	}
	annotations := parts[0].lose
	return append(all,
		lacks("newer", "not older than N come without annotations", annotations, func(_ *apiserver.Request, o *metav1.ListOptions) bool {
			return given(o) && o.ResourceVersionMatch != metav1.ResourceVersionMatchExact
		}),
		lacks("zero-limit", "at 0 with a limit come without annotations", annotations, func(_ *apiserver.Request, o *metav1.ListOptions) bool {
			return o.ResourceVersion == "0" && o.Limit > 0
		}),
		lacks("exact-label", "of the past by label come without annotations", annotations, func(_ *apiserver.Request, o *metav1.ListOptions) bool {
			return given(o) && o.ResourceVersionMatch == metav1.ResourceVersionMatchExact && o.LabelSelector != ""
		}),
		lacks("exact-field", "of the past by field come without annotations", annotations, func(_ *apiserver.Request, o *metav1.ListOptions) bool {
			return given(o) && o.ResourceVersionMatch == metav1.ResourceVersionMatchExact && o.FieldSelector != ""
		}),
	)
}

func given(o *metav1.ListOptions) bool { return o.ResourceVersion != "" && o.ResourceVersion != "0" }

func lacks(name, about string, lose func(*corev1.ConfigMap), such func(*apiserver.Request, *metav1.ListOptions) bool) Mutant {
	return Mutant{
		Name: "list-lacks-" + name, Rule: "watchcache/list/snapshot",
		About: "lists " + about,
		Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
			l, err := api.List(ctx, r, o)
			if all, ok := l.(*corev1.ConfigMapList); ok && err == nil && such(&r, &o) {
				for i := range all.Items {
					lose(&all.Items[i])
				}
			}
			return l, err
		}}),
	}
}

// pastLacks is a store of whose watches events of writes before they were opened lack something.
func pastLacks(lose func(*corev1.ConfigMap)) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
		var s *apiserver.Server
		o.OnWatch = func(_ *apiserver.Request, l *metav1.ListOptions) apiserver.Tap {
			if !from(l) {
				return nil
			}
			opened := s.Revision()
			return func(e watch.Event, c apiserver.Cause) []watch.Event {
				if m, ok := e.Object.(*corev1.ConfigMap); ok && change(c) && !older(opened, m.ResourceVersion) {
					lose(m)
				}
				return pass(e, c)
			}
		}
		s = apiserver.New(o)
		return s, s
	}
}
