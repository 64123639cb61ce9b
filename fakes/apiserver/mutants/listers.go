package mutants

import (
	"context"
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

type lister = func(context.Context, apiserver.API, apiserver.Request, metav1.ListOptions) (runtime.Object, error)

// whenEmpty changes the resourceVersion of empty lists.
func whenEmpty(f func(string) string) lister {
	return func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
		l, err := api.List(ctx, r, o)
		if err == nil && len(items(l)) == 0 && o.Continue == "" {
			listOf(l).SetResourceVersion(f(listOf(l).GetResourceVersion()))
		}
		return l, err
	}
}

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

// onRefusal is a list that asks for something else where the store refuses in such a way.
func onRefusal(such func(error) bool, f func(*metav1.ListOptions)) lister {
	return func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
		l, err := api.List(ctx, r, o)
		if such(err) {
			f(&o)
			return api.List(ctx, r, o)
		}
		return l, err
	}
}

// rewording is a list of which such refusals are said otherwise.
func rewording(such func(error) bool, f func(error) error) lister {
	return func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
		l, err := api.List(ctx, r, o)
		if such(err) {
			err = f(err)
		}
		return l, err
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

// offering is a list of which f changes the token that a 410 offers.
func offering(f func(expired, offered string) string) lister {
	return func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
		l, err := api.List(ctx, r, o)
		if s := new(apierrors.StatusError); o.Continue != "" && errors.As(err, &s) && apierrors.IsResourceExpired(err) {
			s.ErrStatus.Continue = f(o.Continue, s.ErrStatus.Continue)
		}
		return l, err
	}
}

func number(n int64) *int64 { return &n }
