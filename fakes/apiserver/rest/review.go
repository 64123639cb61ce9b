package rest

import (
	"errors"
	"net/http"
	"reflect"
	"slices"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// review is a kind whose objects are not kept: mostly a question about who somebody is or what he may do.
type review struct {
	row    *row
	answer func(x *exchange, namespace string, obj runtime.Object) error // of a create: it fills the status in; 400 or 422
	list   func(x *exchange) []runtime.Object                            // nil: it is only created
}

// verbs are what can be done with such objects.
func (r review) verbs() []string {
	if r.list != nil {
		return []string{"get", "list"}
	}
	return []string{"create"}
}

// reviews are all that there are, in the order of discovery.
func reviews() []review {
	z, n := authorizationv1.SchemeGroupVersion, authenticationv1.SchemeGroupVersion
	return []review{
		reviewed[authenticationv1.SelfSubjectReview](n, "selfsubjectreviews", false, whoAmI),
		reviewed[authenticationv1.TokenReview](n, "tokenreviews", false, whose),
		reviewed[authorizationv1.LocalSubjectAccessReview](z, "localsubjectaccessreviews", true, mayIn),
		reviewed[authorizationv1.SelfSubjectAccessReview](z, "selfsubjectaccessreviews", false, mayI),
		reviewed[authorizationv1.SelfSubjectRulesReview](z, "selfsubjectrulesreviews", false, whatMayI),
		reviewed[authorizationv1.SubjectAccessReview](z, "subjectaccessreviews", false, may),
		reviewed[corev1.Binding](corev1.SchemeGroupVersion, "bindings", true, bindPod),
		components(),
		services(),
	}
}

// reviewed is a row of reviews.
func reviewed[O any, PO interface {
	*O
	runtime.Object
}](gv schema.GroupVersion, plural string, namespaced bool, answer func(*exchange, string, PO) error) review {
	fresh := func() runtime.Object { return PO(new(O)) }
	res := &apiserver.Resource{GroupVersionResource: gv.WithResource(plural), Namespaced: namespaced, New: fresh, NewList: fresh}
	res.Kind = reflect.TypeFor[O]().Name()
	return review{
		row:    &row{Resource: res, gvk: gv.WithKind(res.Kind), name: inner(res, fresh()), unkept: true},
		answer: func(x *exchange, namespace string, obj runtime.Object) error { return answer(x, namespace, obj.(PO)) },
	}
}

// reviewGroups are those that may have nothing but such kinds.
var reviewGroups = []schema.GroupVersion{authenticationv1.SchemeGroupVersion, authorizationv1.SchemeGroupVersion, apiserver.APIServices.GroupVersion()}

// review serves what is below a version of a group, of kinds that are not kept.
func (x *exchange) review(gv schema.GroupVersion, parts []string) {
	namespace, name := "", ""
	if len(parts) > 2 && parts[0] == "namespaces" {
		namespace, parts = parts[1], parts[2:]
	}
	at := -1
	if len(parts) > 0 {
		at = slices.IndexFunc(x.reviews, func(r review) bool {
			return r.row.GroupVersionResource == gv.WithResource(parts[0]) && r.row.Namespaced == (namespace != "")
		})
	}
	if at >= 0 && len(parts) == 2 && x.reviews[at].list != nil {
		name, parts = parts[1], parts[:1]
	}
	switch {
	case len(parts) == 0:
		x.discoverVersion(gv)
	case at < 0 || len(parts) > 1:
		x.fail(noSuchPath())
	case x.reviews[at].list != nil && x.r.Method == http.MethodGet:
		x.answerListed(x.reviews[at], name)
	case x.reviews[at].answer == nil || x.r.Method != http.MethodPost:
		x.fail(noSuchMethod())
	default:
		x.answerReview(x.reviews[at], namespace)
	}
}

func (x *exchange) answerReview(r review, namespace string) {
	t := target{row: r.row}
	f, err := x.form(t)
	if err != nil {
		x.fail(err)
		return
	}
	var o metav1.CreateOptions
	obj, err := x.input(t, &o, func() error {
		return invalid("CreateOptions", metav1validation.ValidateCreateOptions(&o))
	}, &o.FieldValidation)
	if err == nil {
		err = place(r.row, obj.(metav1.Object), namespace)
	}
	if err == nil {
		err = r.answer(x, namespace, obj)
	}
	if err != nil {
		x.fail(err)
		return
	}
	if _, bound := obj.(*corev1.Binding); bound {
		obj = &metav1.Status{Status: metav1.StatusSuccess, Code: http.StatusCreated}
	}
	x.answer(t, f, http.StatusCreated, obj)
}

// place puts a review into the request's namespace; one that says another is refused.
func place(r *row, m metav1.Object, namespace string) error {
	if ns := m.GetNamespace(); r.Namespaced && ns != "" && ns != namespace {
		return apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	m.SetNamespace(namespace)
	return nil
}

// admin is who everybody is but service accounts: nobody is refused anything here.
func admin() authenticationv1.UserInfo {
	return authenticationv1.UserInfo{Username: "admin", UID: "admin", Groups: []string{"system:masters", "system:authenticated"}}
}

func whoAmI(x *exchange, _ string, r *authenticationv1.SelfSubjectReview) error {
	*r = authenticationv1.SelfSubjectReview{}
	r.CreationTimestamp = metav1.NewTime(time.Now()).Rfc3339Copy()
	r.Status.UserInfo = x.user
	return nil
}

// whose is about a token: the server's own is the administrator's, others are those of service accounts.
func whose(x *exchange, _ string, r *authenticationv1.TokenReview) error {
	audiences := r.Spec.Audiences
	if len(audiences) == 0 {
		audiences = []string{x.o.Tokens.Issuer()}
	}
	r.Status = authenticationv1.TokenReviewStatus{}
	switch r.Spec.Token {
	case "":
		return apierrors.NewBadRequest("token is required for TokenReview in authentication")
	case x.o.Token:
		r.Status.Authenticated, r.Status.User, r.Status.Audiences = true, admin(), audiences
		return nil
	}
	switch who, those, err := x.account(x.r.Context(), r.Spec.Token, audiences); {
	case errors.Is(err, apiserver.ErrForeign):
		r.Status.Error = "invalid bearer token"
	case err != nil:
		r.Status.Error = "[invalid bearer token, " + err.Error() + "]"
	default:
		r.Status.Authenticated, r.Status.User, r.Status.Audiences = true, who, those
	}
	return nil
}

// judged is whether somebody may do what an access review asks about.
func (x *exchange) judged(who authenticationv1.UserInfo, in *authorizationv1.ResourceAttributes, other *authorizationv1.NonResourceAttributes) authorizationv1.SubjectAccessReviewStatus {
	var a attributes
	switch {
	case in != nil:
		a = attributes{verb: in.Verb, group: in.Group, resource: in.Resource, subresource: in.Subresource, namespace: in.Namespace, name: in.Name}
	case other != nil:
		a = attributes{verb: other.Verb, path: other.Path}
	}
	allowed, why := x.allows(x.r.Context(), who, a)
	return authorizationv1.SubjectAccessReviewStatus{Allowed: allowed, Reason: why}
}

// subject is who an access review is about.
func subject(s *authorizationv1.SubjectAccessReviewSpec) authenticationv1.UserInfo {
	return authenticationv1.UserInfo{Username: s.User, UID: s.UID, Groups: s.Groups}
}

func mayI(x *exchange, _ string, r *authorizationv1.SelfSubjectAccessReview) error {
	r.Status = x.judged(x.user, r.Spec.ResourceAttributes, r.Spec.NonResourceAttributes)
	return refused(r, about(r.Spec.ResourceAttributes, r.Spec.NonResourceAttributes))
}

func may(x *exchange, _ string, r *authorizationv1.SubjectAccessReview) error {
	r.Status = x.judged(subject(&r.Spec), r.Spec.ResourceAttributes, r.Spec.NonResourceAttributes)
	return refused(r, about(r.Spec.ResourceAttributes, r.Spec.NonResourceAttributes), somebody(&r.Spec))
}

func mayIn(x *exchange, namespace string, r *authorizationv1.LocalSubjectAccessReview) error {
	r.Status = x.judged(subject(&r.Spec), r.Spec.ResourceAttributes, r.Spec.NonResourceAttributes)
	errs := about(r.Spec.ResourceAttributes, r.Spec.NonResourceAttributes)
	if in := r.Spec.ResourceAttributes; in != nil && in.Namespace != namespace {
		errs = append(errs, field.Invalid(field.NewPath("spec", "resourceAttributes", "namespace"), in.Namespace, "must match metadata.namespace"))
	}
	return refused(r, errs, somebody(&r.Spec))
}

// whatMayI has the rules that a kube-apiserver has for its administrators.
func whatMayI(x *exchange, _ string, r *authorizationv1.SelfSubjectRulesReview) error {
	if r.Spec.Namespace == "" {
		return apierrors.NewBadRequest("no namespace on request")
	}
	if !x.mayAll(x.user) {
		*r = authorizationv1.SelfSubjectRulesReview{Status: x.rulesOfUser(r.Spec.Namespace)}
		return nil
	}
	create, get, all := []string{"create"}, []string{"get"}, []string{"*"}
	*r = authorizationv1.SelfSubjectRulesReview{Status: authorizationv1.SubjectRulesReviewStatus{
		ResourceRules: []authorizationv1.ResourceRule{
			{Verbs: all, APIGroups: all, Resources: all},
			{Verbs: create, APIGroups: []string{authorizationv1.GroupName}, Resources: []string{"selfsubjectaccessreviews", "selfsubjectrulesreviews"}},
			{Verbs: create, APIGroups: []string{authenticationv1.GroupName}, Resources: []string{"selfsubjectreviews"}},
		},
		NonResourceRules: []authorizationv1.NonResourceRule{
			{Verbs: all, NonResourceURLs: all},
			{Verbs: get, NonResourceURLs: []string{"/healthz", "/livez", "/readyz", "/version", "/version/"}},
			{Verbs: get, NonResourceURLs: []string{
				"/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez", "/openapi", "/openapi/*", "/readyz", "/version", "/version/",
			}},
		},
	}}
	return nil
}

// rulesOfUser are the rules of the user of a request in a namespace.
func (x *exchange) rulesOfUser(namespace string) (s authorizationv1.SubjectRulesReviewStatus) {
	s.ResourceRules, s.NonResourceRules = []authorizationv1.ResourceRule{}, []authorizationv1.NonResourceRule{}
	var missing []error
	for g := range x.roles(x.r.Context()).grants(x.user, namespace) {
		if g.err != nil {
			missing = append(missing, g.err)
		}
		for _, r := range g.rules {
			if len(r.Resources) > 0 {
				s.ResourceRules = append(s.ResourceRules, authorizationv1.ResourceRule{Verbs: r.Verbs, APIGroups: r.APIGroups, Resources: r.Resources, ResourceNames: r.ResourceNames})
			}
			if len(r.NonResourceURLs) > 0 {
				s.NonResourceRules = append(s.NonResourceRules, authorizationv1.NonResourceRule{Verbs: r.Verbs, NonResourceURLs: r.NonResourceURLs})
			}
		}
	}
	if err := utilerrors.NewAggregate(missing); err != nil {
		s.EvaluationError = err.Error()
	}
	return s
}

// about is what is wrong with what an access review asks for.
func about(resource *authorizationv1.ResourceAttributes, other *authorizationv1.NonResourceAttributes) (errs field.ErrorList) {
	if (resource == nil) == (other == nil) {
		var shown any // as the type that a kube-apiserver has inside
		if other != nil {
			shown = struct{ Path, Verb string }{other.Path, other.Verb}
		}
		errs = append(errs, field.Invalid(field.NewPath("spec"), shown, "exactly one of nonResourceAttributes or resourceAttributes must be specified"))
	}
	return errs
}

// somebody is what is wrong with whom it asks about.
func somebody(spec *authorizationv1.SubjectAccessReviewSpec) (errs field.ErrorList) {
	if spec.User == "" && len(spec.Groups) == 0 {
		errs = append(errs, field.Invalid(field.NewPath("spec", "user"), spec.User, "at least one of user or group must be specified"))
	}
	return errs
}

// refused is 422 for what is wrong with an access review, which may have no metadata but its namespace.
func refused(r metav1.ObjectMetaAccessor, all ...field.ErrorList) error {
	errs := slices.Concat(all...)
	m := *r.GetObjectMeta().(*metav1.ObjectMeta)
	m.Namespace, m.ManagedFields = "", nil
	if !equality.Semantic.DeepEqual(m, metav1.ObjectMeta{}) {
		errs = append(errs, field.Invalid(field.NewPath("metadata"), m, "must be empty"))
	}
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(schema.GroupKind{Group: authorizationv1.GroupName}, "", errs)
}
