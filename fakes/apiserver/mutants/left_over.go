package mutants

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// What here is left is for mutants that are no rows yet: it goes with them.

func badRequest() error { return apierrors.NewBadRequest("this server has no such thing") }

func refusingLists(with error, which func(*metav1.ListOptions) bool) func(context.Context, apiserver.API, apiserver.Request, metav1.ListOptions) (runtime.Object, error) {
	return func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
		l, err := api.List(ctx, r, o)
		if err == nil && which(&o) {
			return nil, with
		}
		return l, err
	}
}

// watchingAs is a store of whose watches f changes what they ask for.
func watchingAs(f func(*metav1.ListOptions)) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
		f(o)
		return nil
	})
}

// silentWhere is a store of whose watches such get no changes.
func silentWhere(such func(*apiserver.Request, *metav1.ListOptions) bool) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return watching(func(r *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
		silent := such(r, o)
		return keep(func(_ watch.Event, c apiserver.Cause) bool { return !silent || !change(c) })
	})
}
