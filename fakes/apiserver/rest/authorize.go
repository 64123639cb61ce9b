package rest

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	authenticationv1 "k8s.io/api/authentication/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// mayAll reports whether a user may do everything: each without the option RBAC, and the group system:masters.
func (h *handler) mayAll(who authenticationv1.UserInfo) bool {
	return !h.o.RBAC || slices.Contains(who.Groups, "system:masters")
}

// authorize refuses what the user of a request may not do, and says for later what he may store.
func (x *exchange) authorize(a attributes) error {
	ctx := apiserver.WithUser(x.r.Context(), x.user)
	if !x.mayAll(x.user) {
		if ok, why := x.allows(ctx, x.user, a); !ok {
			return a.refusal(x.user, why)
		}
		ctx = apiserver.WithGate(ctx, x.gate(ctx, a))
	}
	x.r = x.r.WithContext(ctx)
	return nil
}

// refuse answers a request that nobody has looked at but for who sends it.
func (x *exchange) refuse(err error) {
	x.w.Header().Set("X-Content-Type-Options", "nosniff")
	x.fail(err)
}

// allows reports whether a user may do something, by the roles that are stored. why names the binding that allows it, or the roles that
// are missing.
func (h *handler) allows(ctx context.Context, who authenticationv1.UserInfo, a attributes) (allowed bool, why string) {
	if h.mayAll(who) {
		return true, ""
	}
	var missing []error
	for g := range h.roles(ctx).grants(who, a.namespace) {
		if g.err != nil {
			missing = append(missing, g.err)
			continue
		}
		if slices.ContainsFunc(g.rules, a.permitted) {
			return true, "RBAC: allowed by " + g.String()
		}
	}
	if len(missing) > 0 {
		return false, "rbac: RBAC: " + utilerrors.NewAggregate(missing).Error()
	}
	return false, ""
}

// roles reads roles and their bindings to answer one question. It reads each kind of role once.
type roles struct {
	ctx     context.Context
	h       *handler
	missing schema.GroupResource // what errors call a role that is not there; zero: by its kind
	cluster *clusterRoles        // nil: not read yet
	local   []*rbacv1.Role       // of a namespace; nil: not read yet
}

func (h *handler) roles(ctx context.Context) *roles { return &roles{ctx: ctx, h: h} }

// clusterRoles are all ClusterRoles at one time. They are kept from one question to the next, as long as they are the same objects.
type clusterRoles struct {
	all   []*rbacv1.ClusterRole // sorted by name
	whole sync.Map              // from a name to []rbacv1.PolicyRule, with the aggregated ones
}

// grant is what a binding gives to a user.
type grant struct {
	rules           []rbacv1.PolicyRule // the store's own: they must not be changed
	err             error               // why there are none
	kind, namespace string              // of the binding
	binding         string
	ref             rbacv1.RoleRef
	subject         *rbacv1.Subject // which names the user
}

// String returns a grant as an access review shows it.
func (g grant) String() string {
	binding, subject := g.binding, g.subject.Name
	if g.namespace != "" {
		binding += "/" + g.namespace
	}
	if g.subject.Kind == rbacv1.ServiceAccountKind {
		subject += "/" + cmp.Or(g.subject.Namespace, g.namespace)
	}
	return fmt.Sprintf("%s %q of %s %q to %s %q", g.kind, binding, g.ref.Kind, g.ref.Name, g.subject.Kind, subject)
}

// grants are those of a user for the whole cluster, and then those in a namespace, in the order of the names of bindings.
func (r *roles) grants(who authenticationv1.UserInfo, namespace string) iter.Seq[grant] {
	return func(yield func(grant) bool) {
		give := func(kind, name, in string, subjects []rbacv1.Subject, ref rbacv1.RoleRef) bool {
			at := slices.IndexFunc(subjects, func(s rbacv1.Subject) bool { return names(s, who, in) })
			if at < 0 {
				return true
			}
			rules, err := r.rulesOf(ref, in)
			return yield(grant{rules, err, kind, in, name, ref, &subjects[at]})
		}
		for _, b := range stored[*rbacv1.ClusterRoleBinding](r, "clusterrolebindings", "") {
			if !give("ClusterRoleBinding", b.Name, "", b.Subjects, b.RoleRef) {
				return
			}
		}
		if namespace == "" {
			return
		}
		for _, b := range stored[*rbacv1.RoleBinding](r, "rolebindings", namespace) {
			if !give("RoleBinding", b.Name, namespace, b.Subjects, b.RoleRef) {
				return
			}
		}
	}
}

