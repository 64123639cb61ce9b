//go:build !before_0_19

package main

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/pager"

	"github.com/lwtest/lwtest/plugins/adapter"
)

func offerPager(a *adapter.Adapter) {
	a.ListerWatcher = adapter.ListerWatcherOffer{Features: []string{"client-go-semantics", "asks-again", "all-namespaces", "lists", "pages", "field-selectors", "json"},
		Open: func(c adapter.ClientConfig) (any, error) {
			of, err := typed(c)
			return lister{func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
				l, _, err := pager.New(func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return of.List(ctx, o) }).List(ctx, o)
				return l, err
			}}, err
		}}
}
