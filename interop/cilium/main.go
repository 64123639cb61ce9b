// Command cilium puts cilium's pkg/k8s/resource, the informers of its agent and its operator, to lwtest's suite of informers, from a process of its
// own: whichever version go.mod says.
//
//	go build -o DIR/cilium . && lwtest run --target exec:DIR/cilium
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"github.com/cilium/cilium/pkg/k8s/resource"
	"github.com/cilium/cilium/pkg/k8s/utils"
	"github.com/cilium/hive/cell"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/plugins/adapter"
)

func main() {
	if len(os.Args) != 1 {
		fmt.Fprint(os.Stderr, "cilium takes no arguments\n")
		os.Exit(2)
	}
	adapter.Main(adapter.Adapter{Implementation: "cilium resource", Version: adapter.ModuleVersion("github.com/cilium/cilium"), Informer: adapter.InformerOffer{
		Features: []string{"has-synced", "handlers", "many-handlers", "handler-synced", "removal", "new-state-only", "indexes", "transforms", "selectors", "all-namespaces"},
		New:      open,
	}})
}

func open(c adapter.InformerConfig) (adapter.Informer, error) {
	client, err := kubernetes.NewForConfig(&rest.Config{Host: c.Server.URL, BearerToken: c.Server.Token, TLSClientConfig: rest.TLSClientConfig{CAData: []byte(c.Server.CA)}, QPS: -1})
	if err != nil {
		return nil, err
	}
	lw := utils.ListerWatcherWithModifiers(utils.ListerWatcherFromTyped(client.CoreV1().ConfigMaps(c.Namespace)), func(o *metav1.ListOptions) {
		o.LabelSelector, o.FieldSelector = c.LabelSelector, c.FieldSelector
	})
	options := []resource.ResourceOption{resource.WithIndexers(cache.Indexers{adapter.ByApp: byApp})}
	if c.Transform == adapter.Mark {
		options = append(options, resource.WithTransform(mark))
	}
	i := &informer{}
	i.of = resource.New[*corev1.ConfigMap](&i.life, lw, nil, options...)
	return i, nil
}

func byApp(x any) ([]string, error) {
	if app := x.(*corev1.ConfigMap).Labels["app"]; app != "" {
		return []string{app}, nil
	}
	return nil, nil
}

// mark is the transform that a config may ask for.
func mark(o *corev1.ConfigMap) (*corev1.ConfigMap, error) {
	o = o.DeepCopy()
	metav1.SetMetaDataAnnotation(&o.ObjectMeta, adapter.Marked, "yes")
	return o, nil
}

// informer is a Resource, and its lifecycle.
type informer struct {
	of    resource.Resource[*corev1.ConfigMap]
	life  cell.DefaultLifecycle
	store atomic.Pointer[resource.Store[*corev1.ConfigMap]] // when it has synced
}

// Run implements adapter.Informer.
func (i *informer) Run(ctx context.Context) {
	silent := slog.New(slog.DiscardHandler)
	_ = i.life.Start(silent, ctx) // it never fails
	if store, err := i.of.Store(ctx); err == nil {
		i.store.Store(&store)
	}
	<-ctx.Done()
	_ = i.life.Stop(silent, context.Background())
}

// HasSynced implements adapter.InformerSyncer: who asks for the store waits for that.
func (i *informer) HasSynced() bool { return i.store.Load() != nil }

// Get implements adapter.Informer. Before it has synced there is no store.
func (i *informer) Get(key string) (json.RawMessage, error) {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return nil, err
	}
	if store := i.store.Load(); store != nil {
		if o, ok, err := (*store).GetByKey(resource.Key{Namespace: namespace, Name: name}); ok {
			return json.Marshal(o)
		} else if err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// List implements adapter.Informer.
func (i *informer) List() ([]json.RawMessage, error) {
	store := i.store.Load()
	if store == nil {
		return nil, nil
	}
	return plain((*store).List())
}

// ByIndex implements adapter.InformerIndexer.
func (i *informer) ByIndex(value string) ([]json.RawMessage, error) {
	store := i.store.Load()
	if store == nil {
		return nil, nil
	}
	found, err := (*store).ByIndex(adapter.ByApp, value)
	if err != nil {
		return nil, err
	}
	return plain(found)
}

// plain returns objects in JSON.
func plain(objects []*corev1.ConfigMap) (all []json.RawMessage, err error) {
	for _, o := range objects {
		b, err := json.Marshal(o)
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return all, nil
}

// Handle implements adapter.InformerTeller.
func (i *informer) Handle(tell func(adapter.Notice), _ time.Duration) (adapter.Registration, error) {
	ctx, end := context.WithCancel(context.Background())
	r := &registration{end: end}
	events := i.of.Events(ctx)
	go func() {
		told := map[resource.Key]bool{} // an event does not say whether its object is new
		for e := range events {
			switch e.Kind {
			case resource.Sync:
				r.synced.Store(true)
			case resource.Upsert:
				n := adapter.Notice{Type: adapter.NoticeAdd}
				if told[e.Key] {
					n.Type = adapter.NoticeUpdate
				}
				told[e.Key] = true
				i.tell(ctx, tell, n, e)
			case resource.Delete:
				delete(told, e.Key)
				i.tell(ctx, tell, adapter.Notice{Type: adapter.NoticeDelete}, e)
			}
			e.Done(nil)
		}
	}()
	return r, nil
}

// tell tells an event, and what the store and the index have meanwhile. A handler that asks for the store waits until that has synced.
func (i *informer) tell(ctx context.Context, tell func(adapter.Notice), n adapter.Notice, e resource.Event[*corev1.ConfigMap]) {
	store, err := i.of.Store(ctx)
	if err != nil { // the handler is removed
		return
	}
	n.Object, _ = json.Marshal(e.Object) // it came as JSON
	if o, ok, _ := store.GetByKey(e.Key); ok {
		n.Held, _ = json.Marshal(o)
	}
	n.Indexed, _ = store.IndexKeys(adapter.ByApp, e.Object.Labels["app"]) // the index is there
	tell(n)
}

// registration is a handler.
type registration struct {
	end    context.CancelFunc
	synced atomic.Bool
}

// HasSynced implements adapter.Registration.
func (r *registration) HasSynced() bool { return r.synced.Load() }

// Remove implements adapter.Registration.
func (r *registration) Remove(bool) error {
	r.end()
	return nil
}
