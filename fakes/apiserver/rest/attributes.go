package rest

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// attributes say what somebody wants to do. For a path that is no resource only verb and path are set.
type attributes struct {
	verb, group, resource, subresource, namespace, name, path string
}

// attributes are those of the request.
func (x *exchange) attributes() attributes {
	parts := split(x.r.URL.Path)
	a := attributes{verb: strings.ToLower(x.r.Method)}
	switch {
	case len(parts) > 2 && parts[0] == "api":
		parts = parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		a.group, parts = parts[1], parts[3:]
	default:
		a.path = x.r.URL.Path
		return a
	}
	watch := parts[0] == "watch"
	if watch {
		parts = parts[1:]
	}
	if len(parts) > 1 && parts[0] == "namespaces" {
		a.namespace = parts[1]
		if len(parts) > 2 && parts[2] != "status" && parts[2] != "finalize" {
			parts = parts[2:]
		}
	}
	for i, to := range []*string{&a.resource, &a.name, &a.subresource} {
		if i < len(parts) {
			*to = parts[i]
		}
	}
	a.verb = x.verb(a.name, watch)
	if sel, err := fields.ParseSelector(x.r.URL.Query().Get("fieldSelector")); err == nil && a.name == "" {
		a.name, _ = sel.RequiresExactMatch("metadata.name")
	}
	return a
}

// verb is what a request does to a resource.
func (x *exchange) verb(name string, watch bool) string {
	asked, err := strconv.ParseBool(x.r.URL.Query().Get("watch"))
	switch method := x.r.Method; {
	case method == http.MethodPost:
		return "create"
	case method == http.MethodPut:
		return "update"
	case method == http.MethodPatch:
		return "patch"
	case method == http.MethodDelete && name == "":
		return "deletecollection"
	case method == http.MethodDelete:
		return "delete"
	case watch || asked && err == nil:
		return "watch"
	case name == "":
		return "list"
	}
	return "get"
}

// plainText replaces what would look like HTML in a refusal.
var plainText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// refusal returns the error in which kube-apiserver says that a user may not do something; why is "" where there is no more to say.
func (a attributes) refusal(who authenticationv1.UserInfo, why string) error {
	if why != "" {
		why = ": " + why
	}
	if a.path != "" {
		err := apierrors.NewForbidden(schema.GroupResource{}, "", errors.New(""))
		err.ErrStatus.Message = "forbidden: " + plainText.Replace(fmt.Sprintf("User %q cannot %s path %q", who.Username, a.verb, a.path)) + why
		err.ErrStatus.Details = &metav1.StatusDetails{}
		return err
	}
	where := "at the cluster scope"
	if a.namespace != "" {
		where = fmt.Sprintf("in the namespace %q", a.namespace)
	}
	text := fmt.Sprintf("User %q cannot %s resource %q in API group %q %s", who.Username, a.verb, a.whole(), a.group, where)
	return apierrors.NewForbidden(schema.GroupResource{Group: a.group, Resource: a.resource}, a.name, errors.New(plainText.Replace(text)+why))
}

// whole is the resource with its subresource.
func (a attributes) whole() string {
	if a.subresource == "" {
		return a.resource
	}
	return a.resource + "/" + a.subresource
}

// permitted reports whether a rule allows it.
func (a attributes) permitted(r rbacv1.PolicyRule) bool {
	has := func(all []string, wanted string) bool {
		return slices.Contains(all, "*") || slices.Contains(all, wanted)
	}
	if !has(r.Verbs, a.verb) {
		return false
	}
	if a.path != "" {
		return slices.ContainsFunc(r.NonResourceURLs, func(url string) bool {
			begin, wild := strings.CutSuffix(url, "*")
			return url == a.path || wild && strings.HasPrefix(a.path, begin)
		})
	}
	return has(r.APIGroups, a.group) && (has(r.Resources, a.whole()) || a.subresource != "" && slices.Contains(r.Resources, "*/"+a.subresource)) &&
		(len(r.ResourceNames) == 0 || slices.Contains(r.ResourceNames, a.name))
}
