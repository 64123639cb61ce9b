package apiserver

import (
	"fmt"
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func checkFlowSchema(in, _ *flowcontrolv1.FlowSchema) (errs field.ErrorList) {
	s, path := &in.Spec, field.NewPath("spec")
	precedence := func(wrong bool, why string) {
		if wrong {
			errs = append(errs, field.Invalid(path.Child("matchingPrecedence"), s.MatchingPrecedence, why))
		}
	}
	precedence(s.MatchingPrecedence <= 0, "must be a positive value")
	precedence(s.MatchingPrecedence > flowcontrolv1.FlowSchemaMaxMatchingPrecedence, fmt.Sprintf("must not be greater than %d", flowcontrolv1.FlowSchemaMaxMatchingPrecedence))
	precedence(s.MatchingPrecedence == 1 && in.Name != "exempt", "only the schema named 'exempt' may have matchingPrecedence 1")
	if d := s.DistinguisherMethod; d != nil {
		errs = append(errs, checkDistinguisher(d.Type, path.Child("distinguisherMethod", "type"))...)
	}
	if level, at := s.PriorityLevelConfiguration.Name, path.Child("priorityLevelConfiguration", "name"); level == "" {
		errs = append(errs, field.Required(at, "must reference a priority level"))
	} else {
		errs = append(errs, wrongs(at, level, validation.NameIsDNSSubdomain(level, false))...)
	}
	for i, r := range s.Rules {
		errs = append(errs, checkFlowRules(r, path.Child("rules").Index(i))...)
	}
	return errs
}

func checkDistinguisher(t flowcontrolv1.FlowDistinguisherMethodType, path *field.Path) field.ErrorList {
	known := []flowcontrolv1.FlowDistinguisherMethodType{flowcontrolv1.FlowDistinguisherMethodByNamespaceType, flowcontrolv1.FlowDistinguisherMethodByUserType}
	if slices.Contains(known, t) {
		return nil
	}
	return field.ErrorList{field.NotSupported(path, struct {
		Type flowcontrolv1.FlowDistinguisherMethodType
	}{t}, known)} // kube-apiserver shows the parent
}

func checkFlowRules(r flowcontrolv1.PolicyRulesWithSubjects, path *field.Path) (errs field.ErrorList) {
	if len(r.Subjects) == 0 {
		errs = append(errs, field.Required(path.Child("subjects"), "subjects must contain at least one value"))
	}
	for i, s := range r.Subjects {
		errs = append(errs, checkFlowSubject(s, path.Child("subjects").Index(i))...)
	}
	if len(r.ResourceRules)+len(r.NonResourceRules) == 0 {
		errs = append(errs, field.Required(path, "at least one of resourceRules and nonResourceRules has to be non-empty"))
	}
	for i, rule := range r.ResourceRules {
		at := path.Child("resourceRules").Index(i)
		errs = append(errs, flowWords(rule.Verbs, "verbs", "verbs must contain at least one value", "verbs", at)...)
		errs = append(errs, flowWords(rule.APIGroups, "apiGroups", "resource rules must supply at least one api group", "api groups", at)...)
		errs = append(errs, flowWords(rule.Resources, "resources", "resource rules must supply at least one resource", "resources", at)...)
		if len(rule.Namespaces) > 0 || !rule.ClusterScope {
			errs = append(errs, flowWords(rule.Namespaces, "namespaces", "resource rules that are not cluster scoped must supply at least one namespace", "namespaces", at)...)
		}
	}
	for i, rule := range r.NonResourceRules {
		at := path.Child("nonResourceRules").Index(i)
		errs = append(errs, flowWords(rule.Verbs, "verbs", "verbs must contain at least one value", "verbs", at)...)
		errs = append(errs, flowWords(rule.NonResourceURLs, "nonResourceURLs", "nonResourceURLs must contain at least one value", "non-resource URLs", at)...)
	}
	return errs
}

// flowWords requires at least one word, and no other beside "*". none is the message for an empty list, what names the words in the other.
func flowWords(all []string, name, none, what string, path *field.Path) field.ErrorList {
	switch {
	case len(all) == 0:
		return field.ErrorList{field.Required(path.Child(name), none)}
	case len(all) > 1 && slices.Contains(all, "*"):
		return field.ErrorList{field.Invalid(path.Child(name), all, "if '*' is present, must not specify other "+what)}
	}
	return nil
}

func checkFlowSubject(s flowcontrolv1.Subject, path *field.Path) (errs field.ErrorList) {
	if errs = oneOf(path.Child("kind"), s.Kind, flowcontrolv1.SubjectKindGroup, flowcontrolv1.SubjectKindServiceAccount, flowcontrolv1.SubjectKindUser); errs != nil {
		return errs
	}
	var account, namespace, group, user string
	if s.ServiceAccount != nil {
		account, namespace = s.ServiceAccount.Name, s.ServiceAccount.Namespace
	}
	if s.Group != nil {
		group = s.Group.Name
	}
	if s.User != nil {
		user = s.User.Name
	}
	type kind struct {
		kind       flowcontrolv1.SubjectKind
		field      string
		there      bool
		name       string
		namespaced bool
	}
	all := []kind{
		{flowcontrolv1.SubjectKindServiceAccount, "serviceAccount", s.ServiceAccount != nil, account, true},
		{flowcontrolv1.SubjectKindUser, "user", s.User != nil, user, false},
		{flowcontrolv1.SubjectKindGroup, "group", s.Group != nil, group, false},
	}
	slices.SortStableFunc(all, func(a, b kind) int { // its own kind comes first
		switch s.Kind {
		case a.kind:
			return -1
		case b.kind:
			return 1
		}
		return 0
	})
	for _, of := range all {
		switch at := path.Child(of.field); {
		case of.kind != s.Kind && of.there:
			errs = append(errs, field.Forbidden(at, fmt.Sprintf("%s is forbidden when subject kind is not '%s'", of.field, of.kind)))
		case of.kind != s.Kind:
		case !of.there:
			errs = append(errs, field.Required(at, fmt.Sprintf("%s is required when subject kind is '%s'", of.field, of.kind)))
		default:
			if of.name == "" {
				errs = append(errs, field.Required(at.Child("name"), ""))
			}
			if of.namespaced && namespace == "" {
				errs = append(errs, field.Required(at.Child("namespace"), "must specify namespace for service account"))
			}
		}
	}
	return errs
}

func checkPriorityLevel(in, _ *flowcontrolv1.PriorityLevelConfiguration) (errs field.ErrorList) {
	s, path := &in.Spec, field.NewPath("spec")
	if (in.Name == "exempt") != (s.Type == flowcontrolv1.PriorityLevelEnablementExempt) {
		errs = append(errs, field.Invalid(path.Child("type"), s.Type, "must be 'Exempt' if and only if `name` is 'exempt'"))
	}
	switch s.Type {
	case flowcontrolv1.PriorityLevelEnablementExempt:
		if s.Limited != nil {
			errs = append(errs, field.Forbidden(path.Child("limited"), ""))
		}
	case flowcontrolv1.PriorityLevelEnablementLimited:
		if s.Exempt != nil {
			errs = append(errs, field.Forbidden(path.Child("exempt"), ""))
		}
		if s.Limited == nil {
			return append(errs, field.Required(path.Child("limited"), ""))
		}
		errs = append(errs, checkLimited(s.Limited, path.Child("limited"))...)
	case "":
		errs = append(errs, field.Required(path.Child("type"), ""))
	default:
		errs = append(errs, oneOf(path.Child("type"), s.Type, flowcontrolv1.PriorityLevelEnablementExempt, flowcontrolv1.PriorityLevelEnablementLimited)...)
	}
	return errs
}

func checkLimited(l *flowcontrolv1.LimitedPriorityLevelConfiguration, path *field.Path) (errs field.ErrorList) {
	response := path.Child("limitResponse")
	switch q := l.LimitResponse.Queuing; l.LimitResponse.Type {
	case flowcontrolv1.LimitResponseTypeReject:
		if q != nil {
			errs = append(errs, field.Forbidden(response.Child("queuing"), ""))
		}
	case flowcontrolv1.LimitResponseTypeQueue:
		if q == nil {
			errs = append(errs, field.Required(response.Child("queuing"), ""))
		} else if q.HandSize > q.Queues {
			errs = append(errs, field.Invalid(response.Child("queuing", "handSize"), q.HandSize, fmt.Sprintf("should not be greater than queues (%d)", q.Queues)))
		}
	case "":
		errs = append(errs, field.Required(response.Child("type"), ""))
	default:
		errs = append(errs, oneOf(response.Child("type"), l.LimitResponse.Type, flowcontrolv1.LimitResponseTypeQueue, flowcontrolv1.LimitResponseTypeReject)...)
	}
	if p := l.LendablePercent; p != nil && (*p < 0 || *p > 100) {
		errs = append(errs, field.Invalid(path.Child("lendablePercent"), *p, "must be between 0 and 100, inclusive"))
	}
	return errs
}
