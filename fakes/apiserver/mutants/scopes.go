package mutants

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// scopes are faults of what a watch takes for its own.
func scopes() []Mutant {
	return []Mutant{
		{
			Name: "namespace-ignored", Rule: "watchcache/watch/scope/namespace",
			About: "a watch of one namespace gives those of all",
			Open: watching(func(r *apiserver.Request, _ *metav1.ListOptions) apiserver.Tap {
				r.Namespace = ""
				return nil
			}),
		},
		{
			Name: "namespace-is-prefix", Rule: "watchcache/watch/scope/namespace",
			About: "a watch of one namespace gives those too whose names begin alike (kine 0.11.4: prefixes taken for patterns, in the changes that a watch catches up on)",
			Open: watching(func(r *apiserver.Request, _ *metav1.ListOptions) apiserver.Tap {
				prefix := r.Namespace
				r.Namespace = ""
				return keep(func(e watch.Event, c apiserver.Cause) bool {
					return c == apiserver.Bookmark || strings.HasPrefix(of(e.Object).GetNamespace(), prefix)
				})
			}),
		},
		{
			Name: "namespace-silent", Rule: "watchcache/watch/scope/namespace",
			About: "a watch of one namespace gives the initial state alone (kine 0.11.4: prefixes without a final slash)",
			Open: watching(func(r *apiserver.Request, _ *metav1.ListOptions) apiserver.Tap {
				scoped := r.Namespace != ""
				return keep(func(_ watch.Event, c apiserver.Cause) bool { return !scoped || !change(c) })
			}),
		},
		{
			Name: "name-ignored", Rule: "watchcache/watch/scope/name",
			About: "a watch of one name gives all names (client-go's fake clientset ignores field selectors)",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				if _, ok := name(o); ok {
					o.FieldSelector = ""
				}
				return nil
			}),
		},
		{
			Name: "name-is-prefix", Rule: "watchcache/watch/scope/name",
			About: "a watch of one name gives those too that begin alike (a range of keys in place of one)",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				prefix, ok := name(o)
				if !ok {
					return nil
				}
				o.FieldSelector = ""
				return keep(func(e watch.Event, c apiserver.Cause) bool {
					return c == apiserver.Bookmark || strings.HasPrefix(of(e.Object).GetName(), prefix)
				})
			}),
		},
		{
			Name: "name-silent", Rule: "watchcache/watch/scope/name",
			About: "a watch of one name gets no changes (kubernetes#125145: apiserver 0.30.3, one namespace by the old path /watch/namespaces/NAME)",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				_, ok := name(o)
				return keep(func(_ watch.Event, c apiserver.Cause) bool { return !ok || !change(c) })
			}),
		},
		{
			Name: "label-ignored", Rule: "watchcache/watch/scope/label",
			About: "a label selector is ignored (kubernetes#106754: client-go's fake clientset)",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				o.LabelSelector = ""
				return nil
			}),
		},
		{
			Name: "label-entering-withheld", Rule: "watchcache/watch/scope/label",
			About: "an object that comes to match the label selector by an update is not told",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				labelled := o.LabelSelector != ""
				return keep(func(e watch.Event, c apiserver.Cause) bool {
					return !labelled || c != apiserver.Updated || e.Type != watch.Added
				})
			}),
		},
		{
			Name: "label-leaving-withheld", Rule: "watchcache/watch/scope/label",
			About: "an object that no longer matches the label selector is not told",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				labelled := o.LabelSelector != ""
				return keep(func(e watch.Event, c apiserver.Cause) bool {
					return !labelled || c != apiserver.Updated || e.Type != watch.Deleted
				})
			}),
		},
		{
			Name: "field-ignored", Rule: "watchcache/watch/scope/field",
			About: "a field selector that asks for no name is ignored (client-go's fake clientset ignores all)",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				if _, ok := name(o); !ok {
					o.FieldSelector = ""
				}
				return nil
			}),
		},
		{
			Name: "field-silent", Rule: "watchcache/watch/scope/field",
			About: "a watch with a field selector that asks for no name gets no changes",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				_, named := name(o)
				selected := o.FieldSelector != "" && !named
				return keep(func(_ watch.Event, c apiserver.Cause) bool { return !selected || !change(c) })
			}),
		},
		{
			Name: "label-beside-name-ignored", Rule: "watchcache/watch/scope/label",
			About: "a watch by name and label gives the object of that name, whatever its labels",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				if _, ok := name(o); ok {
					o.LabelSelector = ""
				}
				return nil
			}),
		},
		{
			Name: "label-beside-field-ignored", Rule: "watchcache/watch/scope/label",
			About: "a watch by label and by a field that must differ gives objects whatever their labels",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				if strings.Contains(o.FieldSelector, "!=") {
					o.LabelSelector = ""
				}
				return nil
			}),
		},
		{
			Name: "namespace-unequal-ignored", Rule: "watchcache/watch/scope/field",
			About: "a watch by a namespace that must differ gives the objects of all namespaces",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				if strings.HasPrefix(o.FieldSelector, "metadata.namespace!=") {
					o.FieldSelector = ""
				}
				return nil
			}),
		},
		{
			Name: "namespace-field-ignored", Rule: "watchcache/watch/scope/field",
			About: "a watch by the field metadata.namespace gives the objects of all namespaces",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				if strings.HasPrefix(o.FieldSelector, "metadata.namespace=") {
					o.FieldSelector = ""
				}
				return nil
			}),
		},
	}
}
