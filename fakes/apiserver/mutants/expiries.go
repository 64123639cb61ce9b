package mutants

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// expiries are faults of watches from resourceVersions of which the changes are gone, or not yet there.
func expiries() []Mutant {
	return []Mutant{
		{
			Name: "expired-as-500", Rule: "watchcache/watch/expired",
			About: "a watch from before the window is refused with code 500",
			Open: relaying(func(*relay) func(watch.Event) []watch.Event {
				return func(e watch.Event) []watch.Event {
					if s := failed(e); s != nil && s.Code == http.StatusGone {
						s.Code, s.Reason = http.StatusInternalServerError, metav1.StatusReasonInternalError
					}
					return []watch.Event{e}
				}
			}),
		},
		{
			Name: "expired-with-gap", Rule: "watchcache/watch/expired",
			About: "a watch from before the window begins with the oldest change in it",
			Open: relaying(func(w *relay) func(watch.Event) []watch.Event {
				return func(e watch.Event) []watch.Event {
					if s := failed(e); s != nil && s.Code == http.StatusGone {
						w.again(oldest(s.Message))
						return nil
					}
					return []watch.Event{e}
				}
			}),
		},
		{
			Name: "expired-gap-by-field", Rule: "watchcache/watch/expired",
			About: "a watch by field, but not of one name, from before the window begins at the present",
			Open: gap(func(o *metav1.ListOptions) bool {
				return o.FieldSelector != "" && !strings.HasPrefix(o.FieldSelector, "metadata.name=")
			}),
		},
		{
			Name: "expired-gap-by-name", Rule: "watchcache/watch/expired",
			About: "a watch of one name from before the window begins at the present",
			Open: gap(func(o *metav1.ListOptions) bool {
				return strings.HasPrefix(o.FieldSelector, "metadata.name=") && o.LabelSelector == ""
			}),
		},
		{
			Name: "expired-gap-by-label", Rule: "watchcache/watch/expired",
			About: "a watch by label from before the window begins at the present",
			Open:  gap(func(o *metav1.ListOptions) bool { return o.LabelSelector != "" && o.FieldSelector == "" }),
		},
		{
			Name: "expired-gap-by-both", Rule: "watchcache/watch/expired",
			About: "a watch by label and name from before the window begins at the present",
			Open:  gap(func(o *metav1.ListOptions) bool { return o.LabelSelector != "" && o.FieldSelector != "" }),
		},
		{
			Name: "expired-gap-without-initial", Rule: "watchcache/watch/expired",
			About: "a watch with sendInitialEvents=false from before the window begins at the present",
			Open:  gap(func(o *metav1.ListOptions) bool { return o.SendInitialEvents != nil }),
		},
		{
			Name: "expired-edge-as-500", Rule: "watchcache/watch/expired-edge",
			About: "a watch from just before a compaction is refused with code 500 (kube-apiserver does so for kinds without a watch cache: PrevKv=nil)",
			Open: calling(calls{watch: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
				after := exactly(o)
				after.ResourceVersion = plus(o.ResourceVersion, 1)
				_, gone := api.List(ctx, r, exactly(o))
				if _, err := api.List(ctx, r, after); from(&o) && err == nil && apierrors.IsResourceExpired(gone) {
					return nil, apierrors.NewInternalError(gone)
				}
				return api.Watch(ctx, r, o)
			}}),
		},
		{
			Name: "compacted-edge-lost", Rule: "watchcache/watch/compacted-edge",
			About: "a watch from just before a compaction lacks the change at it (etcd#18089: a delete there)",
			Open:  edgeLost(func(*apiserver.Request, *metav1.ListOptions) bool { return true }),
		},
		{
			Name: "compacted-edge-refused", Rule: "watchcache/watch/compacted-edge",
			About: "a watch from the oldest resourceVersion that is kept is refused, with an internal error",
			Open: calling(calls{watch: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
				before := exactly(o)
				before.ResourceVersion = plus(o.ResourceVersion, -1)
				if _, err := api.List(ctx, r, before); from(&o) && apierrors.IsResourceExpired(err) {
					return nil, apierrors.NewInternalError(err)
				}
				return api.Watch(ctx, r, o)
			}}),
		},
		{
			Name: "future-from-now", Rule: "watchcache/watch/future",
			About: "a watch from a resourceVersion that is not there yet begins at the present",
			Open:  futureFromNow(func(o *metav1.ListOptions) bool { return o.SendInitialEvents == nil }),
		},
		{
			Name: "future-from-now-by-field", Rule: "watchcache/watch/future",
			About: "a watch by field from a resourceVersion that is not there yet begins at the present",
			Open:  futureFromNow(func(o *metav1.ListOptions) bool { return o.FieldSelector != "" && o.SendInitialEvents == nil }),
		},
		{
			Name: "future-from-now-without-initial", Rule: "watchcache/watchlist/off",
			About: "a watch with sendInitialEvents=false from a resourceVersion that is not there yet begins at the present",
			Open:  futureFromNow(func(o *metav1.ListOptions) bool { return o.SendInitialEvents != nil && !streaming(o) }),
		},
		{
			Name: "future-refused", Rule: "watchcache/watch/future",
			About: "a watch from a resourceVersion that is not there yet is refused with 410, as if it were too old",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				return calling(calls{watch: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
					if s := api.(*apiserver.Server); from(&o) && o.SendInitialEvents == nil && older(s.Revision(), o.ResourceVersion) {
						return nil, apierrors.NewResourceExpired("it is not in the history")
					}
					return api.Watch(ctx, r, o)
				}})(o)
			},
		},
	}
}

// futureFromNow is a store in which such watches from what is not there yet begin at the present.
func futureFromNow(such func(*metav1.ListOptions) bool) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
		var s *apiserver.Server
		o.OnWatch = func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
			if from(o) && such(o) && older(s.Revision(), o.ResourceVersion) {
				o.ResourceVersion = s.Revision()
			}
			return nil
		}
		s = apiserver.New(o)
		return s, s
	}
}

// gap is a store in which those watches that of picks begin at the present where they are out of the window.
func gap(of func(*metav1.ListOptions) bool) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return calling(calls{watch: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
		if from(&o) && of(&o) && outOfWindow(ctx, api, r, o) {
			fromNow(&o)
		}
		return api.Watch(ctx, r, o)
	}})
}

// exactly are the options of a list of all that was at a watch's start.
func exactly(o metav1.ListOptions) metav1.ListOptions {
	return metav1.ListOptions{ResourceVersion: o.ResourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchExact}
}

// oldest reads from the message of a 410 the resourceVersion from which a watch is served.
func oldest(message string) string {
	var asked, kept string
	_, _ = fmt.Sscanf(message, "too old resource version: %s (%s", &asked, &kept)
	if n := len(kept); n > 0 {
		kept = kept[:n-1]
	}
	return kept
}
