package apiserver

import (
	"context"
	"encoding/json"
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
	hooksv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// CEL evaluates the expressions of definitions and webhooks. The module github.com/lwtest/lwtest/fakes/apiserver/cel has one, with
// the evaluators of a kube-apiserver: they need google/cel-go and k8s.io/apiserver. All methods may be called concurrently.
type CEL interface {
	// CheckDefinition validates a definition as a kube-apiserver does, without its metadata; in place of old, which may be nil.
	CheckDefinition(in, old *crd) field.ErrorList
	// Rules returns what validates objects by the x-kubernetes-validations of a schema.
	Rules(s *structural.Structural) Rules
	// CheckConditions validates the matchConditions of a webhook.
	CheckConditions(in []hooksv1.MatchCondition, path *field.Path) field.ErrorList
	// Matches reports whether a request meets the matchConditions of a webhook. The objects of the request are runtime.Objects. An error
	// refuses the request.
	Matches(ctx context.Context, w *hooksv1.MutatingWebhook, req *admissionv1.AdmissionRequest) (bool, error)
	// Admit evaluates policies that have bindings. namespace is that of the request, which may be nil. An error refuses the request.
	Admit(ctx context.Context, req *admissionv1.AdmissionRequest, namespace *corev1.Namespace, all []Policy) (warnings []string, err error)
}

// Policy is a policy with its bindings.
type Policy struct {
	Policy   *hooksv1.ValidatingAdmissionPolicy
	Bindings []*hooksv1.ValidatingAdmissionPolicyBinding
}

// Rules validate an object that takes the place of old, which is nil for a create. It adds what it finds to errs, the errors that were
// found before. Errors that were there in old are warnings.
type Rules func(in, old map[string]any, errs field.ErrorList) (all field.ErrorList, warnings []string)

// withCEL returns a table whose definitions and webhooks are validated with their expressions.
func withCEL(table []Resource, c CEL) []Resource {
	table = slices.Clone(table)
	for i := range table {
		switch r := &table[i]; r.GroupVersionResource {
		case definitions:
			r.check, r.warns = checked(c.CheckDefinition), of(warnFormats)
		case mutatingHooks, validatingHooks:
			r.check, r.warns = func(in, old runtime.Object) field.ErrorList { return checkConditions(c, in, old) }, nil
		case validatingPolicies:
			r.warns = func(in runtime.Object) []string {
				if in.(*hooksv1.ValidatingAdmissionPolicy).Spec.ParamKind == nil {
					return nil
				}
				return unevaluated(in)
			}
		}
	}
	return table
}

// checkConditions validates the matchConditions of a configuration, unless all are those of the old one.
func checkConditions(c CEL, in, old runtime.Object) (errs field.ErrorList) {
	same := func(a, b hook) bool { return equality.Semantic.DeepEqual(a.MatchConditions, b.MatchConditions) }
	all := hooksOf(in)
	if old != nil && slices.EqualFunc(all, hooksOf(old), same) {
		return nil
	}
	for i, w := range all {
		errs = append(errs, c.CheckConditions(w.MatchConditions, field.NewPath("webhooks").Index(i).Child("matchConditions"))...)
	}
	return errs
}

// validate adds what the rules say of an object. old may be nil.
func (r Rules) validate(in, old runtime.Object, errs field.ErrorList) (all field.ErrorList, warnings []string) {
	u, ok := in.(*unstructured.Unstructured)
	if r == nil || !ok {
		return errs, nil
	}
	if old == nil {
		return r(u.Object, nil, errs)
	}
	return r(u.Object, old.(*unstructured.Unstructured).Object, errs)
}

// meets reports whether the request meets the matchConditions of a webhook, with the object in the version of a kind.
func (a *asking) meets(ctx context.Context, w hook, as *kind, object runtime.Object) (bool, error) {
	if a.view.o.CEL == nil || len(w.MatchConditions) == 0 {
		return true, nil
	}
	req, err := a.request(ctx, as, object)
	if err != nil {
		return false, apierrors.NewInternalError(err)
	}
	ok, err := a.view.o.CEL.Matches(ctx, &w.MutatingWebhook, req)
	if err != nil {
		return false, apierrors.NewForbidden(a.kind.res.GroupVersionResource.GroupResource(), a.name, err)
	}
	return ok, nil
}

// policies returns the policies that have bindings.
func (c *core) policies() (all []Policy) {
	kinds := c.served.Load().kinds
	k, bound := kinds[validatingPolicies], kinds[policyBindings]
	if c.o.CEL == nil || k == nil || bound == nil {
		return nil
	}
	c.mu.RLock()
	state, bindings := k.now(), bound.now()
	c.mu.RUnlock()
	for rec := range state.within("", "") {
		p := Policy{Policy: rec.obj.(*hooksv1.ValidatingAdmissionPolicy)}
		for rec := range bindings.within("", "") {
			if b := rec.obj.(*hooksv1.ValidatingAdmissionPolicyBinding); b.Spec.PolicyName == p.Policy.Name {
				p.Bindings = append(p.Bindings, b)
			}
		}
		if len(p.Bindings) > 0 {
			all = append(all, p)
		}
	}
	return all
}

// obey evaluates the policies.
func (a *asking) obey(ctx context.Context, object runtime.Object) error {
	all := a.view.policies()
	if len(all) == 0 {
		return nil
	}
	req, err := a.request(ctx, a.kind, object)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	ns, _ := a.namespaceOf().(*corev1.Namespace)
	if ns == nil && a.kind.res.Namespaced {
		ns = &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: a.namespace}}
	}
	warnings, err := a.view.o.CEL.Admit(ctx, req, ns, all)
	notesOf(ctx).Warnings = append(notesOf(ctx).Warnings, warnings...)
	return err
}

// request is what webhooks are told of the request, with the object in the version of a kind.
func (a *asking) request(ctx context.Context, as *kind, object runtime.Object) (*admissionv1.AdmissionRequest, error) {
	object, err := a.inVersion(ctx, as, object)
	if err != nil {
		return nil, err
	}
	old, err := a.inVersion(ctx, as, a.old)
	if err != nil {
		return nil, err
	}
	options, err := json.Marshal(a.options)
	if err != nil {
		return nil, err
	}
	is, said := as.kindOf(a.req.Subresource), a.kind.kindOf(a.req.Subresource)
	return &admissionv1.AdmissionRequest{
		Kind: metav1.GroupVersionKind(is), Resource: metav1.GroupVersionResource(as.res.GroupVersionResource), SubResource: a.req.Subresource,
		RequestKind: new(metav1.GroupVersionKind(said)), RequestResource: new(metav1.GroupVersionResource(a.kind.res.GroupVersionResource)), RequestSubResource: a.req.Subresource,
		Name: a.name, Namespace: a.namespace, Operation: admissionv1.Operation(a.op), UserInfo: userOf(ctx), DryRun: &a.dryRun,
		Object: sent(object, is), OldObject: sent(old, is), Options: runtime.RawExtension{Raw: options},
	}, nil
}
