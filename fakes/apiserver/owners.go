package apiserver

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// uniqueOwners drops owners that are there twice, word for word, and says so in a warning. Of a patch
// kube-apiserver sees it late.
func uniqueOwners(notes *Notes, m metav1.Object, late string) {
	refs := m.GetOwnerReferences()
	if len(refs) < 2 {
		return
	}
	var unique []metav1.OwnerReference
	var twice []string
	for _, r := range refs {
		if slices.ContainsFunc(unique, func(o metav1.OwnerReference) bool { return equality.Semantic.DeepEqual(o, r) }) {
			twice = append(twice, string(r.UID))
			continue
		}
		unique = append(unique, r)
	}
	if len(twice) == 0 {
		return
	}
	notes.Warnings = append(notes.Warnings, fmt.Sprintf(".metadata.ownerReferences contains duplicate entries%s; API server dedups owner references in 1.20+, "+
		"and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: %s", late, strings.Join(twice, ", ")))
	m.SetOwnerReferences(unique)
}
