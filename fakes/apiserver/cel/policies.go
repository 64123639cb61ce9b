package cel

import (
	"context"
	"fmt"

	admissionv1 "k8s.io/api/admission/v1"
	hooksv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured/unstructuredscheme"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/generic"
	"k8s.io/apiserver/pkg/admission/plugin/policy/matching"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/client-go/informers"
	listersv1 "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// interfaces are for objects that are unstructured, or need no conversion. It knows no other versions of any resource: a matchPolicy
// Equivalent is taken for Exact.
type interfaces struct {
	admission.ObjectInterfaces
	runtime.ObjectConvertor
}

// GetEquivalentResourceMapper implements admission.ObjectInterfaces.
func (interfaces) GetEquivalentResourceMapper() runtime.EquivalentResourceMapper {
	return runtime.NewEquivalentResourceRegistry()
}

// GetObjectCreater implements admission.ObjectInterfaces.
func (interfaces) GetObjectCreater() runtime.ObjectCreater {
	return unstructuredscheme.NewUnstructuredCreator()
}

// GetObjectTyper implements admission.ObjectInterfaces.
func (interfaces) GetObjectTyper() runtime.ObjectTyper {
	return unstructuredscheme.NewUnstructuredObjectTyper()
}

// GetObjectDefaulter implements admission.ObjectInterfaces.
func (interfaces) GetObjectDefaulter() runtime.ObjectDefaulter {
	return unstructuredscheme.NewUnstructuredDefaulter()
}

// GetObjectConvertor implements admission.ObjectInterfaces.
func (i interfaces) GetObjectConvertor() runtime.ObjectConvertor { return i }

// Convert implements runtime.ObjectConvertor.
func (interfaces) Convert(in, out, _ any) error {
	out.(*unstructured.Unstructured).Object = in.(*unstructured.Unstructured).Object
	return nil
}

// objects is an informer of a paramKind whose content is fixed.
type objects struct {
	cache.SharedIndexInformer
	indexer cache.Indexer
	of      schema.GroupResource
}

// Informer implements informers.GenericInformer.
func (o objects) Informer() cache.SharedIndexInformer { return o }

// HasSynced implements cache.SharedIndexInformer.
func (objects) HasSynced() bool { return true }

// Lister implements informers.GenericInformer.
func (o objects) Lister() cache.GenericLister { return cache.NewGenericLister(o.indexer, o.of) }

// paramsOf returns the parameters of a policy in the form that kube-apiserver's dispatcher wants.
func paramsOf(kind *hooksv1.ParamKind, p *apiserver.Params) (informers.GenericInformer, meta.RESTScope, error) {
	switch {
	case kind == nil:
		return nil, nil, nil
	case p == nil:
		gv, _ := schema.ParseGroupVersion(kind.APIVersion)
		return nil, nil, fmt.Errorf("failed to find resource referenced by paramKind: '%v'", gv.WithKind(kind.Kind))
	}
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for _, obj := range p.Objects {
		_ = indexer.Add(obj) // it has a name
	}
	var scope meta.RESTScope = meta.RESTScopeRoot
	if p.Namespaced {
		scope = meta.RESTScopeNamespace
	}
	return objects{indexer: indexer, of: p.Resource.GroupResource()}, scope, nil
}

// Admit implements apiserver.CEL: the dispatcher of a kube-apiserver evaluates the policies.
func (e *evaluator) Admit(ctx context.Context, req *admissionv1.AdmissionRequest, namespace *corev1.Namespace, all []apiserver.Policy) ([]string, error) {
	var hooks []validating.PolicyHook
	for _, p := range all {
		h := validating.PolicyHook{Policy: p.Policy, Bindings: p.Bindings, Evaluator: compiled(e, p.Policy, compile)}
		h.ParamInformer, h.ParamScope, h.ConfigurationError = paramsOf(p.Policy.Spec.ParamKind, p.Params)
		hooks = append(hooks, h)
	}
	w := &warnings{}
	matcher := generic.NewPolicyMatcher(matcherIn(namespace))
	err := validating.NewDispatcher(allowAll, matcher).Dispatch(warning.WithWarningRecorder(ctx, w), attributesOf(req), interfaces{}, hooks)
	return w.all, err
}

// matcherIn matches requests in a namespace, which may be nil.
func matcherIn(namespace *corev1.Namespace) *matching.Matcher {
	found := cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)
	if namespace != nil {
		_ = found.Add(namespace) // it has a name
	}
	return matching.NewMatcher(listersv1.NewNamespaceLister(found), nil)
}

// compiled returns a compiled policy.
func compiled[P metav1.Object, V any](e *evaluator, p P, compile func(P) V) V {
	key := policyKey{string(p.GetUID()), p.GetGeneration()}
	if v, ok := e.compiled.Load(key); ok {
		return v.(V)
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
	params := p.Spec.ParamKind != nil
	may, mayNot := plugincel.OptionalVariableDeclarations{HasParams: params, HasAuthorizer: true}, plugincel.OptionalVariableDeclarations{HasParams: params}
	condition := func(o plugincel.OptionalVariableDeclarations, all []plugincel.ExpressionAccessor) plugincel.ConditionEvaluator {
		return compiler.CompileCondition(all, o, environment.StoredExpressions)
	}
	compiler.CompileAndStoreVariables(variables(p.Spec.Variables), may, environment.StoredExpressions)
	var audits []plugincel.ExpressionAccessor
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
	matcher := conditionsOf(compiler, may, p.Spec.MatchConditions, p.Spec.FailurePolicy, p.Name)
	return validating.NewValidator(condition(may, validations), matcher, condition(may, audits), condition(mayNot, messages), p.Spec.FailurePolicy, nil)
}

// variables are those of a policy.
func variables(all []hooksv1.Variable) (out []plugincel.NamedExpressionAccessor) {
	for _, v := range all {
		out = append(out, &validating.Variable{Name: v.Name, Expression: v.Expression})
	}
	return out
}

// conditionsOf are the compiled matchConditions of a policy; nil: it has none.
func conditionsOf(c *plugincel.CompositedCompiler, may plugincel.OptionalVariableDeclarations, all []hooksv1.MatchCondition, failure *hooksv1.FailurePolicyType, name string) matchconditions.Matcher {
	var matches []plugincel.ExpressionAccessor
	for _, m := range all {
		matches = append(matches, (*matchconditions.MatchCondition)(&m))
	}
	if len(matches) == 0 {
		return nil
	}
	return matchconditions.NewMatcher(c.CompileCondition(matches, may, environment.StoredExpressions), failure, "policy", "validate", name)
}
