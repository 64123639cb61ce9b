package workloads

import (
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

const fieldManager = "kube-controller-manager"

func request(r schema.GroupVersionResource, o metav1.Object, subresource string) apiserver.Request {
	return apiserver.Request{Resource: r, Namespace: o.GetNamespace(), Name: o.GetName(), Subresource: subresource}
}

// create stores an object.
func create[T object](m *manager, r schema.GroupVersionResource, o T) (T, error) {
	out, err := m.api.Create(m.ctx, apiserver.Request{Resource: r, Namespace: o.GetNamespace()}, o, metav1.CreateOptions{FieldManager: fieldManager})
	return answered[T](m, r, out, err)
}

// update writes an object or its status. A conflict is an error: the caller's sync is tried again.
func update[T object](m *manager, r schema.GroupVersionResource, o T, subresource string) (T, error) {
	out, err := m.api.Update(m.ctx, request(r, o, subresource), o, metav1.UpdateOptions{FieldManager: fieldManager})
	return answered[T](m, r, out, err)
}

// patch merges fields into the metadata of an object, if it is still the one in the cache.
func patch(m *manager, r schema.GroupVersionResource, o metav1.Object, fields map[string]any) (metav1.Object, error) {
	fields["uid"], fields["resourceVersion"] = o.GetUID(), o.GetResourceVersion()
	data, err := json.Marshal(map[string]any{"metadata": fields})
	if err != nil {
		return nil, err
	}
	out, err := m.api.Patch(m.ctx, request(r, o, ""), types.MergePatchType, data, metav1.PatchOptions{FieldManager: fieldManager})
	return answered[object](m, r, out, err)
}

func answered[T object](m *manager, r schema.GroupVersionResource, out runtime.Object, err error) (none T, _ error) {
	if err != nil {
		return none, err
	}
	typed, ok := out.(T)
	if !ok {
		return none, fmt.Errorf("%s: the server answered with a %T", r.Resource, out)
	}
	m.put(r, typed, true)
	return typed, nil
}

// writeStatus writes an object's status if it is not as before.
func writeStatus[T object](m *manager, r schema.GroupVersionResource, o T, before, now any) error {
	if equality.Semantic.DeepEqual(before, now) {
		return nil
	}
	_, err := update(m, r, o, "status")
	return err
}

// remove deletes an object that is there, if it is still the one in the cache; "": as the server does by default.
func (m *manager) remove(r schema.GroupVersionResource, o metav1.Object, policy metav1.DeletionPropagation) error {
	uid := o.GetUID()
	opts := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}}
	if policy != "" {
		opts.PropagationPolicy = &policy
	}
	if _, err := m.api.Delete(m.ctx, request(r, o, ""), opts); err != nil {
		return ignoreMissing(err)
	}
	if typed, ok := o.(object); ok {
		if marked := m.cache.doom(r, typed); marked != nil {
			m.changed(r, o, marked)
		}
	}
	return nil
}

// dropFinalizer takes a finalizer from an object that has it.
func (m *manager) dropFinalizer(r schema.GroupVersionResource, o metav1.Object, name string) error {
	has := o.GetFinalizers()
	if !slices.Contains(has, name) {
		return nil
	}
	_, err := patch(m, r, o, map[string]any{"finalizers": slices.DeleteFunc(slices.Clone(has), func(f string) bool { return f == name })})
	return ignoreMissing(err)
}

