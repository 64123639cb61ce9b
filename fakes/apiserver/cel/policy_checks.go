package cel

import (
	"strings"

	hooksv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	apicel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// policyText is what is compiled of a policy of either kind.
type policyText struct {
	params     *hooksv1.ParamKind
	conditions []hooksv1.MatchCondition
	variables  []hooksv1.Variable
	all        []policyExpression // but those
	composed   bool               // variables are known, even if there are none
}

type policyExpression struct {
	plugincel.ExpressionAccessor
	text    string // as the policy has it
	path    *field.Path
	may     plugincel.OptionalVariableDeclarations
	missing *field.Error // what is said of one without text
}

// CheckPolicy implements apiserver.CEL (k8s.io/kubernetes/pkg/apis/admissionregistration/validation).
func (*evaluator) CheckPolicy(in, old runtime.Object) (errs field.ErrorList) {
	p, was, before := textOf(in), policyText{}, sets.New[string]()
	if old != nil {
		was = textOf(old)
		for _, c := range was.conditions {
			before.Insert(c.Expression)
		}
		for _, e := range was.all {
			before.Insert(e.text)
		}
	}
	spec, compiler := field.NewPath("spec"), expressions()
	if same := old != nil && equality.Semantic.DeepEqual(p.params, was.params) && equality.Semantic.DeepEqual(p.conditions, was.conditions); !same {
		errs = checkConditions(p.conditions, spec.Child("matchConditions"), p.params != nil, before)
	}
	if p.composed || len(p.variables) > 0 {
		composed, err := plugincel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
		if err != nil {
			return append(errs, field.InternalError(spec, err))
		}
		for i, v := range p.variables {
			errs = append(errs, p.checkVariable(composed, v, spec.Child("variables").Index(i))...)
		}
		compiler = composed
	}
	for _, e := range p.all {
		if strings.TrimSpace(e.text) == "" {
			errs = append(errs, e.missing)
			continue
		}
		e.may.HasParams = p.params != nil
		errs = append(errs, compileError(e.path, e.text, compiler.CompileCELExpression(e, e.may, envOf(e.text, before)).Error)...)
	}
	return errs
}

func (p policyText) checkVariable(c *plugincel.CompositedCompiler, v hooksv1.Variable, path *field.Path) (errs field.ErrorList) {
	if strings.TrimSpace(v.Name) == "" {
		errs = append(errs, field.Required(path.Child("name"), "name is not specified"))
	} else if name := strings.ReplaceAll(v.Name, "_", "x"); strings.ContainsAny(name[:1], "0123456789") || escaped(name) != name {
		errs = append(errs, field.Invalid(path.Child("name"), v.Name, "must be a valid CEL identifier"))
	}
	if strings.TrimSpace(v.Expression) == "" {
		return append(errs, field.Required(path.Child("expression"), "expression is not specified"))
	}
	may := plugincel.OptionalVariableDeclarations{HasParams: p.params != nil, HasAuthorizer: true}
	made := c.CompileAndStoreVariable(&validating.Variable{Name: v.Name, Expression: v.Expression}, may, environment.NewExpressions)
	return append(errs, compileError(path.Child("expression"), v.Expression, made.Error)...)
}

// escaped is a name as rules of definitions write it; it is another than the name if that is no identifier.
func escaped(name string) string {
	out, _ := apicel.Escape(name)
	return out
}

// envOf is the environment of an expression: one that was accepted before may be as it was then.
func envOf(text string, before sets.Set[string]) environment.Type {
	if before.Has(text) {
		return environment.StoredExpressions
	}
	return environment.NewExpressions
}

func textOf(in runtime.Object) (out policyText) {
	add := func(path *field.Path, e plugincel.ExpressionAccessor, text string, missing *field.Error, may plugincel.OptionalVariableDeclarations) {
		out.all = append(out.all, policyExpression{e, text, path, may, missing})
	}
	authorized, patches := plugincel.OptionalVariableDeclarations{HasAuthorizer: true}, plugincel.OptionalVariableDeclarations{HasAuthorizer: true, HasPatchTypes: true}
	spec := field.NewPath("spec")
	switch p := in.(type) {
	case *hooksv1.ValidatingAdmissionPolicy:
		out.params, out.conditions, out.variables = p.Spec.ParamKind, p.Spec.MatchConditions, p.Spec.Variables
		for i, v := range p.Spec.Validations {
			path := spec.Child("validations").Index(i)
			at := path.Child("expression")
			add(at, &validating.ValidationCondition{Expression: v.Expression}, v.Expression, field.Required(at, "expression is not specified"), authorized)
			if at := path.Child("messageExpression"); v.MessageExpression != "" {
				add(at, &validating.MessageExpressionCondition{MessageExpression: v.MessageExpression}, v.MessageExpression,
					field.Invalid(at, v.MessageExpression, "must be non-empty if specified"), plugincel.OptionalVariableDeclarations{})
			}
		}
		for i, a := range p.Spec.AuditAnnotations {
			at := spec.Child("auditAnnotations").Index(i).Child("valueExpression")
			add(at, &validating.AuditAnnotationCondition{ValueExpression: strings.TrimSpace(a.ValueExpression)}, a.ValueExpression,
				field.Required(at, "valueExpression is not specified"), authorized)
		}
	case *hooksv1.MutatingAdmissionPolicy:
		out.params, out.conditions, out.variables, out.composed = p.Spec.ParamKind, p.Spec.MatchConditions, p.Spec.Variables, true
		for i, m := range p.Spec.Mutations {
			path := spec.Child("mutations").Index(i)
			switch {
			case m.PatchType == hooksv1.PatchTypeJSONPatch && m.JSONPatch != nil:
				text, at := strings.TrimSpace(m.JSONPatch.Expression), path.Child("jsonPatch", "expression")
				add(at, &patch.JSONPatchCondition{Expression: text}, text, field.Required(at, ""), patches)
			case m.PatchType == hooksv1.PatchTypeApplyConfiguration && m.ApplyConfiguration != nil:
				text, at := strings.TrimSpace(m.ApplyConfiguration.Expression), path.Child("applyConfiguration", "expression")
				add(at, &patch.ApplyConfigurationCondition{Expression: text}, text, field.Required(at, ""), patches)
			}
		}
	}
	return out
}
