package informers

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/conformance/informer"
)

// reflected is a copy that a Reflector alone keeps.
type reflected struct {
	copied
	r *cache.Reflector
}

// Run implements informer.Informer.
func (r reflected) Run(ctx context.Context) { r.r.RunWithContext(ctx) }

func reflect(lw cache.ListerWatcher, store cache.Store, c informer.Config) reflected {
	r := cache.NewReflectorWithOptions(lw, &corev1.ConfigMap{}, store, cache.ReflectorOptions{})
	r.WatchListPageSize = c.PageSize
	return reflected{copied{store, c.Index}, r}
}

func newReflected(c informer.Config) (informer.Informer, error) {
	return reflect(direct(c), cache.NewIndexer(cache.MetaNamespaceKeyFunc, indexers(c)), c), nil
}

// smallPage is so small that a list of a drive's objects is of several pages.
const smallPage = 3

func newPaged(c informer.Config) (informer.Informer, error) {
	if c.PageSize == 0 {
		c.PageSize = smallPage
	}
	return reflect(lists{direct(c)}, cache.NewIndexer(cache.MetaNamespaceKeyFunc, indexers(c)), c), nil
}

// newUndelta is as the kubelet has its pods, but that the kubelet's never ends.
func newUndelta(c informer.Config) (informer.Informer, error) {
	push := func(content []any) {
		if c.Push != nil {
			c.Push(all(content))
		}
	}
	return reflect(direct(c), cache.NewUndeltaStore(push, cache.MetaNamespaceKeyFunc), c), nil
}