// event records what has happened to an object, for kubectl describe. It may be lost.
func (m *manager) event(c string, kind schema.GroupVersionKind, o metav1.Object, what, reason, format string, args ...any) {
	m.events++
	now := metav1.Now()
	e := &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: o.GetNamespace(), Name: fmt.Sprintf("%.230s.%x%04x", o.GetName(), now.UnixNano(), m.events)},
		InvolvedObject: corev1.ObjectReference{Kind: kind.Kind, APIVersion: kind.GroupVersion().String(), Namespace: o.GetNamespace(), Name: o.GetName(), UID: o.GetUID(),
			ResourceVersion: o.GetResourceVersion()},
		Type: what, Reason: reason, Message: fmt.Sprintf("%.1000s", fmt.Sprintf(format, args...)), FirstTimestamp: now, LastTimestamp: now, Count: 1,
		Source: corev1.EventSource{Component: c}, ReportingController: c,
	}
	if e.Namespace == "" {
		e.Namespace = metav1.NamespaceDefault
	}
	_, _ = m.api.Create(m.ctx, apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("events"), Namespace: e.Namespace}, e, metav1.CreateOptions{})
}

// claim returns the objects that owner controls, by name: it adopts those that its selector matches and nobody controls, and releases those
// that it does not match any more.
func claim[T object](m *manager, r schema.GroupVersionResource, owner metav1.Object, kind schema.GroupVersionKind, selector labels.Selector) (all []T, err error) {
	ends := owner.GetDeletionTimestamp() != nil
	for _, o := range indexed[T](m, r, string(owner.GetUID())) {
		switch {
		case !metav1.IsControlledBy(o, owner):
		case ends || selector.Matches(labels.Set(o.GetLabels())):
			all = append(all, o)
		case o.GetDeletionTimestamp() == nil:
			if _, err := patch(m, r, o, map[string]any{"ownerReferences": without(o, owner.GetUID())}); err != nil {
				return nil, err
			}
		}
	}
	if ends || selector.Empty() {
		return all, nil
	}
	for _, o := range indexed[T](m, r, "free/"+namespaceKey(r.GroupResource(), owner.GetNamespace())) {
		if o.GetDeletionTimestamp() != nil || !selector.Matches(labels.Set(o.GetLabels())) || !adoptable(o, owner) {
			continue
		}
		if err := m.adopts(owner, kind); err != nil {
			return nil, err
		}
		adopted, err := patch(m, r, o, map[string]any{"ownerReferences": append(without(o, owner.GetUID()), *metav1.NewControllerRef(owner, kind))})
		if err != nil {
			return nil, err
		}
		all = append(all, adopted.(T))
	}
	return all, nil
}

// adopts asks the server whether owner is still there, and is not being deleted: the cache may be behind, and show what was just released
// (RecheckDeletionTimestamp of k8s.io/kubernetes/pkg/controller).
func (m *manager) adopts(owner metav1.Object, kind schema.GroupVersionKind) error {
	now, err := m.api.Get(m.ctx, request(m.kinds[kind.GroupKind()].GroupVersionResource, owner, ""), metav1.GetOptions{})
	if err != nil {
		return err
	}
	if o := now.(metav1.Object); o.GetUID() != owner.GetUID() || o.GetDeletionTimestamp() != nil {
		return fmt.Errorf("%s %s is deleted, and adopts nothing", kind.Kind, owner.GetName())
	}
	return nil
}

// adoptable reports whether owner may adopt an object that its selector matches: what has ended is left alone, and a StatefulSet takes only its names.
func adoptable(o, owner metav1.Object) bool {
	p, ok := o.(*corev1.Pod)
	if !ok {
		return true
	}
	return !ended(p) && memberOf(owner, p)
}

// each calls f for all, until it fails.
func each[T any](all []T, f func(T) error) error {
	for _, x := range all {
		if err := f(x); err != nil {
			return err
		}
	}
	return nil
}

// only returns those of all for which keep reports true.
func only[T any](all []T, keep func(T) bool) (some []T) {
	for _, x := range all {
		if keep(x) {
			some = append(some, x)
		}
	}
	return some
}

// without returns an object's owners but one.
func without(o metav1.Object, uid types.UID) []metav1.OwnerReference {
	return slices.DeleteFunc(slices.Clone(o.GetOwnerReferences()), func(ref metav1.OwnerReference) bool { return ref.UID == uid })
}
