package rest

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// bootstrapRoles are the ClusterRoles and their bindings that a kube-apiserver 1.37.1 makes at its start. TestRealRoles writes them.
//
//go:embed roles.json
var bootstrapRoles []byte

// AddBootstrapRoles creates the ClusterRoles and ClusterRoleBindings that a kube-apiserver makes at its start, such as cluster-admin,
// edit and view.
func AddBootstrapRoles(ctx context.Context, api apiserver.API) error {
	var all struct {
		Roles    []rbacv1.ClusterRole
		Bindings []rbacv1.ClusterRoleBinding
	}
	if err := json.Unmarshal(bootstrapRoles, &all); err != nil {
		return err
	}
	for i := range all.Roles {
		if _, err := api.Create(ctx, apiserver.Request{Resource: rbacv1.SchemeGroupVersion.WithResource("clusterroles")}, &all.Roles[i], metav1.CreateOptions{FieldManager: apiserver.ServerManager}); err != nil {
			return err
		}
	}
	for i := range all.Bindings {
		if _, err := api.Create(ctx, apiserver.Request{Resource: rbacv1.SchemeGroupVersion.WithResource("clusterrolebindings")}, &all.Bindings[i], metav1.CreateOptions{FieldManager: apiserver.ServerManager}); err != nil {
			return err
		}
	}
	return nil
}

// addReader creates the Role that lets API servers behind this one read a ConfigMap, and its RoleBinding, as a kube-apiserver does at its
// start (plugin/pkg/auth/authorizer/rbac/bootstrappolicy/namespace_policy.go).
func addReader(ctx context.Context, api apiserver.API, namespace, configMap string) error {
	m := metav1.ObjectMeta{
		Namespace: namespace, Name: configMap + "-reader",
		Labels: map[string]string{"kubernetes.io/bootstrapping": "rbac-defaults"}, Annotations: map[string]string{"rbac.authorization.kubernetes.io/autoupdate": "true"},
	}
	role := &rbacv1.Role{ObjectMeta: m, Rules: []rbacv1.PolicyRule{{Verbs: []string{"get", "list", "watch"}, APIGroups: []string{""}, Resources: []string{"configmaps"}, ResourceNames: []string{configMap}}}}
	binding := &rbacv1.RoleBinding{ObjectMeta: m, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: m.Name}}
	binding.Name = "system::" + m.Name
	for _, name := range []string{"system:kube-controller-manager", "system:kube-scheduler"} {
		binding.Subjects = append(binding.Subjects, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name})
	}
	if _, err := api.Create(ctx, apiserver.Request{Resource: rbacv1.SchemeGroupVersion.WithResource("roles"), Namespace: namespace}, role, metav1.CreateOptions{FieldManager: apiserver.ServerManager}); err != nil {
		return err
	}
	_, err := api.Create(ctx, apiserver.Request{Resource: rbacv1.SchemeGroupVersion.WithResource("rolebindings"), Namespace: namespace}, binding, metav1.CreateOptions{FieldManager: apiserver.ServerManager})
	return err
}

// attributes say what somebody wants to do. Of a path that is no resource only verb and path are set.
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

// refusal says in the words of kube-apiserver that a user may not do something.
func (a attributes) refusal(who authenticationv1.UserInfo) error {
	if a.path != "" {
		err := apierrors.NewForbidden(schema.GroupResource{}, "", errors.New(""))
		err.ErrStatus.Message = fmt.Sprintf("forbidden: User %q cannot %s path %q", who.Username, a.verb, a.path)
		err.ErrStatus.Details = &metav1.StatusDetails{}
		return err
	}
	where := "at the cluster scope"
	if a.namespace != "" {
		where = fmt.Sprintf("in the namespace %q", a.namespace)
	}
	return apierrors.NewForbidden(schema.GroupResource{Group: a.group, Resource: a.resource}, a.name,
		//lint:ignore ST1005 so it begins
		fmt.Errorf("User %q cannot %s resource %q in API group %q %s", who.Username, a.verb, a.whole(), a.group, where))
}

// whole is the resource with its subresource.
func (a attributes) whole() string {
	if a.subresource == "" {
		return a.resource
	}
	return a.resource + "/" + a.subresource
}

