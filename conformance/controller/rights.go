package controller

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var rightsEnough = harness.Rule{
	Clause: harness.Clause{
		ID:      "rights/enough",
		Level:   harness.Must,
		Text:    "A controller asks for nothing that its role does not allow.",
		Sources: []harness.Source{rbacDocs},
		Why:     "In a cluster the request is refused with 403, and what it is for never happens. Often that shows only in the rare case for which the request is made.",
		Advice:  "Add the verb and the resource to the role; with kubebuilder, as a marker beside the code that needs it. A subresource, such as deployments/status, is a resource of its own.",
		Classes: []string{"role"},
	},
	Judge: judgeRights,
}

var rightsUsed = harness.Rule{
	Clause: harness.Clause{
		ID:      "rights/used",
		Level:   harness.Provisional,
		Text:    "A controller's role allows nothing that the controller never asks for. What it asks for only in cases that the scenario lacks is named, too.",
		Sources: []harness.Source{rbacDocs},
		Why:     "Who takes over the controller has rights that nobody needs.",
		Advice:  "Take away what the code does not need. Let the scenario have the cases that need the rest.",
		Classes: []string{"role"},
	},
	Judge: judgeUnused,
}

// Right is what a request asks for, or a part of a role. A role has * where it allows all.
type Right struct {
	Verb      string `json:"verb"`
	Group     string `json:"group,omitempty"`
	Resource  string `json:"resource"` // with its subresource: deployments/status
	Name      string `json:"name,omitempty"`
	Namespace string `json:"namespace,omitempty"`
}

// String names it.
func (r Right) String() string {
	s := r.Verb + " " + r.Resource
	if r.Group != "" {
		s += " of " + r.Group
	}
	if r.Name != "" {
		s += " " + r.Name
	}
	return s
}

// Allowed is a rule of a role, in all namespaces or in one.
type Allowed struct {
	rbacv1.PolicyRule
	Namespace string `json:"namespace,omitempty"` // empty: in all
}

// allows reports whether the rule allows a request.
func (a Allowed) allows(r Right) bool {
	has := func(all []string, want string) bool { return slices.Contains(all, want) || slices.Contains(all, "*") }
	_, sub, _ := strings.Cut(r.Resource, "/")
	resource := has(a.Resources, r.Resource) || sub != "" && slices.Contains(a.Resources, "*/"+sub)
	return has(a.Verbs, r.Verb) && has(a.APIGroups, r.Group) && resource &&
		(len(a.ResourceNames) == 0 || slices.Contains(a.ResourceNames, r.Name)) && (a.Namespace == "" || a.Namespace == r.Namespace)
}

// parts returns the rule as rights, each of which allows one verb on one resource.
func (a Allowed) parts() (all []Right) {
	for _, verb := range a.Verbs {
		for _, group := range a.APIGroups {
			for _, resource := range a.Resources {
				all = append(all, Right{Verb: verb, Group: group, Resource: resource, Namespace: a.Namespace})
			}
		}
	}
	return all
}

// rightOf returns what a request asks for.
func rightOf(q *http.Request, x target) Right {
	resource, group, _ := strings.Cut(x.resource, ".")
	verb := map[string]string{http.MethodPost: "create", http.MethodPut: "update", http.MethodPatch: "patch", http.MethodDelete: "delete"}[q.Method]
	switch {
	case verb == "" && isWatch(q):
		verb = "watch"
	case verb == "" && x.name == "":
		verb = "list"
	case verb == "":
		verb = "get"
	case verb == "delete" && x.name == "":
		verb = "deletecollection"
	}
	if x.subresource != "" {
		resource += "/" + x.subresource
	}
	return Right{verb, group, resource, x.name, x.namespace}
}

// judgeRights tests each request of the controller against its role.
func judgeRights(h *history.History) (j harness.Judgement) {
	for _, p := range recordOf(h).all() {
		if p.info.Role == nil {
			continue
		}
		for _, r := range p.final.Asked {
			j.Tested++
			if !slices.ContainsFunc(p.info.Role, func(a Allowed) bool { return a.allows(r) }) {
				j.Fail("its role allows what it asks for", p.prefix()+"it asks to "+r.String(), p.at(p.end)...)
			}
		}
	}
	return j
}

// judgeUnused looks for parts of the role that no run has used.
func judgeUnused(h *history.History) (j harness.Judgement) {
	unused, last := map[string]bool{}, int32(0)
	for _, p := range recordOf(h).all() {
		for _, a := range p.info.Role {
			for _, part := range a.parts() {
				if _, ok := unused[part.String()]; !ok {
					unused[part.String()] = true
					j.Tested++
				}
				one := Allowed{rbacv1.PolicyRule{Verbs: []string{part.Verb}, APIGroups: []string{part.Group}, Resources: []string{part.Resource}}, part.Namespace}
				if slices.ContainsFunc(p.final.Asked, one.allows) {
					unused[part.String()] = false
				}
			}
		}
		last = p.end
	}
	for _, part := range slices.Sorted(maps.Keys(unused)) {
		if unused[part] {
			j.Fail("each part of the role is used", fmt.Sprintf("nothing asks to %s", part), last)
		}
	}
	return j
}
