package workloads

import (
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

const (
	orphan     = metav1.FinalizerOrphanDependents
	foreground = metav1.FinalizerDeleteDependents
)

// concernsCollector queues the objects that the garbage collector must look at after a change.
func (m *manager) concernsCollector(r schema.GroupVersionResource, old, now metav1.Object) {
	if now != nil && (len(now.GetOwnerReferences()) > 0 || waits(now, orphan) || waits(now, foreground)) {
		m.queue.add(item{place: placeOf(r, now)})
	}
	if old == nil {
		return
	}
	for _, ref := range old.GetOwnerReferences() { // an owner may wait for it
		if at, ok := m.cache.byUID(ref.UID); ok {
			m.queue.add(item{place: at})
		}
	}
	if now == nil || waits(now, foreground) && !waits(old, foreground) {
		for _, at := range m.cache.places(string(old.GetUID())) {
			m.queue.add(item{place: at})
		}
	}
}

// waits reports whether an object is being deleted and a finalizer holds it.
func waits(o metav1.Object, finalizer string) bool {
	return o.GetDeletionTimestamp() != nil && slices.Contains(o.GetFinalizers(), finalizer)
}

// collect orphans, holds or deletes an object, by the state of its owners and of its own deletion.
func (m *manager) collect(at place) error {
	o, r := m.cache.get(at), m.cache.resource(at.GroupResource)
	switch {
	case o == nil:
		return nil
	case waits(o, orphan):
		return m.orphan(r, o)
	case waits(o, foreground):
		return m.endForeground(r, o)
	case o.GetDeletionTimestamp() != nil || len(o.GetOwnerReferences()) == 0:
		return nil
	}
	return m.collectDependent(r, o)
}

// orphan releases the dependents of an object, then the object.
func (m *manager) orphan(r schema.GroupVersionResource, o metav1.Object) error {
	var errs []error
	for _, at := range m.cache.places(string(o.GetUID())) {
		d := m.cache.get(at)
		if d == nil {
			continue
		}
		if _, err := patch(m, m.cache.resource(at.GroupResource), d, map[string]any{"ownerReferences": without(d, o.GetUID())}); err != nil && !apierrors.IsNotFound(err) {
			errs = append(errs, err)
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	return m.dropFinalizer(r, o, orphan)
}

// endForeground lets an object go if no dependent blocks that. Its dependents are in the queue by themselves.
func (m *manager) endForeground(r schema.GroupVersionResource, o metav1.Object) error {
	for _, at := range m.cache.places(string(o.GetUID())) {
		if d := m.cache.get(at); d != nil && blocks(d, o) {
			return nil
		}
	}
	return m.dropFinalizer(r, o, foreground)
}

func blocks(d, owner metav1.Object) bool {
	return slices.ContainsFunc(d.GetOwnerReferences(), func(ref metav1.OwnerReference) bool {
		return ref.UID == owner.GetUID() && ref.BlockOwnerDeletion != nil && *ref.BlockOwnerDeletion
	})
}

// collectDependent deletes an object whose owners are all gone or wait for it, and drops the owners that are gone from others.
func (m *manager) collectDependent(r schema.GroupVersionResource, o metav1.Object) error {
	var solid []metav1.OwnerReference
	waiting := false
	for _, ref := range o.GetOwnerReferences() {
		state, err := m.stateOf(o, ref)
		if err != nil {
			return err
		}
		waiting = waiting || state == ownerWaits
		if state == ownerStays {
			solid = append(solid, ref)
		}
	}
	switch {
	case len(solid) == len(o.GetOwnerReferences()):
		return nil
	case len(solid) > 0:
		_, err := patch(m, r, o, map[string]any{"ownerReferences": solid})
		return ignoreMissing(err)
	}
	policy := metav1.DeletePropagationBackground
	switch {
	case waiting && len(m.cache.places(string(o.GetUID()))) > 0:
		if err := m.breakCycle(r, o); err != nil {
			return err
		}
		policy = metav1.DeletePropagationForeground
	case slices.Contains(o.GetFinalizers(), orphan):
		policy = metav1.DeletePropagationOrphan
	case slices.Contains(o.GetFinalizers(), foreground):
		policy = metav1.DeletePropagationForeground
	}
	return m.remove(r, o, policy)
}

// breakCycle lets an object block its owners no more if one of its dependents waits in turn.
func (m *manager) breakCycle(r schema.GroupVersionResource, o metav1.Object) error {
	for _, at := range m.cache.places(string(o.GetUID())) {
		if d := m.cache.get(at); d == nil || !waits(d, foreground) {
			continue
		}
		refs := slices.Clone(o.GetOwnerReferences())
		for i := range refs {
			refs[i].BlockOwnerDeletion = new(bool)
		}
		_, err := patch(m, r, o, map[string]any{"ownerReferences": refs})
		return err
	}
	return nil
}

func ignoreMissing(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// named reports whether a NotFound error names the object. While a definition changes, the resource itself may be missing.
func named(err error, name string) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && status.Status().Details != nil && status.Status().Details.Name == name
}

type ownerState int

const (
	ownerStays ownerState = iota
	ownerWaits            // it is deleted after its dependents
	ownerGone
)

// stateOf finds out about an owner. Before it is gone the server is asked: the cache may be behind.
func (m *manager) stateOf(o metav1.Object, ref metav1.OwnerReference) (ownerState, error) {
	if at, ok := m.cache.byUID(ref.UID); ok && (at.Namespace == "" || at.Namespace == o.GetNamespace()) {
		if owner := m.cache.get(at); owner != nil {
			if waits(owner, foreground) {
				return ownerWaits, nil
			}
			return ownerStays, nil
		}
	}
	r, namespaced, ok := m.resourceOf(ref.APIVersion, ref.Kind)
	if !ok || namespaced && o.GetNamespace() == "" {
		return ownerStays, nil // nobody can tell
	}
	req := apiserver.Request{Resource: r, Name: ref.Name}
	if namespaced {
		req.Namespace = o.GetNamespace()
	}
	found, err := m.api.Get(m.ctx, req, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err) && named(err, ref.Name):
		return ownerGone, nil
	case err != nil:
		return ownerStays, err
	case found.(metav1.Object).GetUID() != ref.UID:
		return ownerGone, nil
	case waits(found.(metav1.Object), foreground):
		return ownerWaits, nil
	}
	return ownerStays, nil
}
