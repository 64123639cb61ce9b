//go:build !before_0_19

package main

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	v1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/lwtest/lwtest/plugins/adapter"
)

func offerTyped(a *adapter.Adapter) {
	a.ListerWatcher = adapter.ListerWatcherOffer{Features: []string{"client-go-semantics", "asks-again", "all-namespaces", "lists", "watches", "field-selectors", "json"},
		Open: func(c adapter.ClientConfig) (any, error) {
			of, err := typed(c)
			return client{lister{func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return of.List(ctx, o) }}, watcher{of.Watch}}, err
		}}
}

// typed is the typed client of the objects of the suite.
func typed(c adapter.ClientConfig) (v1.ConfigMapInterface, error) {
	all, err := kubernetes.NewForConfig(config(c.Server))
	if err != nil {
		return nil, err
	}
	return all.CoreV1().ConfigMaps(c.Namespace), nil
}

// client is what lists and watches.
type client struct {
	lister
	watcher
}

// lister is a function that lists.
type lister struct {
	list func(context.Context, metav1.ListOptions) (runtime.Object, error)
}

// List implements adapter.Lister. client-go takes options by value.
func (l lister) List(ctx context.Context, options adapter.Options) (*adapter.List, error) {
	o, err := read[metav1.ListOptions](*options)
	if err != nil {
		return nil, err
	}
	return listed(l.list(ctx, o))
}

// listed is what a list of any type gave.
func listed(list runtime.Object, err error) (*adapter.List, error) {
	if err != nil {
		return nil, status(err)
	}
	m, err := meta.ListAccessor(list)
	if err != nil {
		return nil, err
	}
	out := &adapter.List{Metadata: adapter.ListMeta{ResourceVersion: m.GetResourceVersion(), Continue: m.GetContinue(), RemainingItemCount: m.GetRemainingItemCount()}}
	items, err := meta.ExtractList(list)
	for _, i := range items {
		out.Items = append(out.Items, plainJSON(i))
	}
	return out, err
}

// watcher is a function that watches.
type watcher struct {
	watch func(context.Context, metav1.ListOptions) (watch.Interface, error)
}

// Watch implements adapter.Watcher.
func (w watcher) Watch(ctx context.Context, options adapter.Options) (adapter.Watch, error) {
	o, err := read[metav1.ListOptions](*options)
	if err != nil {
		return nil, err
	}
	return opened(w.watch(ctx, o))
}

type open struct{ watch.Interface }

// Next implements adapter.Watch.
func (w open) Next(ctx context.Context) (adapter.Event, bool) {
	select {
	case e, ok := <-w.ResultChan():
		if !ok {
			return adapter.Event{}, false
		}
		return adapter.Event{Type: string(e.Type), Object: plainJSON(e.Object)}, true
	case <-ctx.Done():
		return adapter.Event{}, false
	}
}
