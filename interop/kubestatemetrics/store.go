package main

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	metricsstore "k8s.io/kube-state-metrics/v2/pkg/metrics_store"

	"github.com/lwtest/lwtest/plugins/adapter"
)

func offerStore(a *adapter.Adapter) {
	a.Store = adapter.StoreOffer{Features: []string{"map"}, Open: func(adapter.StoreOptions) (adapter.Store, error) {
		return plain{newStore(func(x any) ([]byte, error) { return json.Marshal(x.(*object).is) })}, nil
	}}
}

// object is an adapter.Object as a MetricsStore knows one: by its uid. Of what lives at one time none has another's name, so
// that the key will do.
type object struct {
	metav1.ObjectMeta
	is adapter.Object
}

func made(o adapter.Object) *object {
	return &object{metav1.ObjectMeta{Namespace: o.Namespace, Name: o.Name, ResourceVersion: o.ResourceVersion, UID: types.UID(o.Key())}, o}
}

// plain is a MetricsStore alone. What cache.Store has for reading gives nothing there, by design: what it writes is read.
type plain struct{ *metricsstore.MetricsStore }

func (p plain) Apply(c adapter.Change) error {
	return map[adapter.Verb]func(any) error{adapter.Add: p.Add, adapter.Update: p.Update, adapter.Delete: p.Delete}[c.Verb](made(c.Object))
}

func (p plain) Replace(list []adapter.Object, resourceVersion string) error {
	var all []any
	for _, o := range list {
		all = append(all, made(o))
	}
	return p.MetricsStore.Replace(all, resourceVersion)
}

func (p plain) List() ([]adapter.Object, error) {
	lines, err := scrape(p.MetricsStore)
	out := make([]adapter.Object, len(lines))
	for i := 0; i < len(lines) && err == nil; i++ {
		err = json.Unmarshal(lines[i], &out[i])
	}
	return out, err
}

func (p plain) Get(o adapter.Object) (*adapter.Object, error) { return p.GetByKey(o.Key()) }

func (p plain) GetByKey(key string) (*adapter.Object, error) {
	all, err := p.List()
	for i := range all {
		if all[i].Key() == key {
			return &all[i], nil
		}
	}
	return nil, err
}

func (p plain) ListKeys() (keys []string, err error) {
	all, err := p.List()
	for i := range all {
		keys = append(keys, all[i].Key())
	}
	return keys, err
}
