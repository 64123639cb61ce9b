package informers

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/conformance/informer"
)

// direct is a ListerWatcher of list and watch functions, of which a Reflector asks streaming lists.
func direct(c informer.Config) *cache.ListWatch {
	d := c.Server.Direct
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			c.Select(&o)
			return d.List(ctx, c.Resource, c.Namespace, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			c.Select(&o)
			return d.Watch(ctx, c.Resource, c.Namespace, o)
		},
	}
}

// sized is a ListWatch whose lists are of pages of that size, as a tweak of the options makes them where nothing else
// can: a SharedIndexInformer does not say how large the pages of its Reflector are to be.
func sized(lw *cache.ListWatch, size int64) *cache.ListWatch {
	if size == 0 {
		return lw
	}
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.Limit = size
			return lw.ListWithContext(ctx, o)
		},
		WatchFuncWithContext: lw.WatchFuncWithContext,
	}
}

// lists is a ListWatch that says of itself that it has no streaming lists.
type lists struct{ *cache.ListWatch }

// IsWatchListSemanticsUnSupported is what client-go asks.
func (lists) IsWatchListSemanticsUnSupported() bool { return true }