// names reports whether a subject of a binding in a namespace is a user or a group of his.
func names(s rbacv1.Subject, who authenticationv1.UserInfo, namespace string) bool {
	switch s.Kind {
	case rbacv1.UserKind:
		return s.Name == who.Username
	case rbacv1.GroupKind:
		return slices.Contains(who.Groups, s.Name)
	case rbacv1.ServiceAccountKind:
		in := cmp.Or(s.Namespace, namespace)
		name, account := strings.CutPrefix(who.Username, accountPrefix)
		return account && in != "" && name == in+":"+s.Name
	}
	return false
}

// stored lists objects in the order of their names, as the caches have them: a kube-apiserver follows them by a watch, too, and answers
// also when the time of the request is up. They are the store's own where the API shares them: nobody may change them. What cannot be had
// is empty.
func stored[T runtime.Object](r *roles, resource, namespace string) (all []T) {
	ctx := apiserver.WithCaller(context.WithoutCancel(r.ctx), apiserver.Caller{Internal: true})
	req, o := apiserver.Request{Resource: rbacv1.SchemeGroupVersion.WithResource(resource), Namespace: namespace}, metav1.ListOptions{ResourceVersion: "0"}
	if shared, ok := apiserver.Shares(r.h.stored); ok {
		l, err := shared.ListShared(ctx, req, o)
		for _, it := range l.Items {
			if obj, ok := it.Object().(T); ok && err == nil {
				all = append(all, obj)
			}
		}
		return all
	}
	list, err := r.h.stored.List(ctx, req, o)
	if err != nil {
		return nil
	}
	items, err := meta.ExtractList(list)
	for _, it := range items {
		if obj, ok := it.(T); ok && err == nil {
			all = append(all, obj)
		}
	}
	return all
}

// rulesOf returns the rules of a role.
func (r *roles) rulesOf(ref rbacv1.RoleRef, namespace string) ([]rbacv1.PolicyRule, error) {
	switch ref.Kind {
	case "Role":
		if r.local == nil {
			r.local = stored[*rbacv1.Role](r, "roles", namespace)
		}
		if role := find(r.local, ref.Name); role != nil {
			return (*role).Rules, nil
		}
	case "ClusterRole":
		all := r.clusterRoles()
		if role := find(all.all, ref.Name); role != nil {
			return all.rules(*role), nil
		}
	default:
		return nil, fmt.Errorf("unsupported role reference kind: %q", ref.Kind)
	}
	if r.missing.Empty() {
		return nil, apierrors.NewNotFound(rbacv1.Resource(strings.ToLower(ref.Kind)), ref.Name)
	}
	return nil, apierrors.NewNotFound(r.missing, ref.Name)
}

// find returns the object of a name in a sorted list; nil: there is none.
func find[T metav1.Object](all []T, name string) *T {
	if at, ok := slices.BinarySearchFunc(all, name, func(o T, name string) int { return cmp.Compare(o.GetName(), name) }); ok {
		return &all[at]
	}
	return nil
}

func (r *roles) clusterRoles() *clusterRoles {
	if r.cluster != nil {
		return r.cluster
	}
	all, known := stored[*rbacv1.ClusterRole](r, "clusterroles", ""), r.h.clusterRoles.Load()
	if known == nil || !slices.Equal(known.all, all) {
		known = &clusterRoles{all: all}
		r.h.clusterRoles.Store(known)
	}
	r.cluster = known
	return known
}

// rules returns the rules of a role with those of the roles that it aggregates: no controller copies them here.
func (c *clusterRoles) rules(role *rbacv1.ClusterRole) []rbacv1.PolicyRule {
	if role.AggregationRule == nil {
		return role.Rules
	}
	if rules, ok := c.whole.Load(role.Name); ok {
		return rules.([]rbacv1.PolicyRule)
	}
	rules := c.withAggregated(role, map[string]bool{})
	c.whole.Store(role.Name, rules)
	return rules
}

// withAggregated returns the rules of a role, and of those that it aggregates and that were not seen. A rule comes once, as the controller
// has it (pkg/controller/clusterroleaggregation).
func (c *clusterRoles) withAggregated(role *rbacv1.ClusterRole, seen map[string]bool) []rbacv1.PolicyRule {
	if role.AggregationRule == nil {
		return role.Rules
	}
	seen[role.Name] = true
	rules := slices.Clone(role.Rules)
	for i := range role.AggregationRule.ClusterRoleSelectors {
		sel, err := metav1.LabelSelectorAsSelector(&role.AggregationRule.ClusterRoleSelectors[i])
		for _, other := range c.all {
			if err != nil || seen[other.Name] || !sel.Matches(labels.Set(other.Labels)) {
				continue
			}
			for _, rule := range c.withAggregated(other, seen) {
				if !slices.ContainsFunc(rules, func(has rbacv1.PolicyRule) bool { return equality.Semantic.DeepEqual(has, rule) }) {
					rules = append(rules, rule)
				}
			}
		}
	}
	return rules
}
