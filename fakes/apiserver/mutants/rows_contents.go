package mutants

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// contentRows are faults of caches that keep less of an object than is stored, and of lists with a timeout.
var contentRows = []row{
	{name: "watch-drops-annotations", rule: "watch/reliable", about: "objects come on watches without their annotations, as if a cache dropped them to save memory",
		on: "watch", events: shown(anyObject, configMap(func(m *corev1.ConfigMap) { m.Annotations = nil }))},
	{name: "watch-drops-owners", rule: "watch/reliable", about: "objects come on watches without their ownerReferences",
		on: "watch", events: shown(anyObject, configMap(func(m *corev1.ConfigMap) { m.OwnerReferences = nil }))},
	{name: "watch-truncates", rule: "watch/reliable", about: "a value of more than 64 KiB comes on watches without its end",
		on: "watch", events: shown(anyObject, configMap(truncate))},
	{name: "watch-stale-generation", rule: "watch/reliable", about: "of kinds with a generation objects come on watches with the one before their change",
		options: countsData, on: "watch", events: shown(anyObject, configMap(countLess))},

	{name: "list-drops-annotations", rule: "list/snapshot", about: "objects are on lists without their annotations",
		on: "list", answer: objects(configMap(func(m *corev1.ConfigMap) { m.Annotations = nil }))},
	{name: "list-drops-status", rule: "list/snapshot", about: "objects are on lists without their status",
		on: "list", answer: objects(configMap(func(m *corev1.ConfigMap) { delete(m.Data, "status") }))},
	{name: "list-truncates", rule: "list/snapshot", about: "a value of more than 64 KiB is on lists without its end",
		on: "list", answer: objects(configMap(truncate))},
	{name: "list-other-created", rule: "list/snapshot", about: "objects are on lists with another creationTimestamp than they were created with",
		on: "list", answer: objects(createdLater(time.Hour))},
	{name: "list-timed-cut", rule: "list/snapshot", about: "a list with a timeoutSeconds ends after its first object",
		on: "list", when: all(timed, not(limited)), answer: listed(func(all []runtime.Object) []runtime.Object { return all[:min(1, len(all))] })},
	{name: "list-timed-refused", rule: "list/answered", about: "a list with a timeoutSeconds is refused with 400: that is of watches",
		on: "list", when: timed, instead: refuse(apierrors.NewBadRequest("this server has no such thing"))},

	{name: "get-drops-owners", rule: "get/most-recent", about: "an object is got without its ownerReferences",
		on: "get", answer: objects(configMap(func(m *corev1.ConfigMap) { m.OwnerReferences = nil }))},
	{name: "get-drops-created", rule: "get/most-recent", about: "an object is got without its creationTimestamp",
		on: "get", answer: objects(configMap(func(m *corev1.ConfigMap) { m.CreationTimestamp = metav1.Time{} }))},
}
