package mutants

import (
	"context"
	"regexp"
	"slices"
	"time"

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

// sentVersion is the resourceVersion in a patch.
var sentVersion = regexp.MustCompile(`,?"resourceVersion":"([^"]*)"`)

// cached is an object as the cache has it, nil for none.
func cached(ctx context.Context, api apiserver.API, r apiserver.Request) metav1.Object {
	obj, err := api.Get(ctx, r, metav1.GetOptions{ResourceVersion: "0"})
	if err != nil {
		return nil
	}
	return of(obj)
}

// staleStart is a store whose watches of some forms start at what the cache has.
func staleStart(of func(*metav1.ListOptions) bool) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
		if of(o) {
			o.ResourceVersion = "0"
		}
		return nil
	})
}

// restarting is a store behind an API that f makes faulty once the store has been restarted: an idle
// watch of nothing is cut by that.
func restarting(f func(c *calls, restarted func() bool)) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
		s := apiserver.New(o)
		day := int64(24 * time.Hour / time.Second)
		idle, err := apiserver.ConfigMaps(s, "idle").Watch(context.Background(), metav1.ListOptions{TimeoutSeconds: &day})
		if err != nil {
			panic(err) // the store is new
		}
		c := calls{API: s}
		f(&c, func() bool {
			select {
			case _, open := <-idle.ResultChan():
				return !open
			default:
				return false
			}
		})
		return c, s
	}
}

type lister = func(context.Context, apiserver.API, apiserver.Request, metav1.ListOptions) (runtime.Object, error)

// keeping leaves those items in a list that f wants.
func keeping(f func(metav1.Object) bool) func(runtime.Object, error) (runtime.Object, error) {
	return func(l runtime.Object, err error) (runtime.Object, error) {
		if err == nil {
			setItems(l, slices.DeleteFunc(items(l), func(item runtime.Object) bool { return !f(of(item)) }))
		}
		return l, err
	}
}

// asking is a list of which f changes what it asks for.
func asking(f func(*metav1.ListOptions)) lister {
	return func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
		f(&o)
		return api.List(ctx, r, o)
	}
}

// changed is a list of which f changes what it says; it gives the items.
func changed(f func(*metav1.ListOptions, runtime.Object, []runtime.Object) []runtime.Object) lister {
	return func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
		l, err := api.List(ctx, r, o)
		if err == nil {
			setItems(l, f(&o, l, items(l)))
		}
		return l, err
	}
}

func number(n int64) *int64 { return &n }
