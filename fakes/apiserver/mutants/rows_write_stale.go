package mutants

import (
	"encoding/json"
	"maps"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// existsReasonRows are faults of creates of what exists.
var existsReasonRows = []row{
	{name: "exists-unallowed", rule: "write/exists", about: "a create of what exists is refused with 405",
		on: "create", refused: apierrors.IsAlreadyExists, answer: refuseAs(405)},
	{name: "exists-fails", rule: "write/exists", about: "a create of what exists is refused with 500, each time",
		on: "create", refused: apierrors.IsAlreadyExists, answer: refuseAs(500)},
}

// staleReasonRows are stale writes that are refused, and with another code than 409.
var staleReasonRows = []row{
	{name: "stale-update-unallowed", rule: "write/conflict/update", about: "a stale update is refused with 405",
		on: "update", refused: apierrors.IsConflict, answer: refuseAs(405)},
	{name: "stale-patch-unimplemented", rule: "write/conflict/patch", about: "a stale patch is refused with 501",
		on: "patch", refused: apierrors.IsConflict, answer: refuseAs(501)},
	{name: "stale-delete-fails", rule: "write/conflict/delete", about: "a stale delete is refused with 500, each time",
		on: "delete", refused: apierrors.IsConflict, answer: refuseAs(500)},
	{name: "delete-uid-unallowed", rule: "write/conflict/uid", about: "a delete with another object's uid is refused with 405",
		on: "delete", when: ifUID, refused: apierrors.IsConflict, answer: refuseAs(405)},
}

// newerRows are preconditions that are newer than the object, that come in twos, or are about what is being deleted.
var newerRows = []row{
	{name: "newer-update", rule: "write/conflict/update", about: "an update with a resourceVersion above the object's is done: only what is older is taken for stale",
		on: "update", when: aheadOfStored, ask: anyVersion},
	{name: "newer-patch", rule: "write/conflict/patch", about: "a patch with a resourceVersion above the object's is done",
		on: "patch", when: aheadOfStored, ask: anyVersion},
	{name: "newer-delete", rule: "write/conflict/delete", about: "a delete whose resourceVersion precondition is above the object's is done",
		on: "delete", when: aheadOfStored, ask: anyVersion},
	{name: "delete-version-beside-uid", rule: "write/conflict/delete", about: "a delete with both preconditions looks at the uid alone",
		on: "delete", when: ifUID, ask: anyVersion},
	{name: "delete-uid-beside-version", rule: "write/conflict/uid", about: "a delete with both preconditions looks at the resourceVersion alone",
		on: "delete", when: ifVersion, ask: anyUID},
	{name: "stale-update-deleting", rule: "write/conflict/update", about: "a stale update of what is being deleted is done",
		on: "update", when: whereStored(deleting), ask: versionOfNow},
	{name: "stale-delete-deleting", rule: "write/conflict/delete", about: "a delete of what is being deleted is answered whatever its preconditions are",
		on: "delete", when: whereStored(deleting), ask: anyPrecondition},
}

// staleShapeRows are servers that forget a precondition on one way through a write.
var staleShapeRows = []row{
	{name: "stale-update-held", rule: "write/conflict/update", about: "an update of an object that has finalizers is done whatever resourceVersion it has",
		on: "update", when: all(whereStored(finalized), not(whereStored(deleting))), ask: versionOfNow},
	{name: "stale-update-owned", rule: "write/conflict/update", about: "an update of an object that has owners is done whatever resourceVersion it has",
		on: "update", when: whereStored(func(o metav1.Object) bool { return len(o.GetOwnerReferences()) > 0 }), ask: versionOfNow},
	{name: "stale-update-holding", rule: "write/conflict/update", about: "an update that adds a finalizer is done whatever resourceVersion it has",
		on: "update", when: storedAndSent(func(now, sent metav1.Object) bool { return len(sent.GetFinalizers()) > len(now.GetFinalizers()) }), ask: versionOfNow},
	{name: "stale-update-noting", rule: "write/conflict/update", about: "an update that changes annotations is done whatever resourceVersion it has",
		on: "update", when: storedAndSent(func(now, sent metav1.Object) bool { return !maps.Equal(sent.GetAnnotations(), now.GetAnnotations()) }), ask: versionOfNow},
	{name: "stale-patch-metadata", rule: "write/conflict/patch", about: "a merge patch of nothing but metadata is done whatever resourceVersion it has",
		on: "patch", ask: func(c *call) {
			var p map[string]map[string]any
			if json.Unmarshal(c.data, &p) == nil && c.patchType == types.MergePatchType && len(p) == 1 && p["metadata"] != nil {
				delete(p["metadata"], "resourceVersion")
				c.data, _ = json.Marshal(p) // it was read
			}
		}},
	{name: "stale-delete-policy", rule: "write/conflict/delete", about: "a delete with a propagationPolicy is done whatever its preconditions are",
		on: "delete", when: func(c *call) bool { return c.remove.PropagationPolicy != nil }, ask: anyPrecondition},
	{name: "stale-delete-grace", rule: "write/conflict/delete", about: "a delete with a grace period is done whatever its preconditions are",
		on: "delete", when: func(c *call) bool { return c.remove.GracePeriodSeconds != nil }, ask: anyPrecondition},
}

// storedAndSent reports what holds of the object as it is stored, and as an update sends it.
func storedAndSent(f func(now, sent metav1.Object) bool) func(*call) bool {
	return func(c *call) bool {
		return whereStored(func(now metav1.Object) bool { return f(now, of(c.sent)) })(c)
	}
}

// aheadOfStored writes demand a resourceVersion that is newer than that of the object.
func aheadOfStored(c *call) bool {
	return whereStored(func(now metav1.Object) bool { return older(now.GetResourceVersion(), demanded(c)) })(c)
}

// versionOfNow gives an update that has a resourceVersion that of the object as it is stored.
func versionOfNow(c *call) {
	if now := c.now(); now != nil && conditional(c) {
		c.sent = moved(c.sent, of(now).GetResourceVersion())
	}
}
