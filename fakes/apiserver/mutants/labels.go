package mutants

import (
	"context"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// labelTexts are faults of how the keys and values of labels are read.
func labelTexts() []Mutant {
	return append([]Mutant{
		{
			Name: "list-prefixed-key-empty", Rule: "watchcache/list/snapshot",
			About: "a list by a label whose key has a prefix (example.com/role) has no items",
			Open: calling(calls{list: changed(func(o *metav1.ListOptions, _ runtime.Object, all []runtime.Object) []runtime.Object {
				if strings.Contains(o.LabelSelector, "/") {
					return nil
				}
				return all
			})}),
		},
		{
			Name: "watch-prefixed-key-silent", Rule: "watchcache/watch/scope/label",
			About: "a watch by a label whose key has a prefix gets no changes",
			Open: silentWhere(func(_ *apiserver.Request, o *metav1.ListOptions) bool {
				return strings.Contains(o.LabelSelector, "/")
			}),
		},
		{
			Name: "list-empty-value-lost", Rule: "watchcache/list/snapshot",
			About: "a list by label lacks the objects of which a label's value is empty",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				return keeping(func(m metav1.Object) bool { return o.LabelSelector == "" || !hasEmptyLabel(m) })(api.List(ctx, r, o))
			}}),
		},
		{
			Name: "watch-empty-value-lost", Rule: "watchcache/watch/scope/label",
			About: "a watch by label is not told of objects of which a label's value is empty",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				labelled := o.LabelSelector != ""
				return keep(func(e watch.Event, c apiserver.Cause) bool {
					return !labelled || c == apiserver.Bookmark || !hasEmptyLabel(of(e.Object))
				})
			}),
		},
		{
			Name: "watch-value-is-prefix", Rule: "watchcache/watch/scope/label",
			About: "a watch by app=one gives those too that have app=one-two",
			Open: watchingAs(func(o *metav1.ListOptions) {
				if o.LabelSelector == "app=one" {
					o.LabelSelector = "app in (one,one-two)"
				}
			}),
		},
	}, listedByText()...)
}

func hasEmptyLabel(m metav1.Object) bool {
	for _, v := range m.GetLabels() {
		if v == "" {
			return true
		}
	}
	return false
}

// listedByText are faults of lists by one label, whole.
func listedByText() []Mutant {
	return []Mutant{
		{
			Name: "list-value-is-prefix", Rule: "watchcache/list/scope",
			About: "a list by app=one has those too that have app=one-two",
			Open: listing(func(set labels.Set, key, value string) bool {
				return set.Has(key) && strings.HasPrefix(set[key], value)
			}),
		},
		{
			Name: "list-value-folded", Rule: "watchcache/list/scope",
			About: "a list by app=one has those too that have app=ONE (a database that compares without case)",
			Open: listing(func(set labels.Set, key, value string) bool {
				return set.Has(key) && strings.EqualFold(set[key], value)
			}),
		},
		{
			Name: "list-key-is-suffix", Rule: "watchcache/list/scope",
			About: "a list by app=one has those too that have my-app=one (a search in the text of the labels)",
			Open: listing(func(set labels.Set, key, value string) bool {
				return strings.Contains(set.String()+",", key+"="+value+",")
			}),
		},
	}
}

// listing is a store whose whole lists by key=value have what matches.
func listing(matches func(set labels.Set, key, value string) bool) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
		key, value, ok := strings.Cut(o.LabelSelector, "=")
		if !ok || strings.ContainsAny(o.LabelSelector, "!, ()") || o.Limit > 0 || o.Continue != "" {
			return api.List(ctx, r, o)
		}
		o.LabelSelector = ""
		return keeping(func(m metav1.Object) bool { return matches(m.GetLabels(), key, value) })(api.List(ctx, r, o))
	}})
}
