package mutants

import (
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// statusRows are faults of kinds whose status is a subresource: of writes to the one part that change the other.
var statusRows = []row{
	{name: "put-takes-status", rule: "write/status/status-kept", resource: "deployments", about: "an update of the object sets the status that it brings, as fakes do that store what they are sent (controller-runtime's, before WithStatusSubresource)",
		on: "update", when: all(not(ofStatus), whereSent(hasStatus), not(dry)), answer: again(otherPart)},
	{name: "put-drops-status", rule: "write/status/status-kept", resource: "deployments", about: "an update of the object that leaves status out takes it away",
		on: "update", when: all(not(ofStatus), not(whereSent(hasStatus)), not(dry)), answer: again(otherPart)},
	{name: "patch-takes-status", rule: "write/status/status-kept", resource: "deployments", about: "a merge patch of the object sets status",
		on: "patch", when: all(not(ofStatus), merges), answer: again(otherPart)},
	{name: "apply-takes-status", rule: "write/status/status-kept", resource: "deployments", about: "an apply of the object sets status",
		on: "patch", when: all(not(ofStatus), applies), answer: again(otherPart)},

	{name: "status-put-takes-spec", rule: "write/status/spec-kept", resource: "deployments", about: "an update of status sets the spec that it brings: a controller takes back what the user has asked for",
		on: "update", when: all(ofStatus, whereSent(hasSpec), not(dry)), answer: again(otherPart)},
	{name: "status-put-drops-spec", rule: "write/status/spec-kept", resource: "deployments", about: "an update of status that leaves a part of the spec out takes it away",
		on: "update", when: all(ofStatus, not(whereSent(hasSpec)), not(dry)), answer: again(otherPart)},
	{name: "status-patch-takes-spec", rule: "write/status/spec-kept", resource: "deployments", about: "a merge patch of status sets the spec",
		on: "patch", when: all(ofStatus, merges), answer: again(otherPart)},
	{name: "status-apply-takes-spec", rule: "write/status/spec-kept", resource: "deployments", about: "an apply of status sets the spec",
		on: "patch", when: all(ofStatus, applies), answer: again(otherPart)},

	{name: "status-always-stores", rule: "write/no-op", resource: "deployments", about: "an update of status that changes nothing is stored all the same, with a count of its own: two controllers keep each other busy",
		state: func(*apiserver.Server) row {
			count := int64(0)
			return row{on: "update", when: ofStatus, ask: changeSent(func(o metav1.Object) {
				count++
				o.(*appsv1.Deployment).Status.ObservedGeneration = count
			})}
		}},
	{name: "status-changes-untold", rule: "watch/reliable", resource: "deployments", about: "watches are not told of changes of status alone, as if all filtered by generation (client-side predicates do; a server must not)",
		on: "watch", events: drop(statusAlone)},
}

// otherPart is a write to the object in place of one to its status, or to its status in place of the object.
func otherPart(c *call) {
	if ofStatus(c) {
		c.Subresource = ""
	} else {
		c.Subresource = "status"
	}
	anyVersion(c)
	if applies(c) {
		byForce(c)
	}
}

// hasStatus and hasSpec report whether a Deployment brings the parts of those that the rules set.
func hasStatus(o metav1.Object) bool {
	d, ok := o.(*appsv1.Deployment)
	return ok && len(d.Status.Conditions) > 0
}

func hasSpec(o metav1.Object) bool {
	d, ok := o.(*appsv1.Deployment)
	return ok && len(d.Spec.Template.Annotations) > 0
}

// statusAlone picks changes of Deployments that raise no generation.
func statusAlone() func(watch.Event, apiserver.Cause) bool {
	told := map[types.UID]int64{}
	return func(e watch.Event, _ apiserver.Cause) bool {
		is, ok := e.Object.(*appsv1.Deployment)
		if !ok {
			return false
		}
		was, before := told[is.UID]
		told[is.UID] = is.Generation
		return e.Type == watch.Modified && hasStatus(is) && before && was == is.Generation
	}
}
