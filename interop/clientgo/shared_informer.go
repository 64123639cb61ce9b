package main

import (
	"context"
	"encoding/json"
	"reflect"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/plugins/adapter"
)

// informerFeatures are those of any SharedIndexInformer of this version.
func informerFeatures(more ...string) []string {
	out := append([]string{"client-go-semantics", "has-synced", "handlers", "many-handlers", "handler-periods", "delete-state", "indexes",
		"resync", "started-twice", "all-namespaces"}, more...)
	out = append(append(append(out, handlerFeatures...), removalFeatures...), hookFeatures...)
	if _, has := reflect.TypeOf(corev1.ConfigMap{}).FieldByName("Immutable"); !has { // it is of 0.18
		out = append(out, "no-immutable")
	}
	for _, f := range newer(cache.NewStore(keyOf)) {
		if f == "version" {
			out = append(out, f, "version-bookmarks")
		}
	}
	return out
}

func offerSharedInformer(a *adapter.Adapter) {
	a.Informer = adapter.InformerOffer{Features: informerFeatures(streams...), New: func(c adapter.InformerConfig) (adapter.Informer, error) {
		lw, err := listWatch(c, func(*metav1.ListOptions) {})
		if err != nil {
			return nil, err
		}
		return newInformer(lw, c)
	}}
}

// listWatch is the ListerWatcher that is made of a client alone; tweak changes what it asks for.
func listWatch(c adapter.InformerConfig, tweak func(*metav1.ListOptions)) (*cache.ListWatch, error) {
	client, err := restClient(c.Server, c.Resource)
	if err != nil {
		return nil, err
	}
	return cache.NewFilteredListWatchFromClient(client, c.Resource.Resource, c.Namespace, tweak), nil
}

func newInformer(lw cache.ListerWatcher, c adapter.InformerConfig) (adapter.Informer, error) {
	inf := cache.NewSharedIndexInformer(lw, &corev1.ConfigMap{}, c.Resync, byApp(c.Index))
	if err := hook(inf, c, failing); err != nil {
		return nil, err
	}
	return sharedInformer{inf, c.Index, register}, nil
}

// sharedInformer is a cache.SharedIndexInformer.
type sharedInformer struct {
	inf   cache.SharedIndexInformer
	index string // that it has; "": none
	add   registerFunc
}

// registerFunc is a way to add a handler; a period of 0 is the informer's.
type registerFunc func(of cache.SharedIndexInformer, h cache.ResourceEventHandler, period time.Duration) (adapter.Registration, error)

func (s sharedInformer) Run(ctx context.Context) { s.inf.Run(ctx.Done()) }

func (s sharedInformer) HasSynced() bool { return s.inf.HasSynced() }

func (s sharedInformer) Get(key string) (json.RawMessage, error) {
	x, there, err := s.inf.GetIndexer().GetByKey(key)
	if err != nil || !there {
		return nil, err
	}
	return plainJSON(x), nil
}

func (s sharedInformer) List() ([]json.RawMessage, error) {
	return allJSON(s.inf.GetIndexer().List()), nil
}

func (s sharedInformer) ByIndex(value string) ([]json.RawMessage, error) {
	got, err := s.inf.GetIndexer().ByIndex(s.index, value)
	return allJSON(got), err
}

func (s sharedInformer) Version() string {
	version, _ := versionOf(s.inf.GetIndexer()) // where it has none the feature is not declared
	return version
}

// Handle adds a handler that tells of what it is told, and of what the store has then.
func (s sharedInformer) Handle(tell func(adapter.Notice), period time.Duration) (adapter.Registration, error) {
	return s.add(s.inf, handler(
		func(x any, initial bool) {
			tell(s.seen(x, adapter.Notice{Type: adapter.NoticeAdd, Object: plainJSON(x), Initial: initial}))
		},
		func(old, x any) {
			tell(s.seen(x, adapter.Notice{Type: adapter.NoticeUpdate, Object: plainJSON(x), Old: plainJSON(old)}))
		},
		func(x any) {
			n := adapter.Notice{Type: adapter.NoticeDelete}
			if gone, ok := x.(cache.DeletedFinalStateUnknown); ok {
				n.Unknown, n.Key, x = true, gone.Key, gone.Obj
			}
			n.Object = plainJSON(x)
			tell(s.seen(x, n))
		}), period)
}

// seen says what store and index have now.
func (s sharedInformer) seen(x any, n adapter.Notice) adapter.Notice {
	o, ok := x.(metav1.Object)
	if !ok {
		return n
	}
	key, _ := cache.MetaNamespaceKeyFunc(o) // of an object that has one
	n.Held, _ = s.Get(key)
	if s.index != "" {
		n.Indexed, _ = s.inf.GetIndexer().IndexKeys(s.index, o.GetLabels()["app"])
	}
	return n
}

// byApp is the index of that name, if it is asked for.
func byApp(index string) cache.Indexers {
	if index == "" {
		return cache.Indexers{}
	}
	return cache.Indexers{index: func(x any) ([]string, error) {
		o, ok := x.(metav1.Object)
		if !ok || o.GetLabels()["app"] == "" {
			return nil, nil
		}
		return []string{o.GetLabels()["app"]}, nil
	}}
}
