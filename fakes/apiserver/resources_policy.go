package apiserver

import (
	admissionv1 "k8s.io/api/admissionregistration/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

var signingRequests = certificatesv1.SchemeGroupVersion.WithResource("certificatesigningrequests")

// policyResources are kinds that say who may do what. They are kept and shown: this server heeds none of them.
func policyResources() []Resource {
	return []Resource{
		builtin[policyv1.PodDisruptionBudget, policyv1.PodDisruptionBudgetList](policyv1.SchemeGroupVersion, "poddisruptionbudgets", Resource{
			Namespaced: true, ShortNames: []string{"pdb"},
			Spec:   of(func(b *policyv1.PodDisruptionBudget) any { return &b.Spec }),
			Status: of(func(b *policyv1.PodDisruptionBudget) any { return &b.Status }),
			check:  checked(checkBudget), checkFirst: true, freeFinalizers: true, ValidName: pathSegment, checkPart: map[string]func(in, old runtime.Object) field.ErrorList{status: checked(checkBudgetStatus)},
		}),
		builtin[rbacv1.ClusterRole, rbacv1.ClusterRoleList](rbacv1.SchemeGroupVersion, "clusterroles", rbac(false, nil, checked(checkClusterRole), held(func(r *rbacv1.ClusterRole) { noRules(&r.Rules) }))),
		builtin[rbacv1.Role, rbacv1.RoleList](rbacv1.SchemeGroupVersion, "roles", rbac(true, nil, checked(checkRole), held(func(r *rbacv1.Role) { noRules(&r.Rules) }))),
		builtin[rbacv1.ClusterRoleBinding, rbacv1.ClusterRoleBindingList](rbacv1.SchemeGroupVersion, "clusterrolebindings",
			rbac(false, of1(func(b *rbacv1.ClusterRoleBinding) { defaultBinding(&b.RoleRef, b.Subjects) }), checked(checkClusterRoleBinding), nil)),
		builtin[rbacv1.RoleBinding, rbacv1.RoleBindingList](rbacv1.SchemeGroupVersion, "rolebindings",
			rbac(true, of1(func(b *rbacv1.RoleBinding) { defaultBinding(&b.RoleRef, b.Subjects) }), checked(checkRoleBinding), nil)),
		builtin[certificatesv1.CertificateSigningRequest, certificatesv1.CertificateSigningRequestList](certificatesv1.SchemeGroupVersion, "certificatesigningrequests", Resource{
			Unconditional: true, ShortNames: []string{"csr"},
			Fields:  fieldFuncs{"spec.signerName": of(func(r *certificatesv1.CertificateSigningRequest) string { return r.Spec.SignerName })},
			Status:  of(func(r *certificatesv1.CertificateSigningRequest) any { return &r.Status }),
			prepare: changed(prepareSigningRequest), prepareStatus: changed(prepareSigningStatus),
			check: checked(checkSigningRequest),
		}),
		builtin[certificatesv1.ClusterTrustBundle, certificatesv1.ClusterTrustBundleList](certificatesv1.SchemeGroupVersion, "clustertrustbundles", Resource{
			StoredVersion: "v1beta1",
			ValidName:     pathSegment, // the name of a signer comes before a ":"
			Fields:        fieldFuncs{"spec.signerName": of(func(b *certificatesv1.ClusterTrustBundle) string { return b.Spec.SignerName })},
		}),
		builtin[certificatesv1.PodCertificateRequest, certificatesv1.PodCertificateRequestList](certificatesv1.SchemeGroupVersion, "podcertificaterequests", Resource{
			StoredVersion: "v1beta1",
			Namespaced:    true,
			Fields: fieldFuncs{
				"spec.signerName": of(func(r *certificatesv1.PodCertificateRequest) string { return r.Spec.SignerName }),
				"spec.podName":    of(func(r *certificatesv1.PodCertificateRequest) string { return r.Spec.PodName }),
				"spec.nodeName":   of(func(r *certificatesv1.PodCertificateRequest) string { return string(r.Spec.NodeName) }),
			},
			Status: of(func(r *certificatesv1.PodCertificateRequest) any { return &r.Status }), prepareStatus: keepMetadata,
		}),
	}
}

// rbac is the row of one of the four kinds of that group.
func rbac(namespaced bool, defaults func(runtime.Object), check func(in, old runtime.Object) field.ErrorList, stored func(in runtime.Object) bool) Resource {
	return Resource{Namespaced: namespaced, Unconditional: true, CreateOnUpdate: true, ValidName: pathSegment, defaults: defaults, check: check, stored: stored}
}

// noRules makes an empty list of rules none.
func noRules(rules *[]rbacv1.PolicyRule) {
	if len(*rules) == 0 {
		*rules = nil
	}
}

// defaultBinding says the group of what a binding names.
func defaultBinding(role *rbacv1.RoleRef, subjects []rbacv1.Subject) {
	defaultTo(&role.APIGroup, rbacv1.GroupName)
	for i := range subjects {
		if s := &subjects[i]; s.Kind == rbacv1.UserKind || s.Kind == rbacv1.GroupKind {
			defaultTo(&s.APIGroup, rbacv1.GroupName)
		}
	}
}

// prepareSigningRequest: a request says who has made it, and does not change. Everybody is the administrator here.
func prepareSigningRequest(in, old *certificatesv1.CertificateSigningRequest) {
	if old != nil {
		in.Spec = old.Spec
		return
	}
	in.Spec.Username, in.Spec.UID, in.Spec.Extra = "admin", "admin", nil
	in.Spec.Groups = []string{"system:masters", "system:authenticated"}
}

// prepareSigningStatus: /status neither approves nor denies.
func prepareSigningStatus(in, old *certificatesv1.CertificateSigningRequest) {
	for _, decision := range []certificatesv1.RequestConditionType{certificatesv1.CertificateApproved, certificatesv1.CertificateDenied} {
		is, was := conditionsOf(in, decision), conditionsOf(old, decision)
		if len(is) != len(was) {
			continue // which the API refuses
		}
		for i := range is {
			*is[i] = *was[i]
		}
	}
	dateConditions(in, old)
}

func conditionsOf(r *certificatesv1.CertificateSigningRequest, of certificatesv1.RequestConditionType) (out []*certificatesv1.CertificateSigningRequestCondition) {
	for i := range r.Status.Conditions {
		if c := &r.Status.Conditions[i]; c.Type == of {
			out = append(out, c)
		}
	}
	return out
}

// approved is a signing request with the conditions of another one: what a write to /approval changes.
func approved(in, old *certificatesv1.CertificateSigningRequest) *certificatesv1.CertificateSigningRequest {
	out := old.DeepCopy()
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Status.Conditions = in.Status.Conditions
	dateConditions(out, old)
	return out
}

// dateConditions says when a condition came, where the client does not.
func dateConditions(in, old *certificatesv1.CertificateSigningRequest) {
	for i := range in.Status.Conditions {
		c := &in.Status.Conditions[i]
		if c.LastUpdateTime.IsZero() {
			c.LastUpdateTime = *now()
		}
		if !c.LastTransitionTime.IsZero() {
			continue
		}
		c.LastTransitionTime = *now()
		for _, o := range old.Status.Conditions {
			if o.Type == c.Type && o.Status == c.Status && !o.LastTransitionTime.IsZero() {
				c.LastTransitionTime = o.LastTransitionTime
				break
			}
		}
	}
}

// unevaluated warns of a policy that means nothing here.
func unevaluated(runtime.Object) []string {
	return []string{"lwtest does not evaluate this policy: it refuses and changes nothing (see docs/faults.md for CEL)"}
}

// admissionResources are kinds that say who is to be asked before a write: webhooks (see webhooks.go), and policies, which Options.CEL
// evaluates.
func admissionResources() []Resource {
	v1, all := admissionv1.SchemeGroupVersion, []string{"api-extensions"}
	return []Resource{
		builtin[admissionv1.ValidatingAdmissionPolicy, admissionv1.ValidatingAdmissionPolicyList](v1, "validatingadmissionpolicies", Resource{
			Categories: all,
			Spec:       of(func(p *admissionv1.ValidatingAdmissionPolicy) any { return &p.Spec }),
			Status:     of(func(p *admissionv1.ValidatingAdmissionPolicy) any { return &p.Status }),
			defaults: of1(func(p *admissionv1.ValidatingAdmissionPolicy) {
				defaultPtr(&p.Spec.FailurePolicy, admissionv1.Fail)
				defaultMatch(p.Spec.MatchConstraints)
			}),
			prepareStatus: keepMetadata, warns: unevaluated, check: checked(checkValidatingPolicy),
		}),
		builtin[admissionv1.ValidatingAdmissionPolicyBinding, admissionv1.ValidatingAdmissionPolicyBindingList](v1, "validatingadmissionpolicybindings", Resource{
			Categories: all,
			Spec:       of(func(b *admissionv1.ValidatingAdmissionPolicyBinding) any { return &b.Spec }),
			defaults:   of1(func(b *admissionv1.ValidatingAdmissionPolicyBinding) { defaultMatch(b.Spec.MatchResources) }),
			check:      checked(checkValidatingBinding),
		}),
		builtin[admissionv1.MutatingAdmissionPolicy, admissionv1.MutatingAdmissionPolicyList](v1, "mutatingadmissionpolicies", Resource{
			Categories: all,
			Spec:       of(func(p *admissionv1.MutatingAdmissionPolicy) any { return &p.Spec }),
			defaults: of1(func(p *admissionv1.MutatingAdmissionPolicy) {
				defaultPtr(&p.Spec.FailurePolicy, admissionv1.Fail)
				defaultMatch(p.Spec.MatchConstraints)
			}),
			warns: unevaluated, check: checked(checkMutatingPolicy),
		}),
		builtin[admissionv1.MutatingAdmissionPolicyBinding, admissionv1.MutatingAdmissionPolicyBindingList](v1, "mutatingadmissionpolicybindings", Resource{
			Categories: all,
			Spec:       of(func(b *admissionv1.MutatingAdmissionPolicyBinding) any { return &b.Spec }),
			defaults:   of1(func(b *admissionv1.MutatingAdmissionPolicyBinding) { defaultMatch(b.Spec.MatchResources) }),
			check:      checked(checkMutatingBinding),
		}),
		builtin[admissionv1.ValidatingWebhookConfiguration, admissionv1.ValidatingWebhookConfigurationList](v1, "validatingwebhookconfigurations", Resource{
			Categories: all,
			Spec:       of(func(c *admissionv1.ValidatingWebhookConfiguration) any { return &c.Webhooks }),
			warns:      warnConditions, check: checked(checkValidatingHooks),
			defaults: of1(func(c *admissionv1.ValidatingWebhookConfiguration) {
				for i := range c.Webhooks {
					w := &c.Webhooks[i]
					defaultWebhook(&w.FailurePolicy, &w.MatchPolicy, &w.NamespaceSelector, &w.ObjectSelector, &w.TimeoutSeconds, w.Rules, w.ClientConfig.Service)
				}
			}),
		}),
		builtin[admissionv1.MutatingWebhookConfiguration, admissionv1.MutatingWebhookConfigurationList](v1, "mutatingwebhookconfigurations", Resource{
			Categories: all,
			Spec:       of(func(c *admissionv1.MutatingWebhookConfiguration) any { return &c.Webhooks }),
			warns:      warnConditions, check: checked(checkMutatingHooks),
			defaults: of1(func(c *admissionv1.MutatingWebhookConfiguration) {
				for i := range c.Webhooks {
					w := &c.Webhooks[i]
					defaultWebhook(&w.FailurePolicy, &w.MatchPolicy, &w.NamespaceSelector, &w.ObjectSelector, &w.TimeoutSeconds, w.Rules, w.ClientConfig.Service)
					defaultPtr(&w.ReinvocationPolicy, admissionv1.NeverReinvocationPolicy)
				}
			}),
		}),
	}
}

// defaultWebhook sets what both types of webhooks have.
func defaultWebhook(failure **admissionv1.FailurePolicyType, match **admissionv1.MatchPolicyType, namespaces, objects **metav1.LabelSelector,
	timeout **int32, rules []admissionv1.RuleWithOperations, service *admissionv1.ServiceReference) {
	defaultPtr(failure, admissionv1.Fail)
	defaultPtr(match, admissionv1.Equivalent)
	defaultPtr(namespaces, metav1.LabelSelector{})
	defaultPtr(objects, metav1.LabelSelector{})
	defaultPtr(timeout, 10)
	for i := range rules {
		defaultPtr(&rules[i].Scope, admissionv1.AllScopes)
	}
	if service != nil {
		defaultPtr(&service.Port, 443)
	}
}

func defaultMatch(m *admissionv1.MatchResources) {
	if m == nil {
		return
	}
	defaultPtr(&m.MatchPolicy, admissionv1.Equivalent)
	defaultPtr(&m.NamespaceSelector, metav1.LabelSelector{})
	defaultPtr(&m.ObjectSelector, metav1.LabelSelector{})
	for _, rules := range [][]admissionv1.NamedRuleWithOperations{m.ResourceRules, m.ExcludeResourceRules} {
		for i := range rules {
			defaultPtr(&rules[i].Scope, admissionv1.AllScopes)
		}
	}
}

func flowResources() []Resource {
	v1 := flowcontrolv1.SchemeGroupVersion
	return []Resource{
		builtin[flowcontrolv1.FlowSchema, flowcontrolv1.FlowSchemaList](v1, "flowschemas", Resource{
			Unconditional: true,
			Spec:          of(func(f *flowcontrolv1.FlowSchema) any { return &f.Spec }),
			Status:        of(func(f *flowcontrolv1.FlowSchema) any { return &f.Status }),
			defaults:      of1(func(f *flowcontrolv1.FlowSchema) { defaultTo(&f.Spec.MatchingPrecedence, 1000) }),
			check:         checked(checkFlowSchema),
		}),
		builtin[flowcontrolv1.PriorityLevelConfiguration, flowcontrolv1.PriorityLevelConfigurationList](v1, "prioritylevelconfigurations", Resource{
			Unconditional: true,
			Spec:          of(func(p *flowcontrolv1.PriorityLevelConfiguration) any { return &p.Spec }),
			Status:        of(func(p *flowcontrolv1.PriorityLevelConfiguration) any { return &p.Status }),
			defaults:      of1(defaultPriorityLevel),
			check:         checked(checkPriorityLevel),
		}),
	}
}

func defaultPriorityLevel(p *flowcontrolv1.PriorityLevelConfiguration) {
	if e := p.Spec.Exempt; e != nil {
		defaultPtr(&e.NominalConcurrencyShares, 0)
		defaultPtr(&e.LendablePercent, 0)
	}
	if l := p.Spec.Limited; l != nil {
		defaultPtr(&l.NominalConcurrencyShares, 30)
		defaultPtr(&l.LendablePercent, 0)
		if q := l.LimitResponse.Queuing; q != nil {
			defaultTo(&q.HandSize, 8)
			defaultTo(&q.Queues, 64)
			defaultTo(&q.QueueLengthLimit, 50)
		}
	}
}
