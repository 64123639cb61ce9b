package informers

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/conformance/informer"
)

// controlled is a copy that a cache.Controller keeps. It has one handler, which is there before it runs.
type controlled struct {
	copied
	controller cache.Controller
	handler    *handler
}

// Run implements informer.Informer.
func (c controlled) Run(ctx context.Context) {
	c.handler.start()
	c.controller.RunWithContext(ctx)
}

// HasSynced implements informer.Synced.
func (c controlled) HasSynced() bool { return c.controller.HasSynced() }

// Handle implements informer.Handled.
func (c controlled) Handle(tell func(informer.Notice), period time.Duration) (informer.Registration, error) {
	if period != 0 {
		return nil, errors.New("its handler has no period of its own")
	}
	return staying{}, c.handler.set(c.told(tell))
}

// handler is the one that a controller has, if any.
type handler struct {
	cache.ResourceEventHandler
	mu      sync.Mutex
	started bool
	is      bool
}

func newHandler() *handler {
	return &handler{ResourceEventHandler: cache.ResourceEventHandlerFuncs{}}
}

func (h *handler) start() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.started = true
}

func (h *handler) set(to cache.ResourceEventHandler) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.started || h.is {
		return errors.New("it has one handler, which is there before it runs")
	}
	h.ResourceEventHandler, h.is = to, true
	return nil
}

// staying is a handler that cannot be removed.
type staying struct{}

// HasSynced implements informer.Registration.
func (staying) HasSynced() bool { return false }

// Remove implements informer.Registration.
func (staying) Remove(bool) error { return errors.New("it cannot be removed") }

func newInformer(c informer.Config) (informer.Informer, error) {
	h := newHandler()
	store, controller := cache.NewInformerWithOptions(cache.InformerOptions{ListerWatcher: direct(c), ObjectType: &corev1.ConfigMap{}, Handler: h,
		ResyncPeriod: c.Resync, Indexers: indexers(c), Transform: transform(c)})
	return controlled{copied{store, c.Index}, controller, h}, nil
}

func newDelta(c informer.Config) (informer.Informer, error) {
	store := cache.NewIndexer(cache.DeletionHandlingMetaNamespaceKeyFunc, indexers(c))
	return consumed(store, cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KnownObjects: store, EmitDeltaTypeReplaced: true, Transformer: transform(c)}), c), nil
}

func newReal(c informer.Config) (informer.Informer, error) {
	store := cache.NewIndexer(cache.DeletionHandlingMetaNamespaceKeyFunc, indexers(c))
	return consumed(store, cache.NewRealFIFOWithOptions(cache.RealFIFOOptions{KeyFunction: cache.MetaNamespaceKeyFunc, KnownObjects: store, Transformer: transform(c)}), c), nil
}

// consumed is a copy that is made of what a queue gives.
func consumed(store cache.Store, q cache.Queue, c informer.Config) controlled {
	h := newHandler()
	config := &cache.Config{Queue: q, ListerWatcher: direct(c), ObjectType: &corev1.ConfigMap{}, FullResyncPeriod: c.Resync,
		Process: func(x any, initial bool) error { return consume(store, h, x, initial) }}
	if c.Failed != nil {
		config.WatchErrorHandlerWithContext = func(_ context.Context, _ *cache.Reflector, err error) { c.Failed(err) }
	}
	return controlled{copied{store, c.Index}, cache.New(config), h}
}

// consume puts what a queue gives into the store, and then tells the handler: all that is due to one key.
func consume(store cache.Store, h cache.ResourceEventHandler, x any, initial bool) error {
	deltas, ok := x.(cache.Deltas)
	if !ok {
		return fmt.Errorf("it gave a %T", x)
	}
	for _, d := range deltas {
		if err := apply(store, h, d, initial); err != nil {
			return err
		}
	}
	return nil
}

func apply(store cache.Store, h cache.ResourceEventHandler, d cache.Delta, initial bool) error {
	if d.Type == cache.Deleted {
		if err := store.Delete(d.Object); err != nil {
			return err
		}
		h.OnDelete(d.Object)
		return nil
	}
	old, there, err := store.Get(d.Object)
	if err != nil {
		return err
	}
	if err := store.Update(d.Object); err != nil {
		return err
	}
	if there {
		h.OnUpdate(old, d.Object)
	} else {
		h.OnAdd(d.Object, initial)
	}
	return nil
}
