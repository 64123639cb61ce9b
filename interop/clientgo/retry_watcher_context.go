//go:build !before_0_33 && !before_0_27 && !before_0_19

package main

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"github.com/lwtest/lwtest/plugins/adapter"
)

func offerRetryWatcherContext(a *adapter.Adapter) {
	a.ListerWatcher = adapter.ListerWatcherOffer{Features: retryWatcherFeatures, Open: func(c adapter.ClientConfig) (any, error) {
		of, err := typed(c)
		return watcher{func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			w, err := watchtools.NewRetryWatcherWithContext(ctx, o.ResourceVersion, &cache.ListWatch{
				WatchFuncWithContext: func(ctx context.Context, own metav1.ListOptions) (watch.Interface, error) {
					own.LabelSelector, own.FieldSelector = o.LabelSelector, o.FieldSelector // as retry_watcher.go
					return of.Watch(ctx, own)
				}})
			if err != nil {
				return nil, err // not a RetryWatcher that is nil, in an interface
			}
			return w, nil
		}}, err
	}}
}
