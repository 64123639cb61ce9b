//go:build !before_0_19

package main

import (
	"context"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	v1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/lwtest/lwtest/plugins/adapter"
)

// offerFakeClientset declares what lwtest's own target go:fakeclientset does. What the fake takes without an error and
// then ignores is declared, too.
func offerFakeClientset(a *adapter.Adapter) {
	a.WatchCache = adapter.WatchCacheOffer{Features: []string{"patch", "json-patch", "strategic-merge-patch", "label-selectors", "field-selectors", "delete-preconditions",
		"deletecollection", "generate-name", "plain-update", "update-needs-object", "dry-run", "sole-writer"},
		Open: func() (adapter.WatchCache, error) {
			// Most tests call it, and versions before 0.31 have no other.
			return fakeClientset{fake.NewSimpleClientset()}, nil
		}}
}

// fakeClientset is kubernetes/fake.
type fakeClientset struct{ of *fake.Clientset }

func (f fakeClientset) in(namespace string) v1.ConfigMapInterface {
	return f.of.CoreV1().ConfigMaps(namespace)
}

// Create implements adapter.WatchCache.
func (f fakeClientset) Create(ctx context.Context, w adapter.Write) (json.RawMessage, error) {
	m, err := read[corev1.ConfigMap](w.Object)
	if err != nil {
		return nil, err
	}
	return answered(f.in(w.Namespace).Create(ctx, &m, metav1.CreateOptions{DryRun: dry(w)}))
}

// Update implements adapter.WatchCache.
func (f fakeClientset) Update(ctx context.Context, w adapter.Write) (json.RawMessage, error) {
	m, err := read[corev1.ConfigMap](w.Object)
	if err != nil {
		return nil, err
	}
	return answered(f.in(w.Namespace).Update(ctx, &m, metav1.UpdateOptions{DryRun: dry(w)}))
}

func dry(w adapter.Write) []string {
	if w.DryRun {
		return []string{metav1.DryRunAll}
	}
	return nil
}

// Patch implements adapter.Patcher.
func (f fakeClientset) Patch(ctx context.Context, p adapter.Patching) (json.RawMessage, error) {
	o, err := read[metav1.PatchOptions](p.Options)
	if err != nil {
		return nil, err
	}
	return answered(f.in(p.Namespace).Patch(ctx, p.Name, types.PatchType(p.Type), []byte(p.Patch), o))
}

// Delete implements adapter.WatchCache.
func (f fakeClientset) Delete(ctx context.Context, d adapter.Deletion) error {
	o, err := read[metav1.DeleteOptions](d.Options)
	if err != nil {
		return err
	}
	return status(f.in(d.Namespace).Delete(ctx, d.Name, o))
}

// DeleteCollection implements adapter.CollectionDeleter.
func (f fakeClientset) DeleteCollection(ctx context.Context, d adapter.Deletion) error {
	o, err := read[metav1.DeleteOptions](d.Options)
	if err != nil {
		return err
	}
	l, err := read[metav1.ListOptions](d.List)
	if err != nil {
		return err
	}
	return status(f.in(d.Namespace).DeleteCollection(ctx, o, l))
}

// Get implements adapter.WatchCache.
func (f fakeClientset) Get(ctx context.Context, namespace, name string, options json.RawMessage) (json.RawMessage, error) {
	o, err := read[metav1.GetOptions](options)
	if err != nil {
		return nil, err
	}
	return answered(f.in(namespace).Get(ctx, name, o))
}

// List implements adapter.WatchCache.
func (f fakeClientset) List(ctx context.Context, namespace string, options json.RawMessage) (*adapter.List, error) {
	o, err := read[metav1.ListOptions](options)
	if err != nil {
		return nil, err
	}
	return listed(f.in(namespace).List(ctx, o))
}

// Watch implements adapter.WatchCache.
func (f fakeClientset) Watch(ctx context.Context, namespace string, options json.RawMessage) (adapter.Watch, error) {
	o, err := read[metav1.ListOptions](options)
	if err != nil {
		return nil, err
	}
	return opened(f.in(namespace).Watch(ctx, o))
}

func answered(m *corev1.ConfigMap, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, status(err)
	}
	return plainJSON(m), nil
}

func opened(w watch.Interface, err error) (adapter.Watch, error) {
	if err != nil {
		return nil, status(err)
	}
	return open{w}, nil
}

// read reads what lwtest has sent.
func read[T any](b json.RawMessage) (v T, err error) {
	if len(b) == 0 {
		return v, nil
	}
	err = json.Unmarshal(b, &v)
	return v, err
}
