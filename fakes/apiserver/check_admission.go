package apiserver

import (
	"fmt"
	"slices"
	"strings"

	hooksv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Policies of both kinds, but their expressions, which Options.CEL compiles.

func checkValidatingPolicy(in, _ *hooksv1.ValidatingAdmissionPolicy) (errs field.ErrorList) {
	s, path := &in.Spec, field.NewPath("spec")
	errs = checkPolicy(s.FailurePolicy, s.ParamKind, s.MatchConstraints, path)
	if len(s.Validations)+len(s.AuditAnnotations) == 0 {
		const one = "validations or auditAnnotations must contain at least one item"
		return append(errs, field.Required(path.Child("validations"), one), field.Required(path.Child("auditAnnotations"), one))
	}
	for i, v := range s.Validations {
		errs = append(errs, checkValidation(v, path.Child("validations").Index(i))...)
	}
	notes := path.Child("auditAnnotations")
	if len(s.AuditAnnotations) > 20 {
		errs = append(errs, field.Invalid(notes, s.AuditAnnotations, "must not have more than 20 auditAnnotations"))
	}
	for i, a := range s.AuditAnnotations {
		key := notes.Index(i).Child("key")
		if errs = append(errs, wrongs(key, in.Name+"/"+a.Key, utilvalidation.IsQualifiedName(strings.ToLower(in.Name+"/"+a.Key)))...); strings.TrimSpace(a.ValueExpression) == "" {
			errs = append(errs, field.Required(notes.Index(i).Child("valueExpression"), "valueExpression is not specified"))
		}
		if slices.ContainsFunc(s.AuditAnnotations[:i], func(b hooksv1.AuditAnnotation) bool { return a.Key == b.Key }) {
			errs = append(errs, field.Duplicate(key, a.Key))
		}
	}
	return errs
}

func checkMutatingPolicy(in, _ *hooksv1.MutatingAdmissionPolicy) (errs field.ErrorList) {
	s, path := &in.Spec, field.NewPath("spec")
	errs = checkPolicy(s.FailurePolicy, s.ParamKind, s.MatchConstraints, path)
	errs = append(errs, checkMutated(s.MatchConstraints, path.Child("matchConstraints"))...)
	if len(s.Mutations) == 0 {
		errs = append(errs, field.Required(path.Child("mutations"), "mutations must contain at least one item"))
	}
	for i, m := range s.Mutations {
		errs = append(errs, checkMutation(m, path.Child("mutations").Index(i))...)
	}
	if at := path.Child("reinvocationPolicy"); s.ReinvocationPolicy == "" {
		return append(errs, field.Required(at, ""))
	} else {
		return append(errs, oneOf(at, s.ReinvocationPolicy, hooksv1.IfNeededReinvocationPolicy, hooksv1.NeverReinvocationPolicy)...)
	}
}

// checkPolicy checks what both kinds have.
func checkPolicy(failure *hooksv1.FailurePolicyType, params *hooksv1.ParamKind, match *hooksv1.MatchResources, path *field.Path) (errs field.ErrorList) {
	if failure != nil {
		errs = oneOf(path.Child("failurePolicy"), *failure, hooksv1.Fail, hooksv1.Ignore)
	}
	if params != nil {
		errs = append(errs, checkParamKind(params, path.Child("paramKind"))...)
	}
	at := path.Child("matchConstraints")
	if match == nil {
		return append(errs, field.Required(at, ""))
	}
	if errs = append(errs, checkMatch(match, at)...); len(match.ResourceRules) == 0 {
		errs = append(errs, field.Required(at.Child("resourceRules"), ""))
	}
	return errs
}

func checkParamKind(p *hooksv1.ParamKind, path *field.Path) (errs field.ErrorList) {
	version := path.Child("apiVersion")
	switch parts := strings.Split(p.APIVersion, "/"); {
	case p.APIVersion == "":
		errs = append(errs, field.Required(version, ""))
	case len(parts) > 2:
		errs = append(errs, field.Invalid(version, p.APIVersion, "unexpected GroupVersion string: "+p.APIVersion))
	default:
		if len(parts) == 2 && parts[0] != "" {
			errs = append(errs, joined(version, parts[0], utilvalidation.IsDNS1123Subdomain(parts[0]))...)
		}
		if last := parts[len(parts)-1]; last == "" {
			errs = append(errs, field.Invalid(version, p.APIVersion, "version must be specified"))
		} else {
			errs = append(errs, joined(version, last, utilvalidation.IsDNS1035Label(last))...)
		}
	}
	if p.Kind == "" {
		return append(errs, field.Required(path.Child("kind"), ""))
	}
	if wrong := utilvalidation.IsDNS1035Label(strings.ToLower(p.Kind)); len(wrong) > 0 {
		errs = append(errs, field.Invalid(path.Child("kind"), p.Kind, "may have mixed case, but should otherwise match: "+strings.Join(wrong, ",")))
	}
	return errs
}

// joined returns one error with all texts in what, or none if there are none.
func joined(path *field.Path, value any, what []string) field.ErrorList {
	if len(what) == 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, value, strings.Join(what, ","))}
}

