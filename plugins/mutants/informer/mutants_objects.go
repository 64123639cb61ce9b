package informer

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// objectMutants have a fault in what they keep of an object.
var objectMutants = []variant{
	{"annotations-unkept", "converge/equal", "no annotations are kept", lists, losing(func(m *corev1.ConfigMap) { m.Annotations = nil })},
	{"owners-lost", "converge/equal", "no owners are kept", lists, losing(func(m *corev1.ConfigMap) { m.OwnerReferences = nil })},
	{"finalizers-lost", "converge/equal", "no finalizers are kept", lists, losing(func(m *corev1.ConfigMap) { m.Finalizers = nil })},
	{"binary-lost", "converge/equal", "no binaryData is kept", lists, losing(func(m *corev1.ConfigMap) { m.BinaryData = nil })},
	{"immutable-lost", "converge/equal", "that an object is immutable is not kept", lists, losing(func(m *corev1.ConfigMap) { m.Immutable = nil })},
	{"deletion-lost", "converge/equal", "no deletionTimestamp is kept", lists, losing(func(m *corev1.ConfigMap) { m.DeletionTimestamp = nil })},
	{"managed-lost", "converge/equal", "no managedFields are kept, though no transform says so", lists, losing(func(m *corev1.ConfigMap) { m.ManagedFields = nil })},
	{"created-lost", "converge/equal", "no creationTimestamp is kept", lists, losing(func(m *corev1.ConfigMap) { m.CreationTimestamp = metav1.Time{} })},
	{"grace-lost", "converge/equal", "no deletionGracePeriodSeconds are kept", lists, losing(func(m *corev1.ConfigMap) { m.DeletionGracePeriodSeconds = nil })},
	{"blocking-lost", "converge/equal", "which owner is not deleted before it is not kept", lists, losing(func(m *corev1.ConfigMap) {
		for i := range m.OwnerReferences {
			m.OwnerReferences[i].BlockOwnerDeletion = nil
		}
	})},
	{"terminating-is-gone", "converge/equal", "an object with a deletionTimestamp is taken for deleted", lists, func(i *informer) {
		gone := map[string]bool{}
		i.shapes = func(o runtime.Object) {
			if m, ok := o.(metav1.Object); ok && m.GetDeletionTimestamp() != nil {
				gone[m.GetNamespace()+"/"+m.GetName()] = true
			}
		}
		right := i.put
		i.put = func(o object, initial bool) {
			if gone[o.key] {
				i.drop(o, false)
			} else {
				right(o, initial)
			}
		}
	}},
}

// losing has something of each object not be kept.
func losing(what func(*corev1.ConfigMap)) func(*informer) {
	return func(i *informer) {
		i.shapes = func(o runtime.Object) {
			if m, ok := o.(*corev1.ConfigMap); ok {
				what(m)
			}
		}
	}
}
