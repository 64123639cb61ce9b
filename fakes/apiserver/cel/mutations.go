package cel

import (
	"context"

	admissionv1 "k8s.io/api/admission/v1"
	hooksv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	apicel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// Mutate implements apiserver.CEL: the dispatcher of a kube-apiserver evaluates the policies, and those again that want it when one has
// changed the object.
func (e *evaluator) Mutate(ctx context.Context, req *admissionv1.AdmissionRequest, namespace *corev1.Namespace, types managedfields.TypeConverter, all []apiserver.MutatingPolicy) (runtime.Object, error) {
	var hooks []mutating.PolicyHook
	for _, p := range all {
		h := mutating.PolicyHook{Policy: p.Policy, Bindings: p.Bindings, Evaluator: compiled(e, p.Policy, compileMutations)}
		h.ParamInformer, h.ParamScope, h.ConfigurationError = paramsOf(p.Policy.Spec.ParamKind, p.Params)
		hooks = append(hooks, h)
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(req.Object.Object)
	if err != nil {
		return nil, err
	}
	out := &unstructured.Unstructured{Object: content}
	out.SetGroupVersionKind(schema.GroupVersionKind(req.Kind))
	req.Object.Object = out
	attributes, d := attributesOf(req), mutating.NewDispatcher(allowAll, matcherIn(namespace), oneType{types: types})
	err = d.Dispatch(ctx, attributes, interfaces{}, hooks)
	if again := attributes.GetReinvocationContext(); err == nil && again.ShouldReinvoke() {
		again.SetIsReinvoke()
		err = d.Dispatch(ctx, attributes, interfaces{}, hooks)
	}
	return out, err
}

// oneType is the type converter of one kind.
type oneType struct {
	patch.TypeConverterManager
	types managedfields.TypeConverter
}

// GetTypeConverter implements patch.TypeConverterManager.
func (o oneType) GetTypeConverter(schema.GroupVersionKind) managedfields.TypeConverter {
	return o.types
}

// compileMutations does what compilePolicy of k8s.io/apiserver/pkg/admission/plugin/policy/mutating does, which is not exported.
func compileMutations(p *hooksv1.MutatingAdmissionPolicy) mutating.PolicyEvaluator {
	compiler, err := plugincel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	if err != nil {
		return mutating.PolicyEvaluator{Error: &apicel.Error{Type: apicel.ErrorTypeInternal, Detail: err.Error()}}
	}
	may := plugincel.OptionalVariableDeclarations{HasParams: p.Spec.ParamKind != nil, HasAuthorizer: true}
	compiler.CompileAndStoreVariables(variables(p.Spec.Variables), may, environment.StoredExpressions)
	out := mutating.PolicyEvaluator{Matcher: conditionsOf(compiler, may, p.Spec.MatchConditions, p.Spec.FailurePolicy, p.Name), CompositedCompiler: compiler}
	may.HasPatchTypes = true
	for _, m := range p.Spec.Mutations {
		switch {
		case m.PatchType == hooksv1.PatchTypeJSONPatch && m.JSONPatch != nil:
			out.Mutators = append(out.Mutators, patch.NewJSONPatcher(compiler.CompileMutatingEvaluator(&patch.JSONPatchCondition{Expression: m.JSONPatch.Expression}, may, environment.StoredExpressions)))
		case m.PatchType == hooksv1.PatchTypeApplyConfiguration && m.ApplyConfiguration != nil:
			out.Mutators = append(out.Mutators, patch.NewApplyConfigurationPatcher(compiler.CompileMutatingEvaluator(&patch.ApplyConfigurationCondition{Expression: m.ApplyConfiguration.Expression}, may, environment.StoredExpressions)))
		}
	}
	return out
}
