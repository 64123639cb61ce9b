package main

import (
	"context"
	"encoding/json"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	metricsstore "k8s.io/kube-state-metrics/v2/pkg/metrics_store"
	"k8s.io/kube-state-metrics/v2/pkg/sharding"
	"k8s.io/kube-state-metrics/v2/pkg/watch"

	"github.com/lwtest/lwtest/plugins/adapter"
)

// offerInformer offers a reflector that fills a MetricsStore, on the list and watch functions that count: what its builder
// starts for each resource. cached is its flag --use-apiserver-cache.
func offerInformer(a *adapter.Adapter, cached bool) {
	features := []string{"client-go-semantics", "all-namespaces"}
	a.Informer = adapter.InformerOffer{Features: features, New: func(c adapter.InformerConfig) (adapter.Informer, error) {
		client, err := kubernetes.NewForConfig(&rest.Config{Host: c.Server.URL, BearerToken: c.Server.Token, QPS: -1,
			ContentConfig:   rest.ContentConfig{ContentType: "application/json"},
			TLSClientConfig: rest.TLSClientConfig{CAData: []byte(c.Server.CA)}})
		if err != nil {
			return nil, err
		}
		lw := cache.NewListWatchFromClient(client.CoreV1().RESTClient(), c.Resource.Resource, c.Namespace, fields.Everything())
		counted := watch.NewInstrumentedListerWatcher(lw, watch.NewListWatchMetrics(prometheus.NewRegistry()), "*v1.ConfigMap", cached, 0)
		store := newStore(func(x any) ([]byte, error) { return json.Marshal(x) })
		r := cache.NewReflectorWithOptions(sharding.NewShardedListWatch(0, 1, counted), &corev1.ConfigMap{}, store, cache.ReflectorOptions{ResyncPeriod: 0})
		return reflected{r, store}, nil
	}}
}

// reflected is what it keeps of a resource.
type reflected struct {
	r     *cache.Reflector
	store *metricsstore.MetricsStore
}

func (r reflected) Run(ctx context.Context) { r.r.Run(ctx.Done()) }

func (r reflected) List() ([]json.RawMessage, error) { return scrape(r.store) }

func (r reflected) Get(key string) (json.RawMessage, error) {
	all, err := r.List()
	for _, b := range all {
		var o corev1.ConfigMap
		if err := json.Unmarshal(b, &o); err != nil {
			return nil, err
		}
		if k, err := cache.MetaNamespaceKeyFunc(&o); err == nil && k == key {
			return b, nil
		}
	}
	return nil, err
}