// checkMatch checks the resources that a policy or a binding is about. m may be nil.
func checkMatch(m *hooksv1.MatchResources, path *field.Path) (errs field.ErrorList) {
	if m == nil {
		return nil
	}
	if m.MatchPolicy != nil {
		errs = oneOf(path.Child("matchPolicy"), *m.MatchPolicy, hooksv1.Equivalent, hooksv1.Exact)
	}
	errs = append(errs, checkSelector(m.NamespaceSelector, path.Child("namespaceSelector"))...)
	errs = append(errs, checkSelector(m.ObjectSelector, path.Child("objectSelector"))...)
	for _, rules := range []struct {
		name string
		all  []hooksv1.NamedRuleWithOperations
	}{{"resourceRules", m.ResourceRules}, {"excludeResourceRules", m.ExcludeResourceRules}} {
		for i := range rules.all {
			r, at := &rules.all[i], path.Child(rules.name).Index(i)
			for j, n := range r.ResourceNames {
				if errs = append(errs, wrongs(at.Child("resourceNames").Index(j), n, pathSegment(n, false))...); slices.Contains(r.ResourceNames[:j], n) {
					errs = append(errs, field.Duplicate(at.Child("resourceNames").Index(j), n))
				}
			}
			errs = append(errs, checkHookRule(&r.RuleWithOperations, at)...)
		}
	}
	return errs
}

// checkMutated refuses the operation DELETE in rules of policies that mutate.
func checkMutated(m *hooksv1.MatchResources, path *field.Path) (errs field.ErrorList) {
	if m == nil {
		return nil
	}
	for _, r := range m.ResourceRules {
		for _, o := range r.Operations {
			errs = append(errs, oneOf(path.Child("resourceRules", "operations"), o, hooksv1.OperationAll, hooksv1.Connect, hooksv1.Create, hooksv1.Update)...)
		}
	}
	return errs
}

func checkValidation(v hooksv1.Validation, path *field.Path) (errs field.ErrorList) {
	if strings.TrimSpace(v.Expression) == "" {
		errs = append(errs, field.Required(path.Child("expression"), "expression is not specified"))
	}
	if v.MessageExpression != "" && strings.TrimSpace(v.MessageExpression) == "" {
		errs = append(errs, field.Invalid(path.Child("messageExpression"), v.MessageExpression, "must be non-empty if specified"))
	}
	switch text := strings.TrimSpace(v.Message); {
	case v.Message != "" && text == "":
		errs = append(errs, field.Invalid(path.Child("message"), v.Message, "must be non-empty if specified"))
	case strings.ContainsAny(text, "\r\n"):
		errs = append(errs, field.Invalid(path.Child("message"), v.Message, "must not contain line breaks"))
	}
	if v.Reason != nil {
		errs = append(errs, oneOf(path.Child("reason"), *v.Reason, metav1.StatusReasonForbidden, metav1.StatusReasonInvalid, metav1.StatusReasonRequestEntityTooLarge)...)
	}
	return errs
}

