package rest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// gate says what the user of a request may store: see mayGrant. Whoever creates by an update needs the right to create, too
// (k8s.io/apiserver/pkg/endpoints/handlers/update.go).
func (x *exchange) gate(ctx context.Context, a attributes) apiserver.Gate {
	g := apiserver.Gate{Create: func() error {
		create := a
		create.verb = "create"
		if ok, why := x.allows(ctx, x.user, create); !ok {
			return create.refusal(x.user, why)
		}
		return nil
	}}
	if a.group == rbacv1.GroupName {
		g.Write = func(in, old runtime.Object) error { return x.mayGrant(ctx, a, in, old) }
	}
	return g
}

// mayGrant refuses a role or binding that gives rights which the user of a request has not got, unless he may escalate or bind
// (k8s.io/kubernetes, pkg/registry/rbac). Whoever changes only finalizers, owners and managers is not asked for anything.
func (x *exchange) mayGrant(ctx context.Context, a attributes, in, old runtime.Object) error {
	if old != nil && collected(in, old) {
		return nil
	}
	r := x.roles(ctx)
	r.missing = schema.GroupResource{Group: a.group, Resource: a.resource}
	switch in := in.(type) {
	case *rbacv1.Role:
		return x.mayEscalate(r, a, in.Name, in.Rules, false)
	case *rbacv1.ClusterRole:
		rules, aggregates := in.Rules, in.AggregationRule != nil
		if was, ok := old.(*rbacv1.ClusterRole); ok && was.AggregationRule != nil { // a controller would have stored what it aggregates
			whole := *was
			whole.Rules, aggregates = rules, true
			rules = r.clusterRoles().withAggregated(&whole, map[string]bool{})
		}
		return x.mayEscalate(r, a, in.Name, rules, aggregates)
	case *rbacv1.RoleBinding:
		return x.mayBind(r, a, in.Name, in.RoleRef)
	case *rbacv1.ClusterRoleBinding:
		return x.mayBind(r, a, in.Name, in.RoleRef)
	}
	return nil
}

// collected reports whether an update changes only what garbage collection does.
func collected(in, old runtime.Object) bool {
	in = in.DeepCopyObject()
	now, was := in.(metav1.Object), old.(metav1.Object)
	now.SetOwnerReferences(was.GetOwnerReferences())
	now.SetFinalizers(was.GetFinalizers())
	now.SetSelfLink(was.GetSelfLink())
	now.SetManagedFields(was.GetManagedFields())
	return equality.Semantic.DeepEqual(in, old)
}

// anything are the rules of an administrator, which whoever aggregates roles must have.
var anything = []rbacv1.PolicyRule{
	{Verbs: []string{"*"}, APIGroups: []string{"*"}, Resources: []string{"*"}},
	{Verbs: []string{"*"}, NonResourceURLs: []string{"*"}},
}

// mayEscalate refuses rules of a role that the user of a request has not got.
func (x *exchange) mayEscalate(r *roles, a attributes, name string, rules []rbacv1.PolicyRule, aggregates bool) error {
	a.verb, a.subresource = "escalate", ""
	if ok, _ := x.allows(r.ctx, x.user, a); ok {
		return nil
	}
	err := x.holds(r, a.namespace, rules)
	if err == nil && aggregates && x.holds(r, a.namespace, anything) != nil {
		err = errors.New("must have cluster-admin privileges to use the aggregationRule")
	}
	if err != nil {
		return apierrors.NewForbidden(r.missing, name, err)
	}
	return nil
}

// mayBind refuses to bind a role whose rules the user of a request has not got.
func (x *exchange) mayBind(r *roles, a attributes, name string, ref rbacv1.RoleRef) error {
	bind := attributes{verb: "bind", group: rbacv1.GroupName, resource: strings.ToLower(ref.Kind) + "s", namespace: a.namespace, name: ref.Name}
	known := ref.Kind == "Role" || ref.Kind == "ClusterRole"
	if ok, _ := x.allows(r.ctx, x.user, bind); ok && known {
		return nil
	}
	rules, err := r.rulesOf(ref, a.namespace)
	if err != nil {
		return err
	}
	if err := x.holds(r, a.namespace, rules); err != nil {
		return apierrors.NewForbidden(r.missing, name, err)
	}
	return nil
}

// holds returns an error that names what of some rules the user of a request has not got.
func (x *exchange) holds(r *roles, namespace string, rules []rbacv1.PolicyRule) error {
	var held []rbacv1.PolicyRule
	var errs []error
	for g := range r.grants(x.user, namespace) {
		held = append(held, g.rules...)
		if g.err != nil {
			errs = append(errs, g.err)
		}
	}
	missing := without(rules, held)
	if len(missing) == 0 {
		return nil
	}
	text := fmt.Sprintf("user %q (groups=%q) is attempting to grant RBAC permissions not currently held:\n%s", x.user.Username, x.user.Groups, strings.Join(missing, "\n"))
	if err := utilerrors.NewAggregate(errs); err != nil {
		text += fmt.Sprintf("; resolution errors: [%v]", err)
	}
	return errors.New(text)
}

// without returns what of some rules others do not allow, as refusals list it: sorted, the verbs of one resource and name together.
func without(rules, held []rbacv1.PolicyRule) []string {
	verbs := map[attributes][]string{}
	for _, rule := range rules {
		for _, right := range rights(rule) {
			if slices.ContainsFunc(held, right.permitted) {
				continue
			}
			to, more := right, []string{right.verb}
			if right.path == "" {
				to.verb = ""
				more = append(verbs[to], right.verb)
			}
			verbs[to] = more
		}
	}
	var out []string
	for right, verbs := range verbs {
		out = append(out, right.describe(verbs))
	}
	slices.Sort(out)
	return out
}

// rights returns all that a rule allows, each alone.
func rights(rule rbacv1.PolicyRule) (all []attributes) {
	names := rule.ResourceNames
	if len(names) == 0 {
		names = []string{""}
	}
	for _, group := range rule.APIGroups {
		for _, whole := range rule.Resources {
			resource, sub, _ := strings.Cut(whole, "/")
			for _, verb := range rule.Verbs {
				for _, name := range names {
					all = append(all, attributes{verb: verb, group: group, resource: resource, subresource: sub, name: name})
				}
			}
		}
	}
	for _, url := range rule.NonResourceURLs {
		for _, verb := range rule.Verbs {
			all = append(all, attributes{verb: verb, path: url})
		}
	}
	return all
}

// describe returns a right with some verbs as refusals show it.
func (a attributes) describe(verbs []string) string {
	if a.path != "" {
		return fmt.Sprintf("{NonResourceURLs:%q, Verbs:%q}", []string{a.path}, verbs)
	}
	names := ""
	if a.name != "" {
		names = fmt.Sprintf(", ResourceNames:%q", []string{a.name})
	}
	return fmt.Sprintf("{APIGroups:%q, Resources:%q%s, Verbs:%q}", []string{a.group}, []string{a.whole()}, names, verbs)
}
