package controllerruntime

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/clientgo/informers"
)

// CacheFeatures are what a cache.Cache offers, with a client that reads from it and is to see its own writes.
var CacheFeatures = []harness.Feature{informer.ClientGoSemantics, informer.HasSynced, informer.Handlers, informer.ManyHandlers, informer.HandlerPeriods,
	informer.HandlerSynced, informer.InitialFlag, informer.DeleteState, informer.Removal, informer.Indexes, informer.Transforms, informer.Resync, informer.ErrorHook,
	informer.Streams, informer.AllNamespaces, informer.Restarts, informer.Writes, informer.ReadYourWrites}

// Caches makes them.
type Caches struct{}

// New implements informer.Subject.
func (Caches) New(c informer.Config) (informer.Informer, error) {
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	mapper := meta.NewDefaultRESTMapper(nil)
	for _, kind := range []string{"ConfigMap", "ConfigMapList"} { // as discovery tells it
		mapper.Add(corev1.SchemeGroupVersion.WithKind(kind), meta.RESTScopeNamespace)
	}
	config := &rest.Config{Host: c.Server.URL, BearerToken: c.Server.Token, Dial: c.Server.Dial, QPS: -1, TLSClientConfig: rest.TLSClientConfig{CAData: c.Server.CA}}
	all, err := cache.New(config, options(c, scheme, mapper))
	if err != nil {
		return nil, err
	}
	writer, err := client.New(config, client.Options{Scheme: scheme, Mapper: mapper, Cache: &client.CacheOptions{Reader: all, EnableReadYourWritesConsistency: new(true)}})
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	inf, err := all.GetInformer(ctx, &corev1.ConfigMap{}, cache.BlockUntilSynced(false))
	if err != nil {
		stop()
		return nil, err
	}
	i := &cached{cache: all, inf: inf, client: writer, ctx: ctx, stop: stop, index: c.Index}
	if c.Index != "" {
		return i, all.IndexField(ctx, &corev1.ConfigMap{}, c.Index, byApp)
	}
	return i, nil
}

func options(c informer.Config, scheme *runtime.Scheme, mapper meta.RESTMapper) cache.Options {
	o := cache.Options{Scheme: scheme, Mapper: mapper}
	if c.Namespace != "" {
		o.DefaultNamespaces = map[string]cache.Config{c.Namespace: {}}
	}
	if c.Resync > 0 {
		o.SyncPeriod = &c.Resync
	}
	if c.Transform == informer.Mark {
		o.DefaultTransform = informers.Mark
	}
	if c.Failed != nil {
		o.DefaultWatchErrorHandler = func(_ context.Context, _ *toolscache.Reflector, err error) { c.Failed(err) }
	}
	return o
}

func byApp(o client.Object) []string {
	if app := o.GetLabels()["app"]; app != "" {
		return []string{app}
	}
	return nil
}

// cached is a cache with one informer.
type cached struct {
	cache  cache.Cache
	inf    cache.Informer
	client client.Client
	ctx    context.Context // of reads: they may wait for the sync, until it has stopped
	stop   context.CancelFunc
	runs   atomic.Bool
	index  string
}

// Run implements informer.Informer.
func (c *cached) Run(ctx context.Context) {
	if c.runs.Swap(true) {
		_ = c.cache.Start(ctx) // which says that it has been started
		return
	}
	defer context.AfterFunc(ctx, c.stop)()
	_ = c.cache.Start(ctx)
}

// HasSynced implements informer.Synced.
func (c *cached) HasSynced() bool { return c.inf.HasSynced() }

// Get implements informer.Informer. Before the sync nobody is given anything: who asks waits.
func (c *cached) Get(key string) (json.RawMessage, error) {
	if !c.inf.HasSynced() {
		return nil, nil
	}
	return read(context.Background(), c.cache, key)
}

func read(ctx context.Context, r client.Reader, key string) (json.RawMessage, error) {
	name, err := toolscache.ParseObjectName(key)
	if err != nil {
		return nil, err
	}
	var o corev1.ConfigMap
	err = r.Get(ctx, types.NamespacedName{Namespace: name.Namespace, Name: name.Name}, &o)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(o)
}

// List implements informer.Informer.
func (c *cached) List() ([]json.RawMessage, error) { return c.list() }

// ByIndex implements informer.Indexed.
func (c *cached) ByIndex(value string) ([]json.RawMessage, error) {
	return c.list(client.MatchingFields{c.index: value})
}

func (c *cached) list(o ...client.ListOption) (out []json.RawMessage, err error) {
	if !c.inf.HasSynced() {
		return nil, nil
	}
	var all corev1.ConfigMapList
	if err := c.cache.List(context.Background(), &all, o...); err != nil {
		return nil, err
	}
	for i := range all.Items {
		b, err := json.Marshal(&all.Items[i])
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

// Write implements informer.Writer.
func (c *cached) Write(ctx context.Context, key, note string) (json.RawMessage, error) {
	name, err := toolscache.ParseObjectName(key)
	if err != nil {
		return nil, err
	}
	notes := map[string]string{"note": note}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": notes}})
	if err != nil {
		return nil, err
	}
	o := corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: name.Namespace, Name: name.Name}}
	err = c.client.Patch(ctx, &o, client.RawPatch(types.MergePatchType, patch))
	if apierrors.IsNotFound(err) {
		o.Annotations = notes
		err = c.client.Create(ctx, &o)
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(o)
}

// Read implements informer.Rereader.
func (c *cached) Read(ctx context.Context, key string) (json.RawMessage, error) {
	return read(ctx, c.client, key)
}

// Handle implements informer.Handled.
func (c *cached) Handle(tell func(informer.Notice), period time.Duration) (informer.Registration, error) {
	var r toolscache.ResourceEventHandlerRegistration
	var err error
	if h := c.told(tell); period > 0 {
		r, err = c.inf.AddEventHandlerWithResyncPeriod(h, period)
	} else {
		r, err = c.inf.AddEventHandler(h)
	}
	return registration{c.inf, r}, err
}

type registration struct {
	of cache.Informer
	toolscache.ResourceEventHandlerRegistration
}

// Remove implements informer.Registration.
func (r registration) Remove(bool) error {
	return r.of.RemoveEventHandler(r.ResourceEventHandlerRegistration)
}
