// Command istio puts istio's pkg/kube/kclient, the informers of its control plane, to lwtest's suite of informers, from a process of its own:
// whichever version go.mod says.
//
//	go build -o DIR/istio . && lwtest run --target exec:DIR/istio
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"istio.io/istio/pkg/kube"
	"istio.io/istio/pkg/kube/kclient"
	"istio.io/istio/pkg/log"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/lwtest/lwtest/plugins/adapter"
)

func main() {
	if len(os.Args) != 1 {
		fmt.Fprint(os.Stderr, "istio takes no arguments\n")
		os.Exit(2)
	}
	for _, s := range log.Scopes() {
		s.SetOutputLevel(log.NoneLevel)
	}
	adapter.Main(adapter.Adapter{Implementation: "istio kclient", Version: adapter.ModuleVersion("istio.io/istio"), Informer: adapter.InformerOffer{
		Features: []string{"client-go-semantics", "has-synced", "handlers", "many-handlers", "handler-synced", "initial-flag", "delete-state", "removal", "indexes", "transforms",
			"selectors", "all-namespaces"},
		New: open,
	}})
}

func open(c adapter.InformerConfig) (adapter.Informer, error) {
	config := &rest.Config{Host: c.Server.URL, BearerToken: c.Server.Token, TLSClientConfig: rest.TLSClientConfig{CAData: []byte(c.Server.CA)}, QPS: -1}
	client, err := kube.NewClient(direct{clientcmd.NewDefaultClientConfig(*api.NewConfig(), nil), config}, "lwtest")
	if err != nil {
		return nil, err
	}
	filter := kclient.Filter{Namespace: c.Namespace, LabelSelector: c.LabelSelector, FieldSelector: c.FieldSelector}
	filter.ObjectTransform = func(x any) (any, error) { return x, nil } // its own takes managedFields away
	if c.Transform == adapter.Mark {
		filter.ObjectTransform = mark
	}
	i := &informer{client: client, of: kclient.NewFiltered[*corev1.ConfigMap](client, filter)}
	if c.Index == adapter.ByApp {
		i.index = i.of.Index(adapter.ByApp, func(o *corev1.ConfigMap) []string {
			if app := o.Labels["app"]; app != "" {
				return []string{app}
			}
			return nil
		})
	}
	return i, nil
}

// direct is a config as it is: a kubeconfig sends no token without TLS.
type direct struct {
	kubeconfig
	config *rest.Config
}

type kubeconfig = clientcmd.ClientConfig

// ClientConfig implements clientcmd.ClientConfig.
func (d direct) ClientConfig() (*rest.Config, error) { return rest.CopyConfig(d.config), nil }

// mark is the transform that a config may ask for.
func mark(x any) (any, error) {
	if o, ok := x.(metav1.Object); ok {
		all := map[string]string{adapter.Marked: "yes"}
		for k, v := range o.GetAnnotations() {
			if k != adapter.Marked {
				all[k] = v
			}
		}
		o.SetAnnotations(all)
	}
	return x, nil
}

// informer is a kclient.Client with the factory that it is of.
type informer struct {
	client kube.Client
	of     kclient.Client[*corev1.ConfigMap]
	index  kclient.RawIndexer
}

// Run implements adapter.Informer.
func (i *informer) Run(ctx context.Context) {
	i.of.Start(ctx.Done())
	<-ctx.Done()
	i.client.Shutdown()
}

// HasSynced implements adapter.InformerSyncer. What kclient calls HasSynced asks the handlers, too, and is false again when one is added.
func (i *informer) HasSynced() bool { return i.of.HasSyncedIgnoringHandlers() }

// Get implements adapter.Informer.
func (i *informer) Get(key string) (json.RawMessage, error) {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return nil, err
	}
	if o := i.of.Get(name, namespace); o != nil {
		return plain(o), nil
	}
	return nil, nil
}

// List implements adapter.Informer.
func (i *informer) List() (all []json.RawMessage, err error) {
	for _, o := range i.of.List(metav1.NamespaceAll, labels.Everything()) {
		all = append(all, plain(o))
	}
	return all, nil
}

// ByIndex implements adapter.InformerIndexer.
func (i *informer) ByIndex(value string) (all []json.RawMessage, err error) {
	for _, o := range i.index.Lookup(value) {
		all = append(all, plain(o))
	}
	return all, nil
}

// Handle implements adapter.InformerTeller.
func (i *informer) Handle(tell func(adapter.Notice), _ time.Duration) (adapter.Registration, error) {
	r := i.of.AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(x any, initial bool) {
			tell(i.seen(x, adapter.Notice{Type: adapter.NoticeAdd, Object: plain(x), Initial: initial}))
		},
		UpdateFunc: func(old, x any) {
			tell(i.seen(x, adapter.Notice{Type: adapter.NoticeUpdate, Object: plain(x), Old: plain(old)}))
		},
		DeleteFunc: func(x any) {
			n := adapter.Notice{Type: adapter.NoticeDelete}
			if gone, ok := x.(cache.DeletedFinalStateUnknown); ok {
				n.Unknown, n.Key, x = true, gone.Key, gone.Obj
			}
			n.Object = plain(x)
			tell(i.seen(x, n))
		},
	})
	return registration{r, i.of}, nil
}

// seen says what the store and the index have now.
func (i *informer) seen(x any, n adapter.Notice) adapter.Notice {
	o, ok := x.(*corev1.ConfigMap)
	if !ok {
		return n
	}
	n.Held, _ = i.Get(cache.NewObjectName(o.Namespace, o.Name).String()) // a key that can be read
	if i.index != nil {
		for _, x := range i.index.Lookup(o.Labels["app"]) {
			n.Indexed = append(n.Indexed, cache.MetaObjectToName(x.(metav1.Object)).String())
		}
	}
	return n
}

// registration is a handler.
type registration struct {
	cache.ResourceEventHandlerRegistration
	of kclient.Client[*corev1.ConfigMap]
}

// Remove implements adapter.Registration.
func (r registration) Remove(bool) error {
	r.of.ShutdownHandler(r.ResourceEventHandlerRegistration)
	return nil
}

// plain is an object in JSON; nil for none.
func plain(x any) json.RawMessage {
	if x == nil {
		return nil
	}
	b, err := json.Marshal(x)
	if err != nil {
		return nil
	}
	return b
}
