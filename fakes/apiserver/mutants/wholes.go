package mutants

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// wholes are faults of what pages are together, and of what they say of each other.
func wholes() []Mutant { return append(togethers(), append(counts(), expireds()...)...) }

func togethers() []Mutant {
	return []Mutant{
		{
			Name: "pages-move-on", Rule: "watchcache/list/pages",
			About: "each page but the first is of the present, and says so",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				if l, err := api.List(ctx, r, o); err != nil || o.Continue == "" {
					return l, err
				}
				o.Continue = atPresent(o.Continue)
				return api.List(ctx, r, o)
			}}),
		},
		{
			Name: "page-backwards", Rule: "watchcache/list/pages",
			About: "the items of a page come in no order (a map of them)",
			Open: calling(calls{list: changed(func(o *metav1.ListOptions, l runtime.Object, all []runtime.Object) []runtime.Object {
				if o.Limit+int64(len(o.Continue)) > 0 {
					slices.Reverse(all)
				}
				return all
			})}),
		},
		{
			Name: "page-skips-first", Rule: "watchcache/list/pages",
			About: "a page but the first lacks its first item (a token that names the next key, of which the page begins behind)",
			Open: calling(calls{list: changed(func(o *metav1.ListOptions, _ runtime.Object, all []runtime.Object) []runtime.Object {
				if o.Continue != "" && len(all) > 0 {
					return all[1:]
				}
				return all
			})}),
		},
		{
			Name: "page-over-limit", Rule: "watchcache/list/page-size",
			About: "a first page has one item more than its limit",
			Open: calling(calls{list: asking(func(o *metav1.ListOptions) {
				if o.Limit > 0 {
					o.Limit++
				}
			})}),
		},
		{
			Name: "second-page-unlimited", Rule: "watchcache/list/page-size",
			About: "the second page has all the rest, whatever its limit",
			Open: calling(calls{list: asking(func(o *metav1.ListOptions) {
				if o.Continue != "" {
					o.Limit = 0
				}
			})}),
		},
		{
			Name: "limit-before-selector", Rule: "watchcache/list/pages-with-selector",
			About: "a limit counts what the selector drops, and what comes behind is lost (kubernetes#110652)",
			Open: calling(calls{list: changed(func(o *metav1.ListOptions, l runtime.Object, all []runtime.Object) []runtime.Object {
				if o.LabelSelector+o.FieldSelector != "" && listOf(l).GetContinue() != "" && len(all) > 1 {
					return all[:len(all)-1]
				}
				return all
			})}),
		},
		{
			Name: "pages-drop-selector", Rule: "watchcache/list/pages-with-selector",
			About: "from the second page on the selector is forgotten",
			Open: calling(calls{list: asking(func(o *metav1.ListOptions) {
				if o.Continue != "" {
					o.LabelSelector, o.FieldSelector = "", ""
				}
			})}),
		},
	}
}

// counts are faults of remainingItemCount.
func counts() []Mutant {
	return []Mutant{
		{
			Name: "remaining-counts-page", Rule: "watchcache/list/remaining",
			About: "remainingItemCount counts the page itself, too",
			Open: calling(calls{list: changed(func(_ *metav1.ListOptions, l runtime.Object, all []runtime.Object) []runtime.Object {
				if left := listOf(l).GetRemainingItemCount(); left != nil {
					listOf(l).SetRemainingItemCount(number(*left + int64(len(all))))
				}
				return all
			})}),
		},
		{
			Name: "remaining-of-first-page", Rule: "watchcache/list/remaining",
			About: "remainingItemCount is right on the first page alone: later ones say one too many",
			Open: calling(calls{list: changed(func(o *metav1.ListOptions, l runtime.Object, all []runtime.Object) []runtime.Object {
				if left := listOf(l).GetRemainingItemCount(); left != nil && o.Continue != "" {
					listOf(l).SetRemainingItemCount(number(*left + 1))
				}
				return all
			})}),
		},
		{
			Name: "remaining-at-version", Rule: "watchcache/list/remaining",
			About: "remainingItemCount is one too many on the first page of a list with a resourceVersion",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				answer, err := api.List(ctx, r, o)
				if l, failed := meta.ListAccessor(answer); err == nil && failed == nil && o.ResourceVersion != "" && l.GetRemainingItemCount() != nil {
					l.SetRemainingItemCount(new(*l.GetRemainingItemCount() + 1))
				}
				return answer, err
			}}),
		},
		{
			Name: "remaining-with-selector", Rule: "watchcache/list/remaining-absent",
			About: "a page with a selector has a remainingItemCount",
			Open: calling(calls{list: changed(func(o *metav1.ListOptions, l runtime.Object, all []runtime.Object) []runtime.Object {
				if o.LabelSelector+o.FieldSelector != "" && listOf(l).GetContinue() != "" {
					listOf(l).SetRemainingItemCount(number(1))
				}
				return all
			})}),
		},
		{
			Name: "remaining-at-end", Rule: "watchcache/list/remaining-absent",
			About: "the last page has a remainingItemCount of 0",
			Open: calling(calls{list: changed(func(o *metav1.ListOptions, l runtime.Object, all []runtime.Object) []runtime.Object {
				if o.Continue != "" && listOf(l).GetContinue() == "" {
					listOf(l).SetRemainingItemCount(number(0))
				}
				return all
			})}),
		},
		{
			Name: "remaining-without-limit", Rule: "watchcache/list/remaining-absent",
			About: "a list that is whole has a remainingItemCount of 0",
			Open: calling(calls{list: changed(func(o *metav1.ListOptions, l runtime.Object, all []runtime.Object) []runtime.Object {
				if o.Continue+listOf(l).GetContinue() == "" {
					listOf(l).SetRemainingItemCount(number(0))
				}
				return all
			})}),
		},
	}
}
