// Package controllerruntime puts controller-runtime's fake client
// (sigs.k8s.io/controller-runtime/pkg/client/fake) to the watchcache suite:
// most operators are tested against it, so how it differs from an API server
// matters to whoever trusts those tests.
//
// Its known deviations are in known.json, each with the upstream issue where
// there is one.
package controllerruntime

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
)

// Features are what the fake client declares. It numbers the versions of each
// object, not those of the store, and its lists have none: comparable-rv,
// bookmarks and watchlist are not declared.
var Features = []harness.Feature{
	harness.VirtualTime,
	watchcache.Patch,
	watchcache.JSONPatch,
	watchcache.StrategicPatch,
	watchcache.Apply,
	watchcache.LabelWatch,
	watchcache.FieldWatch,
	watchcache.Precondition,
	watchcache.DeleteCollection,
	watchcache.GenerateName,
	watchcache.PlainUpdate,
	watchcache.UpdateNeedsObject,
	watchcache.DryRun,
}

// New is a fresh fake client as a watchcache.Subject.
func New() watchcache.Subject {
	return subject{fake.NewClientBuilder().Build()}
}

type subject struct{ client client.WithWatch }

func (s subject) In(namespace string) watchcache.Client { return configMaps{s.client, namespace} }

// configMaps is the client of one namespace.
type configMaps struct {
	client    client.WithWatch
	namespace string
}

func (c configMaps) own(m *corev1.ConfigMap) *corev1.ConfigMap {
	m = m.DeepCopy()
	m.Namespace = c.namespace
	return m
}

// Create implements watchcache.Client.
func (c configMaps) Create(ctx context.Context, m *corev1.ConfigMap, o metav1.CreateOptions) (*corev1.ConfigMap, error) {
	out := c.own(m)
	return answer(out, c.client.Create(ctx, out, &client.CreateOptions{Raw: &o, DryRun: o.DryRun}))
}

// Update implements watchcache.Client.
func (c configMaps) Update(ctx context.Context, m *corev1.ConfigMap, o metav1.UpdateOptions) (*corev1.ConfigMap, error) {
	out := c.own(m)
	return answer(out, c.client.Update(ctx, out, &client.UpdateOptions{Raw: &o, DryRun: o.DryRun}))
}

// Patch implements watchcache.Patcher.
func (c configMaps) Patch(ctx context.Context, name string, pt types.PatchType, data []byte, o metav1.PatchOptions, _ ...string) (*corev1.ConfigMap, error) {
	out := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: c.namespace, Name: name}}
	return answer(out, c.client.Patch(ctx, out, client.RawPatch(pt, data), &client.PatchOptions{Raw: &o, DryRun: o.DryRun, FieldManager: o.FieldManager, Force: o.Force}))
}

// Delete implements watchcache.Client.
func (c configMaps) Delete(ctx context.Context, name string, o metav1.DeleteOptions) error {
	m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: c.namespace, Name: name}}
	return c.client.Delete(ctx, m, &client.DeleteOptions{Raw: &o, Preconditions: o.Preconditions, DryRun: o.DryRun,
		PropagationPolicy: o.PropagationPolicy, GracePeriodSeconds: o.GracePeriodSeconds})
}

// DeleteCollection implements watchcache.CollectionDeleter.
func (c configMaps) DeleteCollection(ctx context.Context, o metav1.DeleteOptions, which metav1.ListOptions) error {
	lo, err := c.options(which)
	if err != nil {
		return err
	}
	return c.client.DeleteAllOf(ctx, &corev1.ConfigMap{}, &client.DeleteAllOfOptions{ListOptions: *lo, DeleteOptions: client.DeleteOptions{Raw: &o, DryRun: o.DryRun}})
}

// Get implements watchcache.Client.
func (c configMaps) Get(ctx context.Context, name string, o metav1.GetOptions) (*corev1.ConfigMap, error) {
	m := &corev1.ConfigMap{}
	return answer(m, c.client.Get(ctx, types.NamespacedName{Namespace: c.namespace, Name: name}, m, &client.GetOptions{Raw: &o}))
}

// List implements watchcache.Client.
func (c configMaps) List(ctx context.Context, o metav1.ListOptions) (*corev1.ConfigMapList, error) {
	lo, err := c.options(o)
	if err != nil {
		return nil, err
	}
	l := &corev1.ConfigMapList{}
	if err := c.client.List(ctx, l, lo); err != nil {
		return nil, err
	}
	return l, nil
}

// Watch implements watchcache.Client.
func (c configMaps) Watch(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	lo, err := c.options(o)
	if err != nil {
		return nil, err
	}
	return c.client.Watch(ctx, &corev1.ConfigMapList{}, lo)
}

// options are those of a list or watch, parsed as its callers give them.
func (c configMaps) options(o metav1.ListOptions) (*client.ListOptions, error) {
	ls, err := labels.Parse(o.LabelSelector)
	if err != nil {
		return nil, err
	}
	fs, err := fields.ParseSelector(o.FieldSelector)
	if err != nil {
		return nil, err
	}
	out := &client.ListOptions{Namespace: c.namespace, Limit: o.Limit, Continue: o.Continue, Raw: &o}
	if !ls.Empty() {
		out.LabelSelector = ls
	}
	if !fs.Empty() {
		out.FieldSelector = fs
	}
	return out, nil
}

func answer(m *corev1.ConfigMap, err error) (*corev1.ConfigMap, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}
