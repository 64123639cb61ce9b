package apiserver

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/selection"
)

// covers reports whether an object is in all scopes of a quota (k8s.io/kubernetes/pkg/quota/v1/evaluator/core). What is no pod and no
// claim is in none.
func covers(quota *corev1.ResourceQuota, in runtime.Object) bool {
	var all []corev1.ScopedResourceSelectorRequirement
	for _, s := range quota.Spec.Scopes {
		all = append(all, corev1.ScopedResourceSelectorRequirement{ScopeName: s, Operator: corev1.ScopeSelectorOpExists})
	}
	if s := quota.Spec.ScopeSelector; s != nil {
		all = append(all, s.MatchExpressions...)
	}
	for _, s := range all {
		switch o := in.(type) {
		case *corev1.Pod:
			if !podIn(s, o) {
				return false
			}
		case *corev1.PersistentVolumeClaim:
			class := o.Spec.VolumeAttributesClassName
			if s.ScopeName != corev1.ResourceQuotaScopeVolumeAttributesClass || !selects(s, class) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func podIn(s corev1.ScopedResourceSelectorRequirement, pod *corev1.Pod) bool {
	ends := pod.Spec.ActiveDeadlineSeconds != nil && *pod.Spec.ActiveDeadlineSeconds >= 0
	bestEffort := qosOf(&pod.Spec) == corev1.PodQOSBestEffort
	switch s.ScopeName {
	case corev1.ResourceQuotaScopeTerminating:
		return ends
	case corev1.ResourceQuotaScopeNotTerminating:
		return !ends
	case corev1.ResourceQuotaScopeBestEffort:
		return bestEffort
	case corev1.ResourceQuotaScopeNotBestEffort:
		return !bestEffort
	case corev1.ResourceQuotaScopePriorityClass:
		return selects(s, &pod.Spec.PriorityClassName)
	case corev1.ResourceQuotaScopeCrossNamespacePodAffinity:
		return pod.Spec.Affinity != nil && slices.ContainsFunc(affinityTerms(pod.Spec.Affinity), func(t corev1.PodAffinityTerm) bool {
			return len(t.Namespaces) > 0 || t.NamespaceSelector != nil
		})
	}
	return false
}

// selects reports whether the name of a class is one that a scope selects; nil or "": there is none.
func selects(s corev1.ScopedResourceSelectorRequirement, class *string) bool {
	has := labels.Set{}
	if class != nil && *class != "" {
		has[string(s.ScopeName)] = *class
	}
	op, known := map[corev1.ScopeSelectorOperator]selection.Operator{
		corev1.ScopeSelectorOpIn: selection.In, corev1.ScopeSelectorOpNotIn: selection.NotIn,
		corev1.ScopeSelectorOpExists: selection.Exists, corev1.ScopeSelectorOpDoesNotExist: selection.DoesNotExist,
	}[s.Operator]
	r, err := labels.NewRequirement(string(s.ScopeName), op, s.Values)
	return known && err == nil && r.Matches(has)
}

// affinityTerms are all terms about other pods.
func affinityTerms(a *corev1.Affinity) (all []corev1.PodAffinityTerm) {
	var weighted []corev1.WeightedPodAffinityTerm
	if p := a.PodAffinity; p != nil {
		all, weighted = append(all, p.RequiredDuringSchedulingIgnoredDuringExecution...), append(weighted, p.PreferredDuringSchedulingIgnoredDuringExecution...)
	}
	if p := a.PodAntiAffinity; p != nil {
		all, weighted = append(all, p.RequiredDuringSchedulingIgnoredDuringExecution...), append(weighted, p.PreferredDuringSchedulingIgnoredDuringExecution...)
	}
	for _, w := range weighted {
		all = append(all, w.PodAffinityTerm)
	}
	return all
}