func checkMutation(m hooksv1.Mutation, path *field.Path) (errs field.ErrorList) {
	has := map[hooksv1.PatchType]bool{hooksv1.PatchTypeJSONPatch: m.JSONPatch != nil, hooksv1.PatchTypeApplyConfiguration: m.ApplyConfiguration != nil}
	names := map[hooksv1.PatchType]string{hooksv1.PatchTypeJSONPatch: "jsonPatch", hooksv1.PatchTypeApplyConfiguration: "applyConfiguration"}
	if m.PatchType == "" {
		return field.ErrorList{field.Required(path.Child("patchType"), "")}
	}
	if errs = oneOf(path.Child("patchType"), m.PatchType, hooksv1.PatchTypeApplyConfiguration, hooksv1.PatchTypeJSONPatch); errs != nil {
		return errs
	}
	if !has[m.PatchType] {
		errs = append(errs, field.Required(path.Child(names[m.PatchType]), fmt.Sprintf("must be specified when patchType is %s", m.PatchType)))
	}
	for _, other := range []hooksv1.PatchType{hooksv1.PatchTypeApplyConfiguration, hooksv1.PatchTypeJSONPatch} {
		if other != m.PatchType && has[other] {
			errs = append(errs, field.Invalid(path.Child(names[other]), "{"+names[other]+"}", fmt.Sprintf("must not be specified when patchType is %s", m.PatchType)))
		}
	}
	return errs
}

func checkValidatingBinding(in, _ *hooksv1.ValidatingAdmissionPolicyBinding) field.ErrorList {
	s, path := &in.Spec, field.NewPath("spec")
	errs := checkBound(s.PolicyName, s.ParamRef, s.MatchResources, path)
	at := path.Child("validationActions")
	if len(s.ValidationActions) == 0 {
		return append(errs, field.Required(at, ""))
	}
	for i, a := range s.ValidationActions {
		if errs = append(errs, oneOf(at.Index(i), a, hooksv1.Audit, hooksv1.Deny, hooksv1.Warn)...); slices.Contains(s.ValidationActions[:i], a) {
			errs = append(errs, field.Duplicate(at.Index(i), a))
		}
	}
	if slices.Contains(s.ValidationActions, hooksv1.Deny) && slices.Contains(s.ValidationActions, hooksv1.Warn) {
		errs = append(errs, field.Invalid(at, s.ValidationActions,
			"must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)"))
	}
	return errs
}

func checkMutatingBinding(in, _ *hooksv1.MutatingAdmissionPolicyBinding) field.ErrorList {
	s, path := &in.Spec, field.NewPath("spec")
	return append(checkBound(s.PolicyName, s.ParamRef, s.MatchResources, path), checkMutated(s.MatchResources, path.Child("matchResources"))...)
}

func checkBound(policy string, params *hooksv1.ParamRef, match *hooksv1.MatchResources, path *field.Path) (errs field.ErrorList) {
	if policy == "" {
		errs = append(errs, field.Required(path.Child("policyName"), ""))
	} else {
		errs = append(errs, wrongs(path.Child("policyName"), policy, validation.NameIsDNSSubdomain(policy, false))...)
	}
	if params != nil {
		errs = append(errs, checkParamRef(params, path.Child("paramRef"))...)
	}
	return append(errs, checkMatch(match, path.Child("matchResources"))...)
}

func checkParamRef(p *hooksv1.ParamRef, path *field.Path) (errs field.ErrorList) {
	const both = "name and selector are mutually exclusive"
	if p.Name != "" {
		errs = wrongs(path.Child("name"), p.Name, pathSegment(p.Name, false))
	}
	switch {
	case p.Name != "" && p.Selector != nil:
		errs = append(errs, field.Forbidden(path.Child("name"), both))
		errs = append(errs, checkSelector(p.Selector, path.Child("selector"))...)
		errs = append(errs, field.Forbidden(path.Child("selector"), both))
	case p.Name == "" && p.Selector == nil:
		errs = append(errs, field.Required(path, "one of name or selector must be specified"))
	default:
		errs = append(errs, checkSelector(p.Selector, path.Child("selector"))...)
	}
	if at := path.Child("parameterNotFoundAction"); p.ParameterNotFoundAction == nil || *p.ParameterNotFoundAction == "" {
		return append(errs, field.Required(at, ""))
	} else {
		return append(errs, oneOf(at, *p.ParameterNotFoundAction, hooksv1.DenyAction, hooksv1.AllowAction)...)
	}
}

// both returns a check that runs two checks and returns each error once.
func both(one, other func(in, old runtime.Object) field.ErrorList) func(in, old runtime.Object) field.ErrorList {
	return func(in, old runtime.Object) field.ErrorList {
		all := one(in, old)
		for _, e := range other(in, old) {
			if !slices.ContainsFunc(all, func(was *field.Error) bool { return was.Error() == e.Error() }) {
				all = append(all, e)
			}
		}
		return all
	}
}