// allows reports whether a user may do something, by the roles that are stored. Without the option RBAC, and of the group
// system:masters, everybody may do everything.
func (h *handler) allows(ctx context.Context, who authenticationv1.UserInfo, a attributes) (allowed bool, by string) {
	if !h.o.RBAC || slices.Contains(who.Groups, "system:masters") {
		return true, ""
	}
	for r, binding := range h.rules(ctx, who, a.namespace) {
		if a.permitted(r) {
			return true, binding
		}
	}
	return false, ""
}

// rules are those of a user, for the whole cluster and in a namespace, each with what gives it to the user.
func (h *handler) rules(ctx context.Context, who authenticationv1.UserInfo, namespace string) iter.Seq2[rbacv1.PolicyRule, string] {
	return func(yield func(rbacv1.PolicyRule, string) bool) {
		for _, b := range listOf[*rbacv1.ClusterRoleBindingList](ctx, h, "clusterrolebindings", "").Items {
			for _, r := range h.rulesOf(ctx, who, b.Subjects, b.RoleRef, "") {
				if !yield(r, fmt.Sprintf("RBAC: allowed by ClusterRoleBinding %q of %s %q to %s", b.Name, b.RoleRef.Kind, b.RoleRef.Name, who.Username)) {
					return
				}
			}
		}
		if namespace == "" {
			return
		}
		for _, b := range listOf[*rbacv1.RoleBindingList](ctx, h, "rolebindings", namespace).Items {
			for _, r := range h.rulesOf(ctx, who, b.Subjects, b.RoleRef, namespace) {
				if !yield(r, fmt.Sprintf("RBAC: allowed by RoleBinding %q of %s %q to %s", b.Name+"/"+namespace, b.RoleRef.Kind, b.RoleRef.Name, who.Username)) {
					return
				}
			}
		}
	}
}

// listOf lists what is stored; what cannot be had is empty.
func listOf[L runtime.Object](ctx context.Context, h *handler, resource, namespace string) L {
	obj, err := h.stored.List(ctx, apiserver.Request{Resource: rbacv1.SchemeGroupVersion.WithResource(resource), Namespace: namespace}, metav1.ListOptions{})
	if l, ok := obj.(L); err == nil && ok {
		return l
	}
	return reflect.New(reflect.TypeFor[L]().Elem()).Interface().(L)
}

// rulesOf are the rules of a role, if its binding names the user.
func (h *handler) rulesOf(ctx context.Context, who authenticationv1.UserInfo, subjects []rbacv1.Subject, role rbacv1.RoleRef, namespace string) []rbacv1.PolicyRule {
	names := slices.ContainsFunc(subjects, func(s rbacv1.Subject) bool {
		switch s.Kind {
		case rbacv1.UserKind:
			return s.Name == who.Username
		case rbacv1.GroupKind:
			return slices.Contains(who.Groups, s.Name)
		}
		return who.Username == "system:serviceaccount:"+cmp.Or(s.Namespace, namespace)+":"+s.Name
	})
	if !names {
		return nil
	}
	if role.Kind == "Role" {
		for _, r := range listOf[*rbacv1.RoleList](ctx, h, "roles", namespace).Items {
			if r.Name == role.Name {
				return r.Rules
			}
		}
		return nil
	}
	all := listOf[*rbacv1.ClusterRoleList](ctx, h, "clusterroles", "").Items
	for _, r := range all {
		if r.Name == role.Name {
			return withAggregated(r, all, map[string]bool{})
		}
	}
	return nil
}

// withAggregated are the rules of a role with those of the roles that it aggregates: no controller copies them here.
func withAggregated(r rbacv1.ClusterRole, all []rbacv1.ClusterRole, seen map[string]bool) []rbacv1.PolicyRule {
	if seen[r.Name] {
		return nil
	}
	seen[r.Name] = true
	rules := slices.Clone(r.Rules)
	if r.AggregationRule == nil {
		return rules
	}
	for i := range r.AggregationRule.ClusterRoleSelectors {
		sel, err := metav1.LabelSelectorAsSelector(&r.AggregationRule.ClusterRoleSelectors[i])
		for _, o := range all {
			if err == nil && sel.Matches(labels.Set(o.Labels)) {
				rules = append(rules, withAggregated(o, all, seen)...)
			}
		}
	}
	return rules
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
