package apiserver

import (
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// namespaces is what Options.Namespaces is about, immortal those that stay.
var (
	namespaces = corev1.SchemeGroupVersion.WithResource("namespaces")
	immortal   = []string{metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic}
)

// stays says that a namespace is not ready to go: nobody has deleted it yet, or something holds it.
func stays(old *record) bool {
	return old.meta.GetDeletionTimestamp() == nil || len(old.obj.(*corev1.Namespace).Spec.Finalizers) > 0
}

// terminate is the delete of a namespace, which ends when its finalizers are taken. The lock is held.
func (v *View) terminate(now time.Time, k *kind, old *record, opts metav1.DeleteOptions, dryRun bool) runtime.Object {
	if old.meta.GetDeletionTimestamp() != nil {
		return old.obj.DeepCopyObject()
	}
	in := old.obj.DeepCopyObject().(*corev1.Namespace)
	at := second(now)
	in.DeletionTimestamp = &at
	in.Status.Phase = corev1.NamespaceTerminating
	in.Finalizers = finalizers(k.res, opts, in.Finalizers)
	if dryRun {
		return in
	}
	rec := v.st.record(old.key, in)
	v.commit(now, write{kind: k, change: &change{old: old, new: rec}})
	if v.o.NamespaceController {
		v.emptyNamespace(in.Name)
		v.closeNamespace(now, in.Name)
	}
	return rec.obj.DeepCopyObject()
}

// emptyNamespace deletes what is in a namespace, and leaves dependents to the garbage collector, as the
// controller of namespaces does: what a kind does where nobody says anything would orphan those of a Job,
// for which nobody is there. What finalizers hold, or has some time left, stays meanwhile. The lock is held.
func (v *View) emptyNamespace(name string) {
	background := metav1.DeletePropagationBackground
	for _, k := range v.st.order {
		if !k.res.Namespaced {
			continue
		}
		for rec := range k.Now().Within(k.res.key(name, ""), "") {
			req := Request{Resource: k.res.GroupVersionResource, Namespace: name, Name: rec.meta.GetName()}
			_, _ = v.deleteHeld(k, req, metav1.DeleteOptions{PropagationPolicy: &background}) // nothing is asked of it that could fail
		}
	}
}

// closeNamespace ends a namespace that is Terminating and empty, where the server does so by itself. The
// lock is held.
func (s *core) closeNamespace(now time.Time, name string) {
	if !s.o.NamespaceController || !s.o.Namespaces || name == "" {
		return
	}
	k := s.st.kinds[namespaces]
	old := k.Now().Get(name)
	if old == nil || old.meta.GetDeletionTimestamp() == nil {
		return
	}
	for _, other := range s.st.order {
		if other.res.Namespaced {
			for range other.Now().Within(other.res.key(name, ""), "") {
				return // it is not empty
			}
		}
	}
	in := old.obj.DeepCopyObject().(*corev1.Namespace)
	if in.Spec.Finalizers = nil; len(in.Finalizers) == 0 {
		s.remove(now, target{k, old})
		return
	}
	s.commit(now, write{kind: k, change: &change{old: old, new: s.st.record(old.key, in)}})
}

// spare refuses the deletion of a namespace that must stay, or is not the one that is meant: those words
// their preconditions in their own way. It has nothing to say to other kinds.
func (v *View) spare(k *kind, req Request, p *metav1.Preconditions, m metav1.Object) error {
	if !v.o.Namespaces || k.res.GroupVersionResource != namespaces {
		return nil
	}
	const unmet = "Precondition failed"
	var broken error
	switch {
	case p == nil:
	case p.UID != nil && *p.UID != m.GetUID():
		broken = fmt.Errorf("%s: UID in precondition: %s, UID in object meta: %s", unmet, *p.UID, m.GetUID())
	case p.ResourceVersion != nil && *p.ResourceVersion != m.GetResourceVersion():
		broken = fmt.Errorf("%s: ResourceVersion in precondition: %s, ResourceVersion in object meta: %s", unmet, *p.ResourceVersion, m.GetResourceVersion())
	}
	switch {
	case broken != nil:
		return apierrors.NewConflict(namespaces.GroupResource(), req.Name, broken)
	case slices.Contains(immortal, req.Name):
		return apierrors.NewForbidden(namespaces.GroupResource(), req.Name, errors.New("this namespace may not be deleted"))
	}
	return nil
}
