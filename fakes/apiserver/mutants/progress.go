package mutants

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// progress has faults of caches that hear of no resourceVersions but those of their own objects.
func progress() []Mutant {
	return []Mutant{
		{
			Name: "progress-unheard-list", Rule: "watchcache/cache/progress",
			About: "a list that must not be older than a version above those of its objects is refused with 504 until one of them changes (kubernetes#107133)",
			Open: calling(calls{list: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
				if err := unheard(ctx, api, r, o); err != nil && o.ResourceVersionMatch != metav1.ResourceVersionMatchExact && o.Limit == 0 {
					return nil, err
				}
				return api.List(ctx, r, o)
			}}),
		},
		{
			Name: "progress-unheard-stream", Rule: "watchcache/cache/progress",
			About: "a streaming list from a version above those of its objects is refused with 504 until one of them changes",
			Open: calling(calls{watch: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
				if err := unheard(ctx, api, r, o); err != nil && o.SendInitialEvents != nil && *o.SendInitialEvents {
					return nil, err
				}
				return api.Watch(ctx, r, o)
			}}),
		},
	}
}

// unheard waits, and returns 504, if a request asks for a version above those of all objects.
func unheard(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) error {
	r.Namespace = ""
	l, err := api.List(ctx, r, metav1.ListOptions{})
	if err != nil || o.ResourceVersion == "" || o.ResourceVersion == "0" {
		return nil
	}
	for _, obj := range items(l) {
		if !older(of(obj).GetResourceVersion(), o.ResourceVersion) {
			return nil
		}
	}
	return late(o.ResourceVersion)
}

// late waits, and returns 504, as a cache does that has not reached a version.
func late(version string) error {
	time.Sleep(3 * time.Second)
	err := apierrors.NewTimeoutError("Too large resource version: "+version, 1)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version"}}
	return err
}
