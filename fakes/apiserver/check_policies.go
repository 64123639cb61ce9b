package apiserver

import (
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/intstr"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// kube-apiserver moves errors that its generated validation finds, too, behind all others of an object. The checks of these files
// append them last.

func checkRole(in, _ *rbacv1.Role) field.ErrorList { return checkPolicyRules(in.Rules, true) }

func checkClusterRole(in, _ *rbacv1.ClusterRole) field.ErrorList {
	errs := checkPolicyRules(in.Rules, false)
	if in.AggregationRule == nil {
		return errs
	}
	path := field.NewPath("aggregationRule", "clusterRoleSelectors")
	if len(in.AggregationRule.ClusterRoleSelectors) == 0 {
		errs = append(errs, field.Required(path, "at least one clusterRoleSelector required if aggregationRule is non-nil"))
	}
	for i := range in.AggregationRule.ClusterRoleSelectors {
		errs = append(errs, checkSelector(&in.AggregationRule.ClusterRoleSelectors[i], path.Index(i))...)
	}
	return errs
}

func checkPolicyRules(rules []rbacv1.PolicyRule, namespaced bool) (errs field.ErrorList) {
	var last field.ErrorList
	for i, r := range rules {
		path := field.NewPath("rules").Index(i)
		if len(r.Verbs) == 0 {
			last = append(last, field.Required(path.Child("verbs"), ""))
		}
		switch urls := path.Child("nonResourceURLs"); {
		case len(r.NonResourceURLs) > 0:
			if namespaced {
				errs = append(errs, field.Invalid(urls, r.NonResourceURLs, "namespaced rules cannot apply to non-resource URLs"))
			}
			if len(r.APIGroups)+len(r.Resources)+len(r.ResourceNames) > 0 {
				errs = append(errs, field.Invalid(urls, r.NonResourceURLs, "rules cannot apply to both regular resources and non-resource URLs"))
			}
			continue
		case len(r.APIGroups) == 0:
			errs = append(errs, field.Required(path.Child("apiGroups"), "resource rules must supply at least one api group"))
		}
		if len(r.Resources) == 0 {
			errs = append(errs, field.Required(path.Child("resources"), "resource rules must supply at least one resource"))
		}
	}
	return append(errs, last...)
}

func checkRoleBinding(in, old *rbacv1.RoleBinding) field.ErrorList {
	if old == nil {
		return checkBinding(&in.RoleRef, nil, in.Subjects, true)
	}
	return checkBinding(&in.RoleRef, &old.RoleRef, in.Subjects, true)
}

func checkClusterRoleBinding(in, old *rbacv1.ClusterRoleBinding) field.ErrorList {
	if old == nil {
		return checkBinding(&in.RoleRef, nil, in.Subjects, false)
	}
	return checkBinding(&in.RoleRef, &old.RoleRef, in.Subjects, false)
}

// checkBinding judges what a binding names; old is the role that it named before.
func checkBinding(role, old *rbacv1.RoleRef, subjects []rbacv1.Subject, namespaced bool) field.ErrorList {
	path, kinds := field.NewPath("roleRef"), []string{"ClusterRole"}
	if namespaced {
		kinds = []string{"Role", "ClusterRole"}
	}
	errs, last := oneOf(path.Child("apiGroup"), role.APIGroup, rbacv1.GroupName), field.ErrorList{}
	errs = append(errs, oneOf(path.Child("kind"), role.Kind, kinds...)...)
	if role.Name == "" {
		last = append(last, field.Required(path.Child("name"), ""))
	} else {
		errs = append(errs, wrongs(path.Child("name"), role.Name, pathSegment(role.Name, false))...)
	}
	for i, s := range subjects {
		at := field.NewPath("subjects").Index(i)
		errs = append(errs, checkSubject(s, namespaced, at)...)
		if s.Name == "" {
			last = append(last, field.Required(at.Child("name"), ""))
		}
	}
	if old != nil && *role != *old {
		inside := struct{ APIGroup, Kind, Name string }(*role)
		last = append(last, immutable(path, inside, nil)...)
	}
	return append(errs, last...)
}

func checkSubject(s rbacv1.Subject, namespaced bool, path *field.Path) (errs field.ErrorList) {
	switch s.Kind {
	case rbacv1.ServiceAccountKind:
		if s.Name != "" {
			errs = wrongs(path.Child("name"), s.Name, subdomain(s.Name))
		}
		errs = append(errs, oneOf(path.Child("apiGroup"), s.APIGroup, "")...)
		if !namespaced && s.Namespace == "" {
			errs = append(errs, field.Required(path.Child("namespace"), ""))
		}
		return errs
	case rbacv1.UserKind, rbacv1.GroupKind:
		return oneOf(path.Child("apiGroup"), s.APIGroup, rbacv1.GroupName)
	}
	return oneOf(path.Child("kind"), s.Kind, rbacv1.ServiceAccountKind, rbacv1.UserKind, rbacv1.GroupKind)
}

func checkBudget(in, _ *policyv1.PodDisruptionBudget) (errs field.ErrorList) {
	s, path := &in.Spec, field.NewPath("spec")
	if s.MinAvailable != nil && s.MaxUnavailable != nil {
		inside := struct {
			MinAvailable               *intstr.IntOrString
			Selector                   any
			MaxUnavailable             *intstr.IntOrString
			UnhealthyPodEvictionPolicy *policyv1.UnhealthyPodEvictionPolicyType
		}{s.MinAvailable, s.Selector, s.MaxUnavailable, s.UnhealthyPodEvictionPolicy}
		errs = append(errs, field.Invalid(path, inside, "minAvailable and maxUnavailable cannot be both set"))
	}
	for _, n := range []struct {
		name  string
		value *intstr.IntOrString
	}{{"minAvailable", s.MinAvailable}, {"maxUnavailable", s.MaxUnavailable}} {
		errs = append(errs, checkShare(path.Child(n.name), n.value)...)
		errs = append(errs, atMostAll(path.Child(n.name), n.value)...)
	}
	if s.Selector != nil {
		errs = append(errs, checkSelector(s.Selector, path.Child("selector"))...)
	}
	if p := s.UnhealthyPodEvictionPolicy; p != nil {
		errs = append(errs, oneOf(path.Child("unhealthyPodEvictionPolicy"), *p, policyv1.AlwaysAllow, policyv1.IfHealthyBudget)...)
	}
	return errs
}

func checkBudgetStatus(in, _ *policyv1.PodDisruptionBudget) field.ErrorList {
	s, path := &in.Status, field.NewPath("status")
	errs := metav1validation.ValidateConditions(s.Conditions, path.Child("conditions"))
	for _, c := range []count{{"disruptionsAllowed", s.DisruptionsAllowed}, {"currentHealthy", s.CurrentHealthy}, {"desiredHealthy", s.DesiredHealthy}, {"expectedPods", s.ExpectedPods}} {
		errs = append(errs, atLeast0(path.Child(c.name), &c.value)...)
	}
	return errs
}

// checkEvent: an event is in the namespace of what it is about. One with an eventTime says who reports what.
func checkEvent(in, _ *corev1.Event) (errs field.ErrorList) {
	about, mismatch := in.InvolvedObject.Namespace, "does not match event.namespace"
	path := field.NewPath("involvedObject", "namespace")
	if in.EventTime.IsZero() {
		if about != in.Namespace && (about != "" || in.Namespace != "default") {
			errs = append(errs, field.Invalid(path, about, mismatch))
		}
		return errs
	}
	if about == "" && in.Namespace != "default" && in.Namespace != "kube-system" {
		errs = append(errs, field.Invalid(path, about, mismatch))
	}
	required := func(name, value string, most int) {
		if value == "" {
			errs = append(errs, field.Required(field.NewPath(name), ""))
		}
		if most > 0 && len(value) > most {
			errs = append(errs, field.Invalid(field.NewPath(name), "", "can have at most 128 characters"))
		}
	}
	const reporter, most = "reportingComponent", 128
	required(reporter, in.ReportingController, 0)
	errs = append(errs, wrongs(field.NewPath(reporter), in.ReportingController, utilvalidation.IsQualifiedName(in.ReportingController))...)
	required("reportingInstance", in.ReportingInstance, most)
	required("action", in.Action, most)
	required("reason", in.Reason, most)
	if len(in.Message) > 1024 {
		errs = append(errs, field.Invalid(field.NewPath("message"), "", "can have at most 1024 characters"))
	}
	return errs
}
