package mutants

import (
	"bytes"
	"context"
	"encoding/base64"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// pages are faults of lists that are taken in pages.
func pages() []Mutant {
	return []Mutant{
		{
			Name: "exact-page-is-present", Rule: "watchcache/list/snapshot",
			About: "the first of several pages at exactly an old resourceVersion shows the present, and says the old one",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				l, err := api.List(ctx, r, o)
				if err != nil || o.ResourceVersionMatch != metav1.ResourceVersionMatchExact || listOf(l).GetContinue() == "" {
					return l, err
				}
				o.ResourceVersion, o.ResourceVersionMatch = "", ""
				now, err := api.List(ctx, r, o)
				if err == nil {
					listOf(now).SetResourceVersion(listOf(l).GetResourceVersion())
				}
				return now, err
			}}),
		},
		{
			Name: "token-dropped", Rule: "watchcache/list/snapshot",
			About: "a page of three or more items comes without its continue token: the list ends there",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				l, err := api.List(ctx, r, o)
				if err == nil && o.Limit > 2 {
					listOf(l).SetContinue("")
					listOf(l).SetRemainingItemCount(nil)
				}
				return l, err
			}}),
		},
		{
			Name: "continue-ignored", Rule: "watchcache/list/snapshot",
			About: "a continue token is ignored: the second page is the first again",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				o.Continue = ""
				return api.List(ctx, r, o)
			}}),
		},
		{
			Name: "page-repeats-last", Rule: "watchcache/list/snapshot",
			About: "a page of two or more begins with the last item of the page before (a token that names the last key, not what follows it)",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				if b, err := base64.RawURLEncoding.DecodeString(o.Continue); err == nil && o.Limit > 1 {
					o.Continue = base64.RawURLEncoding.EncodeToString(bytes.ReplaceAll(b, []byte(`\u0000`), nil))
				}
				return api.List(ctx, r, o)
			}}),
		},
	}
}
