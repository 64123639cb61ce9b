package cel

import (
	"context"
	"fmt"
	"strings"
	"sync"

	admissionv1 "k8s.io/api/admission/v1"
	hooksv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/admission"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/webhook"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	apicel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// mostConditions is how many conditions a webhook may have.
const mostConditions = 64

// compilers are made once: they take a moment.
var (
	expressions = sync.OnceValue(func() plugincel.Compiler {
		return plugincel.NewCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	})
	conditions = sync.OnceValue(func() plugincel.ConditionCompiler {
		return plugincel.NewConditionCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	})
)

// allowAll is the authorizer of expressions.
var allowAll = authorizer.AuthorizerFunc(func(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
	return authorizer.DecisionAllow, "", nil
})

// CheckConditions implements apiserver.CEL.
func (*evaluator) CheckConditions(all []hooksv1.MatchCondition, path *field.Path) field.ErrorList {
	return checkConditions(all, path, false, nil)
}

// checkConditions validates those of a webhook or a policy (k8s.io/kubernetes/pkg/apis/admissionregistration/validation,
// validateMatchConditions). before are expressions that were accepted earlier.
func checkConditions(all []hooksv1.MatchCondition, path *field.Path, params bool, before sets.Set[string]) (errs field.ErrorList) {
	if len(all) > mostConditions {
		errs = append(errs, field.TooMany(path, len(all), mostConditions))
	}
	seen := map[string]bool{}
	for i, c := range all {
		at := path.Index(i)
		if text := strings.TrimSpace(c.Expression); text == "" {
			errs = append(errs, field.Required(at.Child("expression"), ""))
		} else {
			may := plugincel.OptionalVariableDeclarations{HasParams: params, HasAuthorizer: true}
			made := expressions().CompileCELExpression(&matchconditions.MatchCondition{Expression: text}, may, envOf(text, before))
			errs = append(errs, compileError(at.Child("expression"), text, made.Error)...)
		}
		if c.Name == "" {
			errs = append(errs, field.Required(at.Child("name"), ""))
			continue
		}
		for _, wrong := range utilvalidation.IsQualifiedName(c.Name) {
			errs = append(errs, field.Invalid(at.Child("name"), c.Name, wrong))
		}
		if seen[c.Name] {
			errs = append(errs, field.Duplicate(at.Child("name"), c.Name))
		}
		seen[c.Name] = true
	}
	return errs
}

// compileError says why an expression does not compile. err may be nil.
func compileError(path *field.Path, text string, err *apicel.Error) field.ErrorList {
	switch {
	case err == nil:
		return nil
	case err.Type == apicel.ErrorTypeInvalid:
		return field.ErrorList{field.Invalid(path, text, err.Detail)}
	}
	return field.ErrorList{field.InternalError(path, err)}
}

// Matches implements apiserver.CEL.
func (e *evaluator) Matches(ctx context.Context, w *hooksv1.MutatingWebhook, req *admissionv1.AdmissionRequest) (bool, error) {
	attributes := &admission.VersionedAttributes{Attributes: attributesOf(req), VersionedKind: schema.GroupVersionKind(req.Kind)}
	if req.Object.Object != nil {
		attributes.VersionedObject = admission.NewLazyObject(req.Object.Object)
	}
	if req.OldObject.Object != nil {
		attributes.VersionedOldObject = admission.NewLazyObject(req.OldObject.Object)
	}
	result := e.matcher(w).Match(ctx, attributes, nil, allowAll)
	return result.Matches, result.Error
}

// matcher returns the compiled conditions of a webhook.
func (e *evaluator) matcher(w *hooksv1.MutatingWebhook) matchconditions.Matcher {
	policy := hooksv1.Fail
	if w.FailurePolicy != nil {
		policy = *w.FailurePolicy
	}
	key := fmt.Sprintf("%s %q %q", policy, w.Name, w.MatchConditions)
	if m, ok := e.matchers.Load(key); ok {
		return m.(matchconditions.Matcher)
	}
	m := webhook.NewMutatingWebhookAccessor("", "", w.DeepCopy()).GetCompiledMatcher(conditions())
	e.matchers.Store(key, m)
	return m
}

// attributesOf is a request as admission plugins of a kube-apiserver see it.
func attributesOf(req *admissionv1.AdmissionRequest) admission.Attributes {
	who := &user.DefaultInfo{Name: req.UserInfo.Username, UID: req.UserInfo.UID, Groups: req.UserInfo.Groups, Extra: map[string][]string{}}
	for key, values := range req.UserInfo.Extra {
		who.Extra[key] = values
	}
	options := &unstructured.Unstructured{}
	if err := options.UnmarshalJSON(req.Options.Raw); err != nil {
		options.Object = map[string]any{}
	}
	return admission.NewAttributesRecord(req.Object.Object, req.OldObject.Object, schema.GroupVersionKind(*req.RequestKind), req.Namespace, req.Name,
		schema.GroupVersionResource(*req.RequestResource), req.SubResource, admission.Operation(req.Operation), options, *req.DryRun, who)
}
