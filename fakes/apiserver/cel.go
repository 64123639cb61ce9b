package apiserver

import (
	"cmp"
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
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// CEL evaluates the expressions of definitions and webhooks. Package cel has one, with
// the evaluators of a kube-apiserver: they need google/cel-go and k8s.io/apiserver. All methods may be called concurrently.
type CEL interface {
	// CheckDefinition validates a definition as a kube-apiserver does, without its metadata; in place of old, which may be nil.
	CheckDefinition(in, old *crd) field.ErrorList
	// Rules returns what validates objects by the x-kubernetes-validations of a schema.
	Rules(s *structural.Structural) Rules
	// CheckPolicy compiles the expressions of a ValidatingAdmissionPolicy or MutatingAdmissionPolicy, in place of old, which may be nil.
	CheckPolicy(in, old runtime.Object) field.ErrorList
	// CheckConditions validates the matchConditions of a webhook.
	CheckConditions(in []hooksv1.MatchCondition, path *field.Path) field.ErrorList
	// Matches reports whether a request meets the matchConditions of a webhook. The objects of the request are runtime.Objects. An error
	// refuses the request.
	Matches(ctx context.Context, w *hooksv1.MutatingWebhook, req *admissionv1.AdmissionRequest) (bool, error)
	// Admit evaluates policies that have bindings. namespace is that of the request, which may be nil. An error refuses the request.
	Admit(ctx context.Context, req *admissionv1.AdmissionRequest, namespace *corev1.Namespace, all []Policy) (warnings []string, err error)
	// Mutate returns what policies that have bindings make of the object of a request, as *unstructured.Unstructured; nil: what it is.
	// types knows how objects of that kind are merged.
	Mutate(ctx context.Context, req *admissionv1.AdmissionRequest, namespace *corev1.Namespace, types managedfields.TypeConverter, all []MutatingPolicy) (out runtime.Object, err error)
}

// BoundPolicy is a policy with its bindings.
type BoundPolicy[P, B any] struct {
	Policy   P
	Bindings []B
	Params   *Params // nil: the policy has no paramKind, or nothing is served as that
}

// Params are the objects of the paramKind of a policy.
type Params struct {
	Resource   schema.GroupVersionResource
	Namespaced bool
	Objects    []runtime.Object
}

// Policies of both kinds.
type (
	Policy         = BoundPolicy[*hooksv1.ValidatingAdmissionPolicy, *hooksv1.ValidatingAdmissionPolicyBinding]
	MutatingPolicy = BoundPolicy[*hooksv1.MutatingAdmissionPolicy, *hooksv1.MutatingAdmissionPolicyBinding]
)

// Rules validate an object that takes the place of old, which is nil for a create. It adds what it finds to errs, the errors that were
// found before. Errors that were there in old are warnings.
type Rules func(in, old map[string]any, errs field.ErrorList) (all field.ErrorList, warnings []string)

// withCEL returns a table whose definitions, webhooks and policies are validated with their expressions.
func withCEL(table []Resource, c CEL) []Resource {
	table = slices.Clone(table)
	for i := range table {
		switch r := &table[i]; r.GroupVersionResource {
		case definitions:
			r.check, r.warns = checked(c.CheckDefinition), of(warnFormats)
		case mutatingHooks, validatingHooks:
			r.check, r.warns = both(r.check, func(in, old runtime.Object) field.ErrorList { return checkConditions(c, in, old) }), nil
		case validatingPolicies, mutatingPolicies:
			r.check, r.warns = both(r.check, c.CheckPolicy), nil
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

// boundPolicies returns the policies of a kind that have bindings. name returns the name of the policy that a binding refers to.
func boundPolicies[P, B runtime.Object](ctx context.Context, c *core, kind, bindings schema.GroupVersionResource, name func(B) string, params func(P) *hooksv1.ParamKind) (all []BoundPolicy[P, B]) {
	kinds := c.served.Load().kinds
	k, bound := kinds[kind], kinds[bindings]
	if c.o.CEL == nil || k == nil || bound == nil {
		return nil
	}
	c.mu.RLock()
	state, of := k.Now(), bound.Now()
	c.mu.RUnlock()
	for rec := range state.Within("", "") {
		p := BoundPolicy[P, B]{Policy: rec.obj.(P)}
		for binding := range of.Within("", "") {
			if b := binding.obj.(B); name(b) == rec.key {
				p.Bindings = append(p.Bindings, b)
			}
		}
		if len(p.Bindings) > 0 {
			p.Params = c.params(ctx, params(p.Policy))
			all = append(all, p)
		}
	}
	return all
}

// params returns the objects of a paramKind, or nil if no such kind is served.
func (c *core) params(ctx context.Context, of *hooksv1.ParamKind) *Params {
	if of == nil {
		return nil
	}
	for _, k := range c.served.Load().kinds {
		if k.res.GroupVersion().String() != of.APIVersion || k.res.Kind != of.Kind {
			continue
		}
		var records []*record
		c.mu.RLock()
		for rec := range k.Now().Within("", "") {
			records = append(records, rec)
		}
		c.mu.RUnlock()
		out := &Params{Resource: k.res.GroupVersionResource, Namespaced: k.res.Namespaced}
		all, err := k.inVersions(ctx, records)
		for _, rec := range all {
			out.Objects = append(out.Objects, sent(rec.obj, k.res.GroupVersion().WithKind(k.res.Kind)).Object)
		}
		if err == nil {
			return out
		}
	}
	return nil
}

func (c *core) policies(ctx context.Context) []Policy {
	return boundPolicies(ctx, c, validatingPolicies, policyBindings, func(b *hooksv1.ValidatingAdmissionPolicyBinding) string { return b.Spec.PolicyName },
		func(p *hooksv1.ValidatingAdmissionPolicy) *hooksv1.ParamKind { return p.Spec.ParamKind })
}

func (c *core) mutatingPolicies(ctx context.Context) []MutatingPolicy {
	return boundPolicies(ctx, c, mutatingPolicies, mutatingBindings, func(b *hooksv1.MutatingAdmissionPolicyBinding) string { return b.Spec.PolicyName },
		func(p *hooksv1.MutatingAdmissionPolicy) *hooksv1.ParamKind { return p.Spec.ParamKind })
}

// policyRequest describes a request to admission policies.
func (a *asking) policyRequest(ctx context.Context, object runtime.Object) (*admissionv1.AdmissionRequest, *corev1.Namespace, error) {
	req, err := a.request(ctx, a.kind, object)
	if err != nil {
		return nil, nil, apierrors.NewInternalError(err)
	}
	ns, _ := a.namespaceOf().(*corev1.Namespace)
	if ns == nil && a.kind.res.Namespaced {
		ns = &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: a.namespace}}
	}
	return req, ns, nil
}

// obey evaluates the validating admission policies of a request.
func (a *asking) obey(ctx context.Context, object runtime.Object) error {
	all := a.view.policies(ctx)
	if len(all) == 0 {
		return nil
	}
	req, ns, err := a.policyRequest(ctx, object)
	if err != nil {
		return err
	}
	warnings, err := a.view.o.CEL.Admit(ctx, req, ns, all)
	notesOf(ctx).Warnings = append(notesOf(ctx).Warnings, warnings...)
	return err
}

// changed returns the object as the mutating admission policies leave it.
func (a *asking) changed(ctx context.Context, object runtime.Object) (runtime.Object, error) {
	all := a.view.mutatingPolicies(ctx)
	if len(all) == 0 || object == nil {
		return object, nil
	}
	req, ns, err := a.policyRequest(ctx, object)
	if err != nil {
		return nil, err
	}
	types := a.view.typesOf(a.kind, a.req.Subresource)
	out, err := a.view.o.CEL.Mutate(ctx, req, ns, types, all)
	u, ok := out.(*unstructured.Unstructured)
	if err != nil || !ok || a.kind.res.Custom && a.req.Subresource != scale {
		return cmp.Or(out, object), err
	}
	made := a.kind.res.like(a.req.Subresource).New()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, made); err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	made.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return made, nil
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
