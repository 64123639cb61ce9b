package rig

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Finalizer is one that nobody else takes away.
const Finalizer = "lwtest.example/hold"

// Loss is a part of a ConfigMap that it can lose and live on: whoever puts the new state onto the old one keeps it.
type Loss struct {
	Name string
	Have func(*corev1.ConfigMap) // gives it the part; its maps are there
	Lose func(*corev1.ConfigMap) // takes that away
}

// Whole gives a ConfigMap more of what a copy could lose: the second of a list, what is empty, what has a default.
func Whole(m *corev1.ConfigMap) {
	m.GenerateName = "generated-"
	m.Finalizers = []string{Finalizer, Finalizer + "-too"}
	for _, of := range []map[string]string{m.Labels, m.Annotations, m.Data} {
		of["empty"] = ""
	}
	m.BinaryData["nothing"] = []byte{}
	m.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "lwtest-other", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1",
		FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(`{"f:data":{"f:spec":{}}}`)}}
	if len(m.OwnerReferences) > 0 {
		yes := true
		m.OwnerReferences = append(m.OwnerReferences, metav1.OwnerReference{APIVersion: "v1", Kind: "Pod", Name: "another", UID: "another", Controller: &yes, BlockOwnerDeletion: &yes})
	}
}

// Losses are one key of each map, each map as a whole, and what is a list. owners says whether there may be owners, which a
// cluster with controllers takes for gone.
func Losses(owners bool) []Loss {
	all := []Loss{
		{"label", func(m *corev1.ConfigMap) { m.Labels["more"] = "1" }, func(m *corev1.ConfigMap) { delete(m.Labels, "more") }},
		{"annotation", func(m *corev1.ConfigMap) { m.Annotations["more"] = "1" }, func(m *corev1.ConfigMap) { delete(m.Annotations, "more") }},
		{"datum", func(m *corev1.ConfigMap) { m.Data["more"] = "1" }, func(m *corev1.ConfigMap) { delete(m.Data, "more") }},
		{"bytes", func(m *corev1.ConfigMap) { m.BinaryData["more"] = []byte{1} }, func(m *corev1.ConfigMap) { delete(m.BinaryData, "more") }},
		{"labels", func(m *corev1.ConfigMap) { m.Labels["more"] = "1" }, func(m *corev1.ConfigMap) { m.Labels = nil }},
		{"annotations", func(*corev1.ConfigMap) {}, func(m *corev1.ConfigMap) { m.Annotations = nil }},
		{"data", func(*corev1.ConfigMap) {}, func(m *corev1.ConfigMap) { m.Data = nil }},
		{"binary-data", func(*corev1.ConfigMap) {}, func(m *corev1.ConfigMap) { m.BinaryData = nil }},
		{"finalizers", func(m *corev1.ConfigMap) { m.Finalizers = []string{Finalizer} }, func(m *corev1.ConfigMap) { m.Finalizers = nil }},
	}
	if owners {
		owner := []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: "owner", UID: "owner"}}
		all = append(all, Loss{"owners", func(m *corev1.ConfigMap) { m.OwnerReferences = owner }, func(m *corev1.ConfigMap) { m.OwnerReferences = nil }})
	}
	return all
}
