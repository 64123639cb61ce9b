//go:build !before_0_33 && !before_0_27 && !before_0_19

package main

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/plugins/adapter"
)

func offerSharedInformerContext(a *adapter.Adapter) {
	a.Informer = adapter.InformerOffer{Features: informerFeatures(streams...), New: newContextInformer}
}

// newContextInformer makes one in which nothing is without a context that can have one.
func newContextInformer(c adapter.InformerConfig) (adapter.Informer, error) {
	client, err := restClient(c.Server, c.Resource)
	if err != nil {
		return nil, err
	}
	inf := cache.NewSharedIndexInformerWithOptions(contextListWatch(client, c), &corev1.ConfigMap{},
		cache.SharedIndexInformerOptions{ResyncPeriod: c.Resync, Indexers: byApp(c.Index)})
	if err := hook(inf, c, failingContext); err != nil {
		return nil, err
	}
	return contextInformer{sharedInformer{inf, c.Index, registerOptions}}, nil
}

// contextListWatch has no function that takes no context.
func contextListWatch(client rest.Interface, c adapter.InformerConfig) *cache.ListWatch {
	get := func(o *metav1.ListOptions) *rest.Request {
		return client.Get().Namespace(c.Namespace).Resource(c.Resource.Resource).VersionedParams(o, metav1.ParameterCodec)
	}
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return get(&o).Do(ctx).Get()
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.Watch = true
			return get(&o).Watch(ctx)
		},
	}
}

// contextInformer is run with a context.
type contextInformer struct{ sharedInformer }

func (i contextInformer) Run(ctx context.Context) { i.inf.RunWithContext(ctx) }

func failingContext(inf cache.SharedIndexInformer, tell func(error)) error {
	return inf.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) { tell(err) })
}

// registerOptions implements registerFunc.
func registerOptions(inf cache.SharedIndexInformer, h cache.ResourceEventHandler, period time.Duration) (adapter.Registration, error) {
	var o cache.HandlerOptions
	if period > 0 {
		o.ResyncPeriod = &period
	}
	r, err := inf.AddEventHandlerWithOptions(h, o)
	if err != nil {
		return nil, err
	}
	return registration{r, inf}, nil
}
