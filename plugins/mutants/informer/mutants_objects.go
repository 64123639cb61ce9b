package informer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	{"key-to-dot", "converge/equal", "objects are kept by their name up to the first dot", lists, keyed(func(name string) string {
		name, _, _ = strings.Cut(name, ".")
		return name
	})},
	{"key-of-label", "converge/equal", "objects are kept by the first 63 characters of their name, as a label has", lists, keyed(first(63))},
	{"key-of-column", "converge/equal", "objects are kept by the first 128 characters of their name", lists, keyed(first(128))},
	{"key-as-number", "converge/equal", "a name that is a number is kept as one", lists, keyed(func(name string) string {
		if n, err := strconv.ParseFloat(name, 64); err == nil {
			return fmt.Sprint(n)
		}
		return name
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

// keyed keeps objects by what is made of their names.
func keyed(make func(name string) string) func(*informer) {
	key := func(of string) string {
		ns, name, _ := strings.Cut(of, "/")
		return ns + "/" + make(name)
	}
	return func(i *informer) {
		replace, put, drop, gets := i.replace, i.put, i.drop, i.gets
		i.replace = func(all []object, version string) {
			all = slices.Clone(all)
			for n := range all {
				all[n].key = key(all[n].key)
			}
			replace(all, version)
		}
		i.put = func(o object, initial bool) { o.key = key(o.key); put(o, initial) }
		i.drop = func(last object, unknown bool) { last.key = key(last.key); drop(last, unknown) }
		i.gets = func(of string) json.RawMessage { return gets(key(of)) }
	}
}

func first(n int) func(name string) string {
	return func(name string) string { return name[:min(n, len(name))] }
}
