//go:build !before_0_19

package main

import (
	"context"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"github.com/lwtest/lwtest/plugins/adapter"
)

var retryWatcherFeatures = []string{"client-go-semantics", "asks-again", "all-namespaces", "watches", "retries", "json"}

func offerRetryWatcher(a *adapter.Adapter) {
	a.ListerWatcher = adapter.ListerWatcherOffer{Features: retryWatcherFeatures,
		Open: func(c adapter.ClientConfig) (any, error) {
			of, err := typed(c)
			return watcher{func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
				//lint:ignore SA1019 those with a context are not older than 0.33
				w, err := watchtools.NewRetryWatcher(o.ResourceVersion, &cache.ListWatch{WatchFunc: func(own metav1.ListOptions) (watch.Interface, error) {
					own.LabelSelector, own.FieldSelector = o.LabelSelector, o.FieldSelector // the RetryWatcher asks for nothing but a resourceVersion and bookmarks
					return of.Watch(ctx, own)
				}})
				if err != nil {
					return nil, err // not a RetryWatcher that is nil, in an interface
				}
				s := &stopping{RetryWatcher: w}
				go func() {
					select {
					case <-ctx.Done(): // it has none of its own before 0.34
						s.callOff()
					case <-w.Done():
					}
				}()
				return s, nil
			}}, err
		}}
}

// stopping is one that is stopped by its caller, or called off: not both, which a RetryWatcher takes badly before 0.32.
type stopping struct {
	*watchtools.RetryWatcher
	mu                 sync.Mutex
	stopped, calledOff bool
}

// Stop implements watch.Interface. What the caller does twice is done twice.
func (s *stopping) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped = true; !s.calledOff {
		s.RetryWatcher.Stop()
	}
}

func (s *stopping) callOff() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calledOff = true; !s.stopped {
		s.RetryWatcher.Stop()
	}
}
