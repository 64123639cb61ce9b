package informers

import (
	"context"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/conformance/informer"
)

func newShared(c informer.Config) (informer.Informer, error) {
	return sharedOver(direct(c), c)
}

func newSharedLists(c informer.Config) (informer.Informer, error) {
	return sharedOver(lists{sized(direct(c), c.PageSize)}, c)
}

func sharedOver(lw cache.ListerWatcher, c informer.Config) (informer.Informer, error) {
	inf := cache.NewSharedIndexInformer(lw, &corev1.ConfigMap{}, c.Resync, indexers(c))
	if err := inf.SetTransform(transform(c)); err != nil {
		return nil, err
	}
	return configured(inf, c)
}

// configured tells the informer who is to hear of errors.
func configured(inf cache.SharedIndexInformer, c informer.Config) (sharedInformer, error) {
	if c.Failed != nil {
		if err := inf.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) { c.Failed(err) }); err != nil {
			return sharedInformer{}, err
		}
	}
	return sharedInformer{copied{inf.GetIndexer(), c.Index}, inf}, nil
}

type sharedInformer struct {
	copied
	inf cache.SharedIndexInformer
}

// Run implements informer.Informer.
func (s sharedInformer) Run(ctx context.Context) { s.inf.RunWithContext(ctx) }

// HasSynced implements informer.Synced.
func (s sharedInformer) HasSynced() bool { return s.inf.HasSynced() }

// copied is the copy that an informer keeps.
type copied struct {
	cache.Store
	index string // that it has; "": none
}

// Get implements informer.Informer.
func (s copied) Get(key string) (json.RawMessage, error) {
	x, ok, err := s.GetByKey(key)
	if !ok || err != nil {
		return nil, err
	}
	return plain(x), nil
}

// List implements informer.Informer.
func (s copied) List() ([]json.RawMessage, error) { return all(s.Store.List()), nil }

// ByIndex implements informer.Indexed.
func (s copied) ByIndex(value string) ([]json.RawMessage, error) {
	got, err := s.Store.(cache.Indexer).ByIndex(s.index, value)
	return all(got), err
}

// Version implements informer.Versioned.
func (s copied) Version() string { return s.LastStoreSyncResourceVersion() }
