package workloads

import (
	"context"
	"slices"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// follow keeps the cache of a resource up to date, until the run ends or the resource is gone. It calls first after the first list.
func (m *manager) follow(r schema.GroupVersionResource, first func()) {
	ctx, cancel := context.WithCancel(m.ctx)
	m.mu.Lock()
	m.follows[r.GroupResource()] = cancel
	m.mu.Unlock()
	m.running.Go(func() {
		defer first()
		for ctx.Err() == nil {
			rev, err := m.relist(ctx, r)
			if err == nil {
				first()
				err = m.watch(ctx, r, rev)
			} else if apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) {
				first() // it is not served
			}
			if err != nil {
				pause(ctx, time.Second)
			}
		}
	})
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func (m *manager) relist(ctx context.Context, r schema.GroupVersionResource) (string, error) {
	list, err := m.api.List(ctx, apiserver.Request{Resource: r}, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	at, err := meta.ListAccessor(list)
	if err != nil {
		return "", err
	}
	items, err := meta.ExtractList(list)
	if err != nil {
		return "", err
	}
	listed := map[types.UID]bool{}
	for _, o := range items {
		listed[o.(metav1.Object).GetUID()] = true
	}
	rev := revision(&metav1.ObjectMeta{ResourceVersion: at.GetResourceVersion()})
	for _, o := range m.cache.absent(r, rev, listed) {
		m.gone(r, o)
	}
	for _, o := range items {
		m.put(r, o.(metav1.Object), false)
	}
	return at.GetResourceVersion(), nil
}

// watch returns nil if the watch has ended where a list is needed next, at once.
func (m *manager) watch(ctx context.Context, r schema.GroupVersionResource, rev string) error {
	for ctx.Err() == nil {
		w, err := m.api.Watch(ctx, apiserver.Request{Resource: r}, metav1.ListOptions{ResourceVersion: rev})
		if err != nil {
			return err
		}
		before := rev
		for e := range w.ResultChan() {
			o, ok := e.Object.(metav1.Object)
			if e.Type == watch.Error || !ok {
				w.Stop()
				return nil
			}
			rev = o.GetResourceVersion()
			switch e.Type {
			case watch.Added, watch.Modified:
				m.put(r, o, false)
			case watch.Deleted:
				m.gone(r, o)
			}
		}
		w.Stop()
		if rev == before {
			pause(ctx, 100*time.Millisecond) // watches that end at once
		}
	}
	return nil
}

// put stores an object in the cache and queues what it concerns. If no controller reads its resource, only its metadata is kept.
func (m *manager) put(r schema.GroupVersionResource, o metav1.Object, answer bool) {
	if !m.typed(r) {
		kept := &metav1.PartialObjectMetadata{}
		kept.Namespace, kept.Name, kept.UID, kept.ResourceVersion = o.GetNamespace(), o.GetName(), o.GetUID(), o.GetResourceVersion()
		kept.OwnerReferences, kept.Finalizers, kept.DeletionTimestamp = o.GetOwnerReferences(), o.GetFinalizers(), o.GetDeletionTimestamp()
		o = kept
	}
	old, changed := m.cache.put(r, o, answer)
	if !changed {
		return
	}
	if crd, ok := o.(*apiextensionsv1.CustomResourceDefinition); ok {
		m.define(crd)
	}
	if old != nil && old.GetUID() != o.GetUID() { // deleted and created again
		m.changed(r, old, nil)
		old = nil
	}
	m.changed(r, old, o)
}

func (m *manager) gone(r schema.GroupVersionResource, o metav1.Object) {
	old := m.cache.remove(r, o)
	if old == nil {
		return
	}
	if crd, ok := old.(*apiextensionsv1.CustomResourceDefinition); ok {
		m.undefine(crd)
	}
	m.changed(r, old, nil)
}

// define follows the custom resource of a definition as soon as it is served, in the version that is stored if that is served.
func (m *manager) define(crd *apiextensionsv1.CustomResourceDefinition) {
	established := slices.ContainsFunc(crd.Status.Conditions, func(c apiextensionsv1.CustomResourceDefinitionCondition) bool {
		return c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue
	})
	r := servedAs(crd)
	m.mu.Lock()
	has := m.follows[r.GroupResource()] != nil
	m.mu.Unlock()
	if was := m.cache.resource(r.GroupResource()); has && was != r && was.Version != "" {
		m.undefine(crd) // that version may not be served any more
		has = false
	}
	if established && r.Version != "" && !has && m.o.Controllers {
		m.follow(r, func() {})
	}
}

// servedAs returns the resource of a definition in a version that is served, the stored one if it is. Without a version: none is served.
func servedAs(crd *apiextensionsv1.CustomResourceDefinition) schema.GroupVersionResource {
	r := schema.GroupVersionResource{Group: crd.Spec.Group, Resource: crd.Spec.Names.Plural}
	for _, v := range crd.Spec.Versions {
		if v.Served && (r.Version == "" || v.Storage) {
			r.Version = v.Name
		}
	}
	return r
}

// undefine forgets the custom resource of a definition that is gone.
func (m *manager) undefine(crd *apiextensionsv1.CustomResourceDefinition) {
	r := schema.GroupVersionResource{Group: crd.Spec.Group, Resource: crd.Spec.Names.Plural}
	m.mu.Lock()
	stop := m.follows[r.GroupResource()]
	delete(m.follows, r.GroupResource())
	m.mu.Unlock()
	if stop == nil {
		return
	}
	stop()
	for _, o := range m.cache.absent(r, revision(crd), nil) {
		m.gone(r, o)
	}
}

// resourceOf finds the resource of an owner's kind, in a version that is served.
func (m *manager) resourceOf(apiVersion, kind string) (r schema.GroupVersionResource, namespaced, ok bool) {
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return r, false, false
	}
	if b, ok := m.kinds[schema.GroupKind{Group: gv.Group, Kind: kind}]; ok {
		return b.GroupVersionResource, b.Namespaced, true
	}
	for _, crd := range everywhere[*apiextensionsv1.CustomResourceDefinition](m, definitions) {
		if crd.Spec.Group == gv.Group && crd.Spec.Names.Kind == kind {
			r := servedAs(crd)
			return r, crd.Spec.Scope == apiextensionsv1.NamespaceScoped, r.Version != ""
		}
	}
	return r, false, false
}
