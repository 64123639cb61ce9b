package mutants

import (
	"context"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// shapes are faults that show with objects of some shape alone, and in some namespaces.
func shapes() []Mutant {
	return []Mutant{
		{
			Name: "unlabelled-lost", Rule: "watchcache/watch/reliable",
			About: "objects without any labels never come on watches",
			Open:  withholding(func(o metav1.Object, _ *metav1.ListOptions) bool { return len(o.GetLabels()) == 0 }),
		},
		{
			Name: "unlabelled-unmatched", Rule: "watchcache/watch/reliable",
			About: "objects without any labels never come on watches with a label selector, even one that asks for what they have not (!x, notin, !=)",
			Open: withholding(func(o metav1.Object, l *metav1.ListOptions) bool {
				return l.LabelSelector != "" && len(o.GetLabels()) == 0
			}),
		},
		{
			Name: "unlabelled-unlisted", Rule: "watchcache/list/snapshot",
			About: "objects without any labels are on no list",
			Open:  unlisting(func(o metav1.Object, _ *metav1.ListOptions) bool { return len(o.GetLabels()) == 0 }),
		},
		{
			Name: "unlabelled-unselected", Rule: "watchcache/list/snapshot",
			About: "objects without any labels are on no list with a label selector, even one that asks for what they have not (!x, notin, !=)",
			Open: unlisting(func(o metav1.Object, l *metav1.ListOptions) bool {
				return l.LabelSelector != "" && len(o.GetLabels()) == 0
			}),
		},
		{
			Name: "unlabelled-exists", Rule: "watchcache/list/scope",
			About: "objects without any labels are on lists whose selector asks that a label exists",
			Open:  calling(calls{list: matchingUnlabelled}),
		},
		{
			Name: "long-name-lost", Rule: "watchcache/watch/reliable",
			About: "objects with names of more than 63 characters never come on watches",
			Open:  withholding(func(o metav1.Object, _ *metav1.ListOptions) bool { return len(o.GetName()) > 63 }),
		},
		{
			Name: "dotted-name-lost", Rule: "watchcache/watch/reliable",
			About: "objects with names with dots never come on watches",
			Open:  withholding(func(o metav1.Object, _ *metav1.ListOptions) bool { return strings.Contains(o.GetName(), ".") }),
		},
		{
			Name: "third-namespace-lost", Rule: "watchcache/watch/reliable",
			About: "of more than two namespaces a watch of all gives the changes in two",
			Open: watching(func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
				var seen []string
				return keep(func(e watch.Event, c apiserver.Cause) bool {
					ns := of(e.Object).GetNamespace()
					if change(c) && !slices.Contains(seen, ns) {
						seen = append(seen, ns)
					}
					return !change(c) || slices.Index(seen, ns) < 2
				})
			}),
		},
		{
			Name: "third-namespace-unlisted", Rule: "watchcache/list/snapshot",
			About: "of more than two namespaces a list of all has the objects in two",
			Open: calling(calls{list: changed(func(_ *metav1.ListOptions, _ runtime.Object, all []runtime.Object) []runtime.Object {
				var seen []string
				return slices.DeleteFunc(all, func(obj runtime.Object) bool {
					if ns := of(obj).GetNamespace(); !slices.Contains(seen, ns) {
						seen = append(seen, ns)
					}
					return slices.Index(seen, of(obj).GetNamespace()) >= 2
				})
			})}),
		},
		{
			Name: "namespace-is-suffix", Rule: "watchcache/watch/scope/namespace",
			About: "a watch of one namespace gives those too whose names end alike",
			Open: watching(func(r *apiserver.Request, _ *metav1.ListOptions) apiserver.Tap {
				suffix := r.Namespace
				r.Namespace = ""
				return keep(func(e watch.Event, c apiserver.Cause) bool {
					return c == apiserver.Bookmark || strings.HasSuffix(of(e.Object).GetNamespace(), suffix)
				})
			}),
		},
		{
			Name: "list-namespace-is-suffix", Rule: "watchcache/list/scope",
			About: "a list of one namespace has those too whose names end alike",
			Open:  calling(calls{list: ofSuffix}),
		},
	}
}

// withholding is a store of whose watches such objects never come.
func withholding(such func(metav1.Object, *metav1.ListOptions) bool) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
		return keep(func(e watch.Event, c apiserver.Cause) bool {
			return c == apiserver.Bookmark || !such(of(e.Object), o)
		})
	})
}

// unlisting is a store on whose lists such objects never are.
func unlisting(such func(metav1.Object, *metav1.ListOptions) bool) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return calling(calls{list: changed(func(o *metav1.ListOptions, _ runtime.Object, all []runtime.Object) []runtime.Object {
		return slices.DeleteFunc(all, func(obj runtime.Object) bool { return such(of(obj), o) })
	})})
}

// matchingUnlabelled adds what has no labels to whole lists by a label that must exist.
func matchingUnlabelled(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
	selector := o.LabelSelector
	if o.Limit != 0 || o.Continue != "" || selector == "" || strings.ContainsAny(selector, "!=( ") {
		return api.List(ctx, r, o)
	}
	o.LabelSelector = ""
	return keeping(func(m metav1.Object) bool {
		_, has := m.GetLabels()[selector]
		return has || len(m.GetLabels()) == 0
	})(api.List(ctx, r, o))
}

// ofSuffix gives whole lists of all namespaces that end like the one that is asked for.
func ofSuffix(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
	suffix := r.Namespace
	if o.Limit != 0 || o.Continue != "" || o.ShardSelector != "" {
		return api.List(ctx, r, o)
	}
	r.Namespace = ""
	return keeping(func(m metav1.Object) bool { return strings.HasSuffix(m.GetNamespace(), suffix) })(api.List(ctx, r, o))
}
