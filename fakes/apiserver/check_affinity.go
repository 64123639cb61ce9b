package apiserver

import (
	corev1 "k8s.io/api/core/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func checkAffinity(a *corev1.Affinity, path *field.Path) (errs field.ErrorList) {
	const required, preferred = "requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution"
	if a == nil {
		return nil
	}
	weight := func(w int32, path *field.Path) {
		if w < 1 || w > 100 {
			errs = append(errs, field.Invalid(path.Child("weight"), w, "must be in the range 1-100"))
		}
	}
	if n, at := a.NodeAffinity, path.Child("nodeAffinity"); n != nil {
		if r := n.RequiredDuringSchedulingIgnoredDuringExecution; r != nil {
			terms := at.Child(required, "nodeSelectorTerms")
			if len(r.NodeSelectorTerms) == 0 {
				errs = append(errs, field.Required(terms, "must have at least one node selector term"))
			}
			for i := range r.NodeSelectorTerms {
				errs = append(errs, checkNodeTerm(&r.NodeSelectorTerms[i], true, terms.Index(i))...)
			}
		}
		for i := range n.PreferredDuringSchedulingIgnoredDuringExecution {
			p := &n.PreferredDuringSchedulingIgnoredDuringExecution[i]
			weight(p.Weight, at.Child(preferred).Index(i))
			errs = append(errs, checkNodeTerm(&p.Preference, false, at.Child(preferred).Index(i).Child("preference"))...)
		}
	}
	terms := func(must []corev1.PodAffinityTerm, may []corev1.WeightedPodAffinityTerm, at *field.Path) {
		for i := range must {
			errs = append(errs, checkPodTerm(&must[i], at.Child(required).Index(i))...)
		}
		for i := range may {
			weight(may[i].Weight, at.Child(preferred).Index(i))
			errs = append(errs, checkPodTerm(&may[i].PodAffinityTerm, at.Child(preferred).Index(i).Child("podAffinityTerm"))...)
		}
	}
	if p := a.PodAffinity; p != nil {
		terms(p.RequiredDuringSchedulingIgnoredDuringExecution, p.PreferredDuringSchedulingIgnoredDuringExecution, path.Child("podAffinity"))
	}
	if p := a.PodAntiAffinity; p != nil {
		terms(p.RequiredDuringSchedulingIgnoredDuringExecution, p.PreferredDuringSchedulingIgnoredDuringExecution, path.Child("podAntiAffinity"))
	}
	return errs
}

// checkNodeTerm judges a term, and what values it has if values says so.
func checkNodeTerm(t *corev1.NodeSelectorTerm, values bool, path *field.Path) (errs field.ErrorList) {
	for i, r := range t.MatchExpressions {
		at := path.Child("matchExpressions").Index(i)
		wrong := field.Required
		words, n := "", len(r.Values)
		switch r.Operator {
		case corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn:
			if n == 0 {
				words = "must be specified when `operator` is 'In' or 'NotIn'"
			}
		case corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist:
			if n > 0 {
				wrong, words = field.Forbidden, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
			}
		case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
			if n != 1 {
				words = "must be specified single value when `operator` is 'Lt' or 'Gt'"
			}
		default:
			errs = append(errs, field.Invalid(at.Child("operator"), r.Operator, "not a valid selector operator"))
		}
		if words != "" {
			errs = append(errs, wrong(at.Child("values"), words))
		}
		errs = append(errs, wrongs(at.Child("key"), r.Key, utilvalidation.IsQualifiedName(r.Key))...)
		for j, v := range r.Values {
			if values {
				errs = append(errs, wrongs(at.Child("values").Index(j), v, utilvalidation.IsValidLabelValue(v))...)
			}
		}
	}
	for i, r := range t.MatchFields {
		at := path.Child("matchFields").Index(i)
		if r.Operator != corev1.NodeSelectorOpIn && r.Operator != corev1.NodeSelectorOpNotIn {
			errs = append(errs, field.Invalid(at.Child("operator"), r.Operator, "not a valid selector operator"))
		} else if len(r.Values) != 1 {
			errs = append(errs, field.Required(at.Child("values"), "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"))
		}
		if r.Key != "metadata.name" {
			errs = append(errs, field.Invalid(at.Child("key"), r.Key, "not a valid field selector key"))
			continue
		}
		for j, v := range r.Values {
			errs = append(errs, wrongs(at.Child("values").Index(j), v, subdomain(v))...)
		}
	}
	return errs
}

func checkPodTerm(t *corev1.PodAffinityTerm, path *field.Path) field.ErrorList {
	errs := append(checkSelector(t.LabelSelector, path.Child("labelSelector")), checkSelector(t.NamespaceSelector, path.Child("namespaceSelector"))...)
	for _, name := range t.Namespaces {
		errs = append(errs, wrongs(path.Child("namespace"), name, utilvalidation.IsDNS1123Label(name))...)
	}
	at := path.Child("topologyKey")
	if t.TopologyKey == "" {
		errs = append(errs, field.Required(at, "can not be empty"))
	}
	return append(errs, wrongs(at, t.TopologyKey, utilvalidation.IsQualifiedName(t.TopologyKey))...)
}
