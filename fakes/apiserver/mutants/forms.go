package mutants

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// listCall is how a faulty API answers a list.
type listCall func(context.Context, apiserver.API, apiserver.Request, metav1.ListOptions) (runtime.Object, error)

// listForms are faults of one form of list, of which all others are right.
func listForms() []Mutant {
	return []Mutant{
		{
			Name: "pages-everywhere-older", Rule: "watchcache/list/not-older-than",
			About: "the first page of all namespaces, not older than N, is of the state before N",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				if r.Namespace == "" && o.Limit > 0 && from(&o) && o.ResourceVersionMatch == metav1.ResourceVersionMatchNotOlderThan {
					o.ResourceVersion, o.ResourceVersionMatch = plus(o.ResourceVersion, -1), metav1.ResourceVersionMatchExact
				}
				return api.List(ctx, r, o)
			}}),
		},
		{
			Name: "timed-everywhere-lacks-one", Rule: "watchcache/list/snapshot",
			About: "a list of all namespaces with a timeoutSeconds lacks its first item",
			Open: calling(calls{list: lackingFirst(func(r *apiserver.Request, o *metav1.ListOptions) bool {
				return r.Namespace == "" && o.TimeoutSeconds != nil
			})}),
		},
		{
			Name: "timed-field-lacks-one", Rule: "watchcache/list/snapshot",
			About: "a list by field with a timeoutSeconds lacks its first item",
			Open: calling(calls{list: lackingFirst(func(_ *apiserver.Request, o *metav1.ListOptions) bool {
				return o.FieldSelector != "" && o.TimeoutSeconds != nil
			})}),
		},
		{
			Name: "exact-finalizers-of-now", Rule: "watchcache/list/snapshot",
			About: "what is listed at exactly N has the finalizers that it has now",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				l, err := api.List(ctx, r, o)
				if err != nil || o.ResourceVersionMatch != metav1.ResourceVersionMatchExact {
					return l, err
				}
				all := items(l)
				for _, item := range all {
					if now, err := api.Get(ctx, apiserver.Request{Resource: r.Resource, Namespace: of(item).GetNamespace(), Name: of(item).GetName()}, metav1.GetOptions{}); err == nil {
						of(item).SetFinalizers(of(now).GetFinalizers())
					}
				}
				setItems(l, all)
				return l, nil
			}}),
		},
	}
}

// lackingFirst is a list that lacks its first item where f says so.
func lackingFirst(f func(*apiserver.Request, *metav1.ListOptions) bool) listCall {
	return func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
		l, err := api.List(ctx, r, o)
		if err == nil && f(&r, &o) {
			if all := items(l); len(all) > 0 {
				setItems(l, all[1:])
			}
		}
		return l, err
	}
}

// watchForms are faults of one form of watch, of which all others are right.
func watchForms() []Mutant {
	return []Mutant{
		{
			Name: "stream-of-nothing-endless", Rule: "watchcache/watchlist/initial",
			About: "a streaming list by label that selects nothing is never told that its initial events have ended",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				if !streaming(o) || o.LabelSelector == "" {
					return nil
				}
				begun := false
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if begun = begun || c == apiserver.Initial; endsInitial(e, c) && !begun {
						of(e.Object).SetAnnotations(nil)
					}
					return pass(e, c)
				}
			}),
		},
		{
			Name: "stream-name-elsewhere", Rule: "watchcache/watch/scope/namespace",
			About: "a streaming list by name that allows bookmarks is of all namespaces",
			Open: watching(func(r *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				if _, named := name(o); named && streaming(o) && o.AllowWatchBookmarks {
					r.Namespace = ""
				}
				return nil
			}),
		},
		{
			Name: "stream-everywhere-end-at-highest", Rule: "watchcache/watchlist/end-version",
			About: "the initial events of all namespaces from N end at the highest resourceVersion of any, which may be below N",
			Open: watching(func(r *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				if r.Namespace != "" || !streaming(o) || !from(o) {
					return nil
				}
				highest := "1"
				return func(e watch.Event, c apiserver.Cause) []watch.Event {
					if c == apiserver.Initial && older(highest, of(e.Object).GetResourceVersion()) {
						highest = of(e.Object).GetResourceVersion()
					}
					if endsInitial(e, c) {
						of(e.Object).SetResourceVersion(highest)
					}
					return pass(e, c)
				}
			}),
		},
	}
}

// formedWrites are faults of one form of write.
func formedWrites() []Mutant {
	return []Mutant{
		{
			Name: "sweep-field-takes-held", Rule: "watchcache/write/finalizers",
			About: "the deletion of a collection by field takes the finalizers of what it deletes",
			Open: calling(calls{sweep: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.DeleteOptions, which metav1.ListOptions) (runtime.Object, error) {
				l, err := api.DeleteCollection(ctx, r, o, which)
				if err != nil || which.FieldSelector == "" || len(o.DryRun) > 0 {
					return l, err
				}
				for _, item := range items(l) {
					of(item).SetResourceVersion("")
					of(item).SetFinalizers(nil)
					_, _ = api.Update(ctx, apiserver.Request{Resource: r.Resource, Namespace: r.Namespace, Name: of(item).GetName()}, item, metav1.UpdateOptions{})
				}
				return l, nil
			}}),
		},
		{
			Name: "dry-update-created-unsaid", Rule: "watchcache/write/response",
			About: "an update that is a dry run is answered without a creationTimestamp",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				answer, err := api.Update(ctx, r, obj, o)
				if err == nil && len(o.DryRun) > 0 {
					of(answer).SetCreationTimestamp(metav1.Time{})
				}
				return answer, err
			}}),
		},
	}
}
