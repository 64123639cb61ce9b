package rest

import (
	"net/http"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// reviews are what asks for a user's rights.
var reviews = authorizationv1.SchemeGroupVersion.WithResource("selfsubjectaccessreviews")

// review answers that everything is allowed: nobody is refused anything here.
func (x *exchange) review(parts []string) {
	switch {
	case len(parts) == 0:
		x.discoverVersion(reviews.GroupVersion())
		return
	case len(parts) > 1 || parts[0] != reviews.Resource:
		x.fail(noSuchPath())
		return
	case x.r.Method != http.MethodPost:
		x.fail(noSuchMethod())
		return
	}
	r := &row{Resource: reviewed(), gvk: reviews.GroupVersion().WithKind("SelfSubjectAccessReview"), name: "authorization.SelfSubjectAccessReview"}
	t := target{row: r}
	f, err := x.form(t)
	if err != nil {
		x.fail(err)
		return
	}
	var directive string
	obj, err := x.input(t, &metav1.CreateOptions{}, func() error { return nil }, &directive)
	if err != nil {
		x.fail(err)
		return
	}
	obj.(*authorizationv1.SelfSubjectAccessReview).Status = authorizationv1.SubjectAccessReviewStatus{Allowed: true}
	x.answer(t, f, http.StatusCreated, obj)
}

// reviewed is the row of what is not stored.
func reviewed() *apiserver.Resource {
	return &apiserver.Resource{
		GroupVersionResource: reviews, Kind: "SelfSubjectAccessReview",
		New:     func() runtime.Object { return &authorizationv1.SelfSubjectAccessReview{} },
		NewList: func() runtime.Object { return &authorizationv1.SelfSubjectAccessReview{} },
	}
}
