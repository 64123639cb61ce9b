package apiserver

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	hooksv1 "k8s.io/api/admissionregistration/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func checkValidatingHooks(in, _ *hooksv1.ValidatingWebhookConfiguration) field.ErrorList {
	all := make([]*hooksv1.MutatingWebhook, len(in.Webhooks))
	for i, w := range in.Webhooks { // they have the same fields, but one
		all[i] = &hooksv1.MutatingWebhook{Name: w.Name, ClientConfig: w.ClientConfig, Rules: w.Rules, FailurePolicy: w.FailurePolicy, MatchPolicy: w.MatchPolicy, NamespaceSelector: w.NamespaceSelector,
			ObjectSelector: w.ObjectSelector, SideEffects: w.SideEffects, TimeoutSeconds: w.TimeoutSeconds, AdmissionReviewVersions: w.AdmissionReviewVersions, MatchConditions: w.MatchConditions}
	}
	return checkHooks(all)
}

func checkMutatingHooks(in, _ *hooksv1.MutatingWebhookConfiguration) field.ErrorList {
	all := make([]*hooksv1.MutatingWebhook, len(in.Webhooks))
	for i := range in.Webhooks {
		all[i] = &in.Webhooks[i]
	}
	return checkHooks(all)
}

// checkHooks does not judge the expressions of conditions: see Options.CEL.
func checkHooks(all []*hooksv1.MutatingWebhook) (errs field.ErrorList) {
	names := map[string]bool{}
	for i, w := range all {
		path := field.NewPath("webhooks").Index(i)
		errs = append(errs, checkHook(w, path)...)
		errs = append(errs, checkReviewVersions(w.AdmissionReviewVersions, path.Child("admissionReviewVersions"))...)
		if names[w.Name] {
			errs = append(errs, field.Duplicate(path.Child("name"), w.Name))
		}
		names[w.Name] = w.Name != ""
	}
	return errs
}

func checkHook(w *hooksv1.MutatingWebhook, path *field.Path) field.ErrorList {
	errs := utilvalidation.IsFullyQualifiedName(path.Child("name"), w.Name)
	for i := range w.Rules {
		errs = append(errs, checkHookRule(&w.Rules[i], path.Child("rules").Index(i))...)
	}
	if p := w.FailurePolicy; p != nil {
		errs = append(errs, oneOf(path.Child("failurePolicy"), *p, hooksv1.Fail, hooksv1.Ignore)...)
	}
	if p := w.MatchPolicy; p != nil {
		errs = append(errs, oneOf(path.Child("matchPolicy"), *p, hooksv1.Equivalent, hooksv1.Exact)...)
	}
	if e, at := w.SideEffects, path.Child("sideEffects"); e == nil {
		errs = append(errs, field.Required(at, "must specify one of None, NoneOnDryRun"))
	} else {
		errs = append(errs, oneOf(at, *e, hooksv1.SideEffectClassNone, hooksv1.SideEffectClassNoneOnDryRun)...)
	}
	if t := w.TimeoutSeconds; t != nil && (*t > 30 || *t < 1) {
		errs = append(errs, field.Invalid(path.Child("timeoutSeconds"), *t, "the timeout value must be between 1 and 30 seconds"))
	}
	errs = append(errs, checkSelector(w.NamespaceSelector, path.Child("namespaceSelector"))...)
	errs = append(errs, checkSelector(w.ObjectSelector, path.Child("objectSelector"))...)
	if p := w.ReinvocationPolicy; p != nil {
		errs = append(errs, oneOf(path.Child("reinvocationPolicy"), *p, hooksv1.IfNeededReinvocationPolicy, hooksv1.NeverReinvocationPolicy)...)
	}
	switch at, to := path.Child("clientConfig"), w.ClientConfig; {
	case (to.URL == nil) == (to.Service == nil):
		errs = append(errs, field.Required(at, "exactly one of url or service is required"))
	case to.URL != nil:
		errs = append(errs, checkHookURL(*to.URL, at.Child("url"))...)
	default:
		errs = append(errs, checkHookService(to.Service, at.Child("service"))...)
	}
	names := map[string]bool{}
	for i, c := range w.MatchConditions {
		at := path.Child("matchConditions").Index(i)
		if strings.TrimSpace(c.Expression) == "" {
			errs = append(errs, field.Required(at.Child("expression"), ""))
		}
		switch name := at.Child("name"); {
		case c.Name == "":
			errs = append(errs, field.Required(name, ""))
			continue
		case names[c.Name]:
			errs = append(errs, field.Duplicate(name, c.Name))
		default:
			errs = append(errs, wrongs(name, c.Name, utilvalidation.IsQualifiedName(c.Name))...)
		}
		names[c.Name] = true
	}
	return errs
}

func checkHookURL(text string, path *field.Path) (errs field.ErrorList) {
	const form = "; desired format: https://host[/path]"
	u, err := url.Parse(text)
	if err != nil {
		return field.ErrorList{field.Required(path, "url must be a valid URL: "+err.Error()+form)}
	}
	if u.Scheme != "https" {
		errs = append(errs, field.Invalid(path, u.Scheme, "'https' is the only allowed URL scheme"+form))
	}
	if u.Host == "" {
		errs = append(errs, field.Invalid(path, u.Host, "host must be specified"+form))
	}
	if u.User != nil {
		errs = append(errs, field.Invalid(path, u.User.String(), "user information is not permitted in the URL"))
	}
	if u.Fragment != "" {
		errs = append(errs, field.Invalid(path, u.Fragment, "fragments are not permitted in the URL"))
	}
	if u.RawQuery != "" {
		errs = append(errs, field.Invalid(path, u.RawQuery, "query parameters are not permitted in the URL"))
	}
	return errs
}

