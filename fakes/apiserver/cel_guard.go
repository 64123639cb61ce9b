package apiserver

import (
	"context"
	"fmt"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	hooksv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// guardedCEL is a CEL whose panics are errors that say what was evaluated. The code of kube-apiserver panics, too: v1.37.1 does at
// a definition with selectableFields if the schema of another field is a $ref.
type guardedCEL struct{ CEL }

// unlessPanic calls f, and returns its panic as an error.
func unlessPanic(f func(), what string, args ...any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the CEL evaluator panics at %s: %v", fmt.Sprintf(what, args...), p)
		}
	}()
	f()
	return nil
}

// withInternal adds an error that is nobody's fault, unless it is nil.
func withInternal(errs field.ErrorList, path *field.Path, err error) field.ErrorList {
	if err != nil {
		errs = append(errs, field.InternalError(path, err))
	}
	return errs
}

// CheckDefinition implements CEL.
func (g guardedCEL) CheckDefinition(in, old *crd) (errs field.ErrorList) {
	err := unlessPanic(func() { errs = g.CEL.CheckDefinition(in, old) }, "definition %s", in.Name)
	return withInternal(errs, field.NewPath("spec"), err)
}

// CheckPolicy implements CEL.
func (g guardedCEL) CheckPolicy(in, old runtime.Object) (errs field.ErrorList) {
	err := unlessPanic(func() { errs = g.CEL.CheckPolicy(in, old) }, "policy %s", in.(metav1.Object).GetName())
	return withInternal(errs, field.NewPath("spec"), err)
}

// CheckConditions implements CEL.
func (g guardedCEL) CheckConditions(in []hooksv1.MatchCondition, path *field.Path) (errs field.ErrorList) {
	err := unlessPanic(func() { errs = g.CEL.CheckConditions(in, path) }, "%+v", in)
	return withInternal(errs, path, err)
}

// Rules implements CEL.
func (g guardedCEL) Rules(s *structural.Structural) Rules {
	rules := g.CEL.Rules(s)
	return func(in, old map[string]any, errs field.ErrorList) (all field.ErrorList, warnings []string) {
		err := unlessPanic(func() { all, warnings = rules(in, old, errs) }, "the x-kubernetes-validations of %v %v", in["apiVersion"], in["kind"])
		return withInternal(all, nil, err), warnings
	}
}

// Matches implements CEL.
func (g guardedCEL) Matches(ctx context.Context, w *hooksv1.MutatingWebhook, req *admissionv1.AdmissionRequest) (ok bool, err error) {
	if p := unlessPanic(func() { ok, err = g.CEL.Matches(ctx, w, req) }, "the matchConditions of webhook %s", w.Name); p != nil {
		return false, apierrors.NewInternalError(p)
	}
	return ok, err
}

// Admit implements CEL.
func (g guardedCEL) Admit(ctx context.Context, req *admissionv1.AdmissionRequest, namespace *corev1.Namespace, all []Policy) (warnings []string, err error) {
	if p := unlessPanic(func() { warnings, err = g.CEL.Admit(ctx, req, namespace, all) }, "one of the policies %s", policyNames(all)); p != nil {
		return nil, apierrors.NewInternalError(p)
	}
	return warnings, err
}

// Mutate implements CEL.
func (g guardedCEL) Mutate(ctx context.Context, req *admissionv1.AdmissionRequest, namespace *corev1.Namespace, types managedfields.TypeConverter, all []MutatingPolicy) (out runtime.Object, err error) {
	if p := unlessPanic(func() { out, err = g.CEL.Mutate(ctx, req, namespace, types, all) }, "one of the policies %s", policyNames(all)); p != nil {
		return nil, apierrors.NewInternalError(p)
	}
	return out, err
}

// policyNames are those that are evaluated together.
func policyNames[P metav1.Object, B any](all []BoundPolicy[P, B]) string {
	var names []string
	for _, p := range all {
		names = append(names, p.Policy.GetName())
	}
	return strings.Join(names, ", ")
}
