package rig

import (
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Alike returns names of objects that an API server takes and that are easily confused: equal up to a dot, in their first 63
// (the limit of a label), 128 or 252 characters, without punctuation, or as numbers; or words of some languages.
func Alike() []string {
	all := []string{"kube-root-ca", "kube-root-ca.crt", "kube-root-ca.key", "kube.root.ca", "1", "01", "1.0", "1e0", "null", "true", "constructor"}
	for _, n := range []int{63, 128, 252} {
		same := strings.Repeat("n", n)
		all = append(all, same+"1", same+"2")
	}
	return all
}

// Sizes are sizes of objects, in bytes, that exceed common read buffers: of 4 KiB, of 64 KiB (the limit of bufio.Scanner),
// and of 512 KiB.
var Sizes = []int{6_000, 80_000, 600_000}

// Foreign is text with characters of two, three and four bytes.
const Foreign = "é: доступ запрещён, 禁止 \U0001D11E"

// Text returns so many bytes of characters that take one, two, three and four bytes, and an escape in JSON, so that a cut
// anywhere may split one. It has a character that ends a line in Unicode but not in a stream of JSON.
func Text(bytes int) string {
	const some = "aé€𝄞\n\"\\ \u0085"
	return strings.Repeat(some, bytes/len(some)) + strings.Repeat("z", bytes%len(some))
}

// LeapToDigit returns by how much a Reviser must leap, after a write with resourceVersion rv, so that the write after the next
// has the last number of so many digits. The following one has a digit more, and is smaller as a text. 0: rv is no number.
func LeapToDigit(rv string) uint64 {
	n, err := strconv.ParseUint(rv, 10, 64)
	if err != nil {
		return 0
	}
	longer := uint64(10)
	for longer <= n+2 {
		longer *= 10
	}
	return longer - 1 - (n + 2)
}

// Finalizer is a finalizer that nobody else removes.
const Finalizer = "lwtest.example/hold"

// Loss is a part that a ConfigMap can lose. A client that merges the new state into the old one keeps it.
type Loss struct {
	Name string
	Have func(*corev1.ConfigMap) // adds the part; the maps of the ConfigMap are there
	Lose func(*corev1.ConfigMap) // removes it
}

// Whole adds more of what a copy could lose: a second item of a list, empty values, defaults.
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

// Losses returns one key of each map, each map as a whole, and each list. owners says whether there may be owners, which the
// controllers of a cluster take for deleted.
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
