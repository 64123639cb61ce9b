package cel

import (
	"context"

	admissionv1 "k8s.io/api/admission/v1"
	hooksv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/generic"
	"k8s.io/apiserver/pkg/admission/plugin/policy/matching"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/warning"
	listersv1 "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// equivalents has no other versions of any resource: a matchPolicy Equivalent is taken for Exact.
type equivalents struct{ admission.ObjectInterfaces }

// GetEquivalentResourceMapper implements admission.ObjectInterfaces.
func (equivalents) GetEquivalentResourceMapper() runtime.EquivalentResourceMapper {
	return runtime.NewEquivalentResourceRegistry()
}

// Admit implements apiserver.CEL: the dispatcher of a kube-apiserver evaluates the policies.
func (e *evaluator) Admit(ctx context.Context, req *admissionv1.AdmissionRequest, namespace *corev1.Namespace, all []apiserver.Policy) ([]string, error) {
	var hooks []validating.PolicyHook
	for _, p := range all {
		if p.Policy.Spec.ParamKind == nil {
			hooks = append(hooks, validating.PolicyHook{Policy: p.Policy, Bindings: p.Bindings, Evaluator: e.policy(p.Policy)})
		}
	}
	found := cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)
	if namespace != nil {
		if err := found.Add(namespace); err != nil {
			return nil, err
		}
	}
	matcher := generic.NewPolicyMatcher(matching.NewMatcher(listersv1.NewNamespaceLister(found), nil))
	w := &warnings{}
	err := validating.NewDispatcher(allowAll, matcher).Dispatch(warning.WithWarningRecorder(ctx, w), attributesOf(req), equivalents{}, hooks)
	return w.all, err
}

// policy returns a compiled policy.
func (e *evaluator) policy(p *hooksv1.ValidatingAdmissionPolicy) validating.Validator {
	key := policyKey{string(p.UID), p.Generation}
	if v, ok := e.compiled.Load(key); ok {
		return v.(validating.Validator)
	}
	v := compile(p)
	e.compiled.Store(key, v)
	return v
}

// policyKey names what a policy was compiled from.
type policyKey struct {
	uid        string
	generation int64
}

// compile does what compilePolicy of k8s.io/apiserver/pkg/admission/plugin/policy/validating does, which is not exported.
func compile(p *hooksv1.ValidatingAdmissionPolicy) validating.Validator {
	compiler, err := plugincel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	if err != nil {
		return validating.NewValidator(nil, nil, nil, nil, p.Spec.FailurePolicy, err)
	}
	may, mayNot := plugincel.OptionalVariableDeclarations{HasAuthorizer: true}, plugincel.OptionalVariableDeclarations{}
	condition := func(o plugincel.OptionalVariableDeclarations, all []plugincel.ExpressionAccessor) plugincel.ConditionEvaluator {
		return compiler.CompileCondition(all, o, environment.StoredExpressions)
	}
	var variables []plugincel.NamedExpressionAccessor
	for _, v := range p.Spec.Variables {
		variables = append(variables, &validating.Variable{Name: v.Name, Expression: v.Expression})
	}
	compiler.CompileAndStoreVariables(variables, may, environment.StoredExpressions)
	var matches, audits []plugincel.ExpressionAccessor
	for _, c := range p.Spec.MatchConditions {
		matches = append(matches, (*matchconditions.MatchCondition)(&c))
	}
	for _, a := range p.Spec.AuditAnnotations {
		audits = append(audits, &validating.AuditAnnotationCondition{Key: a.Key, ValueExpression: a.ValueExpression})
	}
	validations := make([]plugincel.ExpressionAccessor, len(p.Spec.Validations))
	messages := make([]plugincel.ExpressionAccessor, len(p.Spec.Validations))
	for i, v := range p.Spec.Validations {
		validations[i] = &validating.ValidationCondition{Expression: v.Expression, Message: v.Message, Reason: v.Reason}
		if v.MessageExpression != "" {
			messages[i] = &validating.MessageExpressionCondition{MessageExpression: v.MessageExpression}
		}
	}
	var matcher matchconditions.Matcher
	if len(matches) > 0 {
		matcher = matchconditions.NewMatcher(condition(may, matches), p.Spec.FailurePolicy, "policy", "validate", p.Name)
	}
	return validating.NewValidator(condition(may, validations), matcher, condition(may, audits), condition(mayNot, messages), p.Spec.FailurePolicy, nil)
}