func checkHookService(s *hooksv1.ServiceReference, path *field.Path) (errs field.ErrorList) {
	for _, n := range []struct{ name, value string }{{"name", s.Name}, {"namespace", s.Namespace}} {
		if n.value == "" {
			errs = append(errs, field.Required(path.Child(n.name), ""))
		}
	}
	if wrong := utilvalidation.IsValidPortNum(int(*s.Port)); wrong != nil {
		errs = append(errs, field.Invalid(path.Child("port"), *s.Port, "port is not valid: "+strings.Join(wrong, ", ")))
	}
	if s.Path == nil || *s.Path == "" || *s.Path == "/" {
		return errs
	}
	at := path.Child("path")
	if !strings.HasPrefix(*s.Path, "/") {
		errs = append(errs, field.Invalid(at, *s.Path, "must start with a '/'"))
	}
	for i, step := range strings.Split(strings.TrimSuffix((*s.Path)[1:], "/"), "/") {
		if step == "" {
			errs = append(errs, field.Invalid(at, *s.Path, fmt.Sprintf("segment[%d] may not be empty", i)))
			continue
		}
		for _, wrong := range utilvalidation.IsDNS1123Subdomain(step) {
			errs = append(errs, field.Invalid(at, *s.Path, fmt.Sprintf("segment[%d]: %v", i, wrong)))
		}
	}
	return errs
}

func checkReviewVersions(all []string, path *field.Path) (errs field.ErrorList) {
	if len(all) == 0 {
		return field.ErrorList{field.Required(path, "must specify one of v1, v1beta1")}
	}
	for i, v := range all {
		if slices.Contains(all[:i], v) {
			errs = append(errs, field.Invalid(path.Index(i), v, "duplicate version"))
			continue
		}
		errs = append(errs, wrongs(path.Index(i), v, utilvalidation.IsDNS1035Label(v))...)
	}
	if !slices.Contains(all, "v1") && !slices.Contains(all, "v1beta1") {
		errs = append(errs, field.Invalid(path, all, "must include at least one of v1, v1beta1"))
	}
	return errs
}

func checkHookRule(r *hooksv1.RuleWithOperations, path *field.Path) (errs field.ErrorList) {
	errs = hookWords(r.Operations, "operations", path)
	for i, o := range r.Operations {
		errs = append(errs, oneOf(path.Child("operations").Index(i), o, hooksv1.OperationAll, hooksv1.Connect, hooksv1.Create, hooksv1.Delete, hooksv1.Update)...)
	}
	errs = append(append(errs, hookWords(r.APIGroups, "apiGroups", path)...), hookWords(r.APIVersions, "apiVersions", path)...)
	for i, v := range r.APIVersions {
		if v == "" {
			errs = append(errs, field.Required(path.Child("apiVersions").Index(i), ""))
		}
	}
	errs = append(errs, checkHookResources(r.Resources, path.Child("resources"))...)
	if s := r.Scope; s != nil {
		errs = append(errs, oneOf(path.Child("scope"), *s, hooksv1.AllScopes, hooksv1.ClusterScope, hooksv1.NamespacedScope)...)
	}
	return errs
}

// hookWords requires at least one word, and that "*" is the only one.
func hookWords[T ~string](all []T, name string, path *field.Path) field.ErrorList {
	what := map[string]string{"apiGroups": "API groups", "apiVersions": "API versions"}[name]
	if what == "" {
		what = name
	}
	switch {
	case len(all) == 0:
		return field.ErrorList{field.Required(path.Child(name), "")}
	case len(all) > 1 && slices.Contains(all, "*"):
		return field.ErrorList{field.Invalid(path.Child(name), all, "if '*' is present, must not specify other "+what)}
	}
	return nil
}

func checkHookResources(all []string, path *field.Path) (errs field.ErrorList) {
	if len(all) == 0 {
		return field.ErrorList{field.Required(path, "")}
	}
	plain := false
	for i, r := range all {
		resource, sub, below := strings.Cut(r, "/")
		switch before := all[:i]; {
		case r == "":
			errs = append(errs, field.Required(path.Index(i), ""))
			continue
		case !below:
			plain = r != "*"
			continue
		case slices.Contains(before, resource+"/*"):
			errs = append(errs, field.Invalid(path.Index(i), r, fmt.Sprintf("if '%s/*' is present, must not specify %s", resource, r)))
		}
		if slices.Contains(all[:i], "*/"+sub) {
			errs = append(errs, field.Invalid(path.Index(i), r, fmt.Sprintf("if '*/%s' is present, must not specify %s", sub, r)))
		}
	}
	if len(all) > 1 && slices.Contains(all, "*/*") {
		errs = append(errs, field.Invalid(path, all, "if '*/*' is present, must not specify other resources"))
	}
	if plain && slices.Contains(all, "*") {
		errs = append(errs, field.Invalid(path, all, "if '*' is present, must not specify other resources without subresources"))
	}
	return errs
}
