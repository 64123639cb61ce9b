// Package cel evaluates CEL expressions in the API server fake, with the code of kube-apiserver: x-kubernetes-validations of
// CustomResourceDefinitions, matchConditions of admission webhooks, and policies, those that validate and those that mutate. Of lwtest's
// commands lwtest-apiserver alone imports it, so that no other command compiles google/cel-go and k8s.io/apiserver.
//
//	s := apiservertest.Start(t, apiservertest.WithCEL(cel.New()), apiservertest.WithManifests("config/crd"))
//
// A test suite that uses apiservertest.Environment sets apiservertest.CEL = cel.New() in an init function. The command
// github.com/lwtest/lwtest/cmd/lwtest-apiserver is `lwtest serve apiserver` with it.
//
// The authorizer of expressions allows everything, whatever the server's roles say. Of policies nothing but the expressions is validated.
// A matchPolicy Equivalent of a policy is taken for Exact.
package cel

import (
	"context"
	"slices"
	"strings"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	rules "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/warning"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// evaluator keeps what is compiled: the conditions of webhooks, and policies.
type evaluator struct{ matchers, compiled sync.Map }

// New returns an evaluator for serve.Options.CEL and apiservertest.WithCEL. All servers of a process may share one.
func New() apiserver.CEL { return &evaluator{} }

// CheckDefinition implements apiserver.CEL.
func (*evaluator) CheckDefinition(in, old *apiextensionsv1.CustomResourceDefinition) (errs field.ErrorList) {
	now, err := internal(in)
	if err != nil {
		return field.ErrorList{field.InternalError(field.NewPath("spec"), err)}
	}
	var all field.ErrorList
	if old == nil {
		all = validation.ValidateCustomResourceDefinition(context.Background(), now)
	} else {
		before, err := internal(old)
		if err != nil {
			return field.ErrorList{field.InternalError(field.NewPath("spec"), err)}
		}
		all = validation.ValidateCustomResourceDefinitionUpdate(context.Background(), now, before)
	}
	approval := field.NewPath("metadata", "annotations").Key(apiextensionsv1.KubeAPIApprovedAnnotation).String()
	for _, err := range all {
		if !strings.HasPrefix(err.Field, "metadata") || err.Field == approval { // the fake has checked the rest
			errs = append(errs, err)
		}
	}
	return errs
}

// internal is a definition as a kube-apiserver validates it.
func internal(d *apiextensionsv1.CustomResourceDefinition) (*apiextensions.CustomResourceDefinition, error) {
	out := &apiextensions.CustomResourceDefinition{}
	return out, apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(d.DeepCopy(), out, nil)
}

// Rules implements apiserver.CEL. Rules are compiled when they are first needed
// (k8s.io/apiextensions-apiserver/pkg/registry/customresource/strategy.go).
func (*evaluator) Rules(s *schema.Structural) apiserver.Rules {
	compiled := sync.OnceValue(func() *rules.Validator { return rules.NewValidator(s, true, celconfig.PerCallLimit) })
	return func(in, old map[string]any, errs field.ErrorList) (field.ErrorList, []string) {
		v := compiled()
		if v == nil { // no rules
			return errs, nil
		}
		for _, err := range errs {
			switch err.Type {
			case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
				return append(errs, field.Invalid(nil, nil, "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation")), nil
			}
		}
		var was any
		var options []rules.Option
		if old != nil {
			was, options = old, []rules.Option{rules.WithRatcheting(common.NewCorrelatedObject(in, old, &model.Structural{Structural: s}))}
		}
		w := &warnings{}
		found, _ := v.Validate(warning.WithWarningRecorder(context.Background(), w), nil, s, in, was, celconfig.RuntimeCELCostBudget, options...)
		return append(errs, found...), w.all
	}
}

// warnings collects those of one object, each once.
type warnings struct{ all []string }

// AddWarning implements warning.Recorder.
func (w *warnings) AddWarning(_, text string) {
	if !slices.Contains(w.all, text) {
		w.all = append(w.all, text)
	}
}
